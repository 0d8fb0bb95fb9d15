"""Three views of one physics: the page to read first. Every integrator and task sees only these.

    acceleration      qddot under gravity, the model's forces and torques tau: recursive O(n), or dense J^T M J
    residual          r(q, qdot, qddot) = inverse dynamics less everything applied; zero along a motion
    linearise         M = dr/dqddot, D = dr/dqdot, K = dr/dq, exact

Below them are the kernels that integrators run, then the same physics by its usual names: forward, inverse and hybrid
dynamics and energy of the whole model. The tree alone is in `algorithms`, what acts on it in `forces`.
"""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .algorithms.charts import NO_CHARTS, NO_SLOTS, set_charts
from .algorithms.energy import Energy, sum_energy
from .algorithms.hybrid import hybrid_inward, hybrid_outward, run_hybrid
from .algorithms.kinematics import move_all
from .algorithms.redmax import accelerate_dense, dense_accelerations
from .algorithms.rnea import pass_wrench, rnea_outward, run_rnea
from .algorithms.rnea_partials import rnea_partials
from .forces.apply import add_forces, load_arrays, potential, sum_forces
from .forces.stiffness import add_stiffness, linear_scratch
from .model import Model, State
from .model.border import check_finite, check_vector, inputs, no_model
from .model.workspace import Workspace
from .spatial.checks import check_numbers


@kernel
def accelerate(t, q, qdot, tau, system, loads, qddot):
    """Fill qddot by recursive hybrid dynamics."""
    hybrid_outward(system, q, qdot)
    add_forces(t, q, qdot, tau, system, loads)
    hybrid_inward(system, loads[5], qddot, loads[6])


@kernel
def accelerate_redmax(t, q, qdot, tau, system, loads, dense, qddot):
    """Fill qddot by the dense form; dense = (J, Jdot, force, M, wrenches, f)."""
    J, Jdot, force, M, wrenches, f = dense
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, loads, f)
    accelerate_dense(system, q, qdot, f, wrenches, (J, Jdot, force, M), qddot)


@kernel(inline=False)
def fill_residual(t, q, qdot, qddot, tau, system, loads, r):
    """r = M qddot + C - f; the inverse dynamics and the applied forces cancel in it."""
    links, _, _, gravity, work, dofs = system
    rnea_outward(system, gravity, q, qdot, qddot)
    add_forces(t, q, qdot, tau, system, loads)
    pass_wrench(links, work, dofs, r)
    for k in range(r.shape[0]):
        r[k] -= loads[5][k]


@kernel(inline=False)
def fill_linear(t, q, qdot, qddot, system, loads, linear, M, D, K):
    """Fill M, D and K, the derivatives of the residual."""
    rnea_outward(system, system[3], q, qdot, qddot)
    rnea_partials(system, q, qdot, qddot, linear[0], M, D, K)
    add_stiffness(t, q, qdot, system, loads, linear, -1.0, False, D, K)


@kernel(entry=True)
def residual_at(t, q, qdot, qddot, tau, system, loads, r):
    """The residual, for Python."""
    fill_residual(t, q, qdot, qddot, tau, system, loads, r)


@kernel(entry=True)
def linear_at(t, q, qdot, qddot, system, loads, linear, M, D, K):
    """M, D and K, for Python."""
    fill_linear(t, q, qdot, qddot, system, loads, linear, M, D, K)


@kernel(entry=True)
def forces_at(t, q, qdot, tau, system, loads, f):
    """f = tau and the generalized forces at (t, q, qdot), for Python."""
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, loads, f)


@kernel(entry=True)
def stiffness_at(t, q, qdot, system, loads, linear, M, D, K):
    """D and K of the forces alone, for Python; the tree's partials leave the slopes of S that they need."""
    rnea_outward(system, system[3], q, qdot, qdot)
    rnea_partials(system, q, qdot, qdot, linear[0], M, D, K)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, system, loads, linear, 1.0, False, D, K)


@kernel(entry=True)
def energies_along(system, loads, slots, charts, t, q, qdot, T, V):
    """T and V of every row of t, q and qdot, each with its row of charts."""
    for i in range(q.shape[0]):
        set_charts(system[2], slots, charts, i)
        T[i], V[i] = sum_energy(system, q[i], qdot[i])
        V[i] += potential(t[i], q[i], qdot[i], system, loads)


class Linearisation(NamedTuple):
    """The residual r(q, qdot, qddot) to first order: M dqddot + D dqdot + K dq. (ndof, ndof) each"""

    M: np.ndarray
    D: np.ndarray
    K: np.ndarray


