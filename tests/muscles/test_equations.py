"""Muscles of all types in the equations of motion: every form and derivative against another one."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import KINDS, STIFF, muscled_tree

import myomass as mm
from myomass.muscles.packed import no_muscles

STEP = 1e-20
SMOOTH = ["Cylinder", "Sphere"]  # blended ones are tried on these
CASES = [(kind, False) for kind in [*KINDS, *STIFF]] + [(kind, True) for kind in [*SMOOTH, "Cylinder-tendons"]]
cases = pytest.mark.parametrize(("kind", "blend"), CASES, ids=[f"{kind}{'-blend' * blend}" for kind, blend in CASES])
few = pytest.mark.parametrize(
    ("kind", "blend"), [CASES[0], CASES[2], CASES[4], ("points-tendons", False)], ids=lambda x: str(x)
)


def close(a, b, digits=1e-9):
    """Equal to so many digits of the largest entry."""
    np.testing.assert_allclose(a, b, rtol=0, atol=digits * max(1.0, np.abs(b).max()))


def slope(function, x, k):
    """Derivative of a function along x_k, by a complex step."""
    step = x.astype(complex)
    step[k] += 1j * STEP
    return np.imag(function(step)) / STEP


def slopes(function, x):
    return np.stack([slope(function, x, k) for k in range(len(x))], axis=-1)


@cases
def test_both_forms_of_the_mass_matrix_and_of_forward_dynamics_agree(kind, blend):
    model, (q, qdot, tau) = muscled_tree(1, kind, blend=blend)
    close(mm.mass_matrix(model, q), mm.mass_matrix(model, q, "redmax"), 1e-12)
    qddot = mm.forward_dynamics(model, q, qdot, tau)
    close(qddot, mm.forward_dynamics(model, q, qdot, tau, "redmax"), 1e-9)
    close(mm.inverse_dynamics(model, q, qdot, qddot), tau, 1e-9)
    close(mm.residual(model, q, qdot, qddot, tau), np.zeros(model.ndof), 1e-9)


@cases
def test_mass_matrix_is_that_of_the_mass_points_and_of_the_energy(kind, blend):
    model, (q, qdot, _) = muscled_tree(2, kind, blend=blend)
    M, bare = mm.mass_matrix(model, q), bones(model)
    close(mm.energy(model, q, qdot).kinetic, 0.5 * qdot @ M @ qdot, 1e-12)
    close(mm.muscle_inertia(model, q), M - mm.mass_matrix(bare, q), 1e-12)
    lumped = np.flatnonzero(model.muscles.table["continuous"] == 0)  # muscles with mass points
    total = sum(points_inertia(model, q, i) for i in lumped)
    others = mm.muscle_inertia(changed(model, "mass", lumped), q)
    close(total + others, mm.muscle_inertia(model, q), 1e-11)


def bones(model):
    return replace(model, muscles=no_muscles())


def changed(model, key, indices):
    """The same muscles, with zero for a number of some of them."""
    table = model.muscles.table.copy()
    table[key][indices] = 0.0
    return replace(model, muscles=replace(model.muscles, table=table))


def points_inertia(model, q, index):
    """sum m J^T J of one muscle's mass points."""
    muscle = model.muscles.table[index]
    lumps = model.muscles.lumps[muscle["lump"] : muscle["lump"] + muscle["lumps"]]
    J = mm.muscles.muscle_jacobian(model, q)[index]
    return np.einsum("i,iak,ial->kl", lumps["mass"], J, J)


@cases
def test_energy_is_kept(kind, blend):
    model, (q, qdot, _) = muscled_tree(3, kind, blend=blend)
    qddot = mm.forward_dynamics(model, q, qdot)
    rate = np.imag(mm.energy(model, q + 1j * STEP * qdot, qdot + 1j * STEP * qddot).total) / STEP
    power = np.abs(qdot) @ np.abs(mm.dynamics.bias_forces(model, q, qdot))
    assert abs(rate) < 1e-9 * power


