"""What belongs to a model beside its motion: names, muscles, charts, files, events; and what a reduction refuses."""

import math
import pickle
import threading

import numpy as np
import pytest
from muscles.hill.driven_arms import driven_arm
from reduced_models import FINGER, SPLINE, WAVE, bead, both, close, curved, curved_jacobian, finger, reduced_tree, rods
from trees import complex_slopes, random_state

import myomass as mm
from myomass.viewer.series import charts_used

fast = pytest.mark.fast
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


@fast
def test_names_defaults_and_units():
    spec = mm.Spec("hand")
    bone, hinge = mm.Inertia.cuboid((0.03, 0.01, 0.01), mass=0.01), mm.Revolute((0, 1, 0))
    spec.add_body("wrist", None, mm.Universal(), inertia=bone)
    angle = mm.model.Coordinate("pip", default=0.3, range=(0.0, 1.8))
    spec.add_body("middle", "wrist", hinge, mm.translation(0.1, 0, 0), inertia=bone, coordinates=[angle])
    spec.add_body("distal", "middle", hinge, mm.translation(0.03, 0, 0), inertia=bone, coordinates=["dip"])
    spec.add_body("rail", None, mm.Prismatic(), inertia=bone)
    spec.reduce({"distal": {"pip": 0.5}})  # a body stands for its only coordinate
    model = spec.compile()
    assert model.coordinates == ["wrist[0]", "wrist[1]", "pip", "rail"]
    assert model.coordinate_units == ["rad", "rad", "rad", "m"]
    assert model.whole.coordinates == ["wrist[0]", "wrist[1]", "pip", "dip", "rail"]
    np.testing.assert_array_equal(model.q(rail=0.2), [0, 0, 0.3, 0.2])
    assert [model.dof(name) for name in ("wrist", "middle", "pip", "rail")] == [
        slice(0, 2),
        slice(2, 3),
        slice(2, 3),
        slice(3, 4),
    ]
    with pytest.raises(ValueError, match="the joint of 'distal' has no coordinates of its own"):
        model.dof("distal")
    assert repr(model) == "Model('hand': 4 bodies, 4 degrees of freedom in place of 5)"
    turn = mm.model.Coordinate("turn", default=0.7, unit="rad")
    spec.reduce(mm.SmoothMap([turn, "slide"], lambda Q: np.stack([Q[0], Q[0] * Q[1]]), of=["pip", "rail"]))
    again = spec.compile()
    assert again.coordinates == ["wrist[0]", "wrist[1]", "turn", "slide"]
    assert again.coordinate_units == ["rad", "rad", "rad", "1"]
    np.testing.assert_array_equal(again.q(), [0, 0, 0.7, 0])
    assert model.whole.whole is model.whole
    assert spec.bodies["distal"].coordinates[0].name == "dip"


@fast
def test_followers_of_followers_in_one_call_and_numbers_that_stay():
    spec = rods()
    spec.reduce({"distal": {"middle": (0.1, 0.5)}, "middle": {"proximal": WAVE}})
    q = mm.dynamics.joint_motion(spec.compile(), [0.3]).q
    close(q, [0.3, WAVE(0.3), 0.1 + 0.5 * WAVE(0.3)], 1e-15)
    spec = rods()
    spec.reduce({"distal": 0.25, "middle": {"distal": 2.0, "proximal": 1.0}})
    model = spec.compile()
    close(mm.dynamics.joint_motion(model, [0.3], [1.0]).q, [0.3, 0.8, 0.25], 1e-15)
    close(mm.dynamics.joint_motion(model, [0.3], [1.0]).qdot, [1, 1, 0], 0)


def muscled(mass: float, reflexes: bool = False) -> mm.Spec:
    return driven_arm(mass, reflexes, tendon="elastic") if reflexes else driven_arm(mass)


COUPLED = {"upper[1]": ("lower", (0.1, -0.4, 0.2))}


