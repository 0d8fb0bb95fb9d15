"""States that satisfy constraints: damped least squares from far, restarted where it stands still, then projection.

    y = -B^T (B B^T + mu I)^-1 r,   B = w G L^-1,   r = w g     (Levenberg 1944; mu after Nielsen 1999)

in whitened coordinates, where the length of a step is that of the mass matrix; w makes rows of lengths numbers of the
mechanism's size. Orientations are held by their rotation vector from A to B here, not by the products of axes that rows
are elsewhere, which vanish half a turn off as well.
"""

from collections.abc import Iterator

import numpy as np

from .._jit import kernel
from ..algorithms import cholesky
from ..constraints.base import axis_of, pull
from ..constraints.dispatch import FORMULAS
from ..constraints.kinds import formulas_of
from ..constraints.loop import ALIGNED, PARALLEL
from ..constraints.rows import place_spot
from ..constraints.solve import fill_delassus
from ..model import Model, State
from ..model.border import no_model
from ..model.elements import POSITION
from ..spatial.algebra import cross, dot, load33, matmul, neg, scale, transpose
from ..spatial.so3 import rotation_log
from .constrained import demand_constraints, place_rows, project, spread_out, whiten
from .constraint_forces import constraint_values
from .system import check_time, open_system, real_inputs, system_of
from .touching import TOUCHING, mechanism_size

FAR = 1e-2  # of the mechanism's size, or rad: rows further than this from holding are no slip of a digit
STARTS, NEAREST, FURTHEST = 200, 0.5, 3.0  # others that are tried; how far they are from the given one [rad, sizes]
MOST_STEPS, LONGEST, CLOSED = 300, 1.0, 1e-12  # of one descent, their length [rad, sizes]; rows that hold [rad, sizes]
LIGHT, HEAVY, ENOUGH = 1e-8, 1e12, 1e-3  # damping at first and at most, of the largest row; fall of what is foretold
ONE_AXIS, ALL_AXES = 1, 2  # which axes a part of orientations keeps parallel


@kernel(entry=True)
def projected_at(handle, t, q, qdot):
    """Move q, then qdot, onto the rows, for Python; True if it arrives."""
    return project(t, q, qdot, open_system(handle, q))


@kernel
def turn_about(row, angle, u):
    """Write the row of an angle by which B is turned from A about the unit vector u."""
    o = angle * 0.0
    row.g = angle
    pull(row, 0, (o, o, o), neg(u))
    pull(row, 1, (o, o, o), u)


@kernel
def untwist(system, turning):
    """Overwrite the rows of orientations by the rotation vector from A to B, in the world or square to the axis of A.

    Needs: `evaluate_rows`.
    """
    constraints, work = system.constraints, system.tree.work
    table, ends, rows, spots = constraints.table, constraints.ends, constraints.rows, constraints.spots
    for i in range(table.shape[0]):
        first = table[i].row
        if turning[i] == 0:
            continue
        for e in range(2):
            end = ends[2 * i + e]
            place_spot(end, work[end.link], 0.0, spots[e], constraints.moved_spots[e])
        if turning[i] == ONE_AXIS:
            a, b = axis_of(spots[0], 2), axis_of(spots[1], 2)
            about = cross(a, b)
            sine = np.sqrt(dot(about, about))
            u = scale(1.0 / sine, about) if sine > 1e-12 else axis_of(spots[0], 0)
            turn_about(rows[first], np.arctan2(sine, dot(a, b)), u)
            turn_about(rows[first + 1], 0.0, cross(a, u))
        else:
            w = rotation_log(matmul(load33(spots[1].R), transpose(load33(spots[0].R))))
            turn_about(rows[first], w[0], (1.0, 0.0, 0.0))
            turn_about(rows[first + 1], w[1], (0.0, 1.0, 0.0))
            turn_about(rows[first + 2], w[2], (0.0, 0.0, 1.0))


