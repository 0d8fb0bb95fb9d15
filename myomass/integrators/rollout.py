"""A run of fixed steps inside one kernel: step, reparameterise, record."""

from .._jit import choose, kernel
from ..algorithms.inertias import all_finite
from ..joints.dispatch import reparameterise
from . import FIXED_STEP

_step = choose(list(FIXED_STEP.values()))


@kernel(entry=True)
def rollout(method, system, forces, scratch, times, charted, slots, first, last, q, qdot, charts):
    """Fill rows first+1 ... last of q, qdot, charts from row `first`; the last row that is finite."""
    links, params = system[0], system[2]
    n = q.shape[1]
    q_now, qdot_now, rest = scratch[0], scratch[1], scratch[2:]
    for k in range(n):
        q_now[k], qdot_now[k] = q[first, k], qdot[first, k]
    reparameterise(links, charted, params, q_now, qdot_now)  # a start may lie near a singularity
    for row in range(first + 1, last + 1):
        _step(method, times[row] - times[row - 1], q_now, qdot_now, system, forces, rest)
        if not (all_finite(q_now) and all_finite(qdot_now)):
            return row - 1
        reparameterise(links, charted, params, q_now, qdot_now)
        for k in range(n):
            q[row, k], qdot[row, k] = q_now[k], qdot_now[k]
        for k in range(slots.shape[0]):
            charts[row, k] = params[slots[k]]
    return last
