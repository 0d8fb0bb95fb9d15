"""Muscles in motion: energy across a surface's edge, orders of integrators, every integrator, constraints, warnings."""

import numpy as np
import pytest
from mechanisms import ACROSS, THROUGH, knee_cylinder, pendulum

import myomass as mm

TIGHT = {"integrator": "redmax", "rtol": 1e-10, "atol": 1e-12}
OVER = {"wrap": [knee_cylinder()]} | ACROSS
START = np.array([0.5, -0.3])


def touches(model, traj):
    """Does the path touch its surface, by row?"""
    return np.array([mm.muscles.muscle_paths(model, q)[0].wrapped.sum() > 0 for q in traj.q])


def spread(traj):
    """Change of energy, as a part of the largest kinetic energy."""
    return np.ptp(traj.kinetic + traj.potential) / traj.kinetic.max()


@pytest.mark.parametrize(
    "muscle",
    [ACROSS, THROUGH, OVER, OVER | {"distribution": "uniform"}],
    ids=["straight", "points", "over a cylinder", "over a cylinder, mass points"],
)
def test_energy_over_ten_seconds(muscle):
    model = pendulum({"mass": 1.0, "distribution": "continuous"} | muscle)
    traj = mm.simulate(model, q=START, duration=10.0, **TIGHT)
    assert spread(traj) < 1e-6
    if muscle is OVER:
        now = touches(model, traj)
        assert np.count_nonzero(now[1:] != now[:-1]) >= 20


def test_without_smoothing_energy_jumps_at_every_touch_down():
    model = pendulum({"mass": 1.0, "distribution": "continuous"} | OVER | {"smoothing": "none"})
    traj = mm.simulate(model, q=START, duration=10.0, **TIGHT)
    energy, now = traj.kinetic + traj.potential, touches(model, traj)
    crossed = np.flatnonzero(now[1:] != now[:-1])
    jumps = np.abs(np.diff(energy))
    at_crossings = np.zeros(len(jumps), bool)
    for i in crossed:
        at_crossings[max(i - 2, 0) : i + 3] = True
    assert len(crossed) >= 20 and spread(traj) > 0.05
    assert np.count_nonzero([jumps[max(i - 2, 0) : i + 3].max() > 1e-4 for i in crossed]) > 0.8 * len(crossed)
    assert jumps[~at_crossings].max() < 1e-6


def drifts(muscle, steps):
    """Of runs with sdirk2 in steps of different length."""
    model = pendulum({"mass": 1.0, "distribution": "continuous"} | muscle)
    return [spread(mm.simulate(model, q=START, duration=2.0, integrator="sdirk2", h=h)) for h in steps]


@pytest.mark.parametrize("muscle", [THROUGH, OVER | {"smoothing": 0.05}], ids=["points", "over a cylinder"])
def test_drift_falls_with_the_square_of_the_step(muscle):
    coarse, middle, fine = drifts(muscle, (4e-3, 2e-3, 1e-3))
    assert fine < 1e-5
    assert 3.5 < coarse / middle < 5.0 and 3.5 < middle / fine < 5.0


def test_drift_over_a_short_blend_falls_once_steps_resolve_it():
    """Over 1 % of the path it is passed within some milliseconds."""
    coarse, fine = drifts(OVER, (4e-3, 2.5e-4))
    assert coarse / fine > 0.4 * 16**2


def test_without_the_quadratic_velocity_vector_energy_is_lost():
    """The accelerations of mass points at qddot = 0 are what keeps it: without them it visibly goes."""
    model = pendulum({"mass": 1.0, "distribution": "continuous"} | OVER)

    def without_qvv(t, y):
        q, qdot = y[:2], y[2:]
        full = mm.dynamics.bias_forces(model, q, qdot)
        muscles = full - mm.dynamics.bias_forces(bare, q, qdot)
        weight = mm.dynamics.gravity_forces(model, q) - mm.dynamics.gravity_forces(bare, q)
        return np.concatenate([qdot, np.linalg.solve(mm.mass_matrix(model, q), -(full - muscles + weight))])

    from scipy.integrate import solve_ivp

    bare = pendulum()
    run = solve_ivp(without_qvv, (0, 2.0), np.concatenate([START, [0, 0]]), rtol=1e-8, atol=1e-9, max_step=0.02)
    energies = [mm.energy(model, y[:2], y[2:]) for y in run.y.T]
    total = np.array([e.total for e in energies])
    assert np.ptp(total) > 1e-2 * max(e.kinetic for e in energies)
    assert spread(mm.simulate(model, q=START, duration=2.0, **TIGHT)) < 1e-6


@pytest.mark.parametrize(
    ("integrator", "order"),
    [("recursive", 0), ("rk4", 0), ("semi-implicit", 1), ("symplectic", 1), ("euler", 1), ("bdf1", 1), ("bdf2", 2),
     ("sdirk2", 2)],
)  # fmt: skip
def test_every_integrator_finds_the_same_motion(integrator, order):
    over = {"mass": 0.5, "distribution": "continuous", "smoothing": 0.05} | OVER
    model = pendulum({"mass": 0.7, "tension": 4.0} | THROUGH, over)
    options = {"rtol": 1e-8, "atol": 1e-9} if integrator == "recursive" else {"h": 5e-4}
    exact = mm.simulate(model, q=START, duration=0.5, **TIGHT).q[-1]
    traj = mm.simulate(model, q=START, duration=0.5, integrator=integrator, **options)
    assert traj.ended == "completed"
    assert np.abs(traj.q[-1] - exact).max() < {0: 1e-6, 1: 5e-3, 2: 1e-5}[order]


