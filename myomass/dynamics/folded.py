"""Derivatives of reduced models in Python, from those in their joints' coordinates (see reduced.py)."""

import numpy as np

from ..model import Model
from ..reduction.arrays import reduction_of
from ..reduction.border import JointMotion, fold_bending_at, joint_motion


def real_motion(model: Model, what: str, *vectors: np.ndarray | None) -> JointMotion:
    """The joints' motion for real vectors (q, qdot, qddot). Left for `fold_slopes` in the model's workspace."""
    if any(np.iscomplexobj(x) for x in vectors if x is not None):
        raise ValueError(f"{what}: derivatives are taken at real states, and q, qdot or qddot is complex")
    return joint_motion(model, *vectors)


def fold_slopes(model: Model, motion: JointMotion, r: np.ndarray, K_D_M: tuple) -> tuple[np.ndarray, ...]:
    """(K_R, D_R, M_R) of J^T r from K, D and M of forces r on the joints, right after `real_motion`."""
    K, D, M = K_D_M
    J, Jdot = motion.J, motion.Jdot
    reduction = reduction_of(model.workspace)
    fold_bending_at(reduction.handle, r)
    K_R = J.T @ (K @ J + D @ Jdot + M @ motion.slope) + reduction.S
    return K_R, J.T @ (D @ J + 2.0 * M @ Jdot), J.T @ M @ J
