"""What a reduction exerts on the joints of a moving model, as constraints exert forces on it."""

import numpy as np

from ..model import Model
from ..reduction.border import in_joints, joint_motion
from .constraint_forces import constraint_jacobian
from .forward import solve_forward
from .system import check_time, real_inputs
from .views import residual


def reduction_forces(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> np.ndarray:
    """Forces by which a reduction leads the joints' coordinates, in the order of model.whole's. (joint_dofs,)

    M qddot + C - f - G^T lam over the joints, less those of tau that act on coordinates which joints have kept [N m or
    N]. They do no work, J^T of them is zero, but for tau on new coordinates, which they pass on. z: states of muscles.
    """
    space, (q, qdot, tau) = real_inputs(model, "q qdot tau", q, qdot, tau, z=z)
    qddot = np.empty(model.ndof)
    lam = solve_forward(space, (check_time(t), q, qdot, tau, space.no_wrenches), space.none_prescribed, qddot)
    motion = joint_motion(model, q, qdot, qddot)
    found = residual(model.whole, *motion[:3], t=t, z=z)
    if len(lam):
        found -= constraint_jacobian(*in_joints(model, q), t=t).T @ lam
    kept = np.arange(model.ndof) if model.reduction is None else model.reduction.passed
    found[kept >= 0] -= tau[kept[kept >= 0]]
    return found
