"""What integrators share: the acceleration they see, and the protocol of those of fixed step.

    step(h, q, qdot, system, forces, scratch)        one step, in place

`forces` is what acts besides gravity: (tau, prescribed, wrenches); `scratch` is an array of SCRATCH_ROWS rows of one
number per degree of freedom.
"""

from .._jit import kernel
from ..algorithms.hybrid import hybrid
from ..algorithms.redmax import accelerate_dense

SCRATCH_ROWS = 5
RECURSIVE, REDMAX = 0, 1  # forms of the equations of motion


@kernel
def accelerate(q, qdot, system, forces, qddot):
    """Fill qddot at (q, qdot)."""
    tau, prescribed, wrenches = forces
    hybrid(system, q, qdot, tau, qddot, prescribed, wrenches)


@kernel(inline=False)
def derivative(y, run, dy):
    """dy = (qdot, qddot) of y = (q, qdot); run = (form, system, forces, dense scratch)."""
    form, system, forces, dense = run
    n = y.shape[0] // 2
    for k in range(n):
        dy[k] = y[n + k]
    if form == RECURSIVE:
        accelerate(y[:n], y[n:], system, forces, dy[n:])
    else:
        accelerate_dense(system, y[:n], y[n:], forces[0], forces[2], dense, dy[n:])
