"""Forward dynamics: accelerations under given forces, recursively in O(n) or by the dense RedMax form."""

import numpy as np

from ..model import Model
from ..model.border import singular
from .hybrid import run_hybrid
from .redmax import reduced_system


def forward_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    method: str = "recursive",
    *,
    wrenches: np.ndarray | None = None,
) -> np.ndarray:
    """qddot = M^-1 (tau - C) of the tree alone, without the model's forces; see dynamics.forward_dynamics. (ndof,)"""
    if method == "recursive":
        return run_hybrid(model, q, qdot, tau, None, wrenches)[0]
    if method != "redmax":
        raise ValueError(f'forward_dynamics: the method is "recursive" or "redmax", not {method!r}')
    M_r, f_r = reduced_system(model, q, qdot, tau, wrenches)
    check_pivots(model, M_r.real)
    return np.linalg.solve(M_r, f_r)


def check_pivots(model: Model, M_r: np.ndarray) -> None:
    """A sentence if M_r, scaled to unit diagonal, has an eigenvalue that is only rounding."""
    scale = np.sqrt(np.diag(M_r))
    if (scale == 0).any():
        raise singular(model, int(np.argmin(scale)))
    scaled = M_r / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(scaled)
    if len(values) and not values[0] > model.workspace.rounding:
        raise singular(model, int(np.argmax(np.abs(vectors[:, 0]))))
