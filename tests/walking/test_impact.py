"""Impacts against the laws that they come from: momenta that are kept, energies that are lost, rows that hold."""

import numpy as np
import pytest
from trees import random_frame, random_inertia, random_spec, random_state

import myomass as mm
from myomass.constraints.pack import with_constraints
from myomass.walking.landing import landed

pytestmark = pytest.mark.fast
AXIS = (0.0, -1.0, 0.0)


def floating(seed: int) -> tuple[mm.Model, mm.State]:
    spec = random_spec(seed, 6, ["revolute", "universal", "spherical-exp", "prismatic"])
    spec.bodies["b0"].joint = mm.Free3D()
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    return model, model.state(q, qdot, 0.5)


def velocity(model: mm.Model, state: mm.State, body: str, place) -> np.ndarray:
    return mm.point_jacobian(model, state.q, body, place)[0] @ state.qdot


def about(model: mm.Model, state: mm.State, point: np.ndarray) -> np.ndarray:
    """Angular momentum about a point of the world."""
    whole = mm.momentum(model, state.q, state.qdot)
    return whole.angular + np.cross(whole.centre - point, whole.linear)


@pytest.mark.parametrize("seed", range(6))
def test_a_point_stops_and_the_angular_momentum_about_it_stays(seed):
    model, state = floating(seed)
    E = mm.forward_kinematics(model, state.q)[4]
    place = np.array([0.1, -0.2, 0.05])
    point = E[:3, :3] @ place + E[:3, 3]
    hit = mm.walking.impact(model, state, "b4", point)
    after, impulses = hit
    assert after is hit.state and impulses is hit.impulses
    np.testing.assert_allclose(velocity(model, hit.state, "b4", place), 0, atol=1e-11)
    np.testing.assert_allclose(about(model, hit.state, point), about(model, state, point), atol=1e-10)
    before, after = (mm.momentum(model, s.q, s.qdot).linear for s in (state, hit.state))
    np.testing.assert_allclose(after - before, hit.impulses[0], atol=1e-10)
    lost = mm.energy(model, state.q, state.qdot).kinetic - mm.energy(model, hit.state.q, hit.state.qdot).kinetic
    assert hit.energy_lost == pytest.approx(lost, rel=1e-9)
    assert lost > 0
    np.testing.assert_array_equal(hit.state.q, state.q)


def test_several_points_stop_at_once():
    model, state = floating(2)
    poses = mm.forward_kinematics(model, state.q)
    hit = mm.walking.impact(model, state, ["b3", "b5"], poses[[3, 5], :3, 3])
    for body in ("b3", "b5"):
        np.testing.assert_allclose(velocity(model, hit.state, body, (0, 0, 0)), 0, atol=1e-10)
    before, after = (mm.momentum(model, s.q, s.qdot).linear for s in (state, hit.state))
    np.testing.assert_allclose(after - before, hit.impulses.sum(axis=0), atol=1e-10)


def test_an_elastic_impact_keeps_the_energy():
    model, state = floating(3)
    point = mm.forward_kinematics(model, state.q)[2, :3, 3]
    hit = mm.walking.impact(model, state, "b2", point, restitution=1.0)
    assert abs(hit.energy_lost) < 1e-11 * mm.energy(model, state.q, state.qdot).kinetic
    np.testing.assert_allclose(
        velocity(model, hit.state, "b2", (0, 0, 0)), -velocity(model, state, "b2", (0, 0, 0)), atol=1e-11
    )


def ball(speed=(1.0, 0.5, -3.0)) -> tuple[mm.Model, mm.State]:
    spec = mm.Spec()
    spec.add_body("ball", None, mm.Free3D(), inertia=mm.Inertia.sphere(0.1, mass=2.0))
    model = spec.compile()
    return model, model.state([0, 0, 0.1, 0, 0, 0], [*speed, 0, 0, 0])


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_ball_on_slippery_ground_bounces_by_its_restitution(e):
    model, state = ball()
    hit = mm.walking.impact(model, state, "ball", (0, 0, 0), restitution=e, normal=(0, 0, 1), slip=True)
    np.testing.assert_allclose(hit.state.qdot, [1.0, 0.5, 3.0 * e, 0, 0, 0], atol=1e-13)
    np.testing.assert_allclose(hit.impulses, [[0, 0, 2.0 * 3.0 * (1 + e)]], atol=1e-13)


