"""Steps of velocities under constraints: semi-implicit and linearly implicit Euler (dissertation Eq. 4.102, 4.107).

    H (v - v_free) = G^T lam,   G v = -rate - b g,   q1 = q + h v

with H the mass matrix (BY_MASS), or with the slopes of stiff forces added (BY_STIFFNESS), and v_free where forces alone
lead. Rows and H are those of the old place, what moves by itself is taken at the new time. Equality rows are solved
here; where there are others, run/hard_stepper.py solves between `prepare` and `finish`.
"""

from numba.core import types

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.inertias import all_finite
from ..constraints.arrays import GAIN_V, PROJECT
from ..constraints.qp import UNBOUNDED
from ..constraints.solve import SHARP, choose_rows, solve_rows, spread_dense
from ..dynamics.constrained import acceleration_of, place_all_rows, settle, speed_along, spread_out, whiten_by
from ..dynamics.constrained import whiten as whiten_mass
from ..model.elements import ACCELERATION, FRICTION, POSITION, VELOCITY
from .base import FAILED, OK, accelerate_free_at, begin_step, close_stage, move_charts, open_run, open_stage
from .linear_step import form_system, solve_states

BY_MASS, BY_STIFFNESS = 0, 1
FREE = 1  # row of scratch that keeps v_free


@kernel(inline=False)
def free_velocity(method, t, h, run):
    """v_free into its row of scratch, the factor of H, and the rows at the old place and the new time."""
    q, qdot, v, qddot = run.q, run.qdot, run.scratch[FREE], run.scratch[0]
    n = q.shape[0]
    begin_step(t, run)
    open_stage(t + h, 1.0 / h, h, run.z, run)
    if method == BY_STIFFNESS:
        form_system(t, h, run)
        H = run.matrices.H[:n, :n]
        for i in range(n):
            v[i] = qddot[i]
            for j in range(i):
                H[i, j] = 0.5 * (H[i, j] + H[j, i])
        cholesky.factorise(H)
        for k in range(n):
            if not H[k, k] > 0.0:
                return FAILED
        cholesky.solve(H, v)
    else:
        accelerate_free_at(t, q, qdot, run, qddot)
        for k in range(n):
            v[k] = qdot[k] + h * qddot[k]
    place_all_rows(t + h, q, qdot, run.system)
    return OK


@kernel
def missing_speed(r, h, run):
    """What is missing in a row's speed at v_free."""
    system, constraints = run.system, run.system.constraints
    row, level = constraints.rows[r], constraints.levels[r]
    reached = speed_along(row, run.scratch[FREE], system)
    if level == ACCELERATION:
        return -(reached - speed_along(row, run.qdot, system) + h * row.drift)
    feedback = constraints.gains[GAIN_V] * row.g if level == POSITION else 0.0
    return -(reached + row.rate + feedback)


@kernel
def turning(method, r, run):
    """What a row's own turning adds to its acceleration, where steps are projected and the row is an equality.

    Taken to the step's middle it leaves nothing of first order to the projection, and energy as it is; to its end, it
    shows the whole force of rows that turn, as that of a pin about which something spins.
    Needs: the links' accelerations as `free_velocity` has left them.
    """
    system, constraints = run.system, run.system.constraints
    row = constraints.rows[r]
    if constraints.gains[PROJECT] == 0.0 or constraints.unilateral[r] or constraints.levels[r] > VELOCITY:
        return 0.0
    qddot = run.scratch[2] if method == BY_STIFFNESS else run.scratch[0]
    total = acceleration_of(row, qddot, system) - row.drift
    return total if method == BY_STIFFNESS else total - speed_along(row, qddot, system)


@kernel
def whiten(method, r, run, out):
    """B of a row."""
    system = run.system
    row = system.constraints.rows[r]
    if method == BY_STIFFNESS:
        whiten_by(row, system, run.matrices.H, out)
    else:
        whiten_mass(row, system, system.none_prescribed, out)


@kernel
def reach(method, y, run, v):
    """v that belongs to y = B^T lam; y is used up."""
    system = run.system
    if method == BY_STIFFNESS:
        spread_dense(run.matrices.H, y, y)
    else:
        spread_out(system, y, system.none_prescribed, y)
    for k in range(v.shape[0]):
        v[k] = run.scratch[FREE, k] + y[k]


@kernel
def move(method, t, h, y, run):
    """From v_free and y = B^T lam to the new state."""
    reach(method, y, run, run.qdot)
    for k in range(run.q.shape[0]):
        run.q[k] += h * run.qdot[k]
    if method == BY_STIFFNESS:
        solve_states(t + h, run)
    close_stage(run)


@kernel(on_demand=types.int64)
def step_velocities(method, t, h, run):
    """One step under equality rows: OK or FAILED."""
    constraints, solver = run.system.constraints, run.system.constraints.solver
    chosen = solver.chosen
    if free_velocity(method, t, h, run) == FAILED:
        return FAILED
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, chosen)
    for i in range(count):
        whiten(method, chosen[i], run, solver.B[i])
        solver.rhs[i] = missing_speed(chosen[i], h, run) - 0.5 * h * turning(method, chosen[i], run)
    solve_rows(count, SHARP, solver)
    move(method, t, h, solver.y, run)
    return OK


@kernel
def least(r, h, missing, constraints):
    """Least B y of a row: what is missing in its speed, less the gap that may still close in the step.

    With Baumgarte's gains only gaps that are closed already count.
    """
    if not constraints.unilateral[r]:
        return missing
    g = constraints.rows[r].g
    if constraints.gains[PROJECT] != 0.0:
        return missing - max(g, 0.0) / h
    return missing if g < 0.0 else -UNBOUNDED


@kernel(entry=True)
def prepare(method, t, h, handle, needed, turns, used):
    """v_free and, of all rows, B and the least B y, for Python; OK or FAILED.

    used: equality rows, and gaps that would close; turns: what equality rows turn in the step.
    """
    run = open_run(handle, needed)
    constraints = run.system.constraints
    if free_velocity(method, t, h, run) == FAILED:
        return FAILED
    for r in range(needed.shape[0]):
        whiten(method, r, run, constraints.solver.B[r])
        turns[r] = h * turning(method, r, run)
        needed[r] = least(r, h, missing_speed(r, h, run), constraints) - turns[r]
        used[r] = needed[r] > 0.0 if constraints.unilateral[r] else constraints.levels[r] != FRICTION
    return OK


@kernel(entry=True)
def finish(method, t, h, y, handle):
    """The new state, projected and in good charts, for Python; False if it is not finite. y is used up."""
    run = open_run(handle, y)
    move(method, t, h, y, run)
    settle(t + h, run.q, run.qdot, run.system)
    if not (all_finite(run.q) and all_finite(run.qdot) and all_finite(run.z)):
        return False
    move_charts(run)
    return True


@kernel(entry=True)
def velocity_after(method, y, handle, v):
    """The new velocity alone, for Python; y is used up."""
    reach(method, y, open_run(handle, y), v)
