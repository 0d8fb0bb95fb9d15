"""Between Cartesian and generalized velocities and forces, for engines in maximal coordinates (tutorial section 6).

    V = J qdot,                      qdot = J^+ V                                             (Eq. 60-61)
    V_k - V_p(k) = J^_k qdot_k,      qdot_k = J^_k^+ (V_k - V_p(k))       joint by joint      (Eq. 62-66)
    Q = J_r^T f + J_w^T tau',        tau' = D^T R tau^                                        (Eq. 67-68)
    Q_k = J^_k^T tau^_k,             tau^_k = (J^_k^T)^+ Q_k              joint by joint      (Eq. 69, 71)

J^_k are the joint's own columns of S, all links of a composite together: twists of child against parent at the joint,
that is at the origin of the joint's last link. The tutorial's are angular; with linear parts beside them slides, curves
and surfaces are served too. tau^_k turns body k, and -tau^_k its parent.
"""

from typing import NamedTuple

import numpy as np

from ..algorithms.joint_wrenches import (
    SINGULAR,
    CartesianForces,
    act_and_react,
    check_reached,
    joint_columns,
    joint_forces_on_bodies,
    solve_joints,
)
from ..algorithms.kinematics import body_poses_and_twists, forward_kinematics
from ..algorithms.products import jacobian_transpose_product
from ..model import Model
from ..model.border import check_finite, inputs
from ..reduction.border import refuse_reduced
from ..spatial.brief import brief
from .coordinates import check_rows, forces_at_centres, world_jacobians


@brief
class VelocityFit(NamedTuple):
    """Generalized velocities, and how much of the Cartesian ones they miss."""

    qdot: np.ndarray  # [rad/s or m/s], (ndof,)
    residual: float  # |J qdot - V|, rad/s and m/s counted alike


@brief
class PointForces(NamedTuple):
    """Forces at given points, in world axes, and torques of joints, in their parents' frames."""

    forces: np.ndarray  # [N], (nbodies, 3)
    joint_torques: np.ndarray  # [N m], (nbodies, 3)


@brief
class JointWrenches(NamedTuple):
    """What joints put on their bodies, and the opposite on the parents, at the joints and in the parents' frames."""

    forces: np.ndarray  # [N], (nbodies, 3)
    torques: np.ndarray  # [N m], (nbodies, 3)


def _parents_axes(model: Model, E: np.ndarray) -> np.ndarray:
    """R of each body's parent, I for the world. (nbodies, 3, 3)"""
    return np.where((model.parents < 0)[:, None, None], np.eye(3), E[model.parents, :3, :3])


