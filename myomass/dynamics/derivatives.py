"""Exact partials of inverse dynamics, tau(q, qdot, qddot), with everything that acts counted."""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.balafoutis_patel_partials import partial_dtype, solve_tensor_partials
from ..algorithms.rnea_adjoint import adjoint_dtype, solve_rnea_adjoint
from ..algorithms.rnea_partials import solve_rnea_partials
from ..joints.records import records
from ..model import Model
from ..model.border import check_finite, check_vector, check_wrenches
from ..model.workspace import Workspace
from ..muscles.geometry import check_paths
from ..reduction.border import joint_motion
from ..spatial.brief import brief
from .folded import fold_slopes, real_motion
from .inverse import inverse_dynamics
from .mass import mass_matrix
from .physics import add_acting_slopes
from .system import (
    NAMES,
    check_time,
    linear_inputs,
    linear_of,
    open_linear,
    open_system,
    refuse_soft_bodies,
    system_of,
)


@kernel(entry=True)
def acting_slopes_at(handle, linear_handle, t, q, qdot, qddot, with_forces, M, D, K):
    """Add what forces and muscles add to the tree's partials, for Python, right after `solve_rnea_partials`."""
    system, linear = open_system(handle, q), open_linear(linear_handle, q)
    add_acting_slopes(t, q, qdot, qddot, system, linear, with_forces, M, D, K)


@brief
class InverseDynamicsDerivatives(NamedTuple):
    """Partials of tau = M qddot + C - f. (ndof, ndof) each; row i belongs to tau_i, and dtau_dqddot is M."""

    dtau_dq: np.ndarray
    dtau_dqdot: np.ndarray
    dtau_dqddot: np.ndarray


