"""Symplectic Euler in (q, p), p = M(q) qdot: energy stays near its start for ever, in steps of first order.

    p1 = p + h (dT/dq(q, v) + f(t, q, v)),   v = M(q)^-1 p1,   q1 = q + h v,   qdot1 = M(q1)^-1 p1

The first two are solved for v by iteration, for T depends on q wherever the mass matrix does; semi-implicit Euler in
(q, qdot), which skips that, is cheaper and drifts.
"""

from .._jit import kernel
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.momenta import momenta
from ..forces.apply import sum_forces
from .base import FAILED, OK
from .controller import update_torques

MOST_ITERATIONS = 60
ROUNDING = 4e-16


@kernel(inline=False)
def rates_of(system, gravity, q, still, p, free, v):
    """v = M(q)^-1 (p + momentum that `gravity`, times a time, gives)."""
    links, bodies, params, _, work, dofs = system
    fallen = (links, bodies, params, gravity, work, dofs)
    hybrid_outward(fallen, q, still)
    hybrid_inward(fallen, p, v, free)


@kernel(inline=False)
def step(t, h, state, run):
    """Iterate for v until it no longer changes, then carry the momentum to the new place."""
    q, qdot = state[0], state[1]
    system, loads, control, scratch, (fall, no_gravity, still) = run
    p, slope, f, v, v_new = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    p_v, total, free = scratch[5], scratch[6], loads[6]
    n = q.shape[0]
    for i in range(3):
        fall[i] = h * system[3][i]
    for k in range(n):
        v[k] = qdot[k]
    momenta(system, q, qdot, p, slope)
    change, before = 0.0, 1e300
    for _ in range(MOST_ITERATIONS):
        update_torques(t, q, v, control)
        sum_forces(t, q, v, control[0], system, loads, f)
        for k in range(n):
            total[k] = p[k] + h * (slope[k] + f[k])
        rates_of(system, fall, q, still, total, free, v_new)
        change = size = 0.0
        for k in range(n):
            change = max(change, abs(v_new[k] - v[k]))
            size = max(size, abs(v_new[k]))
            v[k] = v_new[k]
        momenta(system, q, v, p_v, slope)
        if change <= ROUNDING * size or (change >= before and change <= 1e-10 * size):
            break
        before = change
    else:
        return FAILED
    for k in range(n):
        q[k] += h * v[k]
    rates_of(system, no_gravity, q, still, p_v, free, qdot)
    return OK
