"""Constraints of a model for Python: values, Jacobian, accelerations and forces, and states that satisfy them."""

import warnings
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import forward_kinematics, move_all
from ..constraints.dispatch import FORMULAS
from ..constraints.loop import ALIGNED, PARALLEL
from ..constraints.qp import UNBOUNDED, Program
from ..constraints.rows import add_row, evaluate_rows
from ..constraints.solve import dependent_rows
from ..model import Model, State
from ..model.border import first_not_finite, no_model, singular
from ..model.elements import FRICTION, POSITION
from .constrained import bind, missing_acceleration, project
from .given import bound_of, check_time, forces_of, real_inputs
from .kernels import move_freely
from .muscled import spread_out, whiten

FAR = 1e-2  # of the mechanism's size, or rad: rows further than this from holding are no slip of a digit
TOUCHING = 1e-9  # of the mechanism's size: gaps that count as closed
INCONSISTENT = 1e-6  # relative miss of dependent rows that is no rounding


@kernel(entry=True)
def rows_at(t, q, qdot, system, constraints, g, speed, G):
    """Values, speeds and Jacobian of all rows, for Python."""
    links, _, _, _, work, dofs = system
    move_all(system, q, qdot)
    evaluate_rows(t, q, qdot, system, constraints)
    G[:, :] = 0.0
    for r in range(g.shape[0]):
        row = constraints[5][r]
        g[r], speed[r] = row.g, row.speed
        add_row(row, links, work, dofs, 1.0, G[r])


@kernel(entry=True)
def whitened_at(t, q, qdot, tau, system, forces, bound, prescribed, qddot, missing):
    """qddot without constraints, and of every row B and what is missing in its acceleration, for Python."""
    constraints, _, _, solver, gains, _ = bound
    move_freely(t, q, qdot, tau, system, forces, prescribed, qddot)
    evaluate_rows(t, q, qdot, system, constraints)
    for r in range(missing.shape[0]):
        whiten(constraints[5][r], system, forces, prescribed, solver[0][r])
        missing[r] = missing_acceleration(constraints[5][r], system[4], qddot, gains)


@kernel(entry=True)
def bound_at(t, q, qdot, tau, system, forces, bound, prescribed, qddot):
    """qddot under equality rows alone, for Python; where it is prescribed it stays."""
    move_freely(t, q, qdot, tau, system, forces, prescribed, qddot)
    bind(t, q, qdot, system, forces, bound, prescribed, qddot)


@kernel(entry=True)
def spread_at(system, forces, y, prescribed, x):
    """x = L^-T y after `whitened_at`, for Python."""
    spread_out(system, forces, y, prescribed, x)


@kernel(entry=True)
def projected_at(t, q, qdot, system, bound, forces):
    """Move q, then qdot, onto the rows, for Python; True if it arrives."""
    return project(t, q, qdot, system, bound, forces)


class ConstraintForces(NamedTuple):
    """Forces of constraints: a multiplier for each row, in N or N m, and what they all do together."""

    names: tuple[str, ...]  # of the rows
    multipliers: np.ndarray  # [N, or N m for rows of angles], (rows,); force of a contact >= 0
    generalized: np.ndarray  # G^T lam [N m or N], (ndof,)
    wrenches: np.ndarray  # on the bodies, [moment; force] in their own frames [N m, N], (nbodies, 6)

    def __getitem__(self, key):
        """By position as a tuple, or the multiplier of a row by its name."""
        return self.multipliers[self.names.index(key)] if isinstance(key, str) else tuple.__getitem__(self, key)


