"""Identities that hold for every tree of every joint type: each algorithm against its inverse or its other form."""

import numpy as np
import pytest
from trees import joint_catalogue, random_state, random_tree, rerooted_spec

import myomass as mm

pytestmark = pytest.mark.fast
SEEDS = range(24)
WELL_CONDITIONED = 1e5  # condition number of M_r


def close(actual, expected, tolerance):
    """Agreement relative to the largest entry."""
    scale = np.abs(expected).max() if np.size(expected) else 1.0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


@pytest.fixture(params=[*SEEDS, *(f"rerooted-{seed}" for seed in range(8))], scope="module")
def case(request):
    """(model, q, qdot, qddot) of a random tree over all joint types."""
    rerooted = isinstance(request.param, str)
    seed = int(request.param.split("-")[1]) if rerooted else request.param
    model = rerooted_spec(seed, 2 + seed).compile() if rerooted else random_tree(seed, n=1 + seed % 12)
    return model, *random_state(model, seed)


def test_mass_matrix_has_two_equal_forms_and_is_positive_definite(case):
    model, q, _, _ = case
    M = mm.mass_matrix(model, q)
    close(mm.mass_matrix(model, q, method="redmax"), M, 1e-13)
    np.testing.assert_array_equal(M, M.T)
    assert model.ndof == 0 or np.linalg.eigvalsh(M).min() > 0


def test_inverse_dynamics_is_mass_times_acceleration_plus_bias(case):
    model, q, qdot, qddot = case
    bias = mm.dynamics.bias_forces(model, q, qdot)
    close(mm.inverse_dynamics(model, q, qdot, qddot), mm.mass_matrix(model, q) @ qddot + bias, 1e-12)
    close(mm.dynamics.coriolis_forces(model, q, qdot) + mm.dynamics.gravity_forces(model, q), bias, 1e-12)


def test_recursive_and_dense_accelerations_agree(case):
    model, q, qdot, qddot = case
    if model.ndof and np.linalg.cond(mm.mass_matrix(model, q)) > WELL_CONDITIONED:
        pytest.skip("not a well-conditioned tree")
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    recursive = mm.forward_dynamics(model, q, qdot, tau)
    close(mm.forward_dynamics(model, q, qdot, tau, method="redmax"), recursive, 1e-11)
    close(recursive, qddot, 1e-11)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_hybrid_after_inverse_is_the_identity(case, share):
    """Any subset of degrees of freedom prescribed, single ones within a joint included."""
    model, q, qdot, qddot = case
    prescribed = np.random.default_rng(3).uniform(size=model.ndof) < share
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    given = np.where(prescribed, np.nan, tau), np.where(prescribed, qddot, np.nan)  # what is not given is not read
    got_qddot, got_tau = mm.hybrid_dynamics(model, q, qdot, *given, prescribed)
    close(got_qddot, qddot, 1e-10)
    close(got_tau, tau, 1e-10)


def test_jacobian_gives_twists_and_its_products(case):
    model, q, qdot, x = case
    J, Jdot = mm.jacobian(model, q), mm.jacobian_dot(model, q, qdot)
    close(J @ qdot, mm.body_twists(model, q, qdot).ravel(), 1e-13)
    Jx, Jdotx = mm.algorithms.jacobian_products(model, q, qdot, x)
    close(Jx, J @ x, 1e-13)
    close(Jdotx, Jdot @ x, 1e-13)
    y = np.random.default_rng(5).normal(size=6 * model.nbodies)
    close(mm.algorithms.jacobian_transpose_product(model, q, y), J.T @ y, 1e-13)


def test_jacobian_dot_is_the_complex_step_derivative_of_the_jacobian(case):
    model, q, qdot, _ = case
    step = 1e-30
    close(mm.jacobian_dot(model, q, qdot), mm.jacobian(model, q + 1j * step * qdot).imag / step, 1e-13)


def test_jacobian_is_the_derivative_of_the_poses(case):
    model, q, qdot, _ = case
    step = 1e-30
    E, dE = mm.forward_kinematics(model, q), mm.forward_kinematics(model, q + 1j * step * qdot).imag / step
    twists = [mm.se3.vee(mm.se3.inverse(E[i]) @ dE[i]) for i in range(model.nbodies)]
    close(mm.body_twists(model, q, qdot), np.array(twists), 1e-13)