@pytest.mark.parametrize("mass", [0.0, 0.4])
def test_muscles(mass):
    reduced, bound = both(lambda: muscled(mass), COUPLED)
    q, qdot, _ = random_state(reduced, 2)
    joints = mm.dynamics.joint_motion(reduced, q, qdot)
    whole = reduced.whole
    close(mm.muscle_lengths(reduced, q), mm.muscle_lengths(whole, joints.q), 1e-15)
    close(mm.moment_arms(reduced, q), mm.moment_arms(whole, joints.q) @ joints.J, 1e-13)
    h = 1e-6
    steps = [mm.muscle_lengths(reduced, q + h * e) - mm.muscle_lengths(reduced, q - h * e) for e in np.eye(2)]
    close(mm.moment_arms(reduced, q), -np.array(steps).T / (2 * h), 1e-7)
    close(mm.muscle_inertia(reduced, q), joints.J.T @ mm.muscle_inertia(whole, joints.q) @ joints.J, 1e-12)
    for own, other in zip(mm.muscle_points(reduced, q), mm.muscle_points(whole, joints.q), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-15)
    state = reduced.state(q, qdot, activation=0.3)
    there = bound.state(joints.q, joints.qdot, activation=0.3)
    close(state.z, there.z, 1e-12)
    close(mm.muscles.muscle_report(reduced, state).tension, mm.muscles.muscle_report(bound, there).tension, 1e-12)
    qddot = mm.forward_dynamics(reduced, q, qdot, z=state.z)
    found = mm.dynamics.joint_motion(reduced, q, qdot, qddot).qddot
    close(found, mm.forward_dynamics(bound, joints.q, joints.qdot, z=state.z), 1e-10)
    close(mm.forward_dynamics(reduced, q, qdot, method="redmax", z=state.z), qddot, 1e-10)
    own, other = (mm.energy(m, x.q, x.qdot, z=state.z) for m, x in ((reduced, state), (bound, there)))
    close(own, other, 1e-13)
    close(mm.momentum(reduced, q, qdot).linear, mm.momentum(bound, joints.q, joints.qdot).linear, 1e-13)


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2", "euler", "semi-implicit", "symplectic"])
@pytest.mark.parametrize("mass", [0.0, 0.4])
def test_muscles_in_motion(mass, integrator):
    """Against the same under a row; symplectic Euler, which knows no rows, against half the step."""
    reduced, bound = both(lambda: muscled(mass, True), {"upper[1]": ("lower", (0.1, -0.4))})
    q, qdot, _ = random_state(reduced, 2)
    joints = mm.dynamics.joint_motion(reduced, q, 0.2 * qdot)
    steps = TIGHT if integrator == "recursive" else {"h": 1e-3}
    given = {"integrator": integrator, "duration": 0.05, "excitation": 0.4, "activation": 0.2, **steps}
    run = mm.simulate(reduced, q=q, qdot=0.2 * qdot, **given)
    assert run.ended == "completed"
    if integrator == "symplectic":
        finer = mm.simulate(reduced, q=q, qdot=0.2 * qdot, **given | {"h": 5e-4})
        finest = mm.simulate(reduced, q=q, qdot=0.2 * qdot, **given | {"h": 2.5e-4})
        ratio = np.linalg.norm(run.q[-1] - finer.q[-1]) / np.linalg.norm(finer.q[-1] - finest.q[-1])
        assert ratio == pytest.approx(2.0, abs=0.3)
        return
    other = mm.simulate(bound, q=joints.q, qdot=joints.qdot, **given)
    end = mm.dynamics.joint_motion(reduced, run.q[-1], run.qdot[-1])
    close(end.q, other.q[-1], 1e-8)
    close(run.z[-1], other.z[-1], 1e-7)
    close(run.muscles.tension[-1], other.muscles.tension[-1], 1e-6)


def test_slopes_of_muscles_with_states():
    reduced, _ = both(lambda: muscled(0.3), COUPLED)
    q, qdot, qddot = random_state(reduced, 2)
    state = reduced.state(q, qdot, activation=0.3)
    found = mm.linearise(reduced, state, qddot)

    def r(q, qdot, qddot, z):
        return mm.residual(reduced, q, qdot, qddot, z=z)

    def zdot(q, qdot, z):
        return mm.muscles.muscle_rates(reduced, q, qdot, z, 0.3)

    at = q, qdot, qddot, state.z
    for which, slopes in ((2, found.M), (1, found.D), (0, found.K), (3, found.states.R)):
        close(slopes, complex_slopes(r, at, which), 1e-10)
    for which, slopes in ((0, found.states.K), (1, found.states.D), (2, found.states.Z)):
        close(slopes, complex_slopes(zdot, (q, qdot, state.z), which), 1e-9)


@pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.SphericalEuler("ZXY"), mm.Free3D()])
@pytest.mark.parametrize("integrator", ["recursive", "bdf2", "rk4"])
def test_joints_with_charts_that_stay(joint, integrator):
    """A ball tumbles through its charts while hinges on it are coupled."""

    def tumbling():
        spec = mm.Spec("tumbling", gravity=(0, 0, 0))
        box, hinge = mm.Inertia.cuboid((0.3, 0.2, 0.1), mass=1.0), mm.Revolute((0, 1, 0))
        spec.add_body("ball", None, joint, inertia=box)
        spec.add_body("near", "ball", hinge, mm.translation(0.3, 0, 0), mm.translation(0.1, 0, 0), box)
        spec.add_body("far", "near", hinge, mm.translation(0.2, 0, 0), mm.translation(0.1, 0, 0), box)
        return spec

    reduced, bound = both(tumbling, {"near": ("far", (0.0, 0.7))})
    n = joint.ndof
    euler = isinstance(joint, mm.SphericalEuler)  # whose middle angle is the one that must turn far
    Q, Qdot = np.r_[np.full(n, 0.1), 0.2], np.r_[[1.0, 7.0, 0.5] if euler else 7.0 * np.cos(np.arange(n)), 1.0]
    joints = mm.dynamics.joint_motion(reduced, Q, Qdot)
    steps = TIGHT if integrator == "recursive" else {"h": 1e-3}
    given = {"integrator": integrator, "duration": 1.5, **steps}
    run = mm.simulate(reduced, q=Q, qdot=Qdot, **given)
    other = mm.simulate(bound, q=joints.q, qdot=joints.qdot, **given)
    if joint.ndof == 3:
        assert np.abs(np.diff(run.q, axis=0)).max() > 1.0 or (np.diff(run.charts, axis=0) != 0).any()
    close(run.poses[-1], other.poses[-1], 1e-6 if integrator == "bdf2" else 1e-7)
    away = reduced.state(Q + np.r_[6.0 * (np.arange(n) == n - 1), 0.0], Qdot)
    wrapped = mm.algorithms.reparameterise(reduced, away)
    moved = reduced.with_charts(wrapped.charts)
    close(mm.forward_kinematics(moved, wrapped.q), mm.forward_kinematics(reduced, away.q), 1e-12)
    close(mm.body_twists(moved, wrapped.q, wrapped.qdot), mm.body_twists(reduced, away.q, away.qdot), 1e-11)


@fast
def test_torques_events_and_going_on():
    reduced, _ = finger()
    asked = []

    def tau(t, q, qdot):
        asked.append(q.shape)
        return [0.01 * np.cos(9 * t), -0.1 * qdot[1] * 1e-3]

    strike = mm.Event(lambda state: state.q[0] - 0.05, direction=-1, kind="strike")
    run = mm.simulate(reduced, q=[0.1, 0.2], duration=0.3, tau=tau, events=strike, **TIGHT)
    assert set(asked) == {(2,)}
    assert run.events
    np.testing.assert_allclose(run.events[0].q_before[0], 0.05, atol=1e-9)
    first = mm.simulate(reduced, q=[0.1, 0.2], duration=0.1, tau=tau, **TIGHT)
    second = mm.simulate(reduced, state=first.state, duration=0.2, tau=tau, **TIGHT)
    whole = mm.simulate(reduced, q=[0.1, 0.2], duration=0.3, tau=tau, **TIGHT)
    close(first.joined(second).q[-1], whole.q[-1], 1e-8)
    steps = np.tile([0.01, 0.0], (30, 1))
    stepped = mm.simulate(reduced, q=[0.1, 0.2], integrator="rk4", h=1e-2, duration=0.3, tau=steps)
    held = mm.simulate(reduced, q=[0.1, 0.2], integrator="rk4", h=1e-2, duration=0.3, tau=steps[0])
    np.testing.assert_array_equal(stepped.q, held.q)
    np.testing.assert_array_equal(run["middle"], run.q[:, 1])


