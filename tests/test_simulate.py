"""simulate: orders, energy, charts, early ends, and what a trajectory carries."""

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import INTEGRATORS
from myomass.run import stepper


def spinning_top(joint, q=None):
    """A heavy top on a ball joint, thrown so fast that its rotation vector passes 2 pi many times."""
    spec = mm.Spec("top", gravity=(0, 0, -9.81))
    spec.add_body("top", None, joint, None, mm.translation(0.1, 0.05, 0.3), mm.Inertia.cuboid((0.3, 0.2, 0.4), mass=2))
    model = spec.compile()
    return model, model.state(q, None)


def start_at(model, omega, q):
    """The state at q whose body angular velocity is omega."""
    J = mm.jacobian(model, q)[:3]
    return model.state(q, np.linalg.solve(J, omega))


ORDERS = {"rk4": 4, "semi-implicit": 1, "symplectic": 1, "euler": 1, "bdf1": 1, "bdf2": 2, "sdirk2": 2, "maximal": 1}


@pytest.mark.parametrize(("integrator", "order"), ORDERS.items())
def test_observed_order(integrator, order):
    """On a sprung chain, so that forces are in it too."""
    scene = mm.scenes.load("point-to-point-springs")
    fine = mm.simulate(scene, integrator="recursive", rtol=1e-13, atol=1e-13, duration=0.1).q[-1]
    errors = [
        np.abs(mm.simulate(scene, integrator=integrator, h=h, duration=0.1).q[-1] - fine).max() for h in (1e-3, 5e-4)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("integrator", ["recursive", "redmax"])
def test_observed_order_of_adaptive_steps(integrator):
    """Five, seen in the longest step: the tolerance is so loose that it never shortens one."""
    scene = mm.scenes.load("point-to-point-springs")
    fine = mm.simulate(scene, integrator="recursive", rtol=1e-13, atol=1e-13, duration=0.1).q[-1]
    loose = {"integrator": integrator, "rtol": 1.0, "atol": 1.0, "duration": 0.1}
    errors = [np.abs(mm.simulate(scene, h=h, **loose).q[-1] - fine).max() for h in (0.02, 0.01, 0.005)]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(5, abs=0.4)


def test_symplectic_does_not_drift():
    """Over 10^5 steps of a double pendulum: the mean energy of each tenth stays within a thousandth."""
    scene = mm.scenes.load("simpler-serial-chain")
    trajectory = mm.simulate(scene, integrator="symplectic", h=1e-3, duration=100)
    assert trajectory.steps["accepted"] == 100_000
    error = (trajectory.kinetic + trajectory.potential - trajectory.potential[0]) / trajectory.energy_exchanged
    tenths = error[1:].reshape(10, -1)
    assert np.abs(tenths.mean(axis=1)).max() < 1e-3
    assert np.abs(tenths).max(axis=1)[-1] < 2 * np.abs(tenths).max(axis=1)[0] < 0.05


@pytest.mark.parametrize("name", ["exp", "free-exp", "XYZ", "ZXZ"])
def test_a_ball_joint_passes_its_singularity_without_a_jump(name):
    """Twists, poses and energy go on smoothly where |q| reaches 2 pi or an Euler chart degenerates."""
    joints = {"exp": mm.SphericalExp(), "XYZ": mm.SphericalEuler("XYZ"), "ZXZ": mm.SphericalEuler("ZXZ")}
    h = 1e-3
    if name == "free-exp":
        spec = mm.Spec(gravity=(0, 0, -9.81))
        spec.add_body("body", joint=mm.Free3D(), inertia=mm.Inertia.cuboid((0.3, 0.2, 0.5), mass=2))
        model = spec.compile()
        state = model.state(None, (1, 2, 3, 0.5, 0.3, 12))
    else:
        model, _ = spinning_top(joints[name])
        state = start_at(model, (6, 3, 11), np.array([0.3, 0.4, 0.2]))
    trajectory = mm.simulate(model, q=state.q, qdot=state.qdot, integrator="rk4", h=h, duration=5)
    jumps = np.abs(np.diff(trajectory.q, axis=0)).max(axis=1)
    assert (jumps > 1).sum() >= 3, "the run must reparameterise to test anything"
    if "exp" in name:
        assert np.linalg.norm(trajectory.q[:, -3:], axis=1).max() < 1.5 * np.pi
    assert trajectory.energy_drift < 1e-6
    total = trajectory.kinetic + trajectory.potential
    assert np.abs(np.diff(total)).max() < 1e-7 * trajectory.kinetic.max()
    bend = np.abs(np.diff(trajectory.twists, n=2, axis=0)).max()
    assert bend < 10 * h**2 * np.abs(trajectory.twists).max() ** 3


def test_all_parameterisations_of_a_ball_joint_move_alike():
    omega, R0 = np.array([4.0, 2.0, 9.0]), mm.so3.exp([0.5, 0.3, -0.4])
    ends = []
    for joint in (mm.SphericalExp(), mm.SphericalEuler("XYZ"), mm.SphericalEuler("ZYZ"), mm.Inverse(mm.SphericalExp())):
        model, _ = spinning_top(joint)
        q = fit_rotation(joint, R0)
        state = start_at(model, omega, q)
        ends.append(mm.simulate(model, q=q, qdot=state.qdot, integrator="rk4", h=2e-4, duration=2).poses[-1, 0])
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], rtol=0, atol=1e-9)