@kernel(inline=False)
def place_residuals(t, q, qdot, system, weights, turning):
    """(rows that count, their squares' sum): equality rows of positions, and gaps that are negative.

    Leaves: the rows as `untwist`, which of them count in solver.chosen, and minus their weighted values in solver.rhs.
    """
    constraints, solver = system.constraints, system.constraints.solver
    place_rows(t, q, qdot, system)
    untwist(system, turning)
    count, square = 0, 0.0
    for r in range(weights.shape[0]):
        g = weights[r] * constraints.rows[r].g
        if constraints.levels[r] > POSITION or (constraints.unilateral[r] and not g < 0.0):
            continue
        solver.chosen[count], solver.rhs[count] = r, -g
        count += 1
        square += g * g
    return count, square


@kernel
def damped_step(count, damping, longest, system):
    """Fill solver.y with a step of q, no longer than `longest` in any coordinate; returns its foretold fall of r^2.

    Needs: solver.W = B B^T, and whatever `spread_out` does.
    """
    solver = system.constraints.solver
    W, V, rhs, lam, y = solver.W, solver.V, solver.rhs, solver.lam, solver.y
    for r in range(count):
        lam[r] = rhs[r]
        for s in range(r):
            V[r, s] = W[r, s]
        V[r, r] = W[r, r] + damping
    cholesky.factorise(V[:count, :count])
    cholesky.solve(V[:count, :count], lam[:count])
    for k in range(y.shape[0]):
        y[k] = 0.0
        for r in range(count):
            y[k] += solver.B[r, k] * lam[r]
    spread_out(system, y, system.none_prescribed, y)
    share, fall = 1.0, 0.0
    for k in range(y.shape[0]):
        share = min(share, longest[k] / max(abs(y[k]), 1e-300))
    for k in range(y.shape[0]):
        y[k] *= share
    for r in range(count):
        left = (1.0 - share) * rhs[r] + share * damping * lam[r]
        fall += rhs[r] * rhs[r] - left * left
    return fall


@kernel(entry=True)
def descended_at(handle, t, q, qdot, weights, turning, longest, trial):
    """Move q to where the rows hold, or to where they cannot come nearer, for Python; the size of what is left."""
    system = open_system(handle, q)
    constraints, solver = system.constraints, system.constraints.solver
    damping, growth = 0.0, 2.0
    count, square = place_residuals(t, q, qdot, system, weights, turning)
    for _ in range(MOST_STEPS):
        if not square > CLOSED * CLOSED:
            break
        for i in range(count):
            row = solver.chosen[i]
            whiten(constraints.rows[row], system, system.none_prescribed, solver.B[i])
            for k in range(q.shape[0]):
                solver.B[i, k] *= weights[row]
        fill_delassus(count, solver.B, solver.W)
        largest = 0.0
        for i in range(count):
            largest = max(largest, solver.W[i, i])
        damping = damping if damping > 0.0 else LIGHT * largest
        if not damping < HEAVY * largest:
            break
        foretold = damped_step(count, damping, longest, system)
        for k in range(q.shape[0]):
            trial[k] = q[k] + solver.y[k]
        count, after = place_residuals(t, trial, qdot, system, weights, turning)
        gain = (square - after) / foretold
        if gain > ENOUGH:
            for k in range(q.shape[0]):
                q[k] = trial[k]
            square = after
            damping *= max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3)
            growth = 2.0
        else:
            damping *= growth
            growth *= 2.0
            count, square = place_residuals(t, q, qdot, system, weights, turning)
    return np.sqrt(square)


def angular_rows(model: Model) -> np.ndarray:
    """Which rows are angles: of coordinates, as a rule, and of the orientation of loops. (rows,)"""
    angles = np.zeros(len(model.constraints), bool)
    for i, (part, formula) in enumerate(zip(model.constraints.table, formulas_of(model), strict=True)):
        turned = formula.unit == "rad" or model.constraints.ends[2 * i]["dof"] >= 0
        angles[part["row"] : part["row"] + part["count"]] = turned
    return angles


def rows_off(model: Model, q: np.ndarray, t: float) -> np.ndarray:
    """How far rows of positions are from holding [m or rad]; open gaps are not. (rows,)"""
    g, constraints = constraint_values(model, q, t=t)[0], model.constraints
    equal = constraints.levels == POSITION
    return np.abs(np.where(constraints.unilateral, np.minimum(g, 0.0), np.where(equal, g, 0.0)))