def test_tension_given_in_time():
    pull = mm.Motion.through([0.0, 0.2, 0.4], [0.0, 50.0, 0.0])
    model = pendulum({"tension": pull} | ACROSS)
    arms = mm.moment_arms(model, START)[0]
    np.testing.assert_allclose(mm.applied_forces(model, START, [0, 0], t=0.2), 50.0 * arms, rtol=1e-12)
    assert np.abs(mm.applied_forces(model, START, [0, 0], t=1.0)).max() < 1e-12
    by_hand = mm.simulate(
        pendulum(), q=START, duration=0.5, tau=lambda t, q, qdot: pull(t) * mm.moment_arms(model, q)[0], rtol=1e-8
    )
    traj = mm.simulate(model, q=START, duration=0.5, rtol=1e-8)
    np.testing.assert_allclose(traj.q[-1], by_hand.q[-1], atol=1e-5)


def loop(muscle):
    """A triangle of two bars, its foot on a rail: one degree of freedom left, with a muscle across."""
    spec = mm.Spec()
    bar = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    down = mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=down, inertia=bar)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), down, bar)
    spec.add_body("foot", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia(mass=0.5, moments=(1, 1, 1)))
    spec.add_constraint(mm.Loop(("lower", (0, 0, -0.5)), ("foot", (0, 0, 0)), "pin"))
    spec.add_muscle("m", 0.8, **muscle)
    return spec.compile()


@pytest.mark.parametrize("integrator", ["recursive", "redmax", "semi-implicit", "sdirk2"])
def test_constraints_hold_with_massive_muscles(integrator):
    model = loop({"distribution": "continuous"} | ACROSS)
    start = mm.dynamics.assemble(model, [0.5, -1.0, -1.7])
    qddot = mm.forward_dynamics(model, start.q, start.qdot)
    np.testing.assert_allclose(qddot, mm.forward_dynamics(model, start.q, start.qdot, method="redmax"), atol=1e-9)
    options = {"rtol": 1e-9, "atol": 1e-10} if integrator in ("recursive", "redmax") else {"h": 1e-3}
    traj = mm.simulate(model, state=start, duration=1.0, integrator=integrator, **options)
    assert max(np.abs(mm.dynamics.constraint_values(model, q)[0]).max() for q in traj.q[::20]) < 1e-8
    assert spread(traj) < (1e-6 if "rtol" in options else 1e-2)


def test_a_path_that_jumps_is_reported():
    muscle = {"mass": 0.1, "wrap": [knee_cylinder(side=None)], "smoothing": "none"} | ACROSS
    model = pendulum(muscle, gravity=0.0)
    with pytest.warns(RuntimeWarning, match="path of muscle 'm0' jumped before"):
        mm.simulate(model, q=[0, 1.0], qdot=[0.0, 4.0], duration=2.0, h=1e-3, integrator="rk4")


@pytest.mark.fast
def test_a_mechanism_that_cannot_move_may_have_muscles():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Fixed(), inertia=mm.Inertia(mass=1.0, moments=(1, 1, 1)))
    cylinder = mm.wrap.Cylinder(None, radius=0.3)
    spec.add_muscle("m", 1.0, [(None, (0, 1, 0.5)), ("a", (0, -1, 0.5))], [cylinder], tension=2.0)
    traj = mm.simulate(spec.compile(), duration=0.01, integrator="rk4", h=1e-3)
    assert traj.ended == "completed" and traj.kinetic[-1] == 0.0


def test_a_run_from_inside_a_surface_is_refused():
    inside = {"points": [("upper", (0.15, 0, 0.3)), ("lower", (0.15, 0, 0.48))], "wrap": [knee_cylinder(radius=0.2)]}
    with pytest.raises(ValueError, match="'m0': at the start its point 1 is inside"):
        mm.simulate(pendulum({"mass": 1.0} | inside), duration=0.1)
    light = {"mass": 0.0, "tension": 1.0} | inside
    with pytest.warns(RuntimeWarning, match="'m0': at the start its point 1 is .* there; so it is with 1 more"):
        trajectory = mm.simulate(pendulum(light, light), duration=0.01)
    assert trajectory.ended == "completed"


def test_saved_and_loaded(tmp_path):
    model = pendulum({"mass": 1.0, "distribution": "continuous"} | OVER, {"tension": 3.0} | THROUGH)
    traj = mm.simulate(model, q=START, duration=0.1)
    again = mm.Trajectory.load(traj.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(again.kinetic, traj.kinetic)
    assert again.model.muscles.names == ("m0", "m1")


def test_a_model_without_muscles_has_no_scratch_for_them():
    from myomass.muscles.records import muscle_arrays

    muscles = muscle_arrays(pendulum(), np.float64)
    assert not muscles.active
    assert sum(getattr(muscles.scratch, name).nbytes for name in muscles.scratch.fields) < 1000