def fit_rotation(joint, R):
    """Coordinates of a rotation by Newton's method on log(Q^-1 R)."""
    q = np.array([0.3, 0.4, 0.2])
    for _ in range(50):
        error = mm.so3.log(joint.Q(q)[:3, :3].T @ R)
        q = q + np.linalg.solve(joint.S(q)[:3], error)
    assert np.abs(error).max() < 1e-14
    return q


def test_a_free_body_keeps_its_momentum():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", joint=mm.Free3D(), inertia=mm.Inertia.cuboid((0.3, 0.2, 0.5), mass=2))
    spec.add_body(
        "b", "a", mm.Universal(), mm.translation(0.3, 0, 0), mm.translation(0.2, 0, 0), mm.Inertia.sphere(0.1, mass=1)
    )
    model = spec.compile()
    qdot = np.array([0.1, 0.2, 0.3, 3, 1, 4, 2, -1])
    trajectory = mm.simulate(model, qdot=qdot, integrator="rk4", h=5e-4, duration=3)
    start, end = (mm.momentum(model, trajectory.q[i], trajectory.qdot[i]) for i in (0, -1))
    np.testing.assert_allclose(end.linear, start.linear, rtol=1e-9)
    np.testing.assert_allclose(end.angular, start.angular, rtol=1e-9)
    np.testing.assert_allclose(end.centre, start.centre + 3 * start.velocity, rtol=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_output_times(integrator):
    """Rows at the given times, as exact as the steps: rows of a run through the same times agree."""
    scene, times = mm.scenes.load(0), np.array([0.0, 0.01, 0.0123, 0.25, 0.3])
    options = {"rtol": 1e-9, "atol": 1e-9} if integrator in ("recursive", "redmax") else {"h": 1e-4}
    trajectory = mm.simulate(scene, integrator=integrator, times=times, **options)
    np.testing.assert_array_equal(trajectory.t, times)
    exact = mm.simulate(scene, integrator="rk4", h=1e-5, times=times)
    tolerance = {1: 5e-2, 2: 1e-4}.get(ORDERS.get(integrator), 1e-6)
    np.testing.assert_allclose(trajectory.q, exact.q, rtol=0, atol=tolerance)
    np.testing.assert_allclose(trajectory.qdot, exact.qdot, rtol=0, atol=30 * tolerance)
    later = mm.simulate(scene, integrator=integrator, times=times[2:], **options)
    np.testing.assert_array_equal(later.t, times[2:])
    np.testing.assert_allclose(later.q, trajectory.q[2:], rtol=0, atol=tolerance)


@pytest.mark.parametrize("integrator", ["recursive", "redmax"])
def test_tolerance_is_kept(integrator):
    scene = mm.scenes.load(0)
    exact = mm.simulate(scene, integrator="rk4", h=1e-5, duration=0.2).q[-1]
    errors = [
        np.abs(mm.simulate(scene, integrator=integrator, rtol=tol, atol=tol, duration=0.2).q[-1] - exact).max()
        for tol in (1e-4, 1e-6, 1e-8)
    ]
    assert errors[0] < 1e-2
    assert errors[1] < errors[0] / 20
    assert errors[2] < errors[1] / 20


def test_adaptive_steps_obey_the_longest():
    trajectory = mm.simulate(mm.scenes.load(0), integrator="recursive", h=0.005)
    assert np.diff(trajectory.t).max() <= 0.005 * (1 + 1e-12)


def test_long_adaptive_runs_grow_their_rows():
    trajectory = mm.simulate(mm.scenes.load(0), integrator="recursive", h=1e-3, duration=2.0)
    assert len(trajectory.t) == trajectory.steps["accepted"] + 1 > 1500
    assert (np.diff(trajectory.t) > 0).all()


def test_an_adaptive_run_that_blows_up_keeps_what_was_computed():
    """Angular velocities of 1e200: their squares overflow in the first step."""
    with pytest.raises(FloatingPointError, match="overflows"):
        mm.simulate(mm.scenes.load(0), integrator="recursive", qdot=np.full(3, 1e200))


def test_torques_do_work():
    scene = mm.scenes.load("simple-serial-chain")
    tau = np.array([0.01, -0.02, 0.005])
    trajectory = mm.simulate(scene, tau=tau, integrator="rk4", h=1e-4, duration=0.5)
    total = trajectory.kinetic + trajectory.potential
    work = (trajectory.q - trajectory.q[0]) @ tau
    np.testing.assert_allclose(total - total[0], work, rtol=0, atol=1e-9)


def test_the_last_step_ends_at_the_duration():
    trajectory = mm.simulate(mm.scenes.load(0), integrator="rk4", h=0.03, duration=0.1)
    np.testing.assert_allclose(trajectory.t, (0, 0.03, 0.06, 0.09, 0.1), rtol=0, atol=1e-15)
    assert mm.simulate(mm.scenes.load(0), integrator="rk4", h=1e-3, duration=0.1).t.shape == (101,)


def test_a_motion_that_blows_up_keeps_what_was_computed():
    scene = mm.scenes.load("ten-link-chain")
    with pytest.warns(RuntimeWarning, match="not finite after .* smaller step"):
        trajectory = mm.simulate(scene, qdot=np.full(10, 1e8), h=0.5, duration=1e4)
    assert "not finite" in trajectory.ended
    assert 0 < len(trajectory.t) < 20001
    assert np.isfinite(trajectory.q).all()


def test_ctrl_c_keeps_what_was_computed(monkeypatch):
    calls, roll = [], stepper.FixedStepper._roll

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return roll(*args)

    monkeypatch.setattr(stepper.FixedStepper, "_roll", interrupted)
    monkeypatch.setattr(stepper, "LINK_STEPS_PER_CALL", 600)
    trajectory = mm.simulate(mm.scenes.load(0), integrator="rk4", h=1e-3, duration=1.0)
    assert trajectory.ended == "interrupted"
    assert len(trajectory.t) == len(trajectory.q) == 201


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"integrator": "magic"}, "no integrator 'magic'; there are: recursive, redmax, rk4, semi-implicit"),
        ({"h": 0}, "h must be a positive number of seconds"),
        ({"h": np.nan}, "h must be a positive"),
        ({"duration": -1}, "duration must be a positive"),
        ({"duration": "long"}, "duration must be a positive"),
        ({"integrator": "rk4", "rtol": 1e-3}, "rtol and atol belong to recursive and redmax"),
        ({"integrator": "recursive", "rtol": -1}, "rtol must be a positive number"),
        ({"integrator": "redmax", "atol": np.nan}, "atol must be a positive number"),
        ({"integrator": "recursive", "rtol": 1e-17}, "rtol must be at least 1e-14"),
        ({"q": [0, 0, 0], "state": mm.scenes.load(0).model.state()}, "give a state, or q and qdot, not both"),
        ({"times": [0, 2, 1]}, "times must rise from the start"),
        ({"times": [-1, 0]}, "times must rise from the start"),
        ({"times": []}, "times must rise from the start"),
        ({"times": [0, 1, 3], "duration": 2}, "end by the duration"),
        ({"times": "always"}, "times must be finite numbers"),
        ({"duration": 1e9, "integrator": "rk4", "h": 1e-6}, "steps would fill .* GB"),
        ({"q": 1j * np.ones(3)}, "made of real numbers"),
        ({"q": np.zeros(4)}, r"q has shape \(4,\)"),
        ({"q": [0, np.nan, 0]}, r"q\[1\] is nan"),
        ({"tau": [0, np.inf, 0]}, r"tau\[1\] is inf"),
        ({"state": mm.scenes.load(0).model.state(t=1e17), "duration": 1.0}, "lost in the rounding of t"),
        ({"state": mm.scenes.load(0).model.state(t=1e13), "integrator": "rk4", "h": 1e-3}, "steps of 0.001 s are lost"),
    ],
)
def test_bad_input_gets_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.simulate(mm.scenes.load(0), **options)


