"""Forward and hybrid dynamics: accelerations of a whole model, by the same kernels that the integrators run."""

import numpy as np

from .._jit import kernel
from ..algorithms.cholesky import REGULAR
from ..algorithms.redmax import open_dense
from ..constraints.solve import dependent_rows, warn_dependent
from ..forces.dispatch import follow_law
from ..model import Model
from ..model.border import check_finite, check_wrenches, first_not_finite, no_model, singular
from ..model.workspace import Workspace
from ..muscles.geometry import check_paths
from .constrained import bind, demand_constraints
from .dense import accelerate_dense, demand_dense
from .equations import accelerate_free, fill_residual
from .inverse import torques_of_motion
from .pivots import OK, find_weak_dense_pivot, find_weak_pivot, verdict
from .system import check_real, check_time, dense_of, given_wrenches, inputs_with_states, open_system, system_of
from .touching import touching_accelerations

METHODS = ("recursive", "redmax")
SUSPICIOUS = 1e9  # an acceleration beyond this calls for a look at the pivots


@kernel(entry=True)
def forward_at(handle, t, q, qdot, tau, wrenches, prescribed, check, rounding, qddot):
    """qddot where it is not prescribed, for Python: OK, NOT_FINITE or, if asked or one is huge, a singular dof."""
    system = open_system(handle, q)
    accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot)
    for k in range(qddot.shape[0]):
        check = check or not abs(qddot[k]) < SUSPICIOUS
    pivot = find_weak_pivot(system, prescribed, rounding) if check else REGULAR
    if pivot < 0 and system.constraints.count > 0:
        bind(t, q, qdot, system, prescribed, qddot)
    return verdict(pivot, q, qdot, tau, prescribed, qddot)


@kernel(entry=True)
def hybrid_at(handle, t, q, qdot, tau, wrenches, prescribed, rounding, qddot, torques):
    """qddot where it is not prescribed and torques where it is, without constraints, for Python; as `forward_at`."""
    system = open_system(handle, q)
    forces = system.forces
    accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot)
    by_recursion = system.reduction.active == 0 and not system.muscles.active
    for k in range(q.shape[0] if by_recursion else 0):
        torques[k] = forces.total[k]
    for i in range(forces.laws.shape[0] if by_recursion else 0):  # what is needed is counted with the laws
        law = forces.laws[i]
        torques[law.dof] -= follow_law(law.kind, forces.params, law.at, t, q[law.dof], qdot[law.dof])[0]
    pivot = find_weak_pivot(system, prescribed, rounding)
    if not by_recursion:
        fill_residual(t, q, qdot, qddot, system.no_torques, wrenches, system, torques)
    for k in range(q.shape[0]):
        torques[k] = torques[k] if prescribed[k] else tau[k]
    return verdict(pivot, q, qdot, tau, prescribed, qddot)


@kernel(entry=True)
def forward_dense_at(handle, dense_handle, t, q, qdot, tau, wrenches, rounding, qddot):
    """qddot by the dense form, for Python; answers as `forward_at`."""
    system, dense = open_system(handle, q), open_dense(dense_handle, q)
    accelerate_dense(t, q, qdot, tau, wrenches, system, dense, qddot)
    pivot = find_weak_dense_pivot(system, dense.M, rounding)
    return verdict(pivot, q, qdot, tau, system.none_prescribed, qddot)


