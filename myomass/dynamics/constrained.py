"""Kernels of constrained motion: accelerations under equality rows, and the projection of states onto them.

    M qddot = f - C + G^T lam,   G qddot = -(bias + 2 a dg/dt + b^2 g)

with Baumgarte's gains a and b, which are zero where states are projected. Compiled when a model first has constraints.
"""

import numpy as np
from numba.core import types

from .._jit import kernel
from ..algorithms.hybrid import eliminate_all, hybrid_outward
from ..constraints.arrays import GAIN_A, GAIN_B, PROJECT
from ..constraints.rows import evaluate_rows, row_acceleration
from ..constraints.solve import (
    BLUNT,
    SHARP,
    choose_rows,
    solve_rows,
    spread,
    spread_dense,
    whiten_row,
    whiten_row_dense,
)
from ..model.elements import ACCELERATION, POSITION, VELOCITY
from .muscled import place_muscled, spread_muscled, whiten_muscled

MOST_PROJECTIONS = 12
CLOSE = 1e-8  # relative correction after which the next one is lost in rounding: Newton's method squares it
STANDING = 1e-13  # relative correction that leaves rows as they stand
REAL = (types.float64,)  # the number type in which rows are solved


@kernel
def missing_acceleration(row, work, qddot, gains):
    """What is missing in a row's acceleration, with Baumgarte's terms."""
    stable = 2.0 * gains[GAIN_A] * row.speed + gains[GAIN_B] * gains[GAIN_B] * row.g
    return -(row_acceleration(row, work, qddot) + stable)


@kernel
def whiten(row, tree, muscles, prescribed, out):
    """out = G L^-1 of one row, by the recursion or, with massive muscles, by their factor."""
    if muscles.massive:
        whiten_muscled(row, tree, muscles, prescribed, out)
    else:
        whiten_row(row, tree, prescribed, out)


@kernel
def spread_out(tree, muscles, y, prescribed, x):
    """x = L^-1 y, likewise; x may be y itself."""
    if muscles.massive:
        spread_muscled(muscles, y, x)
    else:
        spread(tree, y, prescribed, x)


@kernel(on_demand=types.none, numbers=REAL)
def bind(t, q, qdot, tree, constraints, muscles, prescribed, qddot):
    """Add what the equality rows do to qddot.

    Needs: `accelerate_free`. Leaves: the rows, and their multipliers in the solver.
    """
    rows, solver, work = constraints.rows, constraints.solver, tree.work
    evaluate_rows(t, q, qdot, tree, constraints)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, solver.chosen)
    for i in range(count):
        row = rows[solver.chosen[i]]
        whiten(row, tree, muscles, prescribed, solver.B[i])
        solver.rhs[i] = missing_acceleration(row, work, qddot, constraints.gains)
    solve_rows(count, SHARP, solver)
    spread_out(tree, muscles, solver.y, prescribed, solver.y)
    for k in range(qddot.shape[0]):
        qddot[k] += solver.y[k]


@kernel(on_demand=types.none, numbers=REAL)
def bind_dense(t, q, qdot, tree, constraints, L, qddot):
    """Add what the equality rows do to qddot of the dense form, L Cholesky's factor of the mass matrix.

    Needs: poses, twists and accelerations of the links. Leaves: the rows, and their multipliers in the solver.
    """
    rows, solver, work = constraints.rows, constraints.solver, tree.work
    evaluate_rows(t, q, qdot, tree, constraints)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, solver.chosen)
    for i in range(count):
        row = rows[solver.chosen[i]]
        whiten_row_dense(row, tree, L, solver.B[i])
        solver.rhs[i] = missing_acceleration(row, work, qddot, constraints.gains)
    solve_rows(count, SHARP, solver)
    spread_dense(L, solver.y, solver.y)
    for k in range(qddot.shape[0]):
        qddot[k] += solver.y[k]


@kernel(inline=False)
def place_rows(t, q, qdot, system):
    """Poses, twists, the pivots of the mass matrix, and the rows at a state."""
    tree, constraints = system.tree, system.constraints
    if system.muscles.massive:
        place_muscled(t, q, qdot, tree, system.muscles, system.none_prescribed)
    else:
        hybrid_outward(tree, q, qdot)
        eliminate_all(tree, constraints.zeros, constraints.spare, system.none_prescribed)
    evaluate_rows(t, q, qdot, tree, constraints)


@kernel
def solve_missing(count, system, speeds):
    """y = M^-1 G^T lam that makes up for the values (or the speeds) of the chosen rows."""
    tree, muscles, solver = system.tree, system.muscles, system.constraints.solver
    for i in range(count):
        row = system.constraints.rows[solver.chosen[i]]
        whiten(row, tree, muscles, system.none_prescribed, solver.B[i])
        solver.rhs[i] = -row.speed if speeds else -row.g
    solve_rows(count, BLUNT, solver)
    spread_out(tree, muscles, solver.y, system.none_prescribed, solver.y)


@kernel(on_demand=types.boolean, numbers=REAL)
def project(t, q, qdot, system):
    """Move q onto the rows of positions, then qdot onto those of positions and velocities; True if q arrives.

    Along M^-1 G^T: the nearest in the metric of the mass matrix. Gaps that are negative are closed too. Rows that have
    hardly moved in the last iteration serve for the velocities as they stand.
    """
    levels, unilateral = system.constraints.levels, system.constraints.unilateral
    y, chosen = system.constraints.solver.y, system.constraints.solver.chosen
    largest = np.inf
    for _ in range(MOST_PROJECTIONS):
        place_rows(t, q, qdot, system)
        count = choose_rows(levels, unilateral, POSITION, chosen)
        for r in range(levels.shape[0]):
            if unilateral[r] and system.constraints.rows[r].g < 0.0:
                chosen[count] = r
                count += 1
        solve_missing(count, system, False)
        largest = 0.0
        for k in range(q.shape[0]):
            q[k] += y[k]
            largest = max(largest, abs(y[k]) / (1.0 + abs(q[k])))
        if largest < CLOSE:
            break
    if not largest < STANDING:
        place_rows(t, q, qdot, system)
    solve_missing(choose_rows(levels, unilateral, VELOCITY, chosen), system, True)
    for k in range(q.shape[0]):
        qdot[k] += y[k]
    return largest < CLOSE


@kernel
def settle(t, q, qdot, system):
    """Project a state onto its constraints, if it has some and that is how they are kept; True if so."""
    if system.constraints.count == 0 or system.constraints.gains[PROJECT] == 0.0:
        return False
    project(t, q, qdot, system)
    return True


def demand_constraints() -> None:
    """Have the kernels of constrained motion at hand."""
    for part in (bind, bind_dense, project):
        part.demand(np.float64)
