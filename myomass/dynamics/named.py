"""The physics of a whole model by its usual names: forward, inverse and hybrid dynamics, energy."""

import numpy as np

from ..algorithms.balafoutis_patel import solve_balafoutis_patel
from ..algorithms.charts import NO_CHARTS, NO_SLOTS
from ..algorithms.energy import Energy
from ..algorithms.hybrid import run_hybrid
from ..algorithms.products import jacobian_transpose_product
from ..algorithms.redmax import check_pivots, dense_accelerations, dense_scratch
from ..algorithms.rnea import solve_rnea
from ..model import Model
from ..model.border import check_finite, check_vector, check_wrenches, first_not_finite, inputs, no_model, singular
from .constrained import redmax_bound_at
from .given import bound_of, check_time, forces_and_torques, forces_of, real_inputs
from .inertial import inertial_forces, whole
from .kernels import energies_along, freely_at, reduced_at
from .rows import as_forces, solve_accelerations

INVERSE = {"rnea": solve_rnea, "balafoutis-patel": solve_balafoutis_patel}


def forward_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    method: str = "recursive",
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
) -> np.ndarray:
    """qddot = M^-1 (tau + f - C): accelerations under joint torques tau (None: none). [rad/s^2 or m/s^2], (ndof,)

    method "recursive": hybrid dynamics with nothing prescribed, O(n) (Alg. 6); "redmax": J^T M_m J, dense (Eq. 12).
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames; `t` is for forces given in time.
    Constraints hold: equality rows, and gaps that are closed; friction acts in steps of velocities only.
    """
    if method not in ("recursive", "redmax"):
        raise ValueError(f'forward_dynamics: the method is "recursive" or "redmax", not {method!r}')
    if len(getattr(model, "constraints", ())):
        return _bound_accelerations(model, (q, qdot, tau), wrenches, t, method)
    if len(getattr(model, "muscles", ())) and model.muscles.massive:
        vectors = _with_wrenches(model, (q, qdot, tau), wrenches)
        return _muscled_accelerations(model, vectors, t, method)
    if getattr(model, "pulled", False):
        tau = forces_and_torques(model, q, qdot, tau, t)
    if method == "recursive":
        return run_hybrid(model, q, qdot, tau, None, wrenches)[0]
    return dense_accelerations(model, q, qdot, tau, wrenches)


def inverse_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    method: str = "rnea",
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
) -> np.ndarray:
    """tau = M qddot + C(q, qdot) - f, the joint torques behind a motion, O(n). [N m or N], (ndof,)

    method "rnea": recursive Newton-Euler; "balafoutis-patel": by tensors of angular acceleration, for the bodies.
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames; `t` is for forces given in time.
    """
    if not isinstance(method, str) or method not in INVERSE:
        raise ValueError(f'inverse_dynamics: the method is "rnea" or "balafoutis-patel", not {method!r}')
    if not isinstance(model, Model):
        raise no_model(model)
    tau = inertial_forces(model, model.gravity, (q, qdot, qddot), wrenches, INVERSE[method])
    return tau - forces_and_torques(model, q, qdot, None, t) if model.pulled else tau


