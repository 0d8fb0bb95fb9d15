"""Every quantity that MuJoCo has too, on random mechanisms."""

from dataclasses import dataclass

import cases
import numpy as np
import peers
import pytest

import myomass as mm

mujoco = pytest.importorskip("mujoco")

BLOCKS, SEEDS, FIRST = 20, 20, 10_000  # of seeds, in each of them, and the first: others than Pinocchio's
WELL_CONDITIONED = 1e5  # cond(M) up to which accelerations can agree to the tolerance


@dataclass(frozen=True)
class Pair(cases.Comparison):
    """A case and the same in MuJoCo, whose position and velocity stages stand in `data`."""

    case: cases.Case
    peer: peers.Peer
    data: object
    T: np.ndarray
    Tdot: np.ndarray

    def pose(self, body: int) -> np.ndarray:
        """E_wb: centre of mass and principal axes."""
        return mm.se3.pose(self.data.ximat[body].reshape(3, 3), self.data.xipos[body])

    def point_jacobians(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(J, Jdot) of a world point riding on a body, per our qdot: [omega; v] in world axes."""
        (Jp, Jr), (Jp_dot, Jr_dot) = np.zeros((2, 2, 3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, Jp, Jr, point, body)
        mujoco.mj_jacDot(self.model, self.data, Jp_dot, Jr_dot, point, body)
        J, Jdot = np.vstack([Jr, Jp]), np.vstack([Jr_dot, Jp_dot])
        return J @ self.T, Jdot @ self.T + J @ self.Tdot

    def frame_jacobians(self, body: int, E_bf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(J, Jdot) of a frame on a body, both in the frame's own axes: d/dt(R^T J) = R^T Jdot - [omega] R^T J."""
        E = self.pose(body) @ E_bf
        A = np.kron(np.eye(2), E[:3, :3].T)
        J, Jdot = (A @ rows for rows in self.point_jacobians(body, E[:3, 3]))
        return J, Jdot - np.kron(np.eye(2), peers.hat(J[:3] @ self.case.qdot)) @ J


def pair(seed: int) -> Pair:
    """The case of a seed in both programs."""
    case = cases.random_case(seed)
    peer = peers.mujoco_peer(case.spec)
    data = mujoco.MjData(peer.model)
    data.qpos, data.qvel, data.qacc = peer.motion(case.q, case.qdot, case.qddot)
    mujoco.mj_inverse(peer.model, data)
    mujoco.mj_energyPos(peer.model, data)
    mujoco.mj_energyVel(peer.model, data)
    return Pair(case, peer, data, *peer.rate_map(case.q, case.qdot))


@pytest.fixture(scope="module", params=range(BLOCKS))
def pairs(request) -> list[Pair]:
    first = FIRST + request.param * SEEDS
    return [pair(seed) for seed in range(first, first + SEEDS)]


def well_conditioned(pairs: list[Pair]) -> list[Pair]:
    """Those whose accelerations can be compared: nearly all."""
    kept = [p for p in pairs if cases.condition(p.case) < WELL_CONDITIONED]
    assert len(kept) >= 0.9 * len(pairs)
    return kept


def test_poses(pairs):
    for p in pairs:
        p.check(mm.forward_kinematics(p.case.model, p.case.q), [p.pose(body) for body in p.peer.bodies])


def test_twists(pairs):
    for p in pairs:
        theirs = np.zeros((p.case.model.nbodies, 6))
        for twist, body in zip(theirs, p.peer.bodies, strict=True):
            mujoco.mj_objectVelocity(p.model, p.data, mujoco.mjtObj.mjOBJ_BODY, body, twist, 1)
        p.check(mm.body_twists(p.case.model, p.case.q, p.case.qdot), theirs)


def test_body_jacobians(pairs):
    for p in pairs:
        J, Jdot = zip(*(p.frame_jacobians(body, np.eye(4)) for body in p.peer.bodies), strict=True)
        p.check(mm.jacobian(p.case.model, p.case.q), np.vstack(J))
        p.check(mm.jacobian_dot(p.case.model, p.case.q, p.case.qdot), np.vstack(Jdot))


def test_frame_jacobians(pairs):
    for p in pairs:
        ours = mm.frame_jacobian(p.case.model, p.case.q, p.case.body, p.case.E_bf, p.case.qdot)
        p.check_both(ours, p.frame_jacobians(p.peer.bodies[p.case.body], p.case.E_bf))


def test_point_jacobians(pairs):
    for p in pairs:
        c, body = p.case, p.peer.bodies[p.case.body]
        ours = mm.point_jacobian(c.model, c.q, c.body, c.E_bf[:3, 3], c.qdot)
        J, Jdot = p.point_jacobians(body, (p.pose(body) @ c.E_bf)[:3, 3])
        p.check_both(ours, (J[3:], Jdot[3:]))


@pytest.mark.parametrize("method", ["composite", "redmax"])
def test_mass_matrix(pairs, method):
    for p in pairs:
        M = np.zeros((p.model.nv, p.model.nv))
        mujoco.mj_fullM(p.model, p.data, M)
        p.check(mm.mass_matrix(p.case.model, p.case.q, method), p.T.T @ M @ p.T)


def their_torques(p: Pair, qvel: np.ndarray, qacc: np.ndarray) -> np.ndarray:
    """Our generalized forces behind a motion, by MuJoCo's inverse dynamics."""
    data = mujoco.MjData(p.model)
    data.qpos, data.qvel, data.qacc = p.data.qpos, qvel, qacc
    mujoco.mj_inverse(p.model, data)
    return p.T.T @ data.qfrc_inverse


def test_inverse_dynamics(pairs):
    for p in pairs:
        c = p.case
        p.check(mm.inverse_dynamics(c.model, c.q, c.qdot, c.qddot), p.T.T @ p.data.qfrc_inverse)


def test_bias_gravity_and_coriolis_forces(pairs):
    """Where our qddot is zero, MuJoCo's acceleration is Tdot qdot."""
    for p in pairs:
        c, still = p.case, np.zeros(p.model.nv)
        bias, gravity = their_torques(p, p.data.qvel, p.Tdot @ c.qdot), their_torques(p, still, still)
        p.check(mm.dynamics.bias_forces(c.model, c.q, c.qdot), bias)
        p.check(mm.dynamics.gravity_forces(c.model, c.q), gravity)
        p.check(mm.dynamics.coriolis_forces(c.model, c.q, c.qdot), bias - gravity)


def their_acceleration(p: Pair, wrenches: np.ndarray) -> np.ndarray:
    """Our qddot from MuJoCo's forward dynamics under the case's torques and wrenches on bodies."""
    data = mujoco.MjData(p.model)
    data.qpos, data.qvel = p.data.qpos, p.data.qvel
    data.qfrc_applied = np.linalg.solve(p.T.T, p.case.tau)
    for body, wrench in zip(p.peer.bodies, wrenches, strict=True):
        R = p.pose(body)[:3, :3]
        data.xfrc_applied[body] = np.concatenate([R @ wrench[3:], R @ wrench[:3]])  # force first, in world axes
    mujoco.mj_forward(p.model, data)
    return np.linalg.solve(p.T, data.qacc - p.Tdot @ p.case.qdot)


@pytest.mark.parametrize("method", ["recursive", "redmax"])
def test_forward_dynamics(pairs, method):
    for p in well_conditioned(pairs):
        c = p.case
        for wrenches in (np.zeros_like(c.wrenches), c.wrenches):
            ours = mm.forward_dynamics(c.model, c.q, c.qdot, c.tau, method, wrenches=wrenches)
            p.check(ours, their_acceleration(p, wrenches))


def test_energy(pairs):
    for p in pairs:
        ours = mm.energy(p.case.model, p.case.q, p.case.qdot)
        p.check(ours.potential, p.data.energy[0])
        p.check(ours.kinetic, p.data.energy[1])


def test_momentum_and_centre_of_mass(pairs):
    for p in pairs:
        ours = mm.momentum(p.case.model, p.case.q, p.case.qdot)
        mujoco.mj_subtreeVel(p.model, p.data)
        p.check(ours.centre, p.data.subtree_com[0])
        p.check(ours.velocity, p.data.subtree_linvel[0])
        p.check(ours.linear, p.data.subtree_linvel[0] * p.model.body_subtreemass[0])
        p.check(ours.angular, p.data.subtree_angmom[0])
