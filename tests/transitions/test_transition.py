"""Motion transitions: known optima, continuity, planted points, ranges, endings, and words for what cannot be."""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad

import myomass as mm

ROD = mm.Inertia.cuboid((0.4, 0.05, 0.05), mass=1.0)


def arm(n=2, gravity=(0, 0, 0)):
    """Hinges about y, rods along x."""
    spec = mm.Spec("arm", gravity=gravity)
    for i in range(n):
        place = mm.translation(0.4, 0, 0) if i else None
        spec.add_body(
            f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), place, mm.translation(0.2, 0, 0), ROD
        )
    return spec.compile()


def test_one_hinge_from_rest_to_rest_is_the_cubic():
    """Least integral of qddot^2 with four end conditions; the curve has six, and comes as near as its knots allow."""
    model = arm(1)
    inertia = mm.mass_matrix(model, [0.0])[0, 0]
    a, cubic_start, cubic_end = 0.8, 6 * 0.8, -6 * 0.8
    found = mm.transitions.motion_transition(
        model, ([0.0], [0.0], [cubic_start]), ([a], [0.0], [cubic_end]), tolerance=1e-12
    )
    assert found.success
    t = np.linspace(0, 1, 50)
    np.testing.assert_allclose(found.curve(t).q[:, 0], a * t**2 * (3 - 2 * t), atol=1e-8)
    assert found.energy == pytest.approx(inertia**2 * 12 * a**2, rel=1e-9)


def test_a_slide_under_gravity():
    """m (qddot + g): the least effort has qddot linear in time, whatever g."""
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("a", None, mm.Prismatic((0, 0, 1)), None, None, mm.Inertia.cuboid((1, 1, 1), mass=2))
    model = spec.compile()
    before, after = ([0.0], [1.0], [2.0]), ([0.7], [-0.5], [0.0])
    found = mm.transitions.motion_transition(model, before, after, 1.5, coefficients=200, tolerance=1e-12)
    ends = np.array([[0, 0, 0, 1], [0, 0, 1, 0], [1.5**3, 1.5**2, 1.5, 1], [3 * 1.5**2, 3.0, 1, 0]])
    cubic = np.poly1d(np.linalg.solve(ends, [0, 1, 0.7, -0.5]))
    expected = quad(lambda t: (2 * (cubic.deriv(2)(t) + 9.81)) ** 2, 0, 1.5)[0]
    assert found.energy == pytest.approx(expected, rel=2e-2)  # the given accelerations at the ends cost a little
    assert found.energy > expected


def test_ends_are_continuous_to_second_order():
    model, rng = arm(3, (0, 0, -9.81)), np.random.default_rng(0)
    before, after = rng.normal(size=(2, 3, 3))
    found = mm.transitions.motion_transition(model, tuple(before), tuple(after), 0.7, coefficients=12)
    for t, wanted in ((0.0, before), (0.7, after)):
        np.testing.assert_allclose(np.array(found.curve(t)), wanted, rtol=0, atol=1e-11)


def test_clips_are_joined_where_they_end_and_begin():
    model = arm(2, (0, 0, -9.81))
    t = np.linspace(0, 1, 80)
    walk = mm.transitions.Clip(t, np.column_stack([0.3 * np.sin(4 * t), 0.5 * np.cos(3 * t)]))
    wave = mm.transitions.Clip(5 + t, np.column_stack([1 + 0.2 * t**2, np.sin(2 * t)]))
    found = mm.transitions.motion_transition(model, walk, wave, 0.8)
    for at, (clip, moment) in ((0.0, (walk, 1.0)), (0.8, (wave, 5.0))):
        for got, wanted in zip(found.curve(at), clip(moment), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)
    whole = found.joined(walk, wave, 0.002)
    assert (np.diff(whole.t) > 0).all()
    assert whole.t[0] == 0.0
    assert whole.t[-1] == pytest.approx(1.0 + 0.8 + 1.0)
    h = np.diff(whole.t)[:, None]
    steps = np.diff(whole.q, axis=0) - 0.5 * h * (whole.qdot[1:] + whole.qdot[:-1])  # one motion, without a jump
    assert np.abs(steps).max() < 1e-3
    with pytest.raises(TypeError, match="`after` is a clip or a trajectory"):
        found.joined(walk, ([0, 0],))
    run = mm.simulate(model, q=[0.1, 0.2], duration=0.3, integrator="rk4", h=5e-3)
    found = mm.transitions.motion_transition(model, run, ([0.5, 0.5],), 0.5)
    np.testing.assert_allclose(found.curve(0.0).qdot, run.qdot[-1], rtol=0, atol=1e-12)
    wanted = mm.forward_dynamics(model, run.q[-1], run.qdot[-1])
    np.testing.assert_allclose(found.curve(0.0).qddot, wanted, rtol=0, atol=1e-3)
    assert found.energy < found.blend_energy