@cases
def test_jacobians_and_moment_arms_are_derivatives(kind, blend):
    model, (q, qdot, _) = muscled_tree(4, kind, blend=blend)
    close(mm.moment_arms(model, q), -slopes(lambda x: mm.muscle_lengths(model, x), q))
    J = mm.muscles.muscle_jacobian(model, q)
    maximal = J if kind.startswith("moving") else mm.muscles.muscle_jacobian(model, q, maximal=True)
    for i in range(len(model.muscles)):
        close(J[i], slopes(lambda x, i=i: mm.muscle_points(model, x)[i], q))
        close(mm.muscles.muscle_velocities(model, q, qdot)[i], J[i] @ qdot, 1e-11)
        if not kind.startswith("moving"):  # which follow a coordinate, and not bodies alone
            close(maximal[i] @ mm.jacobian(model, q), J[i], 1e-11)


@few
def test_time_derivatives_of_jacobians(kind, blend):
    model, (q, qdot, _) = muscled_tree(5, kind, blend=blend)
    for i, Jdot in enumerate(mm.muscles.muscle_jacobian_dot(model, q, qdot)):
        later = [mm.muscles.muscle_jacobian(model, q + h * qdot)[i] for h in (-2e-4, -1e-4, 1e-4, 2e-4)]
        close(Jdot, (later[0] - 8 * later[1] + 8 * later[2] - later[3]) / 12e-4, 1e-7)


@cases
def test_linearisation_is_exact(kind, blend):
    model, (q, qdot, qddot) = muscled_tree(6, kind, n=3, blend=blend)
    M, D, K = mm.linearise(model, model.state(q, qdot), qddot)
    close(M, mm.mass_matrix(model, q), 1e-11)
    close(K, slopes(lambda x: mm.residual(model, x, qdot, qddot), q))
    close(D, slopes(lambda x: mm.residual(model, q, x, qddot), qdot))


@few
def test_hybrid_dynamics(kind, blend):
    model, (q, qdot, tau) = muscled_tree(7, kind, blend=blend)
    prescribed = np.arange(model.ndof) % 3 == 1
    given = np.linspace(-1, 1, model.ndof)
    qddot, torques = mm.hybrid_dynamics(model, q, qdot, tau, given, prescribed)
    np.testing.assert_array_equal(qddot[prescribed], given[prescribed])
    np.testing.assert_array_equal(torques[~prescribed], tau[~prescribed])
    close(mm.inverse_dynamics(model, q, qdot, qddot), torques, 1e-9)


@few
def test_tensions_act_along_moment_arms(kind, blend):
    model, (q, qdot, _) = muscled_tree(8, kind, blend=blend)
    tensions = model.muscles.table["constant"]
    f = mm.moment_arms(model, q).T @ tensions
    close(mm.applied_forces(model, q, qdot), f, 1e-12)
    K, D = mm.dynamics.force_derivatives(model, q, qdot)
    close(K, slopes(lambda x: mm.moment_arms(model, x).T @ tensions, q))
    assert not D.any()
    assert mm.energy(model, q, qdot).potential == pytest.approx(
        mm.energy(changed(model, "constant", slice(None)), q, qdot).potential + tensions @ mm.muscle_lengths(model, q)
    )


@few
def test_momentum_counts_muscles(kind, blend):
    model, (q, qdot, _) = muscled_tree(9, kind, blend=blend)
    p, whole = mm.momentum(model, q, qdot), mm.momentum(bones(model), q, qdot)
    mass = model.muscles.table["mass"].sum()
    rate = np.imag(mm.momentum(model, q + 1j * STEP * qdot, qdot + 0j).centre) / STEP
    close(rate, p.velocity, 1e-11)
    close(p.linear, (model.bodies["mass"].sum() + mass) * p.velocity, 1e-11)
    assert np.abs(p.linear - whole.linear).max() > 1e-3