@pytest.mark.parametrize("kind", ["couplings", "chain"])
def test_files_and_pickles(kind, tmp_path):
    model = reduced_tree(kind)
    if kind == "chain":
        mm.register(mm.SmoothMap(("s", "t"), curved, curved_jacobian))
    q, qdot, _ = random_state(model, 1)
    run = mm.simulate(model, q=q, qdot=qdot, duration=0.02)
    path = run.save(tmp_path / "run.npz")
    loaded = mm.Trajectory.load(path)
    for other in (loaded.model, pickle.loads(pickle.dumps(model)), loaded.model.whole and loaded.model):
        assert other.coordinates == model.coordinates
        assert other.coordinate_units == model.coordinate_units
        assert other.whole.coordinates == model.whole.coordinates
        given = other, q, qdot
        np.testing.assert_array_equal(mm.forward_dynamics(*given), mm.forward_dynamics(model, q, qdot))
    np.testing.assert_array_equal(loaded.q, run.q)
    np.testing.assert_array_equal(loaded.poses, run.poses)
    again = mm.simulate(loaded.model, q=q, qdot=qdot, duration=0.02)
    np.testing.assert_array_equal(again.q, run.q)
    assert run.joined(mm.simulate(loaded.model, state=run.state, duration=0.02)).switches == ()


def test_a_file_with_a_map_that_nobody_registered(tmp_path):
    spec = bead()
    spec.reduce(mm.SmoothMap("u", lambda Q: np.stack([Q[0], Q[0] ** 2]), name="parabola of nobody"))
    path = mm.simulate(spec.compile(), q=[0.2], duration=0.02).save(tmp_path / "run.npz")
    with pytest.raises(LookupError, match=r"map 'parabola of nobody', a Python function that is not registered here"):
        mm.Trajectory.load(path)


def test_threads_have_scratch_of_their_own():
    model, found = reduced_tree("given jacobian"), {}
    q, qdot, _ = random_state(model, 1)

    def work(k):
        for _ in range(20):
            found[k] = mm.forward_dynamics(model, q + 0.1 * k, qdot)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        np.testing.assert_array_equal(found[k], mm.forward_dynamics(model, q + 0.1 * k, qdot))


@fast
def test_float32():
    model = reduced_tree("couplings")
    q, qdot, _ = random_state(model, 1)
    single = model.astype(np.float32)
    found = mm.forward_dynamics(single, q.astype(np.float32), qdot.astype(np.float32))
    assert found.dtype == np.float32
    close(found, mm.forward_dynamics(model, q, qdot), 1e-3)


@fast
def test_actuators_and_force_points():
    model = reduced_tree("linear")
    q, qdot, _ = random_state(model, 1)
    joints = mm.dynamics.joint_motion(model, q, qdot)
    drive = [mm.forces.CoordinateActuator("b3", optimal_force=2.0), mm.forces.PointActuator("b5", (1, 0, 0))]
    columns = mm.dynamics.actuator_columns(model, q, drive)
    close(columns, joints.J.T @ mm.dynamics.actuator_columns(model.whole, joints.q, drive), 1e-13)
    close(mm.dynamics.actuator_columns(model, q[None], drive)[0], columns, 0)
    seen, whole = mm.dynamics.force_points(model, q), mm.dynamics.force_points(model.whole, joints.q)
    np.testing.assert_array_equal(seen.places, whole.places)


def test_a_run_that_cannot_go_on_keeps_what_it_has():
    """A bead that slides past the end of its wire."""
    spec = bead()
    spec.reduce(mm.SmoothMap("s", lambda Q: np.stack([Q[0], np.where(Q[0].real < -0.5, np.nan, 0.5 * Q[0])])))
    with pytest.warns(RuntimeWarning, match="model 'bead': .*at Q = "):
        run = mm.simulate(spec.compile(), q=[0.0], duration=3.0)
    assert len(run.t) > 3
    assert -0.5 <= run.q[-1, 0] < -0.49


def test_what_a_function_raises_is_raised():
    calls = []

    def wire(Q):
        calls.append(Q)
        if Q[0].real < -0.5:
            raise KeyError("no wire there")
        return np.stack([Q[0], 0.5 + 0.5 * Q[0]])

    spec = bead()
    spec.reduce(mm.SmoothMap("s", wire))
    model = spec.compile()
    for integrator in ("recursive", "bdf1", "rk4"):
        with pytest.raises(KeyError, match="no wire there"):
            mm.simulate(model, q=[0.0], duration=3.0, integrator=integrator)
    with pytest.raises(KeyError, match="no wire there"):
        mm.forward_dynamics(model, [-1.0], [0.0])
    assert np.isfinite(mm.forward_dynamics(model, [0.0], [0.0])).all()


