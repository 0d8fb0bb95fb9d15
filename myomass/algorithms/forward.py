"""Forward dynamics: accelerations under given forces, recursively in O(n) or by the dense RedMax form."""

import numpy as np

from ..model import Model
from ..model.border import check_finite, check_vector, explain
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
    """qddot = M^-1 (tau - C): accelerations under joint torques tau (None: none). [rad/s^2 or m/s^2], (ndof,)

    method "recursive": hybrid dynamics with nothing prescribed, O(n) (Alg. 6); "redmax": J^T M_m J, dense (Eq. 12).
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames.
    """
    if method == "recursive":
        return run_hybrid(model, q, qdot, tau, None, wrenches)[0]
    if method != "redmax":
        raise ValueError(f'forward_dynamics: the method is "recursive" or "redmax", not {method!r}')
    q, qdot, tau = (check_vector(model, what, x) for what, x in (("q", q), ("qdot", qdot), ("tau", tau)))
    check_finite(q=q, qdot=qdot, tau=tau)
    M_r, f_r = reduced_system(model, q, qdot, tau, wrenches)
    try:
        qddot = np.linalg.solve(M_r, f_r)
    except np.linalg.LinAlgError:
        qddot = np.full(model.ndof, np.nan)
    if not np.isfinite(qddot).all():
        explain(model, qddot)
    return qddot