def test_a_ball_that_grips_rolls_with_five_sevenths_of_its_speed():
    model, state = ball((1.0, 0.0, -3.0))
    hit = mm.walking.impact(model, state, "ball", (0, 0, 0), restitution=0.5, normal=(0, 0, 1))
    assert hit.state.qdot[0] == pytest.approx(5 / 7, rel=1e-13)
    assert hit.state.qdot[2] == pytest.approx(1.5, rel=1e-13)


def test_ground_does_not_pull():
    """A plank that falls turning strikes with one end; the other, which rises, is let go."""
    spec = mm.Spec()
    spec.add_body("plank", None, mm.Free3D(), inertia=mm.Inertia.cuboid((2, 0.1, 0.1), mass=1.0))
    model = spec.compile()
    state = model.state([0, 0, 0, 0, 0, 0], [0, 0, -1.0, 0, 3.0, 0])
    ends = [(-1, 0, 0), (1, 0, 0)]
    hit = mm.walking.impact(model, state, ["plank", "plank"], ends, normal=(0, 0, 1))
    assert hit.impulses[0].tolist() == [0, 0, 0]
    assert hit.impulses[1, 2] > 0
    held = mm.walking.impact(model, state, ["plank", "plank"], ends)
    np.testing.assert_allclose(held.state.qdot, 0, atol=1e-12)
    rising = mm.walking.impact(
        model, model.state(state.q, -state.qdot * [0, 0, 1, 0, 0, 0]), ["plank"] * 2, ends, normal=(0, 0, 1)
    )
    assert not rising.impulses.any()


def test_a_joint_locks_and_the_whole_keeps_its_momenta():
    model, state = floating(4)
    hit = mm.walking.impact(model, state, joints=["b3", "b5"])
    locked = [*range(model.ndof)[model.dof("b3")], *range(model.ndof)[model.dof("b5")]]
    np.testing.assert_allclose(hit.state.qdot[locked], 0, atol=1e-12)
    assert hit.joint_impulses.shape == (len(locked),)
    for key in ("linear", "angular"):
        before, after = (getattr(mm.momentum(model, s.q, s.qdot), key) for s in (state, hit.state))
        np.testing.assert_allclose(after, before, atol=1e-10)


def test_constraints_hold_through_an_impact():
    rng, spec = np.random.default_rng(3), mm.Spec()
    for i in range(4):
        parent = f"b{i - 1}" if i else None
        spec.add_body(f"b{i}", parent, mm.SphericalExp(), random_frame(rng), random_frame(rng), random_inertia(rng))
    spec.add_constraint(mm.Loop(("b0", (0.1, 0.1, 0.1)), ("b3", (0.1, 0, 0))))
    model = spec.compile()
    state = mm.dynamics.assemble(model, 0.1 * rng.normal(size=12), rng.normal(size=12))
    point = mm.forward_kinematics(model, state.q)[2, :3, 3]
    hit = mm.walking.impact(model, state, "b2", point)
    np.testing.assert_allclose(mm.dynamics.constraint_values(model, state.q, hit.state.qdot)[1], 0, atol=1e-9)
    np.testing.assert_allclose(velocity(model, hit.state, "b2", (0, 0, 0)), 0, atol=1e-9)