def inverse_dynamics_derivatives(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    method: str = "rnea",
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> InverseDynamicsDerivatives:
    """(dtau/dq, dtau/dqdot, dtau/dqddot) of `inverse_dynamics`, exact. (ndof, ndof) each

    method "rnea": carried frames, O(n depth), what implicit integrators use; "balafoutis-patel": the report's
    recursions, one variable at a time. `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames
    and turn with them; `t` is for forces given in time; z are states of muscles, which are held.
    """
    if method not in ("rnea", "balafoutis-patel"):
        raise ValueError(f'inverse_dynamics_derivatives: the method is "rnea" or "balafoutis-patel", not {method!r}')
    if getattr(model, "reduction", None) is not None:
        return _folded(model, (q, qdot, qddot), method, wrenches, t, z)
    space, vectors = linear_inputs(model, "inverse_dynamics_derivatives", q, qdot, qddot, z=z)
    wrenches = space.no_wrenches if wrenches is None else _real_wrenches(model, wrenches)
    if method == "balafoutis-patel":
        refuse_soft_bodies(model, 'inverse_dynamics_derivatives(method="balafoutis-patel")')
        M, D, K = _by_tensors(model, space, vectors, wrenches)
    if method == "rnea" or model.has_forces_or_muscles:  # the slopes of loads go on from the frames of this recursion
        frames = _by_frames(model, space, vectors, wrenches)
    if method == "rnea":
        M, D, K = frames
    if model.has_forces_or_muscles:
        _add_acting_slopes(model, space, check_time(t), vectors, True, (M, D, K))
    return InverseDynamicsDerivatives(K, D, M)


def inverse_dynamics_products(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    lam: np.ndarray,
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """lam^T dtau/dq, lam^T dtau/dqdot and lam^T dtau/dqddot, what reverse differentiation asks for. (ndof,) each

    O(n) for bodies under gravity and wrenches, without a matrix; by the partials where forces or muscles act, whose
    states z are held.
    """
    if lam is None:
        raise ValueError("inverse_dynamics_products: lam must be given, one number per degree of freedom")
    if isinstance(model, Model) and (model.has_forces_or_muscles or model.reduction is not None):
        lam = check_vector(model, "lam", lam)
        partials = inverse_dynamics_derivatives(model, q, qdot, qddot, wrenches=wrenches, t=t, z=z)
        return tuple(lam @ partial for partial in partials)
    space, vectors = linear_inputs(model, "inverse_dynamics_products", q, qdot, qddot, lam)
    wrenches = space.no_wrenches if wrenches is None else _real_wrenches(model, wrenches)
    adjoint, products = records(len(model.links), adjoint_dtype(np.float64)), np.empty((4, model.ndof))
    partials = linear_of(space).partials.handle
    if not solve_rnea_adjoint(space.tree.handle, *vectors, wrenches, partials, adjoint, products):
        raise _not_finite(model, vectors)
    return tuple(products[:3])


def coriolis_matrix(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """C(q, qdot), the Coriolis matrix of Christoffel's symbols, bodies and muscles counted. (ndof, ndof)

    C qdot = coriolis_forces, and dM/dt - 2 C is skew. These forces are quadratic in qdot: C is half their slope.
    """
    if getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, q, qdot)
        M, C = mass_matrix(model.whole, motion.q), coriolis_matrix(model.whole, motion.q, motion.qdot)
        return motion.J.T @ (C @ motion.J + M @ motion.Jdot)
    space, vectors = linear_inputs(model, "coriolis_matrix", q, qdot, None)
    M, D, K = _by_frames(model, space, vectors, space.no_wrenches)
    if model.muscles.massive:
        _add_acting_slopes(model, space, 0.0, vectors, False, (M, D, K))
    D *= 0.5
    return D


def _folded(
    model: Model, vectors: tuple, method: str, wrenches: np.ndarray | None, t: float, z: np.ndarray | None
) -> InverseDynamicsDerivatives:
    """Partials of a reduced model, from those in its joints' coordinates and from the torques there."""
    motion = real_motion(model, "inverse_dynamics_derivatives", *vectors)
    options = {"wrenches": wrenches, "t": t, "z": z}
    r = inverse_dynamics(model.whole, *motion[:3], **options)
    K, D, M = inverse_dynamics_derivatives(model.whole, *motion[:3], method, **options)
    return InverseDynamicsDerivatives(*fold_slopes(model, motion, r, (K, D, M)))


def _add_acting_slopes(
    model: Model, space: Workspace, t: float, vectors: list[np.ndarray], with_forces: bool, M_D_K: tuple
) -> None:
    """Add the slopes of muscles and, if asked for, of forces to the tree's."""
    try:
        acting_slopes_at(system_of(space).handle, linear_of(space).handle, t, *vectors, with_forces, *M_D_K)
        finite = np.isfinite([np.diagonal(x) for x in M_D_K]).all()
    except ZeroDivisionError:  # which complex numbers raise on a path that was not found
        finite = False
    if not finite:
        check_paths(model, vectors[0])
        raise _not_finite(model, vectors)


def _by_frames(model: Model, space: Workspace, vectors: list[np.ndarray], wrenches: np.ndarray) -> np.ndarray:
    """M, D and K of the tree, stacked, by carried frames."""
    M_D_K = np.empty((3, model.ndof, model.ndof))
    if not solve_rnea_partials(space.tree.handle, *vectors, wrenches, linear_of(space).partials.handle, *M_D_K):
        raise _not_finite(model, vectors)
    return M_D_K


def _by_tensors(model: Model, space: Workspace, vectors: list[np.ndarray], wrenches: np.ndarray) -> np.ndarray:
    """The same by the partials of Balafoutis and Patel's recursions."""
    M_D_K, tau = np.empty((3, model.ndof, model.ndof)), np.empty(model.ndof)
    parts = records(len(model.links), partial_dtype(np.float64))
    partials = linear_of(space).partials.handle
    if not solve_tensor_partials(space.tree.handle, *vectors, wrenches, partials, parts, tau, *M_D_K):
        raise _not_finite(model, vectors)
    return np.ascontiguousarray(M_D_K.transpose(0, 2, 1))


def _real_wrenches(model: Model, wrenches: np.ndarray) -> np.ndarray:
    """Wrenches on all bodies, real. (nbodies, 6)"""
    wrenches = check_wrenches(model, np.zeros(0), wrenches)[1]
    if np.iscomplexobj(wrenches):
        raise ValueError("derivatives are taken at real states, and the wrenches are complex")
    return np.array(wrenches, np.float64, order="C")


def _not_finite(model: Model, vectors: list[np.ndarray]) -> FloatingPointError:
    """What to raise when partials are not finite, unless the input is not."""
    check_finite(**dict(zip(NAMES, vectors, strict=False)))
    return FloatingPointError(f"model {model.name!r}: a partial overflows at these q, qdot and qddot")
