"""Partials of inverse dynamics: two recursions, complex steps and Pinocchio agree; products; the Coriolis matrix."""

import numpy as np
import pytest
from peers import pinocchio_peer, pinocchio_wrenches
from trees import STEP, add_every_force, complex_slopes, joint_catalogue, random_spec, random_state, spec_around

import myomass as mm

METHODS = ("rnea", "balafoutis-patel")


def close(actual, expected, tolerance):
    scale = max(1e-300, np.abs(expected).max()) if np.size(expected) else 1.0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


def check(model, seed, tolerance=1e-12, **options):
    vectors = random_state(model, seed)
    for method in METHODS:
        got = mm.inverse_dynamics_derivatives(model, *vectors, method, **options)
        for which, matrix in enumerate(got):
            close(
                matrix, complex_slopes(lambda *x: mm.inverse_dynamics(model, *x, **options), vectors, which), tolerance
            )


def some_wrenches(model, seed):
    return np.random.default_rng(seed).normal(size=(model.nbodies, 6))


@pytest.mark.fast
@pytest.mark.parametrize("seed", range(8))
def test_random_trees_of_all_joints_under_wrenches(seed):
    model = random_spec(seed, 1 + seed).compile()
    check(model, seed, wrenches=some_wrenches(model, seed) if seed % 2 else None)


@pytest.mark.parametrize("seed", range(4))
def test_with_every_force(seed):
    spec = random_spec(seed, 6)
    add_every_force(spec, seed)
    model = spec.compile()
    check(model, seed, 1e-11, wrenches=some_wrenches(model, seed), t=0.4)


def test_with_muscles_that_have_mass():
    scene = mm.scenes.load("muscle-cylinder")
    check(scene.model, 3, 1e-9)


@pytest.mark.fast
@pytest.mark.parametrize("name", joint_catalogue(np.random.default_rng(0)))
def test_every_joint_between_moving_neighbours(name):
    check(spec_around(name).compile(), 7)


@pytest.mark.fast
@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 1e-3, 1.9999, 2.0001, np.pi, 2 * np.pi - 0.5])
def test_ball_joints_near_special_angles(angle, inverted):
    """Near 2 rad the series of the coefficients hands over to closed forms."""
    spec = random_spec(5, 3, ["inverse-spherical-exp" if inverted else "spherical-exp"])
    model = spec.compile()
    q, qdot, qddot = random_state(model, 5)
    q[:3] = angle * np.array([0.48, 0.6, 0.64])
    for method in METHODS:
        got = mm.inverse_dynamics_derivatives(model, q, qdot, qddot, method)
        for which, matrix in enumerate(got):
            close(matrix, complex_slopes(lambda *x: mm.inverse_dynamics(model, *x), (q, qdot, qddot), which), 1e-11)


def difference(function, x, h=1e-3):
    """d function/dx of arrays by differences of fourth order, the derivative's index last."""
    columns = []
    for j in range(len(x)):
        e = np.zeros(len(x))
        e[j] = h
        near, far = function(x + e) - function(x - e), function(x + 2 * e) - function(x - 2 * e)
        columns.append((8 * near - far) / (12 * h))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("seed", range(8))
def test_pinocchio_agrees(seed):
    """Its partials are of the tangent space: v = T qdot, tau = T^T tau_p, and T changes with q at balls."""
    import pinocchio as pin

    kinds = (
        ["revolute", "prismatic"] if seed < 4 else ["revolute", "prismatic", "spherical-exp", "free-3d", "universal"]
    )
    spec = random_spec(seed, 8, kinds)
    model, peer = spec.compile(), pinocchio_peer(spec)
    q, qdot, qddot = random_state(model, seed)
    wrenches = some_wrenches(model, seed)
    data = peer.model.createData()
    motion, forces = peer.motion(q, qdot, qddot), pinocchio_wrenches(peer, wrenches)
    K, D, M = (np.array(x) for x in pin.computeRNEADerivatives(peer.model, data, *motion, forces))
    M = np.triu(M) + np.triu(M, 1).T
    tau = pin.rnea(peer.model, data, *motion, forces)
    T, _ = peer.rate_map(q, qdot)
    dT = difference(lambda x: peer.rate_map(x, qdot)[0], q)
    v_q, a_q = (difference(lambda x, i=i: peer.motion(x, qdot, qddot)[i], q) for i in (1, 2))
    a_qdot = difference(lambda x: peer.motion(q, x, qddot)[2], qdot)
    got = mm.inverse_dynamics_derivatives(model, q, qdot, qddot, wrenches=wrenches)
    close(got.dtau_dqddot, T.T @ M @ T, 1e-11)
    close(got.dtau_dqdot, T.T @ (D @ T + M @ a_qdot), 1e-10)
    close(got.dtau_dq, T.T @ (K @ T + D @ v_q + M @ a_q) + np.einsum("vij,v->ij", dT, tau), 1e-10)


