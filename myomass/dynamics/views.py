"""Three views of one physics: the page to read first. Every integrator and task sees only these.

    acceleration      qddot under gravity, the model's forces and torques tau: recursive O(n), or dense J^T M J
    residual          r(q, qdot, qddot) = inverse dynamics less everything applied; zero along a motion
    linearise         M = dr/dqddot, D = dr/dqdot, K = dr/dq, exact

The kernels behind them, which integrators run, are in kernels.py and, under constraints, in constrained.py; the same
physics by its usual names (forward, inverse and hybrid dynamics, energy) is in named.py. The tree alone is in
`algorithms`, what acts on it in `forces`, what ties it in `constraints`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..model import Model, State
from ..model.border import check_finite, inputs, no_model
from ..model.workspace import Workspace
from .given import NAMES, check_time, forces_and_torques, forces_of, linear_inputs
from .kernels import linear_at, residual_at, stiffness_at
from .named import forward_dynamics


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
    check_finite(q=q, qdot=qdot, qddot=qddot, tau=tau)
    r = np.empty(model.ndof, q.dtype)
    residual_at(check_time(t), q, qdot, qddot, tau, space.system, forces_of(model, space), r)
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


def applied_forces(model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0) -> np.ndarray:
    """f(t, q, qdot), generalized forces of everything that the spec's add_force added. [N m or N], (ndof,)"""
    return forces_and_torques(model, q, qdot, None, t)


def force_derivatives(
    model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(df/dq, df/dqdot) of the applied forces, exact. (ndof, ndof) each"""
    space, vectors = linear_inputs(model, "force_derivatives", q, qdot)
    _, D, K = _linear(model, space, stiffness_at, t, vectors)
    return K, D


def _linear(model: Model, space: Workspace, entry: Callable, t: float, vectors: list[np.ndarray]) -> Linearisation:
    check_finite(**dict(zip(NAMES, vectors, strict=False)))
    M, D, K = np.empty((3, model.ndof, model.ndof))
    entry(check_time(t), *vectors, space.system, forces_of(model, space), space.linear, M, D, K)
    return Linearisation(M, D, K)


def _at(model: Model, state: State) -> Model:
    """The model in a state's charts."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(state, State):
        raise TypeError(f"a state is needed, as model.state(q, qdot) or trajectory.state, and this is {state!r}")
    return model.with_charts(state.charts)