def test_point_and_frame_jacobians_with_their_time_derivatives(case):
    model, q, qdot, _ = case
    body, point, step = model.nbodies - 1, np.array([0.1, -0.2, 0.3]), 1e-30
    E_bf = mm.se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, 0.3])
    J, Jdot = mm.point_jacobian(model, q, body, point, qdot)
    moved = mm.forward_kinematics(model, q + 1j * step * qdot)[body] @ [*point, 1]
    close(J @ qdot, moved.imag[:3] / step, 1e-12)
    close(Jdot, mm.point_jacobian(model, q + 1j * step * qdot, body, point)[0].imag / step, 1e-12)
    J, Jdot = mm.frame_jacobian(model, q, body, E_bf, qdot)
    E, dE = mm.forward_kinematics(model, q)[body] @ E_bf, mm.forward_kinematics(model, q + 1j * step * qdot)[body]
    close(J @ qdot, mm.se3.vee(mm.se3.inverse(E) @ (dE.imag / step @ E_bf)), 1e-12)
    close(Jdot, mm.frame_jacobian(model, q + 1j * step * qdot, body, E_bf)[0].imag / step, 1e-12)


def test_energy_and_momentum_follow_from_the_maximal_coordinates(case):
    model, q, qdot, _ = case
    E, phi = mm.forward_kinematics(model, q), mm.body_twists(model, q, qdot)
    m, moments = model.bodies["mass"], model.bodies["moments"]
    kinetic = 0.5 * np.sum(moments * phi[:, :3] ** 2) + 0.5 * np.sum(m[:, None] * phi[:, 3:] ** 2)
    energy = mm.energy(model, q, qdot)
    assert energy.kinetic == pytest.approx(kinetic, rel=1e-12)
    assert energy.potential == pytest.approx(-np.sum(m * (E[:, :3, 3] @ model.gravity)), rel=1e-12, abs=1e-12)
    v = np.einsum("bij,bj->bi", E[:, :3, :3], phi[:, 3:])
    h = np.einsum("bij,bj->bi", E[:, :3, :3], moments * phi[:, :3])
    momentum = mm.momentum(model, q, qdot)
    centre = m @ E[:, :3, 3] / m.sum()
    close(momentum.linear, m @ v, 1e-12)
    close(momentum.centre, centre, 1e-12)
    about_centre = h.sum(0) + np.cross(E[:, :3, 3] - centre, m[:, None] * v).sum(0)
    rounding = 1e-13 * (np.abs(h).sum() + np.abs(E[:, :3, 3]).max() * np.abs(m[:, None] * v).sum())
    np.testing.assert_allclose(momentum.angular, about_centre, rtol=0, atol=rounding)


def test_power_balance(case):
    """dT/dt + dV/dt = tau . qdot for any torques: complex step along the motion."""
    model, q, qdot, qddot = case
    step, tau = 1e-30, mm.inverse_dynamics(model, q, qdot, qddot)
    energy = mm.energy(model, q + 1j * step * qdot, qdot + 1j * step * qddot)
    power = energy.total.imag / step
    assert power == pytest.approx(tau @ qdot, rel=1e-11, abs=1e-11)


def test_wrenches_act_through_the_jacobian(case):
    model, q, qdot, qddot = case
    wrenches = np.random.default_rng(9).normal(size=(model.nbodies, 6))
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    expected = tau - mm.algorithms.jacobian_transpose_product(model, q, wrenches.ravel())
    pushed = mm.inverse_dynamics(model, q, qdot, qddot, wrenches=wrenches)
    close(pushed, expected, 1e-12)
    for method in ("recursive", "redmax"):
        close(mm.forward_dynamics(model, q, qdot, pushed, method, wrenches=wrenches), qddot, 1e-10)


def test_float32_follows_float64(case):
    model, q, qdot, qddot = case
    single = model.astype(np.float32)
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    got = mm.inverse_dynamics(single, q, qdot, qddot)
    assert got.dtype == np.float32
    close(got, tau, 1e-4)
    close(mm.mass_matrix(single, q), mm.mass_matrix(model, q), 1e-5)
    close(mm.forward_kinematics(single, q), mm.forward_kinematics(model, q), 1e-5)


@pytest.mark.parametrize("kind", joint_catalogue(np.random.default_rng(0)))
def test_a_chain_of_one_joint_type(kind):
    """Every joint type in the root, in the middle and at the end of a chain."""
    model = random_tree(1, n=3, kinds=[kind], branching=0.0)
    q, qdot, qddot = random_state(model, 1)
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    close(mm.forward_dynamics(model, q, qdot, tau), qddot, 1e-10)
    close(mm.forward_dynamics(model, q, qdot, tau, "redmax"), qddot, 1e-10)