def hybrid_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray,
    qddot: np.ndarray,
    prescribed: np.ndarray,
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """(qddot, tau): recursive hybrid dynamics, O(n). [rad/s^2 or m/s^2], [N m or N], (ndof,) each

    Where `prescribed` (boolean, one per degree of freedom) is true, `qddot` is given and tau comes back; elsewhere
    `tau` is given and qddot comes back; constraints hold beside. `wrenches` (nbodies, 6) are [moment; force] on the
    bodies in their own frames.
    Supplement Alg. 6.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    prescribed = _check_prescribed(model, prescribed)
    if len(model.constraints):
        return _bound_hybrid(model, (q, qdot, tau), (qddot, prescribed), wrenches, t)
    if model.muscles.massive:
        return _muscled_hybrid(model, (q, qdot, tau), (qddot, prescribed), wrenches, t)
    if not model.pulled:
        return run_hybrid(model, q, qdot, tau, (qddot, prescribed), wrenches)
    f = forces_and_torques(model, q, qdot, None, t)
    tau = check_vector(model, "tau", tau)
    qddot, total = run_hybrid(model, q, qdot, tau + f, (qddot, prescribed), wrenches)
    return qddot, np.where(prescribed, total - f, tau)


def _muscled_accelerations(model: Model, vectors: tuple, t: float, method: str) -> np.ndarray:
    """qddot with muscles that have mass; vectors = (q, qdot, tau)."""
    space, (q, qdot, tau) = inputs(model, "q qdot tau", *vectors)
    check_finite(q=q, qdot=qdot, tau=tau)
    qddot, forces = np.empty(model.ndof, q.dtype), forces_of(model, space)
    if method == "recursive":
        freely_at(check_time(t), q, qdot, tau, space.system, forces, space.none_prescribed, qddot)
        if not np.isfinite(qddot).all():
            raise singular(model, first_not_finite(qddot))
        return qddot
    dense = (*dense_scratch(model.ndof, q.dtype.type), space.no_wrenches, np.zeros(model.ndof, q.dtype))
    reduced_at(check_time(t), q, qdot, tau, space.system, forces, dense, qddot)
    M = whole(dense[3])
    check_pivots(model, M.real)
    return np.linalg.solve(M, qddot)


def _muscled_hybrid(
    model: Model, vectors: tuple, drive: tuple[np.ndarray, np.ndarray], wrenches: np.ndarray | None, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """(qddot, tau) with muscles that have mass."""
    given = check_vector(model, "qddot", drive[0])
    check_finite(qddot=np.where(drive[1], given, 0.0))
    vectors = _with_wrenches(model, vectors, wrenches)
    space, (q, qdot, tau, qddot) = inputs(model, "q qdot tau qddot", *vectors, given)
    check_finite(q=q, qdot=qdot, tau=np.where(drive[1], 0.0, tau))
    qddot = qddot.copy()
    freely_at(check_time(t), q, qdot, tau, space.system, forces_of(model, space), drive[1], qddot)
    if not np.isfinite(qddot).all():
        raise singular(model, first_not_finite(qddot))
    needed = inverse_dynamics(model, q, qdot, qddot, wrenches=wrenches, t=t)
    return qddot, np.where(drive[1], needed, check_vector(model, "tau", vectors[2]))


def _bound_accelerations(
    model: Model, vectors: tuple, wrenches: np.ndarray | None, t: float, method: str
) -> np.ndarray:
    """qddot under constraints."""
    q, qdot, tau = _with_wrenches(model, vectors, wrenches)
    if method == "recursive" or model.constraints.hard:
        return solve_accelerations(model, (q, qdot, tau), t)[0]
    space, (q, qdot, tau) = real_inputs(model, "q qdot tau", q, qdot, tau)
    qddot, n = np.empty(model.ndof), model.ndof
    dense = (*dense_scratch(n, np.float64), np.zeros((0, 6)), np.zeros(n))
    redmax_bound_at(check_time(t), q, qdot, tau, space.system, forces_of(model, space), dense, bound_of(model), qddot)
    return qddot


def _bound_hybrid(
    model: Model, vectors: tuple, drive: tuple[np.ndarray, np.ndarray], wrenches: np.ndarray | None, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """(qddot, tau) under constraints: the rows see what is prescribed as it is (dissertation Eq. 4.109)."""
    qddot, prescribed = check_vector(model, "qddot", drive[0]).astype(float), drive[1]
    check_finite(qddot=np.where(prescribed, qddot, 0.0))
    q, qdot, torques = _with_wrenches(model, vectors, wrenches)
    qddot, lam = solve_accelerations(model, (q, qdot, torques), t, (qddot, prescribed))
    needed = inertial_forces(model, model.gravity, (q, qdot, qddot)) - as_forces(model, q, lam, t).generalized
    needed -= forces_and_torques(model, q, qdot, _with_wrenches(model, (q, qdot, None), wrenches)[2], t)
    return qddot, np.where(prescribed, needed, check_vector(model, "tau", vectors[2]))


def _with_wrenches(model: Model, vectors: tuple, wrenches: np.ndarray | None) -> tuple:
    """(q, qdot, tau), with what wrenches on the bodies do counted in tau."""
    q, qdot, tau = vectors
    if wrenches is None:
        return vectors
    _, wrenches = check_wrenches(model, q, wrenches)
    return q, qdot, check_vector(model, "tau", tau) + jacobian_transpose_product(model, q, wrenches.ravel())


def _check_prescribed(model: Model, prescribed: np.ndarray) -> np.ndarray:
    """Booleans, one per degree of freedom. (ndof,)"""
    try:
        prescribed = np.array(prescribed)
    except ValueError:
        prescribed = np.zeros(0)
    if prescribed.dtype != bool or prescribed.shape != (model.ndof,):
        raise ValueError(
            f"prescribed must be booleans of shape ({model.ndof},), one per degree of freedom, and is "
            f"{prescribed.dtype} of shape {prescribed.shape}"
        )
    return prescribed


def energy(model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0) -> Energy:
    """(kinetic, potential), with .total [J]: of the bodies under gravity and of what springs store."""
    space, (q, qdot) = inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    T, V = np.empty((2, 1), q.dtype)
    times = np.array([check_time(t)])
    energies_along(space.system, forces_of(model, space), NO_SLOTS, NO_CHARTS, times, q[None], qdot[None], T, V)
    return Energy(T[0], V[0])
