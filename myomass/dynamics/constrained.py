"""Kernels of constrained motion: accelerations under equality rows, and the projection of states onto them.

    M qddot = f - C + G^T lam,   G qddot = -(bias + 2 a dg/dt + b^2 g)

`bound` = (ties, levels, unilateral, solver, gains, spare): the rows, what solves for their multipliers, Baumgarte's
gains (a, b and, for steps of velocities, the rate at which a gap closes) and whether states are projected, scratch.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.kinematics import move_all
from ..algorithms.redmax import reduce_system
from ..algorithms.rnea import accelerate as accelerate_link
from ..constraints.rows import evaluate_rows, row_acceleration, tie_arrays
from ..constraints.solve import (
    BLUNT,
    SHARP,
    choose_rows,
    solve_rows,
    solver_arrays,
    spread,
    spread_dense,
    whiten_row,
    whiten_row_dense,
)
from ..forces.apply import add_forces, sum_forces
from ..model import Model
from ..model.constraint import ACCELERATION, POSITION, VELOCITY
from ..spatial.algebra import store3

MOST_PROJECTIONS = 12
CLOSE = 1e-8  # relative correction after which the next one is lost in rounding: Newton's method squares it
GAIN_A, GAIN_B, GAIN_V, PROJECT = 0, 1, 2, 3  # entries of gains


def bound_arrays(model: Model, baumgarte: tuple[float, float, float] | None = None) -> tuple:
    """`bound` for kernels, with scratch of its own; without Baumgarte's gains states are projected."""
    ties = model.ties
    gains = np.array([0.0, 0.0, 0.0, 1.0] if baumgarte is None else [*baumgarte, 0.0])
    spare = np.zeros((2, model.ndof))
    return tie_arrays(model), ties.levels, ties.unilateral, solver_arrays(model), gains, spare


@kernel
def missing_acceleration(row, work, qddot, gains):
    """What is missing in a row's acceleration, with Baumgarte's terms."""
    stable = 2.0 * gains[GAIN_A] * row.speed + gains[GAIN_B] * gains[GAIN_B] * row.g
    return -(row_acceleration(row, work, qddot) + stable)


@kernel(inline=False)
def bind(t, q, qdot, system, bound, prescribed, qddot):
    """Add what the equality rows do to qddot, after `hybrid_inward`; their multipliers stand in the solver."""
    ties, levels, unilateral, solver, gains, _ = bound
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    rows, work = ties[5], system[4]
    evaluate_rows(t, q, qdot, system, ties)
    count = choose_rows(levels, unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten_row(rows[chosen[i]], system, prescribed, B[i])
        rhs[i] = missing_acceleration(rows[chosen[i]], work, qddot, gains)
    solve_rows(count, SHARP, solver)
    spread(system, y, prescribed, y)
    for k in range(qddot.shape[0]):
        qddot[k] += y[k]


@kernel(inline=False)
def accelerate_bound(t, q, qdot, tau, system, loads, bound, qddot):
    """Fill qddot under equality rows, in linear time."""
    hybrid_outward(system, q, qdot)
    add_forces(t, q, qdot, tau, system, loads)
    hybrid_inward(system, loads[5], qddot, loads[6])
    bind(t, q, qdot, system, bound, loads[6], qddot)


@kernel(inline=False)
def accelerate_bound_redmax(t, q, qdot, tau, system, loads, dense, bound, qddot):
    """Fill qddot under equality rows by the dense form; dense = (J, Jdot, force, M, wrenches, f)."""
    J, Jdot, force, M, wrenches, f = dense
    ties, levels, unilateral, solver, gains, _ = bound
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    links, _, _, gravity, work, dofs = system
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, loads, f)
    reduce_system(system, q, qdot, f, wrenches, (J, Jdot, force), M, qddot)
    cholesky.factorise(M)
    cholesky.solve(M, qddot)
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, links.shape[0]):
        accelerate_link(links[i], work[i], work[links[i].parent], qddot, dofs)
    evaluate_rows(t, q, qdot, system, ties)
    count = choose_rows(levels, unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten_row_dense(ties[5][chosen[i]], system, M, B[i])
        rhs[i] = missing_acceleration(ties[5][chosen[i]], work, qddot, gains)
    solve_rows(count, SHARP, solver)
    spread_dense(M, y, y)
    for k in range(qddot.shape[0]):
        qddot[k] += y[k]


@kernel(inline=False)
def factorise_tree(system, q, qdot, prescribed, still, qddot):
    """Poses, twists, and the pivots of the mass matrix; `still` is zero."""
    hybrid_outward(system, q, qdot)
    hybrid_inward(system, still, qddot, prescribed)


@kernel(inline=False)
def project_positions(t, q, system, bound, loads):
    """Move q onto the rows of positions, along M^-1 G^T; gaps that are negative are closed too. True if it arrives."""
    ties, levels, unilateral, solver, _, rest = bound
    still, spare = rest[0], rest[1]
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    rows = ties[5]
    for k in range(q.shape[0]):
        still[k] = 0.0
    for _ in range(MOST_PROJECTIONS):
        factorise_tree(system, q, still, loads[6], still, spare)
        evaluate_rows(t, q, still, system, ties)
        count = choose_rows(levels, unilateral, POSITION, chosen)
        for r in range(levels.shape[0]):
            if unilateral[r] and rows[r].g < 0.0:
                chosen[count] = r
                count += 1
        for i in range(count):
            whiten_row(rows[chosen[i]], system, loads[6], B[i])
            rhs[i] = -rows[chosen[i]].g
        solve_rows(count, BLUNT, solver)
        spread(system, y, loads[6], y)
        largest = 0.0
        for k in range(q.shape[0]):
            q[k] += y[k]
            largest = max(largest, abs(y[k]) / (1.0 + abs(q[k])))
        if largest < CLOSE:
            return True
    return False


@kernel(inline=False)
def project_velocities(t, q, qdot, system, bound, loads):
    """Move qdot onto the rows of positions and velocities, along M^-1 G^T: the nearest in kinetic energy."""
    ties, levels, unilateral, solver, _, rest = bound
    still, spare = rest[0], rest[1]
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    for k in range(q.shape[0]):
        still[k] = 0.0
    factorise_tree(system, q, qdot, loads[6], still, spare)
    evaluate_rows(t, q, qdot, system, ties)
    count = choose_rows(levels, unilateral, VELOCITY, chosen)
    for i in range(count):
        whiten_row(ties[5][chosen[i]], system, loads[6], B[i])
        rhs[i] = -ties[5][chosen[i]].speed
    solve_rows(count, BLUNT, solver)
    spread(system, y, loads[6], y)
    for k in range(q.shape[0]):
        qdot[k] += y[k]


@kernel(entry=True)
def redmax_bound_at(t, q, qdot, tau, system, loads, dense, bound, qddot):
    """Accelerations under equality rows by the dense form, for Python."""
    accelerate_bound_redmax(t, q, qdot, tau, system, loads, dense, bound, qddot)