def turned_row(model: Model, q: np.ndarray, t: float) -> str | None:
    """The row of a hinge or weld that is closed the wrong way round: its rows vanish half a turn off, too."""
    constraint_values(model, q, t=t)
    work, ends = model.workspace.tree.work, model.constraints.ends
    for i, part in enumerate(model.constraints.table):
        if FORMULAS[part["kind"]] not in (PARALLEL, ALIGNED):
            continue
        A, B = (work["R"][end["link"]] @ end["R"] for end in ends[2 * i : 2 * i + 2])
        along = (A * B).sum(axis=0)  # like axes against each other
        if along[2] <= 0 or (FORMULAS[part["kind"]] is ALIGNED and along.min() <= 0):
            return model.constraints.names[part["row"]]
    return None


def check_turned(model: Model, q: np.ndarray, t: float) -> None:
    """A sentence if a hinge or weld is closed the wrong way round."""
    row = turned_row(model, q, t)
    if row is not None:
        raise ValueError(
            f"model {model.name!r}: the frames that {row!r} ties are turned against each other; give a q with them "
            "nearly aligned"
        )


def assemble(
    model: Model,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    *,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> State:
    """A state near (q, qdot) that satisfies all constraints: of a close guess the nearest in the mass matrix's metric.

    From further off it is where damped steps lead, from the guess or, if they end where the rows do not hold, from
    others around it, the same ones each time.
    z: states of muscles, which stay as they are (None: in equilibrium there at the least activation).
    """
    if not isinstance(model, Model):
        raise no_model(model)
    state = model.state(q, qdot, check_time(t), z=z)
    real_inputs(model, "q", state.q)
    demand_constraints()
    if len(model.constraints):
        _close(model, state, mechanism_size(model, state.q))
    return model.state(state.q, state.qdot, state.t) if z is None and model.nz else state


def _close(model: Model, state: State, size: float) -> None:
    """Move a state onto the rows, or raise a sentence with the one that stays off."""
    best, worst = np.inf, 0
    if turned_row(model, state.q, state.t) is None and _project(model, state, state.q, size, LONGEST):
        return
    for q, left in _guesses(model, state, size):
        off = rows_off(model, q, state.t)
        if left <= FAR and _project(model, state, q, size):
            return
        if off.max() < best:
            best, worst = off.max(), int(np.argmax(off))
    raise ValueError(
        f"model {model.name!r}: no state near the given one satisfies all constraints, nor one that {STARTS} others "
        f"around it lead to; the row {model.constraints.names[worst]!r} stays off by {best:.3g}"
    )


def _project(model: Model, state: State, q: np.ndarray, size: float, most: float = np.inf) -> bool:
    """Move a state onto the rows from q; False, and nothing moved, if that does not arrive, or further than `most`."""
    q, qdot, start = q.copy(), state.qdot.copy(), q
    projected_at(system_of(model.workspace).handle, state.t, q, qdot)
    if not np.isfinite([q, qdot]).all() or (np.abs(q - start) > most * _units(model, size)).any():
        return False
    if rows_off(model, q, state.t).max() > TOUCHING * max(1.0, size) or turned_row(model, q, state.t) is not None:
        return False
    state.q[:], state.qdot[:] = q, qdot
    return True


def _units(model: Model, size: float) -> np.ndarray:
    """What counts as a long way for each coordinate: 1 rad, the mechanism's size, or 1. (ndof,)"""
    return np.where(np.array(model.coordinate_units) == "m", size, 1.0)


def _guesses(model: Model, state: State, size: float) -> Iterator[tuple[np.ndarray, float]]:
    """(q, what is left) where damped steps lead: from the given state, then from others further and further away."""
    handle, angles, unit = system_of(model.workspace).handle, angular_rows(model), _units(model, size)
    kinds = {id(PARALLEL): ONE_AXIS, id(ALIGNED): ALL_AXES}
    turning = np.array([kinds.get(id(formula), 0) for formula in formulas_of(model)])
    weights, trial = np.where(angles, 1.0, 1.0 / size), np.empty(model.ndof)
    rng = np.random.default_rng(0)
    for far in (0.0, *np.geomspace(NEAREST, FURTHEST, STARTS)):
        q = state.q + far * unit * rng.normal(size=model.ndof)
        yield q, descended_at(handle, state.t, q, state.qdot, weights, turning, LONGEST * unit, trial)
