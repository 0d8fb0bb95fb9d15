"""What an integrator of fixed step is here: a kernel that makes one step, in place.

    step(h, q, qdot, system, scratch)

`system` is what `hybrid` needs besides the state: (links, bodies, params, gravity, tau, prescribed, wrenches, work,
dofs); `scratch` is an array of SCRATCH_ROWS rows of one number per degree of freedom.
"""

from .._jit import kernel
from ..algorithms.hybrid import hybrid

SCRATCH_ROWS = 5


@kernel
def accelerate(q, qdot, system, qddot):
    """Fill qddot at (q, qdot)."""
    links, bodies, params, gravity, tau, prescribed, wrenches, work, dofs = system
    hybrid(links, bodies, params, gravity, q, qdot, tau, qddot, prescribed, wrenches, work, dofs)
