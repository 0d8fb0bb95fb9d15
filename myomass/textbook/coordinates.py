"""Lagrange's form of the equations of motion, from world-frame Jacobians of the bodies (Liu and Jain's tutorial).

    V = (v, omega) = J qdot,        M qddot + C qdot = Q,        M_c = blockdiag(m I, I_c),  I_c = R I_b R^T

    M = sum J^T M_c J,      C = sum J^T M_c Jdot + J^T [omega~] M_c J,      Q = sum J_v^T f + J_w^T tau   (Eq. 48, 59)

v is that of the centre of mass, and [omega~] = blockdiag(0, [omega]). Mdot - 2 C is skew. Dense and written to be read;
the recursions of the other files give the same in linear time.
"""

from typing import NamedTuple

import numpy as np

from ..algorithms.jacobian import jacobians
from ..algorithms.kinematics import body_poses_and_twists
from ..model import Model
from ..model.border import check_array, check_finite, no_model
from ..spatial.brief import brief


@brief
class WorldJacobians(NamedTuple):
    """Velocities of centres of mass and angular velocities per qdot, in world axes, and their time derivatives."""

    J_v: np.ndarray  # (nbodies, 3, ndof)
    J_w: np.ndarray
    Jdot_v: np.ndarray
    Jdot_w: np.ndarray


@brief
class LagrangianForm(NamedTuple):
    """M qddot + C qdot = Q + tau, tau the torques of motors."""

    M: np.ndarray  # mass matrix [kg m^2, kg m or kg], (ndof, ndof)
    C: np.ndarray  # Coriolis matrix, (ndof, ndof)
    Q: np.ndarray  # generalized forces of gravity and of what is given [N m or N], (ndof,)


def world_jacobians(model: Model, q: np.ndarray, qdot: np.ndarray | None = None) -> WorldJacobians:
    """(J_v, J_w, Jdot_v, Jdot_w) of all bodies, in world axes. (nbodies, 3, ndof) each; tutorial Eq. 51, 57

    J_v qdot is the velocity of each centre of mass, J_w qdot each angular velocity; without qdot the derivatives are
    zero. The body's rows of J_mr turned by R: J_w = R J, Jdot_w = R ([omega] J + Jdot).
    """
    J, Jdot = jacobians(model, q, qdot)
    E, phi = body_poses_and_twists(model, q, qdot)
    R, w = E[:, :3, :3], _hats(phi[:, :3])
    slopes = (R @ (w @ J[:, rows] + Jdot[:, rows]) for rows in (slice(3, 6), slice(0, 3)))
    return WorldJacobians(R @ J[:, 3:], R @ J[:, :3], *slopes)


def lagrangian_form(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    forces: np.ndarray | None = None,
    torques: np.ndarray | None = None,
    points: np.ndarray | None = None,
) -> LagrangianForm:
    """(M, C, Q) of M qddot + C qdot = Q + tau: Lagrange's form, Mdot - 2 C skew. Tutorial Eq. 48, 59

    Q has gravity and what is given: `forces` [N] and `torques` [N m] on the bodies in world axes, (nbodies, 3) each,
    the forces at `points` [m] in the bodies' frames (None: centres of mass). It is that of bare bodies: the model's own
    forces are mm.applied_forces, and muscles with mass are not counted.
    """
    J_v, J_w, Jdot_v, Jdot_w = world_jacobians(model, q, qdot)
    E, phi = body_poses_and_twists(model, q, qdot)
    R, m = E[:, :3, :3], model.bodies["mass"][:, None, None]
    inertia = (R * model.bodies["moments"][:, None, :]) @ R.swapaxes(1, 2)
    w = _hats((R @ phi[:, :3, None])[..., 0])
    M = _sum(J_v, m * J_v) + _sum(J_w, inertia @ J_w)
    C = _sum(J_v, m * Jdot_v) + _sum(J_w, inertia @ Jdot_w + w @ inertia @ J_w)
    f, tau = forces_at_centres(model, E, forces, torques, points)
    f = f + model.bodies["mass"][:, None] * model.gravity
    return LagrangianForm(M, C, _sum(J_v, f[..., None])[:, 0] + _sum(J_w, tau[..., None])[:, 0])


def forces_at_centres(
    model: Model,
    E: np.ndarray,
    forces: np.ndarray | None,
    torques: np.ndarray | None,
    points: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """(f, tau' + (r - x) x f): forces at points of bodies at poses E as forces at centres of mass; checked."""
    if points is not None and forces is None:
        raise ValueError("points say where forces act, and no forces are given")
    given = {"forces": forces, "torques": torques, "points": points}
    f, tau, r = (check_rows(model, what, values) for what, values in given.items())
    return f, tau + np.cross((E[:, :3, :3] @ r[..., None])[..., 0], f)


def check_rows(model: Model, what: str, values: np.ndarray | None) -> np.ndarray:
    """Three finite numbers for each body, zeros for None. Raises an error that names `what`. (nbodies, 3)"""
    if not isinstance(model, Model):
        raise no_model(model)
    if values is None:
        return np.zeros((model.nbodies, 3))
    values = check_array(what, values, (model.nbodies, 3), f"model {model.name!r} has {model.nbodies} bodies")
    check_finite(**{what: values})
    return values


def _sum(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Sum over bodies of A^T B."""
    return np.einsum("bij,bik->jk", A, B)


def _hats(w: np.ndarray) -> np.ndarray:
    """[w] of each row. (rows, 3, 3)"""
    o = np.zeros_like(w[:, 0])
    return np.array([[o, -w[:, 2], w[:, 1]], [w[:, 2], o, -w[:, 0]], [-w[:, 1], w[:, 0], o]]).transpose(2, 0, 1)
