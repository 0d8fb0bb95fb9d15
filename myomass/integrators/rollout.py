"""A run of fixed steps inside one kernel: step, reparameterise, record."""

from .._jit import choose, kernel
from ..algorithms.inertias import all_finite
from ..joints.dispatch import reparameterise
from . import EULER, EXPLICIT, SYMPLECTIC, euler, implicit, symplectic
from .base import FAILED, OK, STEP_BEFORE

NOT_FINITE = 2  # beside OK and FAILED: why a rollout came back
_explicit_step = choose(list(EXPLICIT.values()))


@kernel
def move_charts(state, system, charted):
    """Move joints that need it to better charts, the row before too where there is one."""
    q, qdot, q_before, qdot_before, memory = state
    rows = 0 if memory[STEP_BEFORE] == 0.0 else q.shape[0]
    return reparameterise(system[0], charted, system[2], q, qdot, q_before[:rows], qdot_before[:rows])


@kernel
def roll(step, method, run, state, out, charted, slots, first, last):
    """(the last good row, why it came back): rows first + 1 ... last of out = (t, q, qdot, charts) from the state."""
    system, params = run[0], run[0][2]
    times, q, qdot, charts = out
    q_now, qdot_now = state[0], state[1]
    move_charts(state, system, charted)  # a start may lie near a singularity
    for row in range(first + 1, last + 1):
        if step(method, times[row - 1], times[row] - times[row - 1], state, run) == FAILED:
            return row - 1, FAILED
        if not (all_finite(q_now) and all_finite(qdot_now)):
            return row - 1, NOT_FINITE
        move_charts(state, system, charted)
        for k in range(q.shape[1]):
            q[row, k], qdot[row, k] = q_now[k], qdot_now[k]
        for k in range(slots.shape[0]):
            charts[row, k] = params[slots[k]]
    return last, OK


@kernel
def _implicit_step(scheme, t, h, state, run):
    """A step of one of the implicit integrators."""
    if scheme == EULER:
        return euler.step(t, h, state, run)
    if scheme == SYMPLECTIC:
        return symplectic.step(t, h, state, run)
    return implicit.step(scheme, t, h, state, run)


@kernel(entry=True)
def roll_explicit(method, run, state, out, charted, slots, first, last):
    """`roll` with an explicit integrator."""
    return roll(_explicit_step, method, run, state, out, charted, slots, first, last)


@kernel(entry=True)
def roll_implicit(method, run, state, out, charted, slots, first, last):
    """`roll` with an implicit integrator."""
    return roll(_implicit_step, method, run, state, out, charted, slots, first, last)