# --- landing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.Fixed(), mm.Revolute((1, 2, 0)), mm.Translational()], ids=repr)
def test_a_landing_is_a_free_tree_an_impact_and_a_rerooting(joint):
    """By its parts: hung freely the tree keeps its motion, the rows that the joint holds stop, then it hangs by it."""
    model, state = floating(5)
    place = np.array([0.1, 0.0, -0.1])
    landing = mm.walking.land(model, state, "b5", place=place, joint=joint, zero="now")
    free, there = mm.reroot(model, state, "b5", place=place)
    E = mm.forward_kinematics(free, there.q)[5]
    x = E[:3, :3] @ place + E[:3, 3]
    J = mm.frame_jacobian(free, there.q, "b5", mm.translation(*place))[0]
    A = mm.se3.Ad(mm.se3.pose(E[:3, :3], np.zeros(3))) @ J  # twist at the place, world axes
    U, s, _ = np.linalg.svd(joint.S(np.zeros(joint.ndof)), full_matrices=True)
    held = U[:, np.count_nonzero(s > 1e-9) :].T @ A
    M = mm.mass_matrix(free, there.q)
    W = np.linalg.solve(M, held.T)
    P = -np.linalg.solve(held @ W, held @ there.qdot) if len(held) else np.zeros(0)
    expected = mm.body_twists(free, there.q, there.qdot + W @ P)
    np.testing.assert_allclose(
        mm.body_twists(landing.model, landing.state.q, landing.state.qdot), expected, rtol=0, atol=1e-9
    )
    change = [mm.momentum(m, s.q, s.qdot).linear for m, s in ((model, state), (landing.model, landing.state))]
    np.testing.assert_allclose(landing.impulse[3:], change[1] - change[0], atol=1e-9)
    turned = [about(m, s, x) for m, s in ((model, state), (landing.model, landing.state))]
    np.testing.assert_allclose(landing.impulse[:3], turned[1] - turned[0], atol=1e-9)
    kinetic = [mm.energy(m, s.q, s.qdot).kinetic for m, s in ((model, state), (landing.model, landing.state))]
    assert landing.energy_lost == pytest.approx(kinetic[0] - kinetic[1], rel=1e-8)
    assert landing.energy_lost >= 0


def test_a_landing_leaves_other_trees_alone():
    spec, rng = mm.Spec(), np.random.default_rng(4)
    for name, parent in (("a", None), ("b", "a"), ("x", None), ("y", "x")):
        spec.add_body(name, parent, mm.Revolute((0, 1, 0)), random_frame(rng), inertia=random_inertia(rng))
    model = spec.compile()
    state = model.state(rng.normal(size=4), rng.normal(size=4))
    for body, others in (("b", ("x", "y")), ("x", ("a", "b"))):
        landing = mm.walking.land(model, state, body, place=(0.1, 0, 0), zero="now")
        for other in others:
            own, there = model.dof(other), landing.model.dof(other)
            np.testing.assert_array_equal(landing.state.q[there], state.q[own])
            np.testing.assert_allclose(landing.state.qdot[there], state.qdot[own], rtol=1e-12)


def test_a_landing_holds_constraints_at_its_own_time():
    spec, bar = mm.Spec(), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), bar)
    E = mm.translation(1, 0, 0)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), E, mm.translation(0.5, 0, 0), bar)
    spec.add_constraint(mm.DrivenJoint("lower", position=mm.Motion.of(lambda t: 0.25 * t * t, 0.0, 4.0)))
    model = spec.compile()
    landing = mm.walking.land(model, model.state([0.3, 1.0], [1.0, 1.0], t=2.0), "lower", place=(0.5, 0, 0), zero="now")
    assert landing.state.t == 2.0
    assert landing.state.qdot[landing.model.dof("upper")] == pytest.approx(1.0, rel=1e-9)


def test_landing_with_muscles_keeps_their_momenta_too():
    spec = mm.Spec()
    bar = mm.Inertia.cuboid((0.1, 0.1, 1), mass=1.0)
    spec.add_body("a", None, mm.Free3D(), None, None, bar)
    spec.add_body("b", "a", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.5), mm.translation(0, 0, -0.5), bar)
    spec.add_muscle("m", 0.6, [("a", (0.1, 0, 0.3)), ("b", (0.1, 0, -0.2))], mass_points=4)
    model = spec.compile()
    state = model.state([0, 0, 2, 0, 0.3, 0, 0.5], [0.4, 0, -2.0, 0.1, 0.7, 0.2, -1.0])
    foot = np.array([0.0, 0.0, -0.5])
    E = mm.forward_kinematics(model, state.q)[1]
    landing = mm.walking.land(model, state, "b", place=foot, joint=mm.SphericalExp())
    x = E[:3, :3] @ foot + E[:3, 3]
    np.testing.assert_allclose(about(landing.model, landing.state, x), about(model, state, x), rtol=1e-10, atol=1e-10)


