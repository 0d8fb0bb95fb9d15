"""Kernels of constrained motion: accelerations under equality rows, and the projection of states onto them.

    M qddot = f - C + G^T lam,   G qddot = -(bias + 2 a dg/dt + b^2 g)

with Baumgarte's gains a and b, which are zero where states are projected. Compiled when a model first has constraints.
"""

import numpy as np
from numba.core import types

from .._jit import kernel
from ..algorithms.hybrid import eliminate_all, hybrid_outward
from ..constraints.arrays import GAIN_A, GAIN_B, PROJECT
from ..constraints.rows import add_row, evaluate_rows, row_acceleration, row_along
from ..constraints.solve import (
    BLUNT,
    SHARP,
    choose_rows,
    solve_rows,
    spread,
    spread_dense,
    whiten_row,
)
from ..model.elements import ACCELERATION, POSITION, VELOCITY
from .muscled import place_muscled, spread_muscled, whiten_muscled
from .reduced import (
    OF_ROWS,
    add_reduced_row,
    place_reduced,
    reduced_row_along,
    spread_reduced,
    whiten_reduced,
)

MOST_PROJECTIONS = 12
CLOSE = 1e-8  # relative correction after which the next one is lost in rounding: Newton's method squares it
STANDING = 1e-13  # relative correction that leaves rows as they stand
REAL = (types.float64,)  # the number type in which rows are solved


@kernel
def place_all_rows(t, q, qdot, system):
    """Fill the record of every row.

    Needs: poses and twists of the links, the motion of the joints.
    """
    if system.reduction.active != 0:
        evaluate_rows(t, system.reduction.q, system.reduction.qdot, system.tree, system.constraints)
    else:
        evaluate_rows(t, q, qdot, system.tree, system.constraints)


@kernel
def acceleration_of(row, qddot, system):
    """d^2g/dt^2 of a row.

    Needs: accelerations of the links that belong to qddot, `place_all_rows`.
    """
    if system.reduction.active != 0:
        return row_acceleration(row, system.tree.work, system.reduction.qddot)
    return row_acceleration(row, system.tree.work, qddot)


@kernel
def pull_row(row, factor, system, f):
    """f += factor G^T of one row.

    Needs: poses and columns of the links, `place_all_rows`.
    """
    if system.reduction.active != 0:
        add_reduced_row(row, system.tree, system.reduction, factor, f)
    else:
        add_row(row, system.tree.links, system.tree.work, system.tree.dofs, factor, f)


@kernel
def speed_along(row, x, system):
    """G x of one row.

    Needs: as `pull_row`.
    """
    if system.reduction.active != 0:
        return reduced_row_along(row, system.tree, system.reduction, x)
    return row_along(row, system.tree.links, system.tree.work, system.tree.dofs, x)


@kernel
def missing_acceleration(row, qddot, system):
    """What is missing in a row's acceleration, with Baumgarte's terms."""
    gains = system.constraints.gains
    stable = 2.0 * gains[GAIN_A] * row.speed + gains[GAIN_B] * gains[GAIN_B] * row.g
    return -(acceleration_of(row, qddot, system) + stable)


@kernel
def whiten(row, system, prescribed, out):
    """out = G L^-1 of one row, by the recursion or, with massive muscles or a reduction, by their factor."""
    if system.reduction.active != 0:
        whiten_reduced(row, system.tree, system.reduction, prescribed, out)
    elif system.muscles.massive:
        whiten_muscled(row, system.tree, system.muscles, prescribed, out)
    else:
        whiten_row(row, system.tree, prescribed, out)


@kernel
def whiten_by(row, system, L, out):
    """out = L^-1 G^T of one row, L Cholesky's factor (lower triangle) of a matrix over the coordinates.

    Needs: as `pull_row`.
    """
    out[:] = 0.0
    pull_row(row, 1.0, system, out)
    for i in range(out.shape[0]):
        total = out[i]
        for k in range(i):
            total -= L[i, k] * out[k]
        out[i] = total / L[i, i]


@kernel
def spread_out(system, y, prescribed, x):
    """x = L^-1 y, likewise; x may be y itself."""
    if system.reduction.active != 0:
        spread_reduced(system.reduction, y, x)
    elif system.muscles.massive:
        spread_muscled(system.muscles, y, x)
    else:
        spread(system.tree, y, prescribed, x)


@kernel(on_demand=types.none, numbers=REAL)
def bind(t, q, qdot, system, prescribed, qddot):
    """Add what the equality rows do to qddot.

    Needs: `accelerate_free`. Leaves: the rows, and their multipliers in the solver.
    """
    constraints, solver = system.constraints, system.constraints.solver
    place_all_rows(t, q, qdot, system)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, solver.chosen)
    for i in range(count):
        row = constraints.rows[solver.chosen[i]]
        whiten(row, system, prescribed, solver.B[i])
        solver.rhs[i] = missing_acceleration(row, qddot, system)
    solve_rows(count, SHARP, solver)
    spread_out(system, solver.y, prescribed, solver.y)
    for k in range(qddot.shape[0]):
        qddot[k] += solver.y[k]


@kernel(on_demand=types.none, numbers=REAL)
def bind_dense(t, q, qdot, system, L, qddot):
    """Add what the equality rows do to qddot of the dense form, L Cholesky's factor of the mass matrix.

    Needs: poses, twists and accelerations of the links. Leaves: the rows, and their multipliers in the solver.
    """
    constraints, solver = system.constraints, system.constraints.solver
    place_all_rows(t, q, qdot, system)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, solver.chosen)
    for i in range(count):
        row = constraints.rows[solver.chosen[i]]
        whiten_by(row, system, L, solver.B[i])
        solver.rhs[i] = missing_acceleration(row, qddot, system)
    solve_rows(count, SHARP, solver)
    spread_dense(L, solver.y, solver.y)
    for k in range(qddot.shape[0]):
        qddot[k] += solver.y[k]


@kernel(inline=False)
def place_rows(t, q, qdot, system):
    """Poses, twists, the pivots of the mass matrix, and the rows at a state."""
    tree, constraints = system.tree, system.constraints
    if system.reduction.active != 0:
        place_reduced(t, q, qdot, system)
    elif system.muscles.massive:
        place_muscled(t, q, qdot, tree, system.muscles, system.none_prescribed)
    else:
        hybrid_outward(tree, q, qdot)
        eliminate_all(tree, constraints.zeros, constraints.spare, system.none_prescribed)
    place_all_rows(t, q, qdot, system)


@kernel
def solve_missing(count, system, speeds):
    """y = M^-1 G^T lam that makes up for the values (or the speeds) of the chosen rows."""
    solver = system.constraints.solver
    for i in range(count):
        row = system.constraints.rows[solver.chosen[i]]
        whiten(row, system, system.none_prescribed, solver.B[i])
        solver.rhs[i] = -row.speed if speeds else -row.g
    solve_rows(count, BLUNT, solver)
    spread_out(system, solver.y, system.none_prescribed, solver.y)


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
    for part in (bind, bind_dense, project, *OF_ROWS):
        part.demand(np.float64)
