"""Semi-implicit Euler: qdot first, then q with the new qdot; first order, one evaluation a step.

Symplectic where the mass matrix is constant. Where it changes with q, energy oscillates in proportion to h and may
drift slowly over many steps: the adaptive integrators and RK4 are the ones to measure with.
"""

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
