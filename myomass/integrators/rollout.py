"""A run of fixed steps inside one kernel: step, project onto constraints, reparameterise, record.

Kernels given as arguments are only handed to kernels that are inlined: an address left in the code forbids caching.
"""

from .._jit import kernel
from ..algorithms.inertias import all_finite
from . import EULER, EXPLICIT, SYMPLECTIC, euler, implicit, rk4, semi_implicit, symplectic, velocity
from .base import FAILED, OK, accelerate_at, accelerate_bound_at, move_charts, settle_bound, settle_free
from .newton import solve_stage
from .newton_bound import solve_stage_bound

NOT_FINITE = 2  # beside OK and FAILED: why a rollout came back
RK4 = EXPLICIT.index("rk4")
_free_step, _bound_step = implicit.make_step(solve_stage), implicit.make_step(solve_stage_bound)


@kernel
def roll(step, settled, method, run, state, out, charted, slots, first, last):
    """(the last good row, why it came back): rows first + 1 ... last of out = (t, q, qdot, charts) from the state."""
    system, params = run[0], run[0][2]
    times, q, qdot, charts = out
    q_now, qdot_now = state[0], state[1]
    move_charts(state, system, charted)  # a start may lie near a singularity
    for row in range(first + 1, last + 1):
        if step(method, times[row - 1], times[row] - times[row - 1], state, run) == FAILED:
            return row - 1, FAILED
        settled(times[row], q_now, qdot_now, run)
        if not (all_finite(q_now) and all_finite(qdot_now)):
            return row - 1, NOT_FINITE
        move_charts(state, system, charted)
        for k in range(q.shape[1]):
            q[row, k], qdot[row, k] = q_now[k], qdot_now[k]
        for k in range(slots.shape[0]):
            charts[row, k] = params[slots[k]]
    return last, OK


@kernel
def _explicit(method, t, h, state, run):
    """A step of one of the explicit integrators."""
    if method == RK4:
        return rk4.step(accelerate_at, t, h, state, run)
    return semi_implicit.step(accelerate_at, t, h, state, run)


@kernel
def _explicit_bound(method, t, h, state, run):
    """The classical Runge-Kutta method under constraints."""
    return rk4.step(accelerate_bound_at, t, h, state, run)


@kernel
def _implicit_step(scheme, t, h, state, run):
    """A step of one of the implicit integrators."""
    if scheme == EULER:
        return euler.step(t, h, state, run)
    if scheme == SYMPLECTIC:
        return symplectic.step(t, h, state, run)
    return _free_step(scheme, t, h, state, run)


@kernel
def _implicit_bound(scheme, t, h, state, run):
    """A step of one of the implicit integrators under constraints."""
    return _bound_step(scheme, t, h, state, run)


@kernel(entry=True)
def roll_explicit(method, run, state, out, charted, slots, first, last):
    """`roll` with an explicit integrator."""
    return roll(_explicit, settle_free, method, run, state, out, charted, slots, first, last)


@kernel(entry=True)
def roll_implicit(method, run, state, out, charted, slots, first, last):
    """`roll` with an implicit integrator."""
    return roll(_implicit_step, settle_free, method, run, state, out, charted, slots, first, last)


@kernel(entry=True)
def roll_bound_explicit(method, run, state, out, charted, slots, first, last):
    """`roll` with the classical Runge-Kutta method under equality rows."""
    return roll(_explicit_bound, settle_bound, method, run, state, out, charted, slots, first, last)


@kernel(entry=True)
def roll_bound_velocity(method, run, state, out, charted, slots, first, last):
    """`roll` with steps of velocities under equality rows."""
    return roll(velocity.step, settle_bound, method, run, state, out, charted, slots, first, last)


@kernel(entry=True)
def roll_bound_implicit(method, run, state, out, charted, slots, first, last):
    """`roll` with an implicit integrator under equality rows."""
    return roll(_implicit_bound, settle_bound, method, run, state, out, charted, slots, first, last)
