"""Every quantity that Pinocchio has too, on random mechanisms."""

from dataclasses import dataclass
from functools import cached_property

import cases
import numpy as np
import peers
import pytest

import myomass as mm

pin = pytest.importorskip("pinocchio")

BLOCKS, SEEDS = 20, 20  # of seeds, and in each of them
WELL_CONDITIONED = 1e5  # cond(M) up to which accelerations can agree to the tolerance
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]  # Pinocchio's twists are (v, omega)


@dataclass(frozen=True)
class Pair(cases.Comparison):
    """A case and the same in Pinocchio, all of whose kinematics stand in `data`."""

    case: cases.Case
    peer: peers.Peer
    data: object
    extra: int  # the frame of the case's E_bf
    T: np.ndarray
    Tdot: np.ndarray

    @cached_property
    def motion(self) -> tuple[np.ndarray, ...]:
        """Configuration, velocity and acceleration in Pinocchio's coordinates."""
        return self.peer.motion(self.case.q, self.case.qdot, self.case.qddot)

    def frame_jacobians(self, frame: int, axes: object) -> tuple[np.ndarray, np.ndarray]:
        """(J, Jdot) of a frame per our qdot, angular rows first."""
        J = pin.getFrameJacobian(self.model, self.data, frame, axes).reshape(6, -1)[ANGULAR_FIRST]
        Jdot = pin.getFrameJacobianTimeVariation(self.model, self.data, frame, axes).reshape(6, -1)[ANGULAR_FIRST]
        return J @ self.T, Jdot @ self.T + J @ self.Tdot


def pair(seed: int) -> Pair:
    """The case of a seed in both programs."""
    case = cases.random_case(seed)
    peer = peers.pinocchio_peer(case.spec)
    body = peer.model.frames[peer.bodies[case.body]]
    on_body = pin.Frame("extra", body.parentJoint, 0, body.placement * pin.SE3(case.E_bf), pin.FrameType.OP_FRAME)
    extra = peer.model.addFrame(on_body)
    both = Pair(case, peer, peer.model.createData(), extra, *peer.rate_map(case.q, case.qdot))
    pin.forwardKinematics(both.model, both.data, *both.motion)
    pin.computeJointJacobiansTimeVariation(both.model, both.data, *both.motion[:2])
    pin.updateFramePlacements(both.model, both.data)
    return both


@pytest.fixture(scope="module", params=range(BLOCKS))
def pairs(request) -> list[Pair]:
    return [pair(seed) for seed in range(request.param * SEEDS, (request.param + 1) * SEEDS)]


def well_conditioned(pairs: list[Pair]) -> list[Pair]:
    """Those whose accelerations can be compared: nearly all."""
    kept = [p for p in pairs if cases.condition(p.case) < WELL_CONDITIONED]
    assert len(kept) >= 0.9 * len(pairs)
    return kept


def test_poses(pairs):
    for p in pairs:
        theirs = [p.data.oMf[frame].homogeneous for frame in p.peer.bodies]
        p.check(mm.forward_kinematics(p.case.model, p.case.q), theirs)


def test_twists(pairs):
    for p in pairs:
        theirs = [pin.getFrameVelocity(p.model, p.data, frame, pin.LOCAL).vector for frame in p.peer.bodies]
        p.check(mm.body_twists(p.case.model, p.case.q, p.case.qdot), np.array(theirs)[:, ANGULAR_FIRST])


def test_body_jacobians(pairs):
    for p in pairs:
        J, Jdot = zip(*(p.frame_jacobians(frame, pin.LOCAL) for frame in p.peer.bodies), strict=True)
        p.check(mm.jacobian(p.case.model, p.case.q), np.vstack(J))
        p.check(mm.jacobian_dot(p.case.model, p.case.q, p.case.qdot), np.vstack(Jdot))


def test_jacobian_products(pairs):
    for p in pairs:
        c = p.case
        J, Jdot = zip(*(p.frame_jacobians(frame, pin.LOCAL) for frame in p.peer.bodies), strict=True)
        y, z = mm.algorithms.jacobian_products(c.model, c.q, c.qdot, c.qddot)
        p.check(y, np.vstack(J) @ c.qddot)
        p.check(z, np.vstack(Jdot) @ c.qddot)
        p.check(
            mm.algorithms.jacobian_transpose_product(c.model, c.q, c.wrenches.ravel()),
            np.vstack(J).T @ c.wrenches.ravel(),
        )


def test_frame_jacobians(pairs):
    for p in pairs:
        ours = mm.frame_jacobian(p.case.model, p.case.q, p.case.body, p.case.E_bf, p.case.qdot)
        p.check_both(ours, p.frame_jacobians(p.extra, pin.LOCAL))


def test_point_jacobians(pairs):
    for p in pairs:
        ours = mm.point_jacobian(p.case.model, p.case.q, p.case.body, p.case.E_bf[:3, 3], p.case.qdot)
        J, Jdot = p.frame_jacobians(p.extra, pin.LOCAL_WORLD_ALIGNED)
        p.check_both(ours, (J[3:], Jdot[3:]))