@pytest.mark.parametrize("optimiser", ["L-BFGS-B", "BFGS"])
def test_nothing_nearby_is_better(optimiser):
    """The gradient along free coefficients vanishes, and steps in any direction raise P."""
    model = arm(3, (0, 0, -9.81))
    found = mm.transitions.motion_transition(
        model, (np.zeros(3), np.ones(3)), ([1, -1, 0.5],), optimiser=optimiser, coefficients=14, tolerance=1e-10
    )
    assert found.success
    assert "converged" in found.message
    rng, P = np.random.default_rng(0), found.energy
    _, slope = mm.transitions.spacetime_gradient(model, found.curve)
    _, first = mm.transitions.spacetime_gradient(model, found.blend)
    assert np.abs(slope[3:-3]).max() < 1e-5 * np.abs(first[3:-3]).max()
    for _ in range(10):
        c = found.curve.coefficients.copy()
        c[3:-3] += 1e-2 * rng.normal(size=c[3:-3].shape)
        assert mm.transitions.spacetime_energy(model, mm.transitions.JointCurve(c)) > P


def test_two_optimisers_and_two_rules_agree():
    model = arm(2, (0, 0, -9.81))
    runs = [
        mm.transitions.motion_transition(model, ([0, 0], [1, 0]), ([1, 0.4],), tolerance=1e-10, **options)
        for options in ({"points": 8}, {"optimiser": "BFGS", "points": 8}, {"quadrature": "simpson", "points": 8})
    ]
    for run in runs[1:]:
        assert run.energy == pytest.approx(runs[0].energy, rel=1e-4)
        np.testing.assert_allclose(run.curve.coefficients, runs[0].curve.coefficients, atol=1e-2)


def test_what_does_not_move_keeps_the_blend():
    model = arm(3, (0, 0, -9.81))
    moving = np.array([True, False, True])
    found = mm.transitions.motion_transition(model, (np.zeros(3),), (np.ones(3),), moving=moving)
    np.testing.assert_array_equal(found.curve.coefficients[:, 1], found.blend.coefficients[:, 1])
    assert np.abs(found.curve.coefficients - found.blend.coefficients)[:, moving].max() > 0.01


def leg():
    """A planar leg on a floating hip: its foot can be planted."""
    spec = mm.Spec("leg")
    spec.add_body("hip", None, mm.Free3D(), None, None, mm.Inertia.cuboid((0.3, 0.2, 0.2), mass=30))
    for name, parent in (("thigh", "hip"), ("shank", "thigh"), ("foot", "shank")):
        place = None if name == "thigh" else mm.translation(0, 0, -0.4)
        rod = mm.Inertia.cuboid((0.08, 0.08, 0.4), mass=5)
        spec.add_body(name, parent, mm.Revolute((0, 1, 0)), place, mm.translation(0, 0, -0.2), rod)
    return spec.compile()


def crouched(model, bend):
    """Knees bent, the sole of the foot where it stands with straight legs."""
    q = np.zeros(9)
    q[6:] = -bend, 2 * bend, -bend
    sole = mm.forward_kinematics(model, q)[3] @ (0, 0, -0.2, 1)
    q[:3] -= sole[:3] - (0, 0, -1.2)
    return q


SOLE = ("foot", (0.0, 0.0, -0.2))


def test_a_planted_foot_stays_and_bears():
    model = leg()
    q0, q1 = crouched(model, 0.4), crouched(model, 0.7)
    ranges = np.array([(-np.inf, np.inf)] * 6 + [(-1.2, 0.2), (0, 2.0), (-1.2, 0.2)])
    options = {
        "planted": mm.transitions.Planted(*SOLE),
        "bearing": mm.transitions.Bearing("foot"),
        "ranges": ranges,
        "coefficients": 14,
    }
    found = mm.transitions.motion_transition(model, (q0,), (q1,), 0.4, **options)
    assert found.success, found.message
    assert found.gap < 5e-4
    places = found.trajectory(0.002).poses[:, 3] @ (0, 0, -0.2, 1)
    assert np.abs(places[:, :3] - (0, 0, -1.2)).max() < 5e-4  # between the knots too
    assert found.energy < found.blend_energy
    assert np.abs(found.torques(np.linspace(0, 0.4, 9))[:, :6]).max() < 1e-8


