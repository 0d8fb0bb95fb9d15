"""Three views of one physics: the page to read first. Every integrator and task sees only these.

    acceleration      qddot under gravity, the model's forces and torques tau: recursive O(n), or dense J^T M J
    residual          r(q, qdot, qddot) = inverse dynamics less everything applied; zero along a motion
    linearise         M = dr/dqddot, D = dr/dqdot, K = dr/dq, exact

The kernels behind them, which integrators run, are in physics.py, with what muscles and constraints add in muscled.py
and constrained.py; the same physics by its usual names is in forward.py, inverse.py and mass.py. The tree alone is in
`algorithms`, what acts on it in `forces` and `muscles`, what ties it in `constraints`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model, State
from ..model.border import check_finite, inputs, no_model
from ..model.workspace import Workspace
from ..spatial.brief import brief
from .forward import forward_dynamics
from .inverse import overflow, residual_at
from .physics import fill_force_slopes, fill_linear
from .system import NAMES, check_time, linear_inputs, linear_of, open_linear, open_system, system_of


@kernel(entry=True)
def linear_at(handle, linear_handle, t, q, qdot, qddot, M, D, K):
    """M, D and K of the residual, for Python."""
    fill_linear(t, q, qdot, qddot, open_system(handle, q), open_linear(linear_handle, q), M, D, K)


@kernel(entry=True)
def force_slopes_at(handle, linear_handle, t, q, qdot, M, D, K):
    """D and K of the forces alone, for Python."""
    fill_force_slopes(t, q, qdot, open_system(handle, q), open_linear(linear_handle, q), M, D, K)


@brief
class Linearisation(NamedTuple):
    """The residual r(q, qdot, qddot) to first order: M dqddot + D dqdot + K dq. (ndof, ndof) each"""

    M: np.ndarray
    D: np.ndarray
    K: np.ndarray


def acceleration(model: Model, state: State, tau: np.ndarray | None = None, *, method: str = "recursive") -> np.ndarray:
    """qddot of a state under gravity, the model's forces and joint torques tau. [rad/s^2 or m/s^2], (ndof,)

    method "recursive": O(n); "redmax": dense J^T M J.
    """
    model = _at(model, state)
    return forward_dynamics(model, state.q, state.qdot, tau, method, t=state.t)


def residual(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    t: float = 0.0,
) -> np.ndarray:
    """r = M qddot + C(q, qdot) - f(t, q, qdot) - tau, zero along a motion. [N m or N], (ndof,)"""
    space, (q, qdot, qddot, tau) = inputs(model, "q qdot qddot tau", q, qdot, qddot, tau)
    r = np.empty(model.ndof, q.dtype)
    if not residual_at(system_of(space).handle, check_time(t), q, qdot, qddot, tau, space.no_wrenches, r):
        check_finite(tau=tau)
        raise overflow(model, q, qdot, qddot)
    return r


def linearise(
    model: Model, state: State, qddot: np.ndarray | None = None, tau: np.ndarray | None = None
) -> Linearisation:
    """(M, D, K), exact derivatives of the residual at a state and qddot (None: its own acceleration under tau)."""
    model = _at(model, state)
    space, vectors = linear_inputs(model, "linearise", state.q, state.qdot, qddot)
    if qddot is None:
        vectors = [*vectors[:2], acceleration(model, state, tau)]
    return _linear(model, space, linear_at, state.t, vectors)


def force_derivatives(
    model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(df/dq, df/dqdot) of the applied forces, exact. (ndof, ndof) each"""
    space, vectors = linear_inputs(model, "force_derivatives", q, qdot)
    _, D, K = _linear(model, space, force_slopes_at, t, vectors)
    return K, D


def _linear(model: Model, space: Workspace, entry: Callable, t: float, vectors: list[np.ndarray]) -> Linearisation:
    check_finite(**dict(zip(NAMES, vectors, strict=False)))
    M, D, K = np.empty((3, model.ndof, model.ndof))
    entry(system_of(space).handle, linear_of(space).handle, check_time(t), *vectors, M, D, K)
    if not np.isfinite(np.diagonal(K)).all():
        raise overflow(model, *vectors[:2], space.zeros)
    return Linearisation(M, D, K)


def _at(model: Model, state: State) -> Model:
    """The model in a state's charts."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(state, State):
        raise TypeError(f"a state is needed, as model.state(q, qdot) or trajectory.state, and this is {state!r}")
    return model.with_charts(state.charts)