def loads_of(model: Model, space: Workspace) -> tuple[np.ndarray, ...]:
    """The model's forces for kernels, kept in the workspace."""
    if space.loads is None:
        space.loads = load_arrays(model, space.zeros.dtype.type)
    return space.loads


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
    residual_at(_time(t), q, qdot, qddot, tau, space.system, loads_of(model, space), r)
    return r


def linearise(
    model: Model, state: State, qddot: np.ndarray | None = None, tau: np.ndarray | None = None
) -> Linearisation:
    """(M, D, K), exact derivatives of the residual at a state and qddot (None: its own acceleration under tau)."""
    model = _float64(_at(model, state), "linearise")
    qddot = acceleration(model, state, tau) if qddot is None else qddot
    return _linear(model, linear_at, state.t, state.q, state.qdot, qddot)


def applied_forces(model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0) -> np.ndarray:
    """f(t, q, qdot), generalized forces of everything that the spec's add_force added. [N m or N], (ndof,)"""
    return _with_forces(model, q, qdot, None, t)


def force_derivatives(
    model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(df/dq, df/dqdot) of the applied forces, exact. (ndof, ndof) each"""
    _, D, K = _linear(_float64(model, "force_derivatives"), stiffness_at, t, q, qdot)
    return K, D


def _linear(model: Model, entry, t: float, *vectors: np.ndarray) -> Linearisation:
    space, vectors = inputs(model, " ".join(("q", "qdot", "qddot")[: len(vectors)]), *vectors)
    if np.iscomplexobj(vectors[0]):
        raise ValueError("derivatives are taken at real states, and q, qdot or qddot is complex")
    for name, vector in zip(("q", "qdot", "qddot"), vectors, strict=False):
        check_finite(**{name: vector})
    if space.linear is None:
        space.linear = linear_scratch(model)
    M, D, K = np.empty((3, model.ndof, model.ndof))
    entry(_time(t), *vectors, space.system, loads_of(model, space), space.linear, M, D, K)
    return Linearisation(M, D, K)


def _at(model: Model, state: State) -> Model:
    """The model in a state's charts."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(state, State):
        raise TypeError(f"a state is needed, as model.state(q, qdot) or trajectory.state, and this is {state!r}")
    return model.with_charts(state.charts)


def _time(t: float) -> float:
    return float(check_numbers(t, "t", ()))


def _float64(model: Model, what: str) -> Model:
    if not isinstance(model, Model):
        raise no_model(model)
    if model.dtype != np.float64:
        raise ValueError(f"{what} works in float64, and the model is {model.dtype}; give it as it was compiled")
    return model


def _with_forces(model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None, t: float) -> np.ndarray:
    """tau and the generalized forces of the model."""
    space, (q, qdot, tau) = inputs(model, "q qdot tau", q, qdot, tau)
    check_finite(q=q, qdot=qdot, tau=tau)
    f = np.empty(model.ndof, q.dtype)
    forces_at(_time(t), q, qdot, tau, space.system, loads_of(model, space), f)
    return f


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
    """
    if method not in ("recursive", "redmax"):
        raise ValueError(f'forward_dynamics: the method is "recursive" or "redmax", not {method!r}')
    if getattr(model, "loads", None):
        tau = _with_forces(model, q, qdot, tau, t)
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
    """tau = M qddot + C(q, qdot) - f, the joint torques behind a motion, by Newton-Euler, O(n). [N m or N], (ndof,)

    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames; `t` is for forces given in time.
    """
    if method != "rnea":
        raise ValueError(f'inverse_dynamics: the method is "rnea", not {method!r}')
    if not isinstance(model, Model):
        raise no_model(model)
    tau = run_rnea(model, model.gravity, q, qdot, qddot, wrenches)
    return tau - applied_forces(model, q, qdot, t=t) if model.loads else tau


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
    `tau` is given and qddot comes back. `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames.
    Supplement Alg. 6.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    prescribed = _check_prescribed(model, prescribed)
    if not model.loads:
        return run_hybrid(model, q, qdot, tau, (qddot, prescribed), wrenches)
    f = applied_forces(model, q, qdot, t=t)
    tau = check_vector(model, "tau", tau)
    qddot, total = run_hybrid(model, q, qdot, tau + f, (qddot, prescribed), wrenches)
    return qddot, np.where(prescribed, total - f, tau)


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
    times = np.array([_time(t)])
    energies_along(space.system, loads_of(model, space), NO_SLOTS, NO_CHARTS, times, q[None], qdot[None], T, V)
    return Energy(T[0], V[0])
