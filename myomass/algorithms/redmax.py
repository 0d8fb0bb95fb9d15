"""The dense RedMax form of the equations of motion (supplement Eq. 9-12).

(J^T M_m J) qddot = tau + J^T (f_m - M_m Jdot qdot),    f_m = ad(phi)^T M_m phi + gravity + wrenches
"""

import numpy as np

from ..model import Model
from ..model.border import check_vector, check_wrenches
from .jacobian import jacobians
from .kinematics import body_poses_and_twists
from .mass import maximal_mass, project_mass


def maximal_forces(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """f_m: Coriolis and gravity wrenches on all bodies in their own frames [N m, N]. (nbodies, 6), Eq. 9"""
    E, phi = body_poses_and_twists(model, q, qdot)
    M_m = maximal_mass(model)
    w, v = phi[:, :3], phi[:, 3:]
    h, p = M_m[:, :3] * w, M_m[:, 3:] * v
    gravity = M_m[:, 3:] * (E[:, :3, :3].transpose(0, 2, 1) @ model.gravity)
    return np.hstack([np.cross(h, w), np.cross(p, w) + gravity])  # p x v = 0


def reduced_system(
    model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None, wrenches: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(M_r, f_r) of M_r qddot = f_r. (ndof, ndof), (ndof,)"""
    J, Jdot = jacobians(model, q, qdot)
    M_m = maximal_mass(model)
    f_m = maximal_forces(model, q, qdot)
    if wrenches is not None:
        f_m = f_m + check_wrenches(model, q, wrenches)[1]
    M_r = project_mass(J, M_m)
    f_r = np.einsum("bik,bi->k", J, f_m - M_m * (Jdot @ np.asarray(qdot)))
    return M_r, f_r + check_vector(model, "tau", tau)