def forward_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    method: str = "recursive",
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> np.ndarray:
    """qddot = M^-1 (tau + f - C): accelerations under joint torques tau (None: none). [rad/s^2 or m/s^2], (ndof,)

    method "recursive": hybrid dynamics with nothing prescribed, O(n) (Alg. 6); "redmax": J^T M_m J, dense (Eq. 12).
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames; `t` is for forces given in time.
    Constraints hold: equality rows, and gaps that are closed; friction acts in steps of velocities only.
    z: states of muscles (None: in equilibrium at the least activation).
    """
    if method not in METHODS:
        raise ValueError(f'forward_dynamics: the method is "recursive" or "redmax", not {method!r}')
    if wrenches is not None:
        q, wrenches = check_wrenches(model, q, wrenches)
    space, (q, qdot, tau) = inputs_with_states(model, "q qdot tau", q, qdot, tau, z=z)
    wrenches = space.no_wrenches if wrenches is None else given_wrenches(wrenches, q.dtype)
    given = check_time(t), q, qdot, tau, wrenches
    qddot = np.empty(q.shape, q.dtype)
    if method == "recursive" or model.constraints.needs_program:
        solve_forward(space, given, space.none_prescribed, qddot)
        return qddot
    if model.constraints.count:
        check_real(q)
        demand_constraints()
    demand_dense(model, space.scalar)
    answer = forward_dense_at(system_of(space).handle, dense_of(space).handle, *given, space.rounding, qddot)
    if answer != OK:
        raise failure(space, answer, given, space.none_prescribed, qddot)
    return qddot


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
    z: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(qddot, tau): recursive hybrid dynamics, O(n). [rad/s^2 or m/s^2], [N m or N], (ndof,) each

    Where `prescribed` (boolean, one per degree of freedom) is true, `qddot` is given and tau comes back; elsewhere
    `tau` is given and qddot comes back; constraints hold beside. What is not read may be anything, NaN too.
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames.
    Supplement Alg. 6; under constraints the rows see what is prescribed as it is (dissertation Eq. 4.109).
    """
    if not isinstance(model, Model):
        raise no_model(model)
    prescribed = _check_prescribed(model, prescribed)
    if wrenches is not None:
        q, wrenches = check_wrenches(model, q, wrenches)
    space, (q, qdot, tau, given_qddot) = inputs_with_states(model, "q qdot tau qddot", q, qdot, tau, qddot, z=z)
    wrenches = space.no_wrenches if wrenches is None else given_wrenches(wrenches, q.dtype)
    given, qddot, torques = (check_time(t), q, qdot, tau, wrenches), given_qddot.copy(), np.empty(q.shape, q.dtype)
    if model.constraints.count:
        torques[:] = np.where(prescribed, required_torques(space, given, prescribed, qddot), tau)
        return qddot, torques
    answer = hybrid_at(system_of(space).handle, *given, prescribed, space.rounding, qddot, torques)
    if answer != OK:
        check_finite(qddot=np.where(prescribed, given_qddot, 0.0))
        raise failure(space, answer, given, prescribed, qddot)
    return qddot, torques


def required_torques(space: Workspace, given: tuple, prescribed: np.ndarray, qddot: np.ndarray) -> np.ndarray:
    """Torques behind the motion under constraints; fills qddot where it is not prescribed. (ndof,)"""
    t, q, qdot, tau, wrenches = given
    check_finite(qddot=np.where(prescribed, qddot, 0.0))
    given = t, q, qdot, np.where(prescribed, 0.0, tau), wrenches
    qddot[~prescribed] = 0.0
    lam = solve_forward(space, given, prescribed, qddot)
    return torques_of_motion(space, given, qddot, lam)


def solve_forward(space: Workspace, given: tuple, prescribed: np.ndarray, qddot: np.ndarray) -> np.ndarray:
    """Fill qddot where it is not prescribed, given = (t, q, qdot, tau, wrenches); multipliers of all rows. (rows,)"""
    constraints, system = space.model.constraints, system_of(space)
    solver = system.constraints.solver
    if constraints.count:
        check_real(given[1])
        demand_constraints()
        if constraints.needs_program:
            return touching_accelerations(space, given, prescribed, qddot, failure)
        solver.dependence[:] = 0.0
    check = not space.known_regular or prescribed is not space.none_prescribed
    answer = forward_at(system.handle, *given, prescribed, check, space.rounding, qddot)
    if answer != OK:
        raise failure(space, answer, given, prescribed, qddot)
    space.known_regular |= prescribed is space.none_prescribed
    if constraints.count:
        warn_dependent(space.model, *dependent_rows(space.model, solver.dependence))
    return solver.lam.copy()


def failure(space: Workspace, answer: int, given: tuple, prescribed: np.ndarray, qddot: np.ndarray) -> Exception:
    """What to raise when no acceleration was found: about what was given, about a muscle's path, or the mass matrix."""
    _, q, qdot, tau, _ = given
    check_finite(q=q, qdot=qdot, tau=np.where(prescribed, 0.0, tau))
    check_paths(space.model, q)
    return singular(space.model, answer if answer >= 0 else first_not_finite(qddot))


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