@pytest.mark.fast
@pytest.mark.parametrize("seed", range(8))
def test_products_are_those_of_the_partials(seed):
    model = random_spec(seed, 1 + seed).compile()
    vectors, lam = random_state(model, seed), np.random.default_rng(seed).normal(size=model.ndof)
    for wrenches in (None, some_wrenches(model, seed)):
        partials = mm.inverse_dynamics_derivatives(model, *vectors, wrenches=wrenches)
        products = mm.dynamics.inverse_dynamics_products(model, *vectors, lam, wrenches=wrenches)
        for product, partial in zip(products, partials, strict=True):
            np.testing.assert_allclose(
                product, lam @ partial, rtol=0, atol=1e-13 * (1e-300 + np.abs(partial).max(initial=0))
            )


def test_products_where_forces_act():
    spec = random_spec(2, 5)
    add_every_force(spec, 2)
    model = spec.compile()
    vectors, lam = random_state(model, 2), np.random.default_rng(2).normal(size=model.ndof)
    partials = mm.inverse_dynamics_derivatives(model, *vectors, t=0.3)
    products = mm.dynamics.inverse_dynamics_products(model, *vectors, lam, t=0.3)
    for product, partial in zip(products, partials, strict=True):
        np.testing.assert_array_equal(product, lam @ partial)


@pytest.mark.fast
@pytest.mark.parametrize("seed", range(8))
def test_coriolis_matrix(seed):
    """C qdot is the force of motion, and dM/dt - 2 C is skew."""
    model = random_spec(seed, 1 + seed).compile()
    q, qdot, _ = random_state(model, seed)
    C = mm.dynamics.coriolis_matrix(model, q, qdot)
    close(C @ qdot, mm.dynamics.coriolis_forces(model, q, qdot), 1e-12)
    N = mm.mass_matrix(model, q + 1j * STEP * qdot).imag / STEP - 2 * C
    np.testing.assert_allclose(N, -N.T, rtol=0, atol=1e-12 * (1e-300 + np.abs(C).max(initial=0)))


def test_coriolis_matrix_counts_the_inertia_of_muscles_and_no_force():
    model = mm.scenes.load("muscle-cylinder").model
    q, qdot, _ = random_state(model, 1)
    C = mm.dynamics.coriolis_matrix(model, q, qdot)
    close(C @ qdot, mm.dynamics.coriolis_forces(model, q, qdot), 1e-10)
    spec = random_spec(3, 4)
    bare = spec.compile()
    add_every_force(spec, 3)
    q, qdot, _ = random_state(bare, 3)
    np.testing.assert_array_equal(
        mm.dynamics.coriolis_matrix(spec.compile(), q, qdot), mm.dynamics.coriolis_matrix(bare, q, qdot)
    )


def test_odd_sizes():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Fixed(), None, None, mm.Inertia.cuboid((1, 1, 1), mass=1))
    for method in METHODS:
        assert [x.shape for x in mm.inverse_dynamics_derivatives(spec.compile(), [], [], [], method)] == [(0, 0)] * 3
    model = random_spec(1, 300, ["revolute", "prismatic"], branching=0.9).compile()
    vectors = random_state(model, 1)
    fast, tensors = (mm.inverse_dynamics_derivatives(model, *vectors, method) for method in METHODS)
    for ours, theirs in zip(fast, tensors, strict=True):
        close(ours, theirs, 1e-12)


def test_words_for_bad_input():  # not in plain Python, where NumPy warns before the sentence
    model = random_spec(0, 2).compile()
    zeros = np.zeros(model.ndof)
    with pytest.raises(ValueError, match=r"the method is .* not 'fast'"):
        mm.inverse_dynamics_derivatives(model, zeros, zeros, zeros, "fast")
    with pytest.raises(ValueError, match=r"qddot\[1\] is inf"):
        mm.inverse_dynamics_derivatives(model, zeros, zeros, np.where(np.arange(model.ndof) == 1, np.inf, 0.0))
    with pytest.raises(ValueError, match="at real states"):
        mm.inverse_dynamics_derivatives(model, zeros + 1j, zeros, zeros)
    with pytest.raises(ValueError, match="the wrenches are complex"):
        mm.inverse_dynamics_derivatives(model, zeros, zeros, zeros, wrenches=np.zeros((2, 6), complex))
    with pytest.raises(ValueError, match="works in float64"):
        mm.dynamics.coriolis_matrix(model.astype(np.float32), zeros, zeros)
    with pytest.raises(ValueError, match=r"lam\[0\] is nan"):
        mm.dynamics.inverse_dynamics_products(model, zeros, zeros, zeros, zeros * np.nan)
    with pytest.raises(TypeError, match="a model is needed"):
        mm.inverse_dynamics_derivatives(None, zeros, zeros, zeros)
    with pytest.raises(FloatingPointError, match="a partial overflows"):
        mm.inverse_dynamics_derivatives(model, zeros, np.full(model.ndof, 1e200), zeros)