@fast
def test_rank_that_is_lost():
    spec = rods()
    turn = mm.SmoothMap("uv", lambda Q: np.stack([Q[0], Q[0] * Q[1], Q[0] ** 2 * Q[1]]), start=[1, 1])
    turn.coordinates = ("u", "v")
    spec.reduce(turn)
    model = spec.compile()
    assert np.isfinite(mm.forward_dynamics(model, [1.0, 1.0], [1.0, 1.0])).all()
    with pytest.raises(FloatingPointError, match="no acceleration can be found along the reduced coordinate 'v'"):
        mm.forward_dynamics(model, [0.0, 1.0], [1.0, 1.0])


@fast
def test_smooth_only_where_it_is_asked():
    """A kink away from the start is said when the motion meets it."""
    spec = bead()
    bent = mm.SmoothMap("s", lambda Q: np.stack([Q[0], np.where(Q[0].real > 0, Q[0] ** 2, 0)]), start=[1.0])
    spec.reduce(bent)
    model = spec.compile()
    close(mm.dynamics.joint_motion(model, [-0.5], [2.0]).qddot, [0, 0], 1e-12)
    close(mm.dynamics.joint_motion(model, [0.5], [2.0]).qddot, [0, 8], 1e-12)
    with pytest.raises(FloatingPointError, match=r"no second derivative at Q = \[0.0\]"):
        mm.dynamics.joint_motion(model, [0.0], [2.0])


def filled(Q):
    q = np.zeros(3)
    q[0] = np.cos(Q[0])
    return q


def one(Q):
    return np.stack([Q[0], 2 * Q[0], np.sin(Q[0])])


def smooth(function, *args, **options):
    return mm.SmoothMap("s", function, *args, **options)


BAD = {
    "reduce: give {follower: {leader: rule}} with one follower": {},
    "reduce: give {follower.*mm.LinearMap or mm.SmoothMap, not 3": 3,
    "there is no coordinate 'thumb'; known: proximal, middle, distal": {"thumb": {"middle": 0.5}},
    "'distal': there is no coordinate 'index'": {"distal": {"index": 0.5}},
    "'distal' cannot follow itself": {"distal": {"distal": 0.5}},
    "'distal', 'middle' and 'proximal' follow each other in a circle; leave one of them free": {
        "distal": {"middle": 1.0},
        "middle": {"proximal": 1.0},
        "proximal": {"distal": 1.0},
    },
    "'distal', its rule for 'middle', a factor, must be a finite number, and it is nan|and is nan": {
        "distal": {"middle": np.nan}
    },
    r"coefficients c0, c1, ... must be finite numbers of shape \(n,\), and at \[1\] it is inf": {
        "distal": {"middle": (0, np.inf)}
    },
    "'distal', its rule for 'middle', has no coefficients": {"distal": {"middle": ()}},
    "needs a number that it keeps, or {leader: rule}, and is given 'half'": {"distal": "half"},
    "has a kink or a jump": {"distal": {"middle": mm.Motion.linear([0, 1, 2], [0, 1, 0])}},
    r"matrix, a row for each of 3 coordinates and a column for each of 1 new ones, must be .*\(3, 1\)": mm.LinearMap(
        "s", [[1], [1]]
    ),
    r"matrix.*at \[0, 0\] it is nan": mm.LinearMap("s", [[np.nan], [1], [1]]),
    r"offset must be finite numbers of shape \(3,\)": mm.LinearMap("s", [[1], [1], [1]], [1, 2]),
    "column 1 of the matrix, 't', is a combination of those before it": mm.LinearMap(
        ("s", "t"), [[1, 2], [1, 2], [0, 0]]
    ),
    "column 0 of the matrix, 's', is zero": mm.LinearMap("s", np.zeros((3, 1))),
    "4 coordinates cannot move 3 independently": mm.LinearMap("stuv", np.ones((3, 4))),
    "coordinates are names or mm.model.Coordinate of the new ones, and are 3": mm.LinearMap(3, np.eye(3)),
    "there would be two coordinates 'proximal'": mm.LinearMap("proximal", [[1], [1]], of=["middle", "distal"]),
    "`of` names a coordinate twice": mm.LinearMap("s", [[1], [1]], of=["middle", "middle"]),
    "there is no coordinate 'thumb'": mm.LinearMap("s", [[1]], of=["thumb"]),
    "must be functions of Q, and one is 3": smooth(3),
    "must be functions of Q, and one is 4": smooth(one, 4),
    r"start, of 1 new coordinates, must be .* \(1,\)": smooth(one, start=[1, 2]),
    r"function\(Q\) has shape \(1,\), and the map '<lambda>' gives 3 coordinates of 1": smooth(lambda Q: Q),
    r"jacobian\(Q\) has shape \(3,\)": smooth(one, one),
    r"not finite at Q = \[0.0\]": smooth(lambda Q: one(Q) + np.inf),
    "must take complex numbers, and does not.*math.cos": smooth(
        lambda Q: np.stack([Q[0], Q[0], math.cos(Q[0]) + 0 * Q[0]])
    ),
    "function must take complex numbers.*not filled in": smooth(filled),
    "J is not the derivative of function": smooth(lambda Q: one(np.abs(Q)), start=[1.0]),
    "complex step of jacobian.Q. is not Jdot": smooth(
        lambda Q: Q[0] ** 2 * np.ones(3), lambda Q: 2 * Q.real[0] * np.ones((3, 1))
    ),
}