# --- seed 004, Eq. 23 -------------------------------------------------------------------------------------------------


def walker(hip=2.0, leg=1.0, length=1.0, offset=0.5) -> tuple[mm.Model, np.ndarray]:
    """A compass walker on its left foot, and the place of a foot in its leg."""
    spec = mm.Spec(gravity=(0, 0, -9.8))
    masses = [(mm.Inertia.point(hip / 2), np.eye(4)), (mm.Inertia.point(leg), mm.translation(0, 0, -offset))]
    inertia = mm.Inertia.composite(masses)
    spec.add_body("left", None, mm.Revolute(AXIS), None, mm.translation(0, 0, length), inertia)
    spec.add_body("right", "left", mm.Revolute(AXIS), mm.translation(0, 0, length), None, inertia)
    return spec.compile(), (mm.se3.inverse(inertia.frame) @ [0, 0, -length, 1])[:3]


@pytest.mark.parametrize("seed", range(4))
def test_a_walkers_landing_is_the_conservation_of_angular_momentum(seed):
    """H qdot+ = (L_tot about the new foot, L of the former stance leg about the hip), of point masses in a plane."""
    rng = np.random.default_rng(seed)
    hip, leg, length, offset = rng.uniform(0.5, 2, 4) * (2, 1, 1, 0.4)
    model, foot = walker(hip, leg, length, offset)
    stance, swing, w_stance, w_swing = rng.uniform(-0.5, 0.5, 4)
    state = model.state([stance, swing - stance], [w_stance, w_swing - w_stance])
    landing = mm.walking.land(model, state, "right", place=foot, joint=mm.Revolute(AXIS))

    def along(angle):  # from foot to hip, x and z
        return np.array([-np.sin(angle), np.cos(angle)])

    def turned(angle):
        return np.array([-np.cos(angle), -np.sin(angle)])

    x_hip = length * along(stance)
    x_foot = x_hip - length * along(swing)
    v_hip = length * w_stance * turned(stance)
    points = [  # mass, place, velocity before
        (hip, x_hip, v_hip),
        (leg, x_hip - offset * along(stance), v_hip - offset * w_stance * turned(stance)),
        (leg, x_hip - offset * along(swing), v_hip - offset * w_swing * turned(swing)),
    ]

    def cross(a, b):
        return a[0] * b[1] - a[1] * b[0]

    L_total = sum(m * cross(x - x_foot, v) for m, x, v in points)
    L_leg = leg * cross(points[1][1] - x_hip, points[1][2])

    def momenta(new_stance, new_swing):  # of the right leg as the stance leg, per rates
        v = length * new_stance * turned(swing)
        after = [v, v - offset * new_swing * turned(stance), v - offset * new_stance * turned(swing)]
        total = sum(m * cross(x - x_foot, u) for (m, x, _), u in zip(points, after, strict=True))
        return np.array([total, leg * cross(points[1][1] - x_hip, after[1])])

    H = np.column_stack([momenta(1, 0), momenta(0, 1)])
    new_stance, new_swing = np.linalg.solve(H, [L_total, L_leg])
    right, hip_rate = landing.state.qdot[landing.model.dof("right")], landing.state.qdot[landing.model.dof("left")]
    np.testing.assert_allclose([right[0], right[0] - hip_rate[0]], [new_stance, new_swing], rtol=1e-10, atol=1e-12)
    assert landing.state.q[landing.model.dof("right")] == pytest.approx(swing, abs=1e-14)