@pytest.mark.parametrize("method", ["composite", "redmax"])
def test_mass_matrix(pairs, method):
    for p in pairs:
        M = np.triu(pin.crba(p.model, p.model.createData(), p.motion[0]))
        p.check(mm.mass_matrix(p.case.model, p.case.q, method), p.T.T @ (M + np.triu(M, 1).T) @ p.T)


def test_inverse_dynamics(pairs):
    for p in pairs:
        ours = mm.inverse_dynamics(p.case.model, p.case.q, p.case.qdot, p.case.qddot)
        p.check(ours, p.T.T @ pin.rnea(p.model, p.data, *p.motion))


def test_inverse_dynamics_under_wrenches(pairs):
    for p in pairs:
        c = p.case
        ours = mm.inverse_dynamics(c.model, c.q, c.qdot, c.qddot, wrenches=c.wrenches)
        theirs = pin.rnea(p.model, p.data, *p.motion, peers.pinocchio_wrenches(p.peer, c.wrenches))
        p.check(ours, p.T.T @ theirs)


def test_bias_gravity_and_coriolis_forces(pairs):
    """Where our qddot is zero, Pinocchio's acceleration is Tdot qdot."""
    for p in pairs:
        c, (q, v, _) = p.case, p.motion
        bias = p.T.T @ pin.rnea(p.model, p.data, q, v, p.Tdot @ c.qdot)
        gravity = p.T.T @ pin.computeGeneralizedGravity(p.model, p.data, q)
        p.check(mm.dynamics.bias_forces(c.model, c.q, c.qdot), bias)
        p.check(mm.dynamics.gravity_forces(c.model, c.q), gravity)
        p.check(mm.dynamics.coriolis_forces(c.model, c.q, c.qdot), bias - gravity)


def their_acceleration(p: Pair, *forces: list) -> np.ndarray:
    """Our qddot from Pinocchio's articulated-body algorithm."""
    vdot = pin.aba(p.model, p.data, *p.motion[:2], np.linalg.solve(p.T.T, p.case.tau), *forces)
    return np.linalg.solve(p.T, vdot - p.Tdot @ p.case.qdot)


@pytest.mark.parametrize("method", ["recursive", "redmax"])
def test_forward_dynamics(pairs, method):
    for p in well_conditioned(pairs):
        c = p.case
        p.check(mm.forward_dynamics(c.model, c.q, c.qdot, c.tau, method), their_acceleration(p))
        ours = mm.forward_dynamics(c.model, c.q, c.qdot, c.tau, method, wrenches=c.wrenches)
        p.check(ours, their_acceleration(p, peers.pinocchio_wrenches(p.peer, c.wrenches)))


def test_hybrid_dynamics(pairs):
    """Any mixture of their torques and accelerations gives the rest of both back."""
    for p in well_conditioned(pairs):
        c = p.case
        tau = p.T.T @ pin.rnea(p.model, p.data, *p.motion)
        given = np.random.default_rng(c.seed).uniform(size=c.model.ndof) < 0.5
        known_tau, known_qddot = np.where(given, 0.0, tau), np.where(given, c.qddot, 0.0)
        qddot, torques = mm.hybrid_dynamics(c.model, c.q, c.qdot, known_tau, known_qddot, given)
        p.check(qddot, c.qddot)
        p.check(torques, tau)


def test_energy(pairs):
    """Potentials are compared as differences to the one at rest, where all coordinates are zero."""
    for p in pairs:
        c, rest = p.case, np.zeros(p.case.model.ndof)
        ours, ours_at_rest = mm.energy(c.model, c.q, c.qdot), mm.energy(c.model, rest, rest)
        p.check(ours.kinetic, pin.computeKineticEnergy(p.model, p.data, *p.motion[:2]))
        theirs = [pin.computePotentialEnergy(p.model, p.data, p.peer.configuration(q)) for q in (c.q, rest)]
        p.check(ours.potential - ours_at_rest.potential, theirs[0] - theirs[1])


def test_momentum_and_centre_of_mass(pairs):
    """Pinocchio leaves out what is welded to the world, so that is added to its centre of mass here."""
    for p in pairs:
        ours, data = mm.momentum(p.case.model, p.case.q, p.case.qdot), p.model.createData()
        h = pin.computeCentroidalMomentum(p.model, data, *p.motion[:2])
        welded, moving = p.model.inertias[0], data.mass[0]
        centre = (welded.mass * welded.lever + moving * data.com[0]) / (welded.mass + moving)
        p.check(ours.linear, h.linear)
        p.check(ours.angular, h.angular + np.cross(data.com[0] - centre, h.linear))
        p.check(ours.centre, centre)
        p.check(ours.velocity, h.linear / (welded.mass + moving))