@fast
@pytest.mark.parametrize("sentence", BAD)
def test_bad_reductions_get_a_sentence(sentence):
    spec = rods()
    how = BAD[sentence]
    if isinstance(how, mm.LinearMap) and how.coordinates == "stuv":
        how = mm.LinearMap(tuple("stuv"), how.matrix)
    with pytest.raises((ValueError, TypeError, FloatingPointError, KeyError), match=sentence):
        spec.reduce(how)
        spec.compile()


@fast
def test_what_works_in_the_joints_coordinates_only_says_so():
    reduced, _ = finger()
    zeros = np.zeros(2)
    for use in (
        lambda: mm.simulate(reduced, integrator="maximal", duration=0.1),
        lambda: mm.reroot(reduced, reduced.state(), "distal"),
        lambda: mm.value_and_grad(reduced, mm.tasks.Reach("distal", (0, 0, 0), (0, 0, 0)), h=1e-2, duration=0.1),
        lambda: mm.coordinates.joint_wrenches(reduced, zeros, zeros),
        lambda: mm.transitions.motion_transition(reduced, (zeros,), (zeros,), 0.4),
    ):
        with pytest.raises(ValueError, match="works in the joints' own coordinates, and model 'chain' is reduced"):
            use()
    spec = rods()
    spec.reduce({"distal": {"middle": 0.5}})
    with pytest.raises(ValueError, match="reroot: spec 'chain' is reduced"):
        spec.reroot("distal")
    with pytest.raises(ValueError, match=r"q has shape \(3,\), and model 'chain' has 2 degrees of freedom"):
        mm.forward_dynamics(reduced, np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match=r"q\[1\] is nan"):
        mm.mass_matrix(reduced, [0.0, np.nan])
    assert SPLINE.is_smooth
    assert not mm.Motion.held([0, 1], [0, 1]).is_smooth
    assert FINGER.shape == (3, 2)


def test_runs_are_shown(tmp_path):
    spec = mm.Spec("top", gravity=(0, 0, 0))
    box, hinge = mm.Inertia.cuboid((0.3, 0.2, 0.1), mass=1.0), mm.Revolute((0, 1, 0))
    for name, parent in (("near", "ball"), ("far", "near")):
        if name == "near":
            spec.add_body("first", None, hinge, inertia=box)
            spec.add_body("ball", "first", mm.SphericalEuler("ZXY"), mm.translation(0.3, 0, 0), inertia=box)
        spec.add_body(name, parent, hinge, mm.translation(0.3, 0, 0), inertia=box)
    spec.reduce({"first": 0.1, "far": {"near": 0.5}})
    model = spec.compile()
    run = mm.simulate(model, q=[0.1, 0.1, 0.1, 0.2], qdot=[1.0, 7.0, 0.5, 0.3], duration=1.0)
    assert (np.diff(run.charts, axis=0) != 0).any()
    used = charts_used(run)
    assert (used[-1] > 0).tolist() == [True, True, True, False]
    assert run.save_image(tmp_path / "run.png", size=(160, 120)).stat().st_size > 1000
    assert run.save_html(tmp_path / "run.html").stat().st_size > 10_000