@pytest.mark.parametrize("thing", ["simple-serial-chain", 0, mm.Spec()])
def test_things_that_cannot_be_simulated(thing):
    with pytest.raises(TypeError, match=r"give a model .* or a scene"):
        mm.simulate(thing)
    for call in (
        lambda: mm.forward_dynamics(thing, [0], [0]),
        lambda: mm.forward_dynamics(thing, [0], [0], wrenches=np.zeros((1, 6))),
        lambda: mm.hybrid_dynamics(thing, [0], [0], [0], [0], [True]),
        lambda: mm.inverse_dynamics(thing, [0], [0], [0]),
        lambda: mm.point_jacobian(thing, [0], 0, (0, 0, 0)),
    ):
        with pytest.raises(TypeError, match="a model is needed"):
            call()


def test_a_trajectory_is_saved_whole(tmp_path):
    trajectory = mm.simulate(mm.scenes.load(0), duration=0.1)
    with np.load(trajectory.save(tmp_path / "run.npz")) as saved:
        for key in ("t", "q", "qdot", "kinetic", "potential", "poses"):
            np.testing.assert_array_equal(saved[key], getattr(trajectory, key))
    with pytest.raises(ValueError, match=r"saved as \.npz"):
        trajectory.save(tmp_path / "run.csv")
    with pytest.raises(FileNotFoundError, match="no folder"):
        trajectory.save(tmp_path / "nowhere" / "run.npz")


