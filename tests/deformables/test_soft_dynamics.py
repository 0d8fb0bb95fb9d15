"""Soft bodies in the equations of motion: derivatives, identities, balances of momentum and energy, limits."""

import pickle

import numpy as np
import pytest
from soft_bodies import KINDS
from soft_models import box, deformables, flesh, fleshy_tree, limb, state_of

import myomass as mm

TINY = 1e-30
SLANTED = deformables.Touch(3e5, 200.0, 0.6, 300.0, plane=mm.rotation((1, 2, 0), 0.3) @ mm.translation(0, 0, 0.02))


def complex_step(model, vectors, which):
    """Derivative of the residual along all entries of one of (q, qdot, qddot)."""
    J = np.empty((model.ndof, model.ndof))
    for k in range(model.ndof):
        moved = [x.astype(complex) for x in vectors]
        moved[which][k] += 1j * TINY
        J[:, k] = mm.residual(model, *moved).imag / TINY
    return J


SPECS = {f"limb of {kind}": lambda kind=kind: limb(kind) for kind in KINDS}
SPECS |= {
    "damped": lambda: limb("StableNeoHookean", mass_damping=0.5, stiffness_damping=0.02),
    "lumped": lambda: limb(lumped=True, stiffness_damping=0.02),
    "touching": lambda: limb(touches=SLANTED, stiffness_damping=0.01),
    "with handles": lambda: limb(handles=[0, 44], stiffness_damping=0.01),
    "random tree": lambda: fleshy_tree(3),
    "another": lambda: fleshy_tree(8, 6),
}


@pytest.fixture(scope="module", params=SPECS)
def model(request):
    return SPECS[request.param]().compile()


def test_slopes_are_exact(model):
    vectors = state_of(model)
    found = mm.linearise(model, model.state(*vectors[:2]), vectors[2])
    for which, matrix in ((2, found[0]), (1, found[1]), (0, found[2])):
        expected = complex_step(model, vectors, which)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_slopes_of_forces_are_exact(model):
    q, qdot, _ = state_of(model)
    K, D = mm.dynamics.force_derivatives(model, q, qdot)
    for matrix, which in ((K, 0), (D, 1)):
        expected = np.empty_like(matrix)
        for k in range(model.ndof):
            moved = [q.astype(complex), qdot.astype(complex)]
            moved[which][k] += 1j * TINY
            expected[:, k] = mm.applied_forces(model, *moved).imag / TINY
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_forces_are_minus_the_slope_of_the_energy(model):
    q, qdot, _ = state_of(model)
    still = 0.0 * qdot
    slope = np.empty(model.ndof)
    for k in range(model.ndof):
        moved = q.astype(complex)
        moved[k] += 1j * TINY
        slope[k] = mm.energy(model, moved, still).potential.imag / TINY
    expected = mm.residual(model, q, still, still)
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_forward_and_inverse_dynamics_are_inverses(model):
    q, qdot, tau = state_of(model)
    qddot = mm.forward_dynamics(model, q, qdot, tau)
    back = mm.inverse_dynamics(model, q, qdot, qddot)
    np.testing.assert_allclose(back, tau, rtol=0, atol=1e-9 * np.abs(mm.applied_forces(model, q, qdot)).max())


def test_hybrid_dynamics_gives_what_prescribed_nodes_and_joints_take(model):
    q, qdot, tau = state_of(model)
    rng = np.random.default_rng(1)
    prescribed = rng.random(model.ndof) < 0.4
    given = rng.normal(size=model.ndof)
    qddot, torques = mm.hybrid_dynamics(model, q, qdot, tau, given, prescribed)
    np.testing.assert_array_equal(qddot[prescribed], given[prescribed])
    scale = np.abs(mm.applied_forces(model, q, qdot)).max()
    np.testing.assert_allclose(mm.inverse_dynamics(model, q, qdot, qddot), torques, rtol=0, atol=1e-9 * scale)