def _turn(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """R x of each row. (nbodies, 3)"""
    return (R @ x[..., None])[..., 0]


def _real(model: Model, names: str, *vectors: np.ndarray) -> tuple[int, list[np.ndarray]]:
    """(the tree's handle, vectors), checked to be real: least squares have no complex step."""
    refuse_reduced(model, "a conversion of joint wrenches")
    space, vectors = inputs(model, names, *vectors)
    if np.iscomplexobj(vectors[0]):
        raise ValueError(f"{' and '.join(names.split())} must be real: least squares carry no complex step")
    check_finite(**dict(zip(names.split(), vectors, strict=True)))
    return space.tree.handle, vectors


# --- velocities -------------------------------------------------------------------------------------------------------


def generalized_velocity(
    model: Model, q: np.ndarray, v: np.ndarray, w: np.ndarray, method: str = "pseudo-inverse"
) -> VelocityFit:
    """(qdot, residual) of bodies whose centres of mass move at v [m/s] and that turn at w [rad/s], world axes.

    method "pseudo-inverse": the least squares of V = J qdot, dense (tutorial Eq. 61); "per-joint": one small least
    squares for each joint, O(n), from the motion of child against parent (Eq. 62-66). v and w are (nbodies, 3). Both
    give the same if the joints allow V; if not, `residual` says by how much they miss it.
    """
    if method not in ("pseudo-inverse", "per-joint"):
        raise ValueError(f'generalized_velocity: the method is "pseudo-inverse" or "per-joint", not {method!r}')
    handle, (q,) = _real(model, "q", q)
    v, w = _real_rows(model, "v", v), _real_rows(model, "w", w)
    if method == "per-joint":
        qdot = _joint_rates(model, joint_columns(model, handle, q), forward_kinematics(model, q)[:, :3, 3], v, w)
    else:
        J_v, J_w, _, _ = world_jacobians(model, q)
        J, V = np.concatenate([J_v, J_w]).reshape(6 * model.nbodies, model.ndof), np.concatenate([v, w]).ravel()
        qdot = np.linalg.lstsq(J, V, rcond=None)[0]
    E, phi = body_poses_and_twists(model, q, qdot)
    missed = _turn(E[:, :3, :3], phi[:, 3:]) - v, _turn(E[:, :3, :3], phi[:, :3]) - w
    return VelocityFit(qdot, float(np.linalg.norm(missed)))


def _joint_rates(model: Model, joints: tuple, x: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
    """qdot_k = J^_k^+ (V_k - V_p) at each joint."""
    (columns, places), qdot = joints, np.zeros(model.ndof)
    for k, p in enumerate(model.parents):
        twist = np.concatenate([w[k], v[k] + np.cross(w[k], places[k] - x[k])])
        if p >= 0:
            twist -= np.concatenate([w[p], v[p] + np.cross(w[p], places[k] - x[p])])
        own = model.dof(k)
        qdot[own] = np.linalg.lstsq(columns[own].T, twist, rcond=None)[0]
    return qdot


def _real_rows(model: Model, what: str, values: np.ndarray) -> np.ndarray:
    """Three real numbers for each body. (nbodies, 3)"""
    values = _given(model, what, values)
    if np.iscomplexobj(values):
        raise ValueError(f"{what} must be real: least squares carry no complex step")
    return values


# --- forces to generalized forces -------------------------------------------------------------------------------------


def generalized_force(
    model: Model,
    q: np.ndarray,
    forces: np.ndarray | None = None,
    torques: np.ndarray | None = None,
    points: np.ndarray | None = None,
    joint_torques: np.ndarray | None = None,
) -> np.ndarray:
    """Q = J_r^T f + J_w^T tau' + J^^T tau^, generalized forces of Cartesian ones. [N m or N], (ndof,)

    `forces` [N] and `torques` [N m] act on the bodies, in world axes, the forces at `points` [m] in the bodies' frames
    (None: centres of mass) (tutorial Eq. 67). `joint_torques` [N m] act on each body and oppositely on its parent, in
    the parent's frame, the world's for a root (Eq. 69). (nbodies, 3) each; gravity is not counted.
    """
    E = forward_kinematics(model, q)
    f, tau = forces_at_centres(model, E, forces, torques, points)
    tau = tau + act_and_react(model, _turn(_parents_axes(model, E), check_rows(model, "joint_torques", joint_torques)))
    R_T = E[:, :3, :3].swapaxes(1, 2)
    return jacobian_transpose_product(model, q, np.concatenate([_turn(R_T, tau), _turn(R_T, f)], axis=1).ravel())


def body_torques(model: Model, q: np.ndarray, joint_torques: np.ndarray) -> np.ndarray:
    """tau' = D^T R tau^, torques on bodies in world axes, of joint torques in parents' frames [N m]. (nbodies, 3)

    Tutorial Eq. 68: each body has its own joint's, and less those of its children's joints.
    """
    R = _parents_axes(model, forward_kinematics(model, q))
    return act_and_react(model, _turn(R, _given(model, "joint_torques", joint_torques)))


def body_forces(model: Model, q: np.ndarray, joint_forces: np.ndarray, joint_torques: np.ndarray) -> CartesianForces:
    """(forces, torques) on bodies at centres of mass, world axes, of `joint_wrenches` [N, N m]. (nbodies, 3) each"""
    E = forward_kinematics(model, q)
    refuse_reduced(model, "body_forces")
    space, (q,) = inputs(model, "q", q)
    R, places = _parents_axes(model, E), joint_columns(model, space.tree.handle, q)[1]
    f = _turn(R, _given(model, "joint_forces", joint_forces))
    tau = _turn(R, _given(model, "joint_torques", joint_torques))
    return joint_forces_on_bodies(model, E[:, :3, 3], places, f, tau)


def _given(model: Model, what: str, values: np.ndarray) -> np.ndarray:
    """The rows as an array. Raises a ValueError if they are not given. (nbodies, 3)"""
    if values is None:
        raise ValueError(f"{what} is None: give three numbers for each body")
    return check_rows(model, what, values)


# --- generalized forces to forces -------------------------------------------------------------------------------------


def cartesian_forces(
    model: Model, q: np.ndarray, Q: np.ndarray, points: np.ndarray | None = None
) -> CartesianForces | PointForces:
    """(forces, torques) on all bodies, world axes, whose generalized forces are Q. [N, N m], (nbodies, 3) each

    Of many the smallest, the least sum of squares with N and N m counted alike: at centres of mass and about them
    (tutorial Eq. 70). With `points` [m] in the bodies' frames, the forces act there, and beside them are not torques
    on bodies but joint torques in the parents' frames: a PointForces (Eq. 69).
    """
    _, (q, Q) = _real(model, "q Q", q, Q)
    J_v, J_w, _, _ = world_jacobians(model, q)
    kind, second = CartesianForces, J_w
    if points is not None:
        kind, E = PointForces, forward_kinematics(model, q)
        arms = _turn(E[:, :3, :3], _real_rows(model, "points", points))
        J_v = J_v + np.cross(J_w, arms[:, :, None], axis=1)
        second = _relative(model, J_w, _parents_axes(model, E))
    J = np.concatenate([J_v, second]).reshape(6 * model.nbodies, model.ndof)
    answer = np.linalg.lstsq(J.T, Q, rcond=None)[0]
    check_reached(model, "cartesian_forces", Q, J.T @ answer, SINGULAR)
    return kind(*answer.reshape(2, model.nbodies, 3))


def _relative(model: Model, J_w: np.ndarray, R: np.ndarray) -> np.ndarray:
    """J^_w = R^T D J_w, angular velocities less the parents', in the parents' axes (Eq. 65). (nbodies, 3, ndof)"""
    of_parent = np.where((model.parents < 0)[:, None, None], 0.0, J_w[model.parents])
    return R.swapaxes(1, 2) @ (J_w - of_parent)


def joint_torques(model: Model, q: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """tau^_k = (J^_k^T)^+ Q_k, joint torques in parents' frames that do what Q does. [N m], (nbodies, 3); Eq. 71

    Each acts on its body and oppositely on the parent; of many the smallest. Raises a ValueError if Q has forces that
    slide a joint, which are no torques (mm.coordinates.joint_wrenches takes them).
    """
    handle, (q, Q) = _real(model, "q Q", q, Q)
    columns, _ = joint_columns(model, handle, q)
    columns[:, 3:] = 0.0
    why = f"torques do not move its joint that way, or {SINGULAR}; take mm.coordinates.joint_wrenches"
    _, tau = solve_joints(model, columns, Q, ("joint_torques", why))
    return _turn(_parents_axes(model, forward_kinematics(model, q)).swapaxes(1, 2), tau)


def joint_wrenches(model: Model, q: np.ndarray, Q: np.ndarray) -> JointWrenches:
    """(forces, torques) of joints that do what Q does, for joints that slide too. [N, N m], (nbodies, 3) each

    They act on each body, and oppositely on its parent, at the origin of the joint's last link, in the parent's frame;
    of many the smallest, N and N m counted alike. mm.coordinates.body_forces brings them to centres of mass and world
    axes.
    """
    handle, (q, Q) = _real(model, "q Q", q, Q)
    f, tau = solve_joints(model, joint_columns(model, handle, q)[0], Q, ("joint_wrenches", SINGULAR))
    R_T = _parents_axes(model, forward_kinematics(model, q)).swapaxes(1, 2)
    return JointWrenches(_turn(R_T, f), _turn(R_T, tau))
