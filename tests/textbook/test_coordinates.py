"""Lagrange's form and the local-frame recursion against Newton-Euler, on random trees of every joint type.

Measured: both within 7e-15 of the largest torque, Mdot - 2 C skew to 6e-15 of Mdot, world Jacobians, their rates and
Coriolis forces within 5e-15 of Pinocchio's.
"""

import numpy as np
import peers
import pytest
from models import MODELS, close, every_model
from trees import joint_catalogue, random_spec, random_state, random_tree

import myomass as mm

STEP = 1e-30
ROWS = np.ones((2, 3))
PEER_KINDS = ["revolute", "prismatic", "planar", "translational", "universal", "spherical-exp", "spherical-euler"]
PEER_KINDS += ["free-3d", "inverse-revolute", "inverse-spherical-exp", "inverse-free-2d", "free-3d-rt"]


def along(function, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """Time derivative along qdot, by a complex step."""
    return function(q + 1j * STEP * qdot).imag / STEP


@every_model
def test_local_frames_give_the_torques_of_newton_euler(name):
    model = MODELS[name]()
    for seed in range(3):
        q, qdot, qddot = random_state(model, seed)
        tau = mm.inverse_dynamics(model, q, qdot, qddot)
        close(mm.coordinates.local_frame_inverse_dynamics(model, q, qdot, qddot), tau)
        close(mm.coordinates.local_frame_inverse_dynamics(model, q), mm.dynamics.gravity_forces(model, q))


@every_model
def test_lagrange_gives_the_torques_of_newton_euler(name):
    model = MODELS[name]()
    for seed in range(3):
        q, qdot, qddot = random_state(model, seed)
        M, C, Q = mm.coordinates.lagrangian_form(model, q, qdot)
        close(M @ qddot + C @ qdot - Q, mm.inverse_dynamics(model, q, qdot, qddot))
        close(M, mm.mass_matrix(model, q))
        close(C @ qdot, mm.dynamics.coriolis_forces(model, q, qdot))
        close(-Q, mm.dynamics.gravity_forces(model, q))


@every_model
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(name):
    model = MODELS[name]()
    q, qdot, _ = random_state(model, 7)
    Mdot = along(lambda q: mm.coordinates.lagrangian_form(model, q, qdot).M, q, qdot)
    C = mm.coordinates.lagrangian_form(model, q, qdot).C
    close(C + C.T, Mdot)
    assert np.abs(C - C.T).max() > 1e-3  # or there would be nothing to say


@pytest.mark.parametrize("kind", joint_catalogue(np.random.default_rng(0)))
def test_every_joint_on_its_own_and_in_a_chain(kind):
    for n in (1, 3):
        model = random_tree(3, n, [kind], branching=0.0)
        q, qdot, qddot = random_state(model, n)
        tau = mm.inverse_dynamics(model, q, qdot, qddot)
        close(mm.coordinates.local_frame_inverse_dynamics(model, q, qdot, qddot), tau)
        M, C, Q = mm.coordinates.lagrangian_form(model, q, qdot)
        close(M @ qddot + C @ qdot - Q, tau)


@every_model
def test_world_jacobians_are_derivatives_of_poses(name):
    model = MODELS[name]()
    q, qdot, _ = random_state(model, 1)
    J_v, J_w, Jdot_v, Jdot_w = mm.coordinates.world_jacobians(model, q, qdot)
    assert J_v.shape == Jdot_w.shape == (model.nbodies, 3, model.ndof)
    R = mm.forward_kinematics(model, q)[:, :3, :3]
    for k in range(model.ndof):
        slope = along(lambda q: mm.forward_kinematics(model, q), q, np.eye(model.ndof)[k])
        close(J_v[:, :, k], slope[:, :3, 3])
        close([mm.so3.hat(w) for w in J_w[:, :, k]], slope[:, :3, :3] @ R.swapaxes(1, 2))
    close(Jdot_v, along(lambda q: mm.coordinates.world_jacobians(model, q).J_v, q, qdot))
    close(Jdot_w, along(lambda q: mm.coordinates.world_jacobians(model, q).J_w, q, qdot))
    still = mm.coordinates.world_jacobians(model, q)
    assert not still.Jdot_v.any() and not still.Jdot_w.any()


@pytest.mark.parametrize("seed", range(10))
def test_world_jacobians_and_coriolis_forces_of_pinocchio(seed):
    """Its C is of its own velocities v = T qdot, and only C v is the same for everyone: T^T (M Tdot qdot + C v)."""
    pin = pytest.importorskip("pinocchio")
    spec = random_spec(seed, 6, PEER_KINDS)
    model, peer = spec.compile(), peers.pinocchio_peer(spec)
    q, qdot, _ = random_state(model, seed)
    configuration, v, _ = peer.motion(q, qdot, np.zeros(model.ndof))
    T, Tdot = peer.rate_map(q, qdot)
    data = peer.model.createData()
    pin.forwardKinematics(peer.model, data, configuration, v)
    pin.computeJointJacobiansTimeVariation(peer.model, data, configuration, v)
    pin.updateFramePlacements(peer.model, data)
    ours = mm.coordinates.world_jacobians(model, q, qdot)
    for i, frame in enumerate(peer.bodies):
        axes = pin.LOCAL_WORLD_ALIGNED
        J = pin.getFrameJacobian(peer.model, data, frame, axes)
        Jdot = pin.getFrameJacobianTimeVariation(peer.model, data, frame, axes) @ T + J @ Tdot
        close(np.vstack([ours.J_v[i], ours.J_w[i]]), J @ T)
        close(np.vstack([ours.Jdot_v[i], ours.Jdot_w[i]]), Jdot)
    C = pin.computeCoriolisMatrix(peer.model, peer.model.createData(), configuration, v)
    M = np.triu(pin.crba(peer.model, peer.model.createData(), configuration))
    M = M + np.triu(M, 1).T
    close(mm.coordinates.lagrangian_form(model, q, qdot).C @ qdot, T.T @ (M @ Tdot @ qdot + C @ v))


@every_model
def test_given_forces_and_torques_count_as_wrenches_do(name):
    model, rng = MODELS[name](), np.random.default_rng(4)
    q, qdot, qddot = random_state(model, 2)
    forces, torques, points = rng.normal(size=(3, model.nbodies, 3))
    R = mm.forward_kinematics(model, q)[:, :3, :3]
    f, tau = (np.einsum("bji,bj->bi", R, x) for x in (forces, torques))
    wrenches = np.concatenate([tau + np.cross(points, f), f], axis=1)
    M, C, Q = mm.coordinates.lagrangian_form(model, q, qdot, forces, torques, points)
    close(M @ qddot + C @ qdot - Q, mm.inverse_dynamics(model, q, qdot, qddot, wrenches=wrenches))


def test_they_carry_complex_steps():
    model = random_tree(2, 5)
    q, qdot, qddot = random_state(model, 0)
    slope = along(lambda q: mm.inverse_dynamics(model, q, qdot, qddot), q, qdot)
    close(along(lambda q: mm.coordinates.local_frame_inverse_dynamics(model, q, qdot, qddot), q, qdot), slope)


def test_nothing_moves():
    spec = mm.Spec("still")
    spec.add_body("a", None, mm.Fixed(), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    model, none = spec.compile(), np.zeros(0)
    assert mm.coordinates.local_frame_inverse_dynamics(model, none, none, none).shape == (0,)
    assert mm.coordinates.world_jacobians(model, none).J_v.shape == (1, 3, 0)
    M, C, Q = mm.coordinates.lagrangian_form(model, none, none)
    assert M.shape == C.shape == (0, 0) and Q.shape == (0,)


def test_the_scratch_of_a_model_survives_numbers_that_overflow():
    """The recursion keeps its columns to itself: others count on zeros in theirs."""
    model = random_tree(0, 2, ["inverse-spherical-exp"])
    q, qdot, qddot = random_state(model, 0)
    before = mm.inverse_dynamics(model, q, qdot, qddot)
    with np.errstate(all="ignore"):
        mm.coordinates.local_frame_inverse_dynamics(model, q, 1e200 * qdot, qddot)
    np.testing.assert_array_equal(mm.inverse_dynamics(model, q, qdot, qddot), before)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda m, q: mm.coordinates.world_jacobians(m, q[1:]),
            ValueError,
            r"q has shape \(3,\), and model 'tree-0'",
        ),
        (lambda m, q: mm.coordinates.world_jacobians("arm", q), TypeError, "a model is needed"),
        (lambda m, q: mm.coordinates.world_jacobians(m, q, q * np.nan), ValueError, r"qdot\[0\] is nan"),
        (
            lambda m, q: mm.coordinates.lagrangian_form(m, q, q, forces=[1, 2, 3]),
            ValueError,
            r"forces has shape \(3,\).*2 bodies",
        ),
        (
            lambda m, q: mm.coordinates.lagrangian_form(m, q, q, torques=np.full((2, 3), np.inf)),
            ValueError,
            r"torques\[0, 0\] is inf",
        ),
        (lambda m, q: mm.coordinates.lagrangian_form(m, q, q, points=ROWS), ValueError, "no forces are given"),
        (
            lambda m, q: mm.coordinates.local_frame_inverse_dynamics(m, q, q, q[:2]),
            ValueError,
            r"qddot has shape \(2,\)",
        ),
        (lambda m, q: mm.coordinates.local_frame_inverse_dynamics(m, q, q, q / 0), ValueError, r"qddot\[0\] is inf"),
        (lambda m, q: mm.coordinates.local_frame_inverse_dynamics(None, q), TypeError, "a model is needed"),
    ],
)
def test_bad_input(call, error, sentence):
    model = random_tree(0, 2, ["universal"])
    with pytest.raises(error, match=sentence), np.errstate(all="ignore"):
        call(model, np.full(4, 0.3))
