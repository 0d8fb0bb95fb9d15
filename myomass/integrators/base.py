"""What integrators share: the acceleration they see, and the protocol of those of fixed step.

    step(t, h, state, run) -> OK or FAILED            one step from t to t + h, in place

`state` = (q, qdot, q_before, qdot_before, memory): where it stands, and for methods that look back the row before, with
MEMORY numbers: the length of the step before (0: there is none), and what the Newton solver reports. `run` = (system,
loads, control, scratch, linear, bound): the model, its forces, (tau, address of a controller), rows of one number per
degree of freedom, for implicit methods the scratch of derivatives and matrices, and the model's constraints, if any.
Explicit methods are given the function that accelerates as their first argument.
"""

from .._jit import kernel
from ..dynamics.constrained import (
    PROJECT,
    accelerate_bound,
    accelerate_bound_redmax,
    project,
)
from ..dynamics.kernels import accelerate, accelerate_redmax
from ..joints.dispatch import reparameterise
from .controller import update_torques

OK, FAILED = 0, 1
SCRATCH_ROWS = 16
MEMORY = 4
STEP_BEFORE, RESIDUAL, ITERATIONS, MATRICES = 0, 1, 2, 3  # entries of memory
RECURSIVE, REDMAX = 0, 1  # forms of the equations of motion


@kernel
def accelerate_at(t, q, qdot, run, qddot):
    """Fill qddot at (t, q, qdot), the controller asked."""
    system, forces, control = run[0], run[1], run[2]
    update_torques(t, q, qdot, control)
    accelerate(t, q, qdot, control[0], system, forces, qddot)


@kernel
def accelerate_bound_at(t, q, qdot, run, qddot):
    """The same under constraints."""
    system, forces, control, bound = run[0], run[1], run[2], run[5]
    update_torques(t, q, qdot, control)
    accelerate_bound(t, q, qdot, control[0], system, forces, bound, qddot)


@kernel
def settle_free(t, q, qdot, run):
    """A tree without constraints is where it should be."""


@kernel
def settle_bound(t, q, qdot, run):
    """Project a state onto its constraints, if that is how it is kept."""
    if run[5][4][PROJECT] != 0.0:
        project(t, q, qdot, run[0], run[5], run[1])


@kernel
def move_charts(state, system, charted):
    """Move joints that need it to better charts, the row before too where there is one."""
    q, qdot, q_before, qdot_before, memory = state
    rows = 0 if memory[STEP_BEFORE] == 0.0 else q.shape[0]
    return reparameterise(system[0], charted, system[2], q, qdot, q_before[:rows], qdot_before[:rows])


@kernel
def copy_rates(t, y, run, dy):
    """dy = (qdot, ...) of y = (q, qdot), the controller asked; (q, qdot, where qddot goes)."""
    n = y.shape[0] // 2
    for k in range(n):
        dy[k] = y[n + k]
    update_torques(t, y[:n], y[n:], run[3])
    return y[:n], y[n:], dy[n:]


@kernel(inline=False)
def derivative(t, y, run, dy):
    """dy = (qdot, qddot) of y = (q, qdot); run = (form, system, loads, control, dense scratch, bound)."""
    form, system, forces, control, dense, _ = run
    q, qdot, qddot = copy_rates(t, y, run, dy)
    if form == RECURSIVE:
        accelerate(t, q, qdot, control[0], system, forces, qddot)
    else:
        accelerate_redmax(t, q, qdot, control[0], system, forces, dense, qddot)


@kernel(inline=False)
def derivative_bound(t, y, run, dy):
    """The same under constraints."""
    form, system, forces, control, dense, bound = run
    q, qdot, qddot = copy_rates(t, y, run, dy)
    if form == RECURSIVE:
        accelerate_bound(t, q, qdot, control[0], system, forces, bound, qddot)
    else:
        accelerate_bound_redmax(t, q, qdot, control[0], system, forces, dense, bound, qddot)
