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
from ..model.border import check_finite, no_model
from ..model.workspace import Workspace
from ..muscles.hill.start import excitation_numbers
from ..reduction.border import joint_motion
from ..spatial.brief import brief
from .equations import fill_linear
from .folded import fold_slopes, real_motion
from .forward import forward_dynamics
from .inverse import applied_forces, overflow, residual_at
from .muscled import fill_state_slopes
from .physics import fill_force_slopes
from .system import (
    NAMES,
    check_time,
    inputs_with_states,
    linear_inputs,
    linear_of,
    open_linear,
    open_system,
    system_of,
)


@kernel(entry=True)
def linear_at(handle, linear_handle, t, q, qdot, qddot, M, D, K):
    """M, D and K of the residual, for Python."""
    fill_linear(t, q, qdot, qddot, open_system(handle, q), open_linear(linear_handle, q), M, D, K)


@kernel(entry=True)
def force_slopes_at(handle, linear_handle, t, q, qdot, M, D, K):
    """D and K of the forces alone, for Python."""
    fill_force_slopes(t, q, qdot, open_system(handle, q), open_linear(linear_handle, q), M, D, K)


@kernel(entry=True)
def state_slopes_at(handle, linear_handle, t, q, qdot, qddot, slopes):
    """Slopes of the residual and of the rates of muscles' states, for Python."""
    system, linear = open_system(handle, q), open_linear(linear_handle, q)
    system.muscles.drive.stage[0] = 0.0
    fill_state_slopes(t, q, qdot, qddot, system.muscles, linear, slopes)


@brief
class StateSlopes(NamedTuple):
    """What the states z of muscles add to first order: dr = ... + R dz, dzdot = K dq + D dqdot + Z dz + U du."""

    R: np.ndarray  # of the residual by z, (ndof, nz)
    K: np.ndarray  # of zdot by q, (nz, ndof)
    D: np.ndarray  # of zdot by qdot, (nz, ndof)
    Z: np.ndarray  # of zdot by z, (nz, nz)
    U: np.ndarray  # of zdot by the excitations of the muscles with states, (nz, number of them)


class _Matrices(NamedTuple):
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray


class Linearisation(_Matrices):
    """The residual r(q, qdot, qddot) to first order: M dqddot + D dqdot + K dq. (ndof, ndof) each

    It unpacks as M, D, K. `states`: what the states of muscles add, a `StateSlopes`; None without such muscles.
    """

    states: "StateSlopes | None" = None

    def __repr__(self) -> str:
        n, states = len(self.M), self.states
        more = "" if states is None else f", {len(states.Z)} states of muscles"
        return f"Linearisation(M, D and K of {n} degrees of freedom{more})"


def acceleration(model: Model, state: State, tau: np.ndarray | None = None, *, method: str = "recursive") -> np.ndarray:
    """qddot of a state under gravity, the model's forces and joint torques tau. [rad/s^2 or m/s^2], (ndof,)

    method "recursive": O(n); "redmax": dense J^T M J.
    """
    model = _at(model, state)
    return forward_dynamics(model, state.q, state.qdot, tau, method, t=state.t, z=state.z if model.nz else None)


def residual(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> np.ndarray:
    """r = M qddot + C(q, qdot) - f(t, q, qdot) - tau, zero along a motion. [N m or N], (ndof,)

    z: states of muscles (None: in equilibrium at the least activation).
    """
    space, (q, qdot, qddot, tau) = inputs_with_states(model, "q qdot qddot tau", q, qdot, qddot, tau, z=z)
    r = np.empty(model.ndof, q.dtype)
    if not residual_at(system_of(space).handle, check_time(t), q, qdot, qddot, tau, space.no_wrenches, r):
        check_finite(tau=tau)
        raise overflow(model, q, qdot, qddot)
    return r


def linearise(
    model: Model,
    state: State,
    qddot: np.ndarray | None = None,
    tau: np.ndarray | None = None,
    *,
    excitation: np.ndarray | None = None,
) -> Linearisation:
    """(M, D, K), exact derivatives of the residual at a state and qddot (None: its own acceleration under tau).

    With muscles that have states, M, D and K are those with z held, and `.states` has the rest, at the given
    `excitation` of each, before reflexes (None: its activation).
    """
    model = _at(model, state)
    z = state.z if model.nz else None
    if excitation is not None:
        excitation = excitation_numbers(model, excitation)
    space, vectors = linear_inputs(model, "linearise", state.q, state.qdot, qddot, z=z)
    if qddot is None:
        vectors = [*vectors[:2], acceleration(model, state, tau)]
    found = _linear(model, space, linear_at, state.t, vectors)
    if model.nz and model.reduction is not None:
        found.states = _folded_states(model, state, vectors, excitation)
    elif model.nz:
        found.states = _state_slopes(model, space, state.t, vectors, excitation)
    return found


def _folded_states(
    model: Model, state: State, vectors: list[np.ndarray], excitation: np.ndarray | None
) -> "StateSlopes":
    """What the states of muscles add in a reduced model."""
    motion = joint_motion(model, *vectors)
    space, vectors = linear_inputs(model.whole, "linearise", *motion[:3], z=state.z)
    R, K, D, Z, U = _state_slopes(model.whole, space, state.t, vectors, excitation)
    return StateSlopes(motion.J.T @ R, K @ motion.J + D @ motion.Jdot, D @ motion.J, Z, U)


def _state_slopes(
    model: Model, space: Workspace, t: float, vectors: list[np.ndarray], excitation: np.ndarray | None
) -> StateSlopes:
    n, m, count = model.ndof, model.nz, len(model.muscles.hills)
    system, slopes = system_of(space), np.zeros((n + m, 2 * n + m + count))
    drive = system.muscles.drive
    drive.excitation[:] = drive.z[model.muscles.hills["activation"]] if excitation is None else excitation
    fill_state_slopes.demand(space.scalar)
    state_slopes_at(system.handle, linear_of(space).handle, check_time(t), *vectors, slopes)
    zdot = slopes[n:]
    columns = zdot[:, :n], zdot[:, n : 2 * n], zdot[:, 2 * n : 2 * n + m], zdot[:, 2 * n + m :]
    return StateSlopes(slopes[:n, 2 * n : 2 * n + m], *columns)


def force_derivatives(
    model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0, z: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(df/dq, df/dqdot) of the applied forces, exact, at held states z of muscles. (ndof, ndof) each"""
    if getattr(model, "reduction", None) is not None:
        motion = real_motion(model, "force_derivatives", q, qdot)
        f = applied_forces(model.whole, motion.q, motion.qdot, t=t, z=z)
        K, D = force_derivatives(model.whole, motion.q, motion.qdot, t=t, z=z)
        return fold_slopes(model, motion, f, (K, D, np.zeros_like(K)))[:2]
    space, vectors = linear_inputs(model, "force_derivatives", q, qdot, z=z)
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