def test_a_point_is_planted_where_it_is_told_and_only_then():
    model = arm(3, (0, 0, -9.81))
    before, after = (np.array([0.3, 0.4, 0.3]),), (np.array([0.0, 1.2, -0.4]),)
    place = np.array([0.75, 0.0, -0.75])
    tip = mm.transitions.Planted("b2", (0.2, 0, 0), 0.4, 0.6, place=place)
    found = mm.transitions.motion_transition(model, before, after, planted=tip, coefficients=23)
    assert found.success, found.message
    t = np.linspace(0, 1, 101)
    tips = np.array([mm.forward_kinematics(model, q)[2] @ (0.2, 0, 0, 1) for q in found.curve(t).q])[:, :3]
    away = np.linalg.norm(tips - place, axis=1)
    assert away[(t > 0.399) & (t < 0.601)].max() < 2e-4
    assert away[(t < 0.2) | (t > 0.8)].min() > 0.05


def test_a_place_that_cannot_be_reached_is_said_plainly():
    model = arm(2, (0, 0, -9.81))
    far = mm.transitions.Planted("b1", (0.2, 0, 0), 0.4, 0.6, place=(3, 0, 0))
    with pytest.warns(RuntimeWarning, match="the point planted on 'b1' is 2.* m from its place at 0.* s"):
        found = mm.transitions.motion_transition(model, ([0, 0],), ([1, 1],), planted=far, most_iterations=400)
    assert not found.success
    assert "the point planted on 'b1' is" in found.message
    assert found.gap > 2


def test_ranges_are_kept():
    model = arm(2, (0, 0, -9.81))
    before, after = ([0.2, 0.1], [6.0, 0.0]), ([0.3, 0.1], [0.0, 0.0])
    free = mm.transitions.motion_transition(model, before, after)
    ranges = np.array([[-np.inf, 1.0], [0.0, 1.5]])
    kept = mm.transitions.motion_transition(model, before, after, ranges=ranges)
    q = free.curve(np.linspace(0, 1, 200)).q
    assert ((q < ranges[:, 0] - 0.05) | (q > ranges[:, 1] + 0.05)).any()
    q = kept.curve(np.linspace(0, 1, 200)).q
    assert ((q > ranges[:, 0] - 0.02) & (q < ranges[:, 1] + 0.02)).all()
    assert kept.excess <= 0.01
    assert kept.energy > free.energy


def test_ranges_that_cannot_be_kept_are_said():
    """It comes in at 20 rad/s, and may turn by a hundredth."""
    ranges = np.array([[-0.01, 0.01], [-9, 9]])
    with pytest.warns(RuntimeWarning, match="out of its range"):
        found = mm.transitions.motion_transition(arm(2), ([0, 0], [20, 0]), ([0, 0], [20, 0]), ranges=ranges)
    assert not found.success
    assert "a coordinate is" in found.message


def test_the_energy_is_what_a_fine_rule_gives():
    """A search finds motions whose effort falls between the nodes; then more nodes are taken."""
    model = arm(3, (0, 0, -9.81))
    found = mm.transitions.motion_transition(model, (np.zeros(3), np.ones(3)), ([1, -1, 0.5],), points=1)
    assert found.success
    assert found.effort.quadrature[1] > 1
    assert found.energy == pytest.approx(mm.transitions.spacetime_energy(model, found.curve, points=40), rel=2e-2)


def test_a_wrapped_rotation_vector_is_no_jump():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("ball", None, mm.SphericalExp(), None, None, mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1))
    model = spec.compile()
    run = mm.simulate(model, q=[0, 0, 4.0], qdot=[0, 0, 3.0], duration=0.34, h=0.01, integrator="rk4")
    assert run.q[-1, 2] < 0 < run.q[0, 2]  # it has been wrapped
    start = mm.transitions.motion_transition(model, run, ([0, 0, -1.0],)).curve(0.0)
    np.testing.assert_allclose(start.qdot, [0, 0, 3], atol=1e-12)
    np.testing.assert_allclose(start.qddot, 0, atol=1e-9)


