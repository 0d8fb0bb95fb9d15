"""Semi-implicit Euler: qdot first, then q with the new qdot. First order; energy oscillates and does not drift."""

from .._jit import kernel
from .base import accelerate


@kernel
def step(h, q, qdot, system, forces, scratch):
    """qdot += h qddot(q, qdot), q += h qdot."""
    qddot = scratch[0]
    accelerate(q, qdot, system, forces, qddot)
    for k in range(q.shape[0]):
        qdot[k] += h * qddot[k]
        q[k] += h * qdot[k]
