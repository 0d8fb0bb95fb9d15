"""Reduced models against the same mechanisms with rows of constraints (dissertation Sec. 4.6.2 against 4.6.4)."""

import numpy as np
import pytest
from reduced_models import FINGER, POLYNOMIAL, SPLINE, WAVE, both, close, finger, loaded_tree, rods
from trees import random_state

import myomass as mm
from myomass.integrators import INTEGRATORS

fast = pytest.mark.fast
TIGHT = {"rtol": 1e-11, "atol": 1e-13}
LINEAR = {"b3": ("b1", (0.2, -0.6)), "b5": ("b4", (0.0, 0.5))}
CURVED = {"b3": ("b1", POLYNOMIAL), "b5": ("b4", SPLINE), "b2": ("b0", WAVE)}
HOLDING = [name for name, method in INTEGRATORS.items() if method.holds and name != "maximal"]


def options(integrator):
    return TIGHT if integrator in ("recursive", "redmax") else {"h": 2e-3}


@fast
@pytest.mark.parametrize("couplings", [LINEAR, CURVED])
@pytest.mark.parametrize("method", ["recursive", "redmax"])
def test_accelerations_and_forces(couplings, method):
    reduced, bound = both(loaded_tree, couplings)
    assert (reduced.ndof, reduced.joint_dofs, bound.ndof) == (6 - len(couplings), 6, 6)
    q, qdot, _ = random_state(reduced, 3)
    joints = mm.dynamics.joint_motion(reduced, q, qdot)
    qddot = mm.forward_dynamics(reduced, q, qdot, method=method, t=0.3)
    found = mm.dynamics.joint_motion(reduced, q, qdot, qddot).qddot
    close(found, mm.forward_dynamics(bound, joints.q, joints.qdot, method=method, t=0.3), 1e-11)
    expected = mm.constraint_forces(bound, joints.q, joints.qdot, t=0.3).generalized
    forces = mm.dynamics.reduction_forces(reduced, q, qdot, t=0.3)
    close(forces, expected, 1e-10)
    assert np.abs(joints.J.T @ forces).max() < 1e-11 * np.abs(forces).max()


def sprung_tree() -> mm.Spec:
    """The same under forces with symmetric slopes, all that linearly implicit Euler keeps of them under rows."""
    spec = loaded_tree()
    uneven = mm.SpringDamper, mm.Cable, mm.Ground, mm.forces.Bushing, mm.forces.PrescribedForce
    for name, force in list(spec.forces.items()):
        if isinstance(force, uneven):
            del spec.forces[name]
    return spec


@pytest.mark.parametrize("integrator", HOLDING)
def test_every_integrator_takes_the_steps_that_it_takes_under_rows(integrator):
    """Rows of linear couplings hold at every stage, so that both solve the same equations."""
    reduced, bound = both(sprung_tree if integrator == "euler" else loaded_tree, LINEAR)
    q, qdot, _ = random_state(reduced, 3)
    joints = mm.dynamics.joint_motion(reduced, q, qdot)
    times = np.linspace(0.0, 0.1, 6)
    given = {"integrator": integrator, "times": times, **options(integrator)}
    run = mm.simulate(reduced, q=q, qdot=qdot, **given)
    other = mm.simulate(bound, q=joints.q, qdot=joints.qdot, **given)
    assert run.ended == other.ended == "completed"
    for row in range(len(times)):
        here = mm.dynamics.joint_motion(reduced, run.q[row], run.qdot[row])
        close(here.q, other.q[row], 1e-9)
        close(here.qdot, other.qdot[row], 1e-8)
    close(run.poses, other.poses, 1e-9)
    close(run.kinetic + run.potential, other.kinetic + other.potential, 1e-8)


def test_a_curved_coupling_moves_as_its_row_says():
    reduced, bound = both(loaded_tree, CURVED)
    q, qdot, _ = random_state(reduced, 3)
    joints = mm.dynamics.joint_motion(reduced, q, qdot)
    given = {"times": np.linspace(0.0, 0.3, 4), "integrator": "recursive", **TIGHT}
    run = mm.simulate(reduced, q=q, qdot=qdot, **given)
    other = mm.simulate(bound, q=joints.q, qdot=joints.qdot, **given)
    found = np.array([mm.dynamics.joint_motion(reduced, x).q for x in run.q])
    close(found, other.q, 1e-9)


@fast
def test_coupled_finger():
    reduced, bound = finger()
    Q, Qdot, tau = np.array([0.4, 0.8]), np.array([3.0, -2.0]), np.array([0.01, -0.02])
    q, qdot = FINGER @ Q, FINGER @ Qdot
    close(FINGER @ mm.forward_dynamics(reduced, Q, Qdot, tau), mm.forward_dynamics(bound, q, qdot, [*tau, 0]), 1e-12)
    expected = mm.constraint_forces(bound, q, qdot, [*tau, 0.0]).generalized
    close(mm.dynamics.reduction_forces(reduced, Q, Qdot, tau), expected, 1e-9)
    assert np.abs(FINGER.T @ expected).max() < 1e-12 * np.abs(expected).max()
    run = mm.simulate(reduced, q=Q, qdot=Qdot, duration=0.3, **TIGHT)
    assert run.energy_drift < 1e-9