def test_no_effort_at_all_still_holds_a_planted_point():
    model = arm(3)
    q = np.array([0.3, 0.5, 0.4])
    place = (mm.forward_kinematics(model, q + 0.05)[2] @ (0.2, 0, 0, 1))[:3]
    tip = mm.transitions.Planted("b2", (0.2, 0, 0), 0.501, 0.502, place)  # between two knots
    found = mm.transitions.motion_transition(model, (q,), (q,), planted=tip)
    assert found.success, found.message


def test_a_small_mechanism_is_held_as_closely():
    scale = 1e-3
    spec = mm.Spec(gravity=(0, 0, 0))
    for i in range(3):
        place = mm.translation(0.4 * scale, 0, 0) if i else None
        rod = mm.Inertia.cuboid(np.array([0.4, 0.05, 0.05]) * scale, mass=1e-3)
        spec.add_body(
            f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), place, mm.translation(0.2 * scale, 0, 0), rod
        )
    model = spec.compile()
    q = np.array([0.3, 0.5, 0.4])
    place = (mm.forward_kinematics(model, q + 0.3)[2] @ (0.2 * scale, 0, 0, 1))[:3]
    found = mm.transitions.motion_transition(
        model, (q,), (q,), planted=mm.transitions.Planted("b2", (0.2 * scale, 0, 0), 0.4, 0.6, place)
    )
    assert found.success, found.message
    assert found.gap < 1e-3 * scale


def test_progress_is_told_and_ctrl_c_keeps_the_best():
    model, told = arm(3, (0, 0, -9.81)), []
    found = mm.transitions.motion_transition(model, (np.zeros(3),), (np.ones(3),), progress=lambda *x: told.append(x))
    assert [n for n, _ in told] == list(range(1, len(found.history) + 1))
    assert told[-1][1] == found.history[-1]

    def stop(iteration, P):
        if iteration == 2:
            raise KeyboardInterrupt

    found = mm.transitions.motion_transition(model, (np.zeros(3),), (np.ones(3),), progress=stop)
    assert not found.success
    assert "interrupted" in found.message
    assert found.energy < found.blend_energy
    assert len(found.history) == 2


def test_the_limit_of_iterations_is_said():
    found = mm.transitions.motion_transition(
        arm(3), (np.zeros(3),), (np.ones(3), np.ones(3)), most_iterations=3, tolerance=1e-14
    )
    assert not found.success
    assert found.message.startswith("stopped after 3 iterations")


@pytest.fixture(scope="module")
def scene():
    return mm.scenes.load("motion-transition")


class TestHumanFigure:
    """The leap of the scene motion-transition."""

    def test_it_converges_and_lowers_the_effort_tenfold(self, scene):
        found = scene.transition
        assert found.success, found.message
        assert found.model.ndof == 40
        assert found.curve.coefficients.shape == (25, 40)
        assert found.energy < 0.1 * found.blend_energy
        joints = slice(6, None)
        t, weights = np.linspace(0, 1, 201), found.effort.weights[joints]
        own = [(found.torques(t, curve)[:, joints] ** 2 @ weights).mean() for curve in (found.curve, found.blend)]
        assert own[0] < 0.1 * own[1]  # of the joints alone too
        assert found.excess <= 0.01

    def test_forward_dynamics_follow_it(self, scene):
        """Nothing pushes the root in flight, and the torques that were found carry the figure to its landing."""
        run = mm.simulate(scene)
        planned = scene.transition.curve(run.t)
        assert np.abs(run.q - planned.q)[:, :3].max() < 2e-3
        assert np.abs(run.q - planned.q).max() < 0.2
        momenta = np.array([mm.momentum(scene.model, q, v).angular for q, v in zip(run.q, run.qdot, strict=True)])
        np.testing.assert_allclose(momenta - momenta[0], 0, atol=2e-5)