def test_a_free_mechanism_keeps_its_momenta():
    spec = mm.Spec(gravity=(0, 0, 0))
    box = mm.Inertia.cuboid((0.2, 0.3, 0.6), mass=2.0)
    spec.add_body("a", None, mm.Free3D("TR"), inertia=box)
    spec.add_body("b", "a", mm.SphericalExp(), mm.translation(0, 0, 0.5), mm.translation(0, 0, 0.4), box)
    points = [("a", (0.3, 0, 0)), ("b", (0.2, 0.1, -0.3)), ("b", (0.1, 0, 0.2))]
    spec.add_muscle("m", 1.5, points, distribution="continuous", tension=20.0)
    model, rng = spec.compile(), np.random.default_rng(0)
    q, qdot = 0.3 * rng.normal(size=(2, model.ndof))
    traj = mm.simulate(model, q=q, qdot=qdot, duration=0.5, rtol=1e-10, atol=1e-12)
    first, last = (mm.momentum(model, traj.q[i], traj.qdot[i]) for i in (0, -1))
    close(last.linear, first.linear, 1e-8)
    close(last.angular, first.angular, 1e-8)
    assert np.ptp(traj.kinetic + traj.potential) < 1e-7 * traj.energy_exchanged


@few
def test_joints_carry_what_muscles_leave(kind, blend):
    """Along its own motion a joint carries its torque alone."""
    model, (q, qdot, tau) = muscled_tree(11, kind, blend=blend)
    F = mm.joint_reactions(model, q, qdot, tau)
    work, dofs = model.workspace.tree.work, model.workspace.tree.dofs
    for i, body in enumerate(model.bodies):
        link = model.links[body["link"]]
        R = np.asarray(work["R"][body["link"]])
        for k in range(link["dof"], link["dof"] + link["ndof"]):
            along = np.concatenate([R.T @ dofs["s_w"][k], R.T @ dofs["s_v"][k]]) @ F[i]
            assert along == pytest.approx(tau[k], abs=1e-9 * max(1.0, np.abs(F).max()))


@pytest.mark.parametrize("joint", [mm.Free3D(), mm.Composite(mm.Revolute((1, 0, 0)), mm.Prismatic((0, 1, 1)))])
def test_joints_whose_links_count_backwards(joint):
    """The links of an inverse joint have their degrees of freedom in the opposite order."""
    spec, box = mm.Spec(), mm.Inertia.cuboid((0.2, 0.3, 0.4), mass=2.0)
    spec.add_body("a", None, mm.Inverse(joint), inertia=box)
    spec.add_body("b", None, mm.Revolute((1, 0, 0)), inertia=box)
    spec.add_muscle("m", 3.0, [(None, (0, 0, 1)), ("a", (0.1, 0.2, 0.3))])
    spec.add_muscle("n", 2.0, [(None, (0, 0, 1)), ("b", (0.1, 0.2, 0.3))])
    model = spec.compile()
    q, qdot = np.random.default_rng(0).normal(size=(2, model.ndof))
    close(mm.muscle_inertia(model, q), points_inertia(model, q, 0) + points_inertia(model, q, 1), 1e-12)
    close(mm.forward_dynamics(model, q, qdot), mm.forward_dynamics(model, q, qdot, method="redmax"), 1e-10)


def test_points_that_meet():
    """Two path points on the hinge that joins their bodies: a piece without length."""
    spec, box = mm.Spec(), mm.Inertia.cuboid((0.2, 0.3, 0.4), mass=2.0)
    spec.add_body("a", None, mm.Revolute((0, 1, 0)), E_jb=mm.translation(0, 0, -0.5), inertia=box)
    points = [(None, (0.2, 0, 0)), (None, (0, 0, 0)), ("a", (0, 0, 0.5)), ("a", (0, 0, 0.2))]
    spec.add_muscle("m", 1.0, points, distribution="continuous", tension=2.0)
    model = spec.compile()
    q, qdot = np.array([0.3]), np.array([1.2])
    qddot = mm.forward_dynamics(model, q, qdot)
    rate = np.imag(mm.energy(model, q + 1j * STEP * qdot, qdot + 1j * STEP * qddot).total) / STEP
    assert abs(rate) < 1e-10