def constrained(spec: mm.Spec) -> mm.Spec:
    """A point on the last rod follows a path, the first joint a spring."""
    spec.add_force(mm.JointSpring("proximal", 0.02, 1e-4))
    path = mm.Motion.of(lambda t: -0.07 + 0.004 * np.sin(9 * t), 0, 1)
    spec.add_constraint(mm.DrivenPoint(("distal", (0, 0, -0.01)), [((0, 0, 1), path)]), "tip")
    return spec


@pytest.mark.parametrize("integrator", HOLDING)
def test_driven_points_and_rows_of_others(integrator):
    reduced, bound = both(lambda: constrained(rods()), {"distal": ("middle", (0, 0.5))})
    start = mm.dynamics.assemble(reduced, [0.6, 0.3])
    q, qdot = FINGER @ start.q, FINGER @ start.qdot
    given = {"times": np.linspace(0.0, 0.2, 5), "integrator": integrator, **options(integrator)}
    run = mm.simulate(reduced, q=start.q, qdot=start.qdot, **given)
    other = mm.simulate(bound, q=q, qdot=qdot, **given)
    close(run.q @ FINGER.T, other.q, 1e-8)
    g, speed = mm.dynamics.constraint_values(reduced, run.q[-1], run.qdot[-1], t=0.2)
    assert abs(g[0]) < 1e-9
    assert abs(speed[0]) < 1e-7
    force = mm.constraint_forces(reduced, run.q[-1], run.qdot[-1], t=0.2)["tip.0"]
    there = FINGER @ run.q[-1], FINGER @ run.qdot[-1]
    np.testing.assert_allclose(force, mm.constraint_forces(bound, *there, t=0.2)["tip.0"], rtol=1e-8)
    G = mm.dynamics.constraint_jacobian(reduced, run.q[-1], t=0.2)
    close(G, mm.dynamics.constraint_jacobian(bound, there[0], t=0.2)[:1] @ FINGER, 1e-12)


@fast
def test_hybrid_dynamics_under_rows_and_without():
    reduced, bound = finger()
    Q, Qdot, tau = np.array([0.4, 0.8]), np.array([3.0, -2.0]), np.array([0.01, np.nan])
    qddot, torques = mm.hybrid_dynamics(reduced, Q, Qdot, tau, [np.nan, 5.0], [False, True])
    q, qdot = FINGER @ Q, FINGER @ Qdot
    given = [np.nan, 5.0, np.nan], [False, True, False]
    expected, at_joints = mm.hybrid_dynamics(bound, q, qdot, [0.01, np.nan, 0.0], *given)
    close(FINGER @ qddot, expected, 1e-11)
    np.testing.assert_allclose(torques, at_joints[:2], rtol=1e-9)
    close(mm.inverse_dynamics(reduced, Q, Qdot, qddot), torques, 1e-11)
    with_row, _ = both(lambda: constrained(rods()), {"distal": ("middle", (0, 0.5))})
    qddot, torques = mm.hybrid_dynamics(with_row, Q, Qdot, tau, [np.nan, 5.0], [False, True], t=0.1)
    lam = mm.constraint_forces(with_row, Q, Qdot, torques, t=0.1)
    close(mm.inverse_dynamics(with_row, Q, Qdot, qddot, t=0.1) - lam.generalized, torques, 1e-9)


def touching(spec: mm.Spec) -> mm.Spec:
    spec.add_constraint(mm.JointStop("middle", 0.3, 1.2))
    spec.add_constraint(mm.Contact(mm.Sphere("distal", 0.004), mm.Plane((None, (0, 0, -0.085))), friction=0.3))
    spec.add_constraint(mm.JointFriction("proximal", 0.2, radius=0.004, height=0.01))
    return spec


@pytest.mark.parametrize("integrator", ["semi-implicit", "euler"])
def test_stops_contact_and_friction(integrator):
    reduced, bound = both(lambda: touching(rods()), {"distal": ("middle", (0, 0.5))})
    Q, Qdot = np.array([0.9, 0.5]), np.array([-6.0, -4.0])
    given = {"integrator": integrator, "h": 1e-3, "duration": 0.25}
    run = mm.simulate(reduced, q=Q, qdot=Qdot, **given)
    other = mm.simulate(bound, q=FINGER @ Q, qdot=FINGER @ Qdot, **given)
    names = reduced.constraints.names
    same = [bound.constraints.names.index(name) for name in names]
    assert run.multipliers[:, names.index("JointStop0.lower")].max() > 0
    assert run.multipliers[:, names.index("Contact1.normal")].max() > 0
    close(run.q @ FINGER.T, other.q, 1e-8)
    close(run.multipliers, other.multipliers[:, same], 1e-6)
    standing = mm.forward_dynamics(reduced, [0.0, 0.0], [0.0, 0.0])
    close(FINGER @ standing, mm.forward_dynamics(bound, np.zeros(3), np.zeros(3)), 1e-9)


@fast
def test_joint_reactions():
    reduced, bound = finger()
    Q, Qdot = np.array([0.4, 0.8]), np.array([3.0, -2.0])
    found = mm.joint_reactions(reduced, Q, Qdot, axes="world")
    expected = mm.joint_reactions(bound, FINGER @ Q, FINGER @ Qdot, axes="world")
    close(found, expected, 1e-9)  # what leads the joints is part of what they carry