def constraint_values(
    model: Model, q: np.ndarray, qdot: np.ndarray | None = None, *, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(g, dg/dt) of all rows, in the order of model.constraints.names [m or rad, and per s]. (rows,) each"""
    return _evaluated(model, q, qdot, t)[:2]


def constraint_jacobian(model: Model, q: np.ndarray, *, t: float = 0.0) -> np.ndarray:
    """G in dg/dt = G qdot + what moves by itself. (rows, ndof)"""
    return _evaluated(model, q, None, t)[2]


def _evaluated(model: Model, q: np.ndarray, qdot: np.ndarray | None, t: float) -> tuple[np.ndarray, ...]:
    space, (q, qdot) = real_inputs(model, "q qdot", q, qdot)
    m = len(model.constraints)
    g, speed, G = np.empty(m), np.empty(m), np.empty((m, model.ndof))
    rows_at(check_time(t), q, qdot, space.system, bound_of(model)[0], g, speed, G)
    return g, speed, G


def mechanism_size(model: Model, q: np.ndarray) -> float:
    """How large bodies are and lie apart [m]: the length that gaps are measured by, wherever the mechanism is."""
    mass, moments = model.bodies["mass"], model.bodies["moments"]
    heavy = mass > 0
    own = 2 * np.sqrt(moments[heavy].sum(axis=1) / mass[heavy]).max(initial=0.0)
    apart = np.ptp(forward_kinematics(model, q)[:, :3, 3], axis=0).max()
    lever = np.abs(model.constraints.ends["p"][model.constraints.ends["link"] > 0]).max(initial=0.0)
    return float(max(own, apart, lever, 1e-9))


def check_turned(model: Model, q: np.ndarray, t: float) -> None:
    """A sentence if a hinge or weld is closed the wrong way round: its rows vanish half a turn off, too."""
    _evaluated(model, q, None, t)
    work, ends = model.workspace.system[4], model.constraints.ends
    for i, part in enumerate(model.constraints.table):
        if FORMULAS[part["kind"]] not in (PARALLEL, ALIGNED):
            continue
        A, B = (work["R"][end["link"]] @ end["R"] for end in ends[2 * i : 2 * i + 2])
        along = (A * B).sum(axis=0)  # like axes against each other
        if along[2] <= 0 or (FORMULAS[part["kind"]] is ALIGNED and along.min() <= 0):
            raise ValueError(
                f"model {model.name!r}: the frames that {model.constraints.names[part['row']]!r} ties are turned "
                "against each other; give a q with them nearly aligned"
            )


def solve_accelerations(
    model: Model, vectors: tuple, t: float, drive: tuple[np.ndarray, np.ndarray] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(qddot, multipliers of all rows) for vectors = (q, qdot, tau); drive = (qddot, prescribed) where it is given."""
    space, vectors = real_inputs(model, "q qdot tau", *vectors)
    qddot, prescribed = (np.empty(model.ndof), space.none_prescribed) if drive is None else drive
    bound = bound_of(model)
    given = (check_time(t), *vectors, space.system, forces_of(model, space), bound, prescribed, qddot)
    if model.constraints.hard:
        return _touching_accelerations(model, given)
    blame = bound[3][8]
    blame[:] = 0.0
    bound_at(*given)
    names, miss = dependent_rows(model, blame)
    if names:
        _warn_dependent(model, names, miss > INCONSISTENT)
    if not np.isfinite(qddot).all():
        raise singular(model, first_not_finite(qddot))
    return qddot, bound[3][4].copy()


def _touching_accelerations(model: Model, given: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Gaps that are closed and not opening stay closed or open, by a quadratic program.

    Friction is left to steps of velocities, where it has an answer always.
    """
    (_, q, _, _, system, forces, bound, prescribed, qddot), constraints = given, model.constraints
    missing, size = np.empty(len(constraints)), mechanism_size(model, q)
    whitened_at(*given, missing)
    rows, B = bound[0][5], bound[3][0]
    touching = (rows["g"] <= TOUCHING * size) & (rows["speed"] <= TOUCHING)
    used = (~constraints.unilateral & (constraints.levels != FRICTION)) | (constraints.unilateral & touching)
    lam, y, program = np.empty(len(constraints)), np.empty(model.ndof), Program(model.ndof, constraints.unilateral)
    missing[constraints.unilateral & ~used] = -UNBOUNDED
    program.solve(B, missing, used, lam, y)
    names = _null_rows(model, B[used], np.flatnonzero(used)) if program.soft else []
    if names:
        _warn_dependent(model, names, True)
    spread_at(system, forces, y, prescribed, y)
    return qddot + y, lam


def _warn_dependent(model: Model, names: list[str], missed: bool) -> None:
    """Say which rows depend on each other, or cannot all hold."""
    what = "cannot all hold" if missed else "depend on each other"
    text = f"model {model.name!r}: these rows {what}: {', '.join(names)}; they are met by least squares"
    warnings.warn(text, RuntimeWarning, stacklevel=5)


def _null_rows(model: Model, B: np.ndarray, rows: np.ndarray) -> list[str]:
    """Names of the rows that take part in a linear dependence among whitened rows."""
    scale = np.sqrt(np.einsum("ij,ij->i", B, B))
    U, s, _ = np.linalg.svd(B / np.where(scale > 0, scale, 1.0)[:, None])
    null = U[:, np.count_nonzero(s > 1e-6) :]
    return [model.constraints.names[r] for r, part in zip(rows, (null**2).sum(axis=1), strict=True) if part > 1e-3]


def constraint_forces(
    model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None = None, *, t: float = 0.0
) -> ConstraintForces:
    """Forces that hold the constraints of a moving model, under its own forces and joint torques tau."""
    _, lam = solve_accelerations(model, (q, qdot, tau), t)
    return as_forces(model, q, lam, t)


def as_forces(model: Model, q: np.ndarray, lam: np.ndarray, t: float) -> ConstraintForces:
    """Multipliers at q as forces on coordinates and bodies."""
    G = _evaluated(model, q, None, t)[2]
    rows = bound_of(model)[0][5]
    work, E = model.workspace.system[4], forward_kinematics(model, q)
    wrenches = np.zeros((model.nbodies, 6))
    for i, body in enumerate(model.bodies):
        on_link = (rows["link"] == body["link"]) & (rows["dof"] < 0)
        n = np.einsum("r,rek,re->k", lam, rows["n"], on_link)
        f = np.einsum("r,rek,re->k", lam, rows["f"], on_link)
        lever = E[i, :3, 3] - work[body["link"]]["x"]
        wrenches[i] = np.concatenate([E[i, :3, :3].T @ (n - np.cross(lever, f)), E[i, :3, :3].T @ f])
    return ConstraintForces(model.constraints.names, lam, G.T @ lam, wrenches)


def assemble(model: Model, q: np.ndarray | None = None, qdot: np.ndarray | None = None, *, t: float = 0.0) -> State:
    """The state nearest to (q, qdot), in the metric of the mass matrix, that satisfies all constraints."""
    if not isinstance(model, Model):
        raise no_model(model)
    state = model.state(q, qdot, check_time(t))
    space, _ = real_inputs(model, "q", state.q)
    bound, forces = bound_of(model), forces_of(model, space)
    arrived = projected_at(state.t, state.q, state.qdot, space.system, bound, forces)
    g = constraint_values(model, state.q, t=t)[0]
    held = (model.constraints.levels == POSITION) & ~model.constraints.unilateral
    off = np.abs(np.where(held, g, np.minimum(g, 0.0) * model.constraints.unilateral))
    worst = int(np.argmax(off)) if len(off) else 0
    if not arrived or (len(off) and off[worst] > TOUCHING * max(1.0, mechanism_size(model, state.q))):
        raise ValueError(
            f"model {model.name!r}: no state near the given one satisfies all constraints; the row "
            f"{model.constraints.names[worst]!r} stays off by {off[worst]:.3g}"
        )
    check_turned(model, state.q, state.t)
    return state
