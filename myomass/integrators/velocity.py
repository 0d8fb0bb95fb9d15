"""Steps of velocities under constraints: semi-implicit and linearly implicit Euler (dissertation Eq. 4.102, 4.107).

    H (v - v_free) = G^T lam,   G v = -rate - b g,   q1 = q + h v

with H the mass matrix, or with the slopes of stiff forces added (euler.py), and v_free where forces alone lead. Rows
and H are those of the old place, what moves by itself is taken at the new time. Equality rows are solved here; where
there are others, run/hard_stepper.py solves between `prepare` and `finish`.
"""

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.inertias import all_finite
from ..constraints.qp import UNBOUNDED
from ..constraints.rows import evaluate_rows, row_acceleration, row_along
from ..constraints.solve import SHARP, choose_rows, solve_rows, spread_dense, whiten_row_dense
from ..dynamics.constrained import GAIN_V, PROJECT
from ..dynamics.muscled import spread_out
from ..dynamics.muscled import whiten as whiten_mass
from ..model.elements import ACCELERATION, FRICTION, POSITION, VELOCITY
from .base import FAILED, OK, accelerate_at, move_charts, settle_bound
from .euler import form_system

METHODS = ("semi-implicit", "euler")
EULER = METHODS.index("euler")
FREE = 1  # row of scratch that keeps v_free


@kernel(inline=False)
def free_velocity(method, t, h, state, run):
    """v_free into its row of scratch, the factor of H, and the rows at the old place and the new time."""
    q, qdot, _, _, _ = state
    system, _, _, scratch, extra, bound = run
    v = scratch[FREE]
    n = q.shape[0]
    if method == EULER:
        form_system(t, h, state, run)
        H = extra[4][:n, :n]
        for i in range(n):
            v[i] = scratch[0][i]
            for j in range(i):
                H[i, j] = 0.5 * (H[i, j] + H[j, i])
        cholesky.factorise(H)
        for k in range(n):
            if not H[k, k] > 0.0:
                return FAILED
        cholesky.solve(H, v)
    else:
        accelerate_at(t, q, qdot, run, scratch[0])
        for k in range(n):
            v[k] = qdot[k] + h * scratch[0][k]
    evaluate_rows(t + h, q, qdot, system, bound[0])
    return OK


@kernel
def missing_speed(r, h, state, run):
    """What is missing in a row's speed at v_free."""
    system, bound = run[0], run[5]
    links, _, _, _, work, dofs = system
    row, level = bound[0][5][r], bound[1][r]
    reached = row_along(row, links, work, dofs, run[3][FREE])
    if level == ACCELERATION:
        return -(reached - row_along(row, links, work, dofs, state[1]) + h * row.drift)
    feedback = bound[4][GAIN_V] * row.g if level == POSITION else 0.0
    return -(reached + row.rate + feedback)


@kernel
def turning(method, r, run):
    """What a row's own turning adds to its acceleration, where steps are projected and the row is an equality.

    Taken to the step's middle it leaves nothing of first order to the projection, and energy as it is; to its end, it
    shows the whole force of rows that turn, as that of a pin about which something spins. The links' accelerations
    stand as the free velocity has left them.
    """
    bound = run[5]
    row = bound[0][5][r]
    if bound[4][PROJECT] == 0.0 or bound[2][r] or bound[1][r] > VELOCITY:
        return 0.0
    links, _, _, _, work, dofs = run[0]
    qddot = run[3][2] if method == EULER else run[3][0]
    total = row_acceleration(row, work, qddot) - row.drift
    return total if method == EULER else total - row_along(row, links, work, dofs, qddot)


@kernel
def whiten(method, r, run, out):
    """B of a row."""
    row = run[5][0][5][r]
    if method == EULER:
        whiten_row_dense(row, run[0], run[4][4], out)
    else:
        whiten_mass(row, run[0], run[1], run[1][6], out)


@kernel
def reach(method, y, run, v):
    """v that belongs to y = B^T lam; y is used up."""
    if method == EULER:
        spread_dense(run[4][4], y, y)
    else:
        spread_out(run[0], run[1], y, run[1][6], y)
    for k in range(v.shape[0]):
        v[k] = run[3][FREE, k] + y[k]


@kernel
def move(method, h, y, state, run):
    """From v_free and y = B^T lam to the new state."""
    q, qdot = state[0], state[1]
    reach(method, y, run, qdot)
    for k in range(q.shape[0]):
        q[k] += h * qdot[k]


@kernel(inline=False)
def step(method, t, h, state, run):
    """One step under equality rows."""
    _, levels, unilateral, solver, _, _ = run[5]
    B, _, _, rhs, _, y, chosen, _, _, _ = solver
    if free_velocity(method, t, h, state, run) == FAILED:
        return FAILED
    count = choose_rows(levels, unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten(method, chosen[i], run, B[i])
        rhs[i] = missing_speed(chosen[i], h, state, run) - 0.5 * h * turning(method, chosen[i], run)
    solve_rows(count, SHARP, solver)
    move(method, h, y, state, run)
    return OK


@kernel
def least(r, h, missing, run):
    """Least B y of a row: what is missing in its speed, less the gap that may still close in the step.

    With Baumgarte's gains only gaps that are closed already count.
    """
    bound = run[5]
    if not bound[2][r]:
        return missing
    g = bound[0][5][r].g
    if bound[4][PROJECT] != 0.0:
        return missing - max(g, 0.0) / h
    return missing if g < 0.0 else -UNBOUNDED


@kernel(entry=True)
def prepare(method, t, h, state, run, needed, turns, used):
    """v_free and, of all rows, B and the least B y, for Python; OK or FAILED.

    used: equality rows, and gaps that would close; turns: what equality rows turn in the step.
    """
    if free_velocity(method, t, h, state, run) == FAILED:
        return FAILED
    levels, unilateral = run[5][1], run[5][2]
    for r in range(needed.shape[0]):
        whiten(method, r, run, run[5][3][0][r])
        turns[r] = h * turning(method, r, run)
        needed[r] = least(r, h, missing_speed(r, h, state, run), run) - turns[r]
        used[r] = needed[r] > 0.0 if unilateral[r] else levels[r] != FRICTION
    return OK


@kernel(entry=True)
def finish(method, t, h, y, state, run, charted):
    """The new state, projected and in good charts, for Python; False if it is not finite. y is used up."""
    move(method, h, y, state, run)
    settle_bound(t + h, state[0], state[1], run)
    if not (all_finite(state[0]) and all_finite(state[1])):
        return False
    move_charts(state, run[0], charted)
    return True


@kernel(entry=True)
def velocity_after(method, y, run, v):
    """The new velocity alone, for Python; y is used up."""
    reach(method, y, run, v)