@pytest.mark.parametrize("case", ["walker", "floating"])
def test_landings_carry_complex_steps(case):
    """Coordinates and rates after a landing, differentiated: by the imaginary part, and by differences."""
    if case == "walker":
        model, foot = walker()
        state, joint, body = model.state([-0.3, 0.5], [-1.5, -0.3]), mm.Revolute(AXIS), "right"
    else:
        (model, state), foot, joint, body = floating(7), np.array([0.1, 0.0, 0.0]), mm.Free3D("RT"), "b4"
    x, n = np.concatenate([state.q, state.qdot]), model.ndof

    def after(x):
        got = landed(model, x[:n], x[n:], joint, body=body, place=foot, E_pj=np.eye(4) if n > 2 else None)
        return np.concatenate([got.q, got.qdot])

    for k in range(len(x)):
        step = np.eye(len(x))[k]
        exact = after(x + 1e-30j * step).imag / 1e-30
        differences = (after(x + 1e-4 * step) - after(x - 1e-4 * step)) / 2e-4
        np.testing.assert_allclose(exact, differences, rtol=0, atol=1e-7 * np.abs(differences).max())


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"body": "foot", "point": (0, 0, 0)}, KeyError, "no body 'foot'"),
        ({"body": "ball", "point": (0, 0)}, ValueError, "points of the world"),
        ({"body": "ball", "point": (0, np.nan, 0)}, ValueError, "points of the world"),
        ({"body": "ball", "point": (0, 0, 0), "restitution": -1}, ValueError, "restitution must not be negative"),
        ({"body": "ball", "point": (0, 0, 0), "restitution": (0, 1)}, ValueError, "one restitution"),
        ({"body": "ball", "point": (0, 0, 0), "slip": True}, ValueError, "slip needs the normal"),
        ({"body": "ball", "point": (0, 0, 0), "normal": (0, 0, 0)}, ValueError, "the normal"),
        ({"body": "ball", "point": (0, 0, 0), "normal": (0, 1)}, ValueError, "one normal"),
        ({"joints": "hinge"}, KeyError, "no body 'hinge'"),
        ({"body": "ball", "point": (0, 0, 50)}, ValueError, "impact: the point is .* m away from 'ball'"),
        ({"body": "ball", "point": (0, 0, 0), "restitution": 2.0}, ValueError, "restitution of 2 would make energy"),
        ({"body": "ball", "point": (0, 0, 0), "restitution": "much"}, ValueError, "one restitution"),
        ({"body": "ball", "point": (0, 0, 0), "normal": "up"}, ValueError, "one normal"),
        ({}, ValueError, "nothing is stopped"),
        ({"body": None, "point": (0, 0, 0)}, TypeError, "body must name one body or several"),
        ({"joints": None}, TypeError, "joints must name one body or several"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, error, sentence):
    model, state = ball()
    with pytest.raises(error, match=sentence):
        mm.walking.impact(model, state, **arguments)


def test_a_state_that_is_none_gets_a_sentence():
    model, state = ball()
    with pytest.raises(TypeError, match="impact: give a state"):
        mm.walking.impact(model, state.q, "ball", (0, 0, 0))
    with pytest.raises(TypeError, match="land: give a state"):
        mm.walking.land(model, state.q, "ball", (0, 0, 0))


def test_what_cannot_all_hold_is_said():
    spec, bar = mm.Spec(), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1.0)
    spec.add_body("rod", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), bar)
    spec.add_constraint(mm.DrivenJoint("rod", velocity=2.0))
    model = spec.compile()
    with pytest.warns(RuntimeWarning, match="not all of it can stop beside the model's constraints"):
        mm.walking.impact(model, model.state([0.0], [2.0]), "rod", (1, 0, 0))


def test_landings_with_constraints_refuse_complex_steps():
    model, foot = walker()
    bound = with_constraints(model, {"hip": mm.DrivenJoint("right", velocity=0.0)})
    q = np.array([0.1, 0.2], complex)
    with pytest.raises(ValueError, match="carry no complex steps"):
        landed(bound, q, q, mm.Revolute(AXIS), body="right", place=foot)


def test_reactions_in_world_axes():
    """A pendulum at rest hangs with its weight, whatever its axis is called."""
    for axis in ((0, 1, 0), (0, -1, 0), (1, 1, 0)):
        spec = mm.Spec(gravity=(0, 0, -10))
        spec.add_body("bob", None, mm.Revolute(axis), None, mm.translation(0, 0, -1), mm.Inertia.sphere(0.1, mass=2.0))
        model = spec.compile()
        F = mm.joint_reactions(model, [0.0], [0.0], axes="world")
        np.testing.assert_allclose(F, [[0, 0, 0, 0, 0, 20]], atol=1e-12)
    with pytest.raises(ValueError, match='axes are those of the "joint" or of the "world"'):
        mm.joint_reactions(model, [0.0], [0.0], axes="body")