def test_a_run_can_go_on_from_its_last_state():
    scene = mm.scenes.load(0)
    whole = mm.simulate(scene, integrator="rk4", h=1e-3, duration=0.2)
    first = mm.simulate(scene, integrator="rk4", h=1e-3, duration=0.1)
    second = mm.simulate(scene.model, state=first.state, integrator="rk4", h=1e-3, duration=0.1)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], rtol=1e-11)
    np.testing.assert_allclose(second.t, whole.t[100:], rtol=0, atol=1e-15)


@pytest.mark.parametrize("integrator", ["recursive", "rk4"])
def test_a_run_goes_on_in_the_charts_it_ended_in(integrator):
    model, _ = spinning_top(mm.SphericalEuler("XYZ"))
    start = start_at(model, (6, 3, 11), np.array([0.3, 0.4, 0.2]))
    options = {"integrator": integrator, "h": 1e-3}
    first = mm.simulate(model, state=start, duration=0.5, **options)
    assert (first.charts[0] != first.charts[-1]).any()
    second = mm.simulate(model, state=first.state, times=[0.6, 1.0], **options)
    whole = mm.simulate(model, state=start, times=[0.5, 0.6, 1.0], **options)
    np.testing.assert_allclose(second.t, (0.6, 1.0))
    np.testing.assert_allclose(second.poses, whole.poses[1:], rtol=0, atol=1e-4 if integrator == "recursive" else 1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_start_at_the_edge_of_a_chart(integrator):
    """The first row is the state as given; the run begins in a better chart."""
    for joint, q in (
        (mm.SphericalEuler("XYZ"), [0, np.pi / 2 - 1e-9, 0]),
        (mm.SphericalExp(), [2 * np.pi + 1e-9, 0, 0]),
    ):
        model, _ = spinning_top(joint)
        trajectory = mm.simulate(model, q=q, qdot=[0.5, 0, 0], integrator=integrator, h=1e-4, duration=0.1)
        np.testing.assert_array_equal(trajectory.q[0], q)
        assert trajectory.energy_drift < 1e-2


@pytest.mark.fast
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_runs_a_pendulum(integrator):
    """A small swing about the lowest point; methods of first order may lag by h/2."""
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("bob", None, mm.Revolute((0, 1, 0)), None, mm.translation(1, 0, 0), mm.Inertia.point(1.0))
    trajectory = mm.simulate(spec.compile(), q=[np.pi / 2 - 1e-3], integrator=integrator, h=1e-3, duration=0.1)
    expected = np.pi / 2 - 1e-3 * np.cos(np.sqrt(9.81) * 0.1)
    assert trajectory.q[-1, 0] == pytest.approx(expected, abs=1e-6 if ORDERS.get(integrator) == 1 else 1e-9)


def test_a_progress_bar_on_demand(capsys):
    scene = mm.scenes.load("ten-link-chain")
    mm.simulate(scene, duration=0.1, progress=True)
    assert "simulating" in capsys.readouterr().err
    mm.simulate(scene, duration=0.1)
    assert capsys.readouterr().err == ""