def test_mass_matrix_energy_and_momentum_belong_together(model):
    q, qdot, _ = state_of(model)
    M = mm.mass_matrix(model, q)
    np.testing.assert_allclose(mm.linearise(model, model.state(q, qdot)).M, M, atol=1e-13 * np.abs(M).max())
    np.testing.assert_allclose(mm.energy(model, q, qdot).kinetic, 0.5 * qdot @ M @ qdot, rtol=1e-12)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_all_mass_is_there(model):
    q, qdot, _ = state_of(model)
    weights = -mm.dynamics.gravity_forces(model, q)[model.joint_dofs :].reshape(-1, 3)
    free = sum(part.soft.node_masses[part.links < 0].sum() for part in model.soft_bodies.values())
    np.testing.assert_allclose(weights.sum(axis=0), free * model.gravity, rtol=1e-12)
    whole = mm.momentum(model, q, qdot)
    with np.errstate(all="ignore"):
        mass = np.nanmean(whole.linear / whole.velocity)
    bones = model.bodies["mass"].sum()
    np.testing.assert_allclose(mass, bones + free, rtol=1e-12)


def test_momentum_changes_by_weight_alone():
    model = limb(stiffness_damping=0.002).compile()
    q, qdot, _ = state_of(model)
    start = mm.momentum(model, q, qdot)
    mass = model.bodies["mass"].sum() + model.soft_bodies["flesh"].soft.mass_matrix.sum() / 3
    run = mm.simulate(model, q=q, qdot=qdot, duration=0.1, rtol=1e-10, atol=1e-12)
    end = mm.momentum(model, run.q[-1], run.qdot[-1])
    riding = model.soft_bodies["flesh"].soft.node_masses[model.soft_bodies["flesh"].links >= 0].sum()
    fallen = start.linear + 0.1 * (mass - riding) * model.gravity
    np.testing.assert_allclose(end.linear, fallen, rtol=0, atol=1e-10)
    np.testing.assert_allclose(end.angular, start.angular, rtol=0, atol=1e-9)


def test_energy_stays_without_damping():
    model = limb("StableNeoHookean").compile()
    q, qdot, _ = state_of(model, fast=0.1)
    run = mm.simulate(model, q=q, qdot=qdot, duration=0.05, rtol=1e-10, atol=1e-12)
    assert run.energy_drift < 1e-8


def test_without_mass_the_flesh_moves_nothing():
    """As the density falls, with stiffness in proportion, the bones move as if they were bare."""
    bare = limb()
    bare.soft_bodies.clear()
    bare = bare.compile()
    q, qdot = np.zeros(bare.ndof), np.array([0.3, 0.2, -0.4, 0.1, 0.0, 0.2, 2.0])
    expected = mm.simulate(bare, q=q, qdot=qdot, duration=0.1, rtol=1e-9, atol=1e-11).q[-1]
    off = []
    for density in (1.0, 0.1, 0.01):
        spec = limb(stiffness_damping=0.0)
        soft = deformables.SoftBody(
            spec.soft_bodies["flesh"].soft.mesh, deformables.CoRotated(20 * density, 0.4, density)
        )
        spec.soft_bodies["flesh"].soft = soft
        model = spec.compile()
        start = np.zeros((2, model.ndof))
        start[1, :7] = qdot
        run = mm.simulate(model, q=start[0], qdot=start[1], duration=0.1, rtol=1e-9, atol=1e-11)
        off.append(np.abs(run.q[-1, :7] - expected).max())
    np.testing.assert_allclose(np.array(off[:-1]) / off[1:], 10.0, rtol=0.05)


def test_flesh_that_rides_on_one_body_is_part_of_it():
    """All nodes on one body: the motion of a rigid body of the same inertia, nodes where the body takes them."""
    spec = mm.Spec("block")
    spec.add_body("bone", None, mm.Free3D(), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0))
    mesh = box(centre=(0.2, 0.1, 0.0))
    spec.add_soft_body("flesh", flesh(mesh), {"bone": np.arange(len(mesh.nodes))})
    model = spec.compile()
    assert model.ndof == 6
    rigid = mm.Spec("rigid")
    rigid.add_body("bone", None, mm.Free3D(), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0))
    for i, (m, x) in enumerate(zip(spec.soft_bodies["flesh"].soft.node_masses, mesh.nodes, strict=True)):
        rigid.add_body(f"point {i}", "bone", mm.Fixed(), mm.translation(*x), inertia=mm.Inertia(m, (0, 0, 0)))
    q, qdot, tau = np.random.default_rng(0).normal(size=(3, 6))
    expected = mm.forward_dynamics(rigid.compile(), q, qdot, tau)
    np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot, tau), expected, rtol=1e-10)
    E = mm.forward_kinematics(model, q)[0]
    np.testing.assert_allclose(mm.node_places(model, q, "flesh"), mesh.nodes @ E[:3, :3].T + E[:3, 3], atol=1e-14)