def test_words_for_bad_input():
    model = arm(2)
    good = ([0, 0],)
    clip = mm.transitions.Clip([0, 0.1, 0.2], np.zeros((3, 3)))
    for options, error, words in (
        ({"before": clip}, ValueError, "the clip before has 3 coordinates, and model 'arm' has 2 degrees of freedom"),
        ({"after": ([0, 0, 0],)}, ValueError, "the moment after has 3 coordinates"),
        ({"before": None}, TypeError, "`before` is a clip, a trajectory or a moment"),
        ({"before": ([0, np.nan],)}, ValueError, "q of the moment before must be finite"),
        ({"duration": 0}, ValueError, "duration must be finite and positive"),
        ({"coefficients": 6}, ValueError, "a whole number of coefficients, 7 or more, not 6"),
        ({"optimiser": "Newton"}, ValueError, "one of L-BFGS-B, BFGS, not 'Newton'"),
        ({"moving": [1, 0]}, ValueError, r"moving must be booleans of shape \(2,\)"),
        ({"moving": np.zeros(2, bool)}, ValueError, "some of them true"),
        ({"tolerance": -1}, ValueError, "the tolerance must be finite and positive"),
        ({"ranges": np.zeros((2, 3))}, ValueError, r"ranges must be rows \(lower, upper\) of shape \(2, 2\)"),
        ({"ranges": [[-1, 1], [0.5, 1]]}, ValueError, r"before has q\[1\] = 0, and its range is from 0.5 to 1"),
        ({"planted": mm.transitions.Planted("b1", (0, 0, 0), 0.4, 0.6)}, ValueError, "say where with place="),
        (
            {"planted": mm.transitions.Planted("b1", (0, 0, 0), 2, 3)},
            ValueError,
            "and the transition lasts from 0 to 1 s",
        ),
        (
            {"planted": mm.transitions.Planted("b1", (0, 0, 0))},
            ValueError,
            "at 1 s the given motion has the point of 'b1'",
        ),
        ({"planted": mm.transitions.Planted("toe", (0, 0, 0))}, KeyError, "has no body 'toe'"),
        ({"planted": "b1"}, TypeError, r"give mm.transitions.Planted\(...\) or a list of them"),
        ({"bearing": None}, TypeError, r"give mm.transitions.Bearing\(...\) or a list of them"),
        ({"tolerance": 10}, ValueError, "a part of P, less than one"),
        ({"most_iterations": 2.5}, ValueError, "a whole number from 1 on, and is 2.5"),
        ({"progress": 3}, TypeError, "progress is a function"),
        ({"ranges": "wide"}, ValueError, "ranges must be rows"),
        ({"bearing": mm.transitions.Bearing("b1")}, ValueError, "one root with six degrees of freedom"),
    ):
        given = {"model": model, "before": good, "after": ([0.5, 0.6],)} | options
        with pytest.raises(error, match=words):
            mm.transitions.motion_transition(**given)
    for given in ({"point": "tip"}, {"point": (0, 0)}, {"point": (0, 0, 0), "place": (0, np.nan, 0)}):
        with pytest.raises(ValueError, match=r"Planted: the (point|place).* must be finite numbers"):
            mm.transitions.Planted("b1", **given)
    with pytest.raises(TypeError, match="a model is needed"):
        mm.transitions.motion_transition(None, good, good)
    other = mm.simulate(mm.scenes.load("simple-serial-chain"), duration=0.1)
    with pytest.raises(ValueError, match=r"the trajectory before (is of another model|has)"):
        mm.transitions.motion_transition(model, other, good)
    found = mm.transitions.motion_transition(model, good, ([0.5, 0.6],))
    with pytest.raises(ValueError, match="the curve lasts from 0 to 1 s, and some times are outside"):
        found.torques(2.0)
    with pytest.raises(ValueError, match="the curve has 3 coordinates"):
        found.torques(0.5, mm.transitions.JointCurve(np.zeros((9, 3))))


def test_unknowns_that_change_nothing():
    spec = mm.Spec(gravity=(0, 0, -9.81))
    for name in "ab":
        spec.add_body(name, None, mm.Revolute((0, 1, 0)), None, mm.translation(0.2, 0, 0), ROD)
    found = mm.transitions.motion_transition(
        spec.compile(), ([0, 0],), ([1, 1],), weights=[1, 0], moving=np.array([False, True])
    )
    assert found.success
    assert found.energy == found.blend_energy


def test_no_warnings_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mm.transitions.motion_transition(arm(2), ([0, 0],), ([0, 0],))  # nothing to do, P is zero
        mm.transitions.motion_transition(arm(2, (0, 0, -9.81)), ([0, 0],), ([1, 1],))
