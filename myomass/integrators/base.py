"""What an integrator of fixed step is here: a kernel that makes one step, in place.

    step(h, q, qdot, system, forces, scratch)

`forces` is what acts besides gravity: (tau, prescribed, wrenches); `scratch` is an array of SCRATCH_ROWS rows of one
number per degree of freedom.
"""

from .._jit import kernel
from ..algorithms.hybrid import hybrid

SCRATCH_ROWS = 5


@kernel
def accelerate(q, qdot, system, forces, qddot):
    """Fill qddot at (q, qdot)."""
    tau, prescribed, wrenches = forces
    hybrid(system, q, qdot, tau, qddot, prescribed, wrenches)