def test_rigid_motion_takes_no_force():
    model = limb(gravity=(0, 0, 0), stiffness_damping=0.1).compile()
    E, spin, drift = (
        mm.rotation((1, 2, 3), 0.8) @ mm.translation(1, 2, 3),
        np.array([0.1, -2.0, 1.0]),
        np.array([3, 1, 2]),
    )
    q, qdot = np.zeros(model.ndof), np.zeros(model.ndof)
    q[:6] = mm.Free3D().locate(E)
    soft = model.soft_bodies["flesh"]
    x = soft.soft.rest @ E[:3, :3].T + E[:3, 3]
    free = soft.links < 0
    q[7:] = (x - soft.soft.rest)[free].ravel()
    S = mm.jacobian(model, q)[:6, :6]
    twist = np.concatenate([E[:3, :3].T @ spin, E[:3, :3].T @ (drift + np.cross(spin, E[:3, 3]))])
    qdot[:6] = np.linalg.solve(S, twist)
    qdot[7:] = (drift + np.cross(spin, x))[free].ravel()
    forces = mm.applied_forces(model, q, qdot)
    assert np.abs(forces).max() < 1e-12 * 2e4 * 0.1**2 * 10


def test_it_settles_where_statics_say():
    """A heavily damped sleeve comes to rest at the equilibrium that statics.py finds by itself."""
    mesh = box(size=(0.2, 0.1, 0.1), cells=(3, 2, 2))
    soft = flesh(mesh, "StableNeoHookean", gravity=(0, 0, -9.81), mass_damping=30.0, stiffness_damping=0.05)
    spec = mm.Spec("console")
    held = mesh.nodes[:, 0] < -0.09
    spec.add_soft_body("flesh", soft, {None: held})
    model = spec.compile()
    assert model.nbodies == 0 and model.ndof == 3 * (~held).sum()
    run = mm.simulate(model, integrator="bdf1", h=0.02, duration=10.0)
    expected = soft.equilibrium(held).x
    np.testing.assert_allclose(run.nodes("flesh")[-1], expected, rtol=0, atol=1e-9)


def test_a_box_on_the_ground_carries_its_weight():
    mesh = box(size=(0.1, 0.1, 0.1), cells=(2, 2, 2), centre=(0, 0, 0.05))
    soft = flesh(mesh, mass_damping=5.0, stiffness_damping=0.02)
    spec = mm.Spec("cube")
    spec.add_soft_body("cube", soft, touches=deformables.Touch(1e6, 1e4, 0.5, 1e4))
    model = spec.compile()
    run = mm.simulate(model, integrator="bdf1", h=0.01, duration=2.0)
    rest = run.state
    pushed = -mm.applied_forces(model, rest.q, np.zeros(model.ndof)).reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(pushed, [0, 0, -9.81 * soft.mass], rtol=0, atol=1e-6 * 9.81 * soft.mass)


def test_reactions_carry_the_flesh():
    """A limb at rest on a weld: the joint carries bones and all that rides; the free nodes pull through elasticity."""
    spec = limb(joint=mm.Fixed(), stiffness_damping=0.05, mass_damping=20.0)
    spec.add_constraint(mm.DrivenJoint("lower", position=0.0))
    model = spec.compile()
    run = mm.simulate(model, integrator="bdf1", h=0.02, duration=3.0)
    rest = run.state
    wrench = mm.joint_reactions(model, rest.q, np.zeros(model.ndof), axes="world")[model.body("upper")]
    mass = model.bodies["mass"].sum() + sum(p.soft.node_masses[p.links < 0].sum() for p in model.soft_bodies.values())
    np.testing.assert_allclose(wrench[3:], [0, 0, 9.81 * mass], rtol=0, atol=1e-6 * 9.81 * mass)


def test_models_are_pickled_and_saved_whole(model, tmp_path):
    q, qdot, _ = state_of(model)
    expected = mm.forward_dynamics(model, q, qdot)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(mm.forward_dynamics(again, q, qdot), expected)
    run = mm.simulate(model, q=q, qdot=qdot, integrator="semi-implicit", h=1e-6, duration=2e-6)
    back = mm.trajectory.Trajectory.load(run.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(mm.forward_dynamics(back.model, q, qdot), expected)
    for name in model.soft_bodies:
        np.testing.assert_array_equal(back.surface(name), run.surface(name))
