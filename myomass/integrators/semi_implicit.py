"""Semi-implicit Euler in (q, qdot): qdot <- qdot + h qddot(q, qdot), then q <- q + h qdot. One evaluation a step.

The fastest step there is, and that of most game and robotics engines. It is symplectic where the mass matrix is
constant; elsewhere energy drifts slowly, in proportion to h.
"""

from .._jit import kernel
from .base import OK


@kernel
def step(accelerate, t, h, state, run):
    """One evaluation at the old state, the new rates for the new place."""
    q, qdot = state[0], state[1]
    qddot = run[3][0]
    accelerate(t, q, qdot, run, qddot)
    for k in range(q.shape[0]):
        qdot[k] += h * qddot[k]
        q[k] += h * qdot[k]
    return OK
