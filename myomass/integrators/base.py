"""What integrators share: the acceleration they see, and the protocol of those of fixed step.

    step(t, h, state, run) -> OK or FAILED            one step from t to t + h, in place

`state` = (q, qdot, q_before, qdot_before, memory): where it stands, and for methods that look back the row before, with
MEMORY numbers: the length of the step before (0: there is none), and what the Newton solver reports. `run` = (system,
loads, control, scratch, linear): the model, its forces, (tau, address of a controller), rows of one number per degree
of freedom, and for implicit methods the scratch of derivatives and matrices.
"""

from .._jit import kernel
from ..dynamics import accelerate, accelerate_redmax
from .controller import update_torques

OK, FAILED = 0, 1
SCRATCH_ROWS = 16
MEMORY = 4
STEP_BEFORE, RESIDUAL, ITERATIONS, MATRICES = 0, 1, 2, 3  # entries of memory
RECURSIVE, REDMAX = 0, 1  # forms of the equations of motion


@kernel
def accelerate_at(t, q, qdot, run, qddot):
    """Fill qddot at (t, q, qdot), the controller asked."""
    system, loads, control = run[0], run[1], run[2]
    update_torques(t, q, qdot, control)
    accelerate(t, q, qdot, control[0], system, loads, qddot)


@kernel(inline=False)
def derivative(t, y, run, dy):
    """dy = (qdot, qddot) of y = (q, qdot); run = (form, system, loads, control, dense scratch)."""
    form, system, loads, control, dense = run
    n = y.shape[0] // 2
    for k in range(n):
        dy[k] = y[n + k]
    update_torques(t, y[:n], y[n:], control)
    if form == RECURSIVE:
        accelerate(t, y[:n], y[n:], control[0], system, loads, dy[n:])
    else:
        accelerate_redmax(t, y[:n], y[n:], control[0], system, loads, dense, dy[n:])
