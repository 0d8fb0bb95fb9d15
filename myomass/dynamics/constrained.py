"""Kernels of constrained motion: accelerations under equality rows, and the projection of states onto them.

    M qddot = f - C + G^T lam,   G qddot = -(bias + 2 a dg/dt + b^2 g)

`bound` = (ties, levels, unilateral, solver, gains, spare): the rows, what solves for their multipliers, Baumgarte's
gains (a, b and, for steps of velocities, the rate at which a gap closes) and whether states are projected, and scratch
(zeros, and anything).
"""

import numpy as np

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.hybrid import eliminate_all, hybrid_outward
from ..constraints.rows import constraint_arrays, evaluate_rows, row_acceleration
from ..constraints.solve import (
    BLUNT,
    SHARP,
    choose_rows,
    solve_rows,
    solver_arrays,
    spread_dense,
    whiten_row_dense,
)
from ..model import Model
from ..model.elements import ACCELERATION, POSITION, VELOCITY
from .kernels import move_freely, reduce_all
from .muscled import MUSCLES, accelerate_links, placed, spread_out, whiten

MOST_PROJECTIONS = 12
CLOSE = 1e-8  # relative correction after which the next one is lost in rounding: Newton's method squares it
STANDING = 1e-13  # relative correction that leaves rows as they stand
GAIN_A, GAIN_B, GAIN_V, PROJECT = 0, 1, 2, 3  # entries of gains


def bound_arrays(model: Model, baumgarte: tuple[float, float, float] | None = None) -> tuple:
    """`bound` for kernels, with scratch of its own; without Baumgarte's gains states are projected."""
    constraints = model.constraints
    gains = np.array([0.0, 0.0, 0.0, 1.0] if baumgarte is None else [*baumgarte, 0.0])
    spare = np.zeros((2, model.ndof))
    return constraint_arrays(model), constraints.levels, constraints.unilateral, solver_arrays(model), gains, spare


@kernel
def missing_acceleration(row, work, qddot, gains):
    """What is missing in a row's acceleration, with Baumgarte's terms."""
    stable = 2.0 * gains[GAIN_A] * row.speed + gains[GAIN_B] * gains[GAIN_B] * row.g
    return -(row_acceleration(row, work, qddot) + stable)


@kernel(inline=False)
def bind(t, q, qdot, system, forces, bound, prescribed, qddot):
    """Add what the equality rows do to qddot, after `move_freely`; their multipliers stand in the solver."""
    constraints, levels, unilateral, solver, gains, _ = bound
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    rows, work = constraints[5], system[4]
    evaluate_rows(t, q, qdot, system, constraints)
    count = choose_rows(levels, unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten(rows[chosen[i]], system, forces, prescribed, B[i])
        rhs[i] = missing_acceleration(rows[chosen[i]], work, qddot, gains)
    solve_rows(count, SHARP, solver)
    spread_out(system, forces, y, prescribed, y)
    for k in range(qddot.shape[0]):
        qddot[k] += y[k]


@kernel(inline=False)
def accelerate_bound(t, q, qdot, tau, system, forces, bound, qddot):
    """Fill qddot under equality rows, in linear time."""
    move_freely(t, q, qdot, tau, system, forces, forces[6], qddot)
    bind(t, q, qdot, system, forces, bound, forces[6], qddot)


@kernel(inline=False)
def accelerate_bound_redmax(t, q, qdot, tau, system, forces, dense, bound, qddot):
    """Fill qddot under equality rows by the dense form; dense = (J, Jdot, force, M, wrenches, f)."""
    M = dense[3]
    constraints, levels, unilateral, solver, gains, _ = bound
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    work = system[4]
    reduce_all(t, q, qdot, tau, system, forces, dense, qddot)
    cholesky.factorise(M)
    cholesky.solve(M, qddot)
    accelerate_links(system, system[3], qddot)
    evaluate_rows(t, q, qdot, system, constraints)
    count = choose_rows(levels, unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten_row_dense(constraints[5][chosen[i]], system, M, B[i])
        rhs[i] = missing_acceleration(constraints[5][chosen[i]], work, qddot, gains)
    solve_rows(count, SHARP, solver)
    spread_dense(M, y, y)
    for k in range(qddot.shape[0]):
        qddot[k] += y[k]


@kernel(inline=False)
def place_rows(t, q, qdot, system, bound, forces):
    """Poses, twists, the pivots of the mass matrix, and the rows at a state."""
    spare = bound[5]
    if not placed(forces[MUSCLES], t, q, qdot, system, forces[6]):
        hybrid_outward(system, q, qdot)
        eliminate_all(system, spare[0], spare[1], forces[6])
    evaluate_rows(t, q, qdot, system, bound[0])


@kernel
def solve_missing(count, system, bound, forces, speeds):
    """y = M^-1 G^T lam that makes up for the values (or the speeds) of the chosen rows."""
    constraints, _, _, solver, _, _ = bound
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    for i in range(count):
        row = constraints[5][chosen[i]]
        whiten(row, system, forces, forces[6], B[i])
        rhs[i] = -row.speed if speeds else -row.g
    solve_rows(count, BLUNT, solver)
    spread_out(system, forces, y, forces[6], y)


@kernel(inline=False)
def project(t, q, qdot, system, bound, forces):
    """Move q onto the rows of positions, then qdot onto those of positions and velocities; True if q arrives.

    Along M^-1 G^T: the nearest in the metric of the mass matrix. Gaps that are negative are closed too. Rows that have
    hardly moved in the last iteration serve for the velocities as they stand.
    """
    constraints, levels, unilateral, solver, _, _ = bound
    y, chosen = solver[5], solver[6]
    largest = np.inf
    for _ in range(MOST_PROJECTIONS):
        place_rows(t, q, qdot, system, bound, forces)
        count = choose_rows(levels, unilateral, POSITION, chosen)
        for r in range(levels.shape[0]):
            if unilateral[r] and constraints[5][r].g < 0.0:
                chosen[count] = r
                count += 1
        solve_missing(count, system, bound, forces, False)
        largest = 0.0
        for k in range(q.shape[0]):
            q[k] += y[k]
            largest = max(largest, abs(y[k]) / (1.0 + abs(q[k])))
        if largest < CLOSE:
            break
    if not largest < STANDING:
        place_rows(t, q, qdot, system, bound, forces)
    solve_missing(choose_rows(levels, unilateral, VELOCITY, chosen), system, bound, forces, True)
    for k in range(q.shape[0]):
        qdot[k] += y[k]
    return largest < CLOSE


@kernel(entry=True)
def redmax_bound_at(t, q, qdot, tau, system, forces, dense, bound, qddot):
    """Accelerations under equality rows by the dense form, for Python."""
    accelerate_bound_redmax(t, q, qdot, tau, system, forces, dense, bound, qddot)
