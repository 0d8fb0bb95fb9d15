"""Symplectic Euler in (q, p), p = M(q) qdot: energy stays near its start for ever, in steps of first order.

    p1 = p + h (dT/dq(q, v) + f(t, q, v)),   p1 = M(q) v,   q1 = q + h v,   qdot1 = M(q1)^-1 p1

The first two are solved for v by Newton's method, for T depends on q wherever the mass matrix does; its matrix is
M - h (N^T + df/dv) with N = d(M v)/dq, which is K of the tree at rest under the acceleration v (that of muscles is left
out of N: their tension counts as weight, and Newton's method needs a step more). Semi-implicit Euler in (q, qdot),
which solves for nothing, is cheaper and drifts.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import lu
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.momenta import momenta
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..dynamics.muscled import MUSCLES, SHADOW, add_momenta, add_residual, prepare_momenta, solved_momenta
from ..forces.apply import sum_forces
from ..forces.stiffness import add_stiffness
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL
from .controller import update_torques

MOST_ITERATIONS = 30
CONVERGED, STALLED = 1e-14, 1e-9  # change of v, relative to v


@kernel(inline=False)
def step(t, h, state, run):
    """One Newton matrix a step; iterate for v until it no longer changes, then carry the momentum to the new place."""
    q, qdot, _, _, memory = state
    system, forces, control, scratch, (linear, M, D, K, H, order), _ = run
    links, bodies, params, gravity, work, dofs = system
    p, slope, f, v, p_v = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    weight, still, change, muscles = scratch[5], scratch[6], scratch[7], forces[MUSCLES]
    n = q.shape[0]
    for k in range(n):
        v[k], still[k] = qdot[k], 0.0
    rnea_outward(system, gravity, q, still, still)
    pass_wrench(links, work, dofs, weight)
    add_residual(muscles, t, q, still, still, system, weight)
    weightless = (links, bodies, params, linear[2], work, dofs)
    rnea_outward(weightless, linear[2], q, still, v)
    rnea_partials(weightless, q, still, v, linear[0], M, D, K)
    prepare_momenta(muscles, system, M)
    momenta(system, q, v, p, slope)
    add_momenta(muscles, linear[SHADOW], t, q, v, system, p, slope)
    D[:, :] = 0.0
    add_stiffness(t, q, v, system, forces, linear, 1.0, True, D, H)
    for i in range(n):
        p_v[i] = p[i]
        for j in range(n):
            H[i, j] = M[i, j] - h * (K[j, i] + D[i, j])
    memory[MATRICES] += 1.0
    if not lu.factorise(H, order):
        return FAILED
    update_torques(t, q, qdot, control)
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        memory[ITERATIONS] += 1.0
        sum_forces(t, q, v, control[0], system, forces, f)
        for k in range(n):
            f[k] = p[k] + h * (slope[k] + f[k] - weight[k]) - p_v[k]
        lu.solve(H, order, f, change)
        moved = size = 0.0
        for k in range(n):
            v[k] += change[k]
            moved, size = max(moved, abs(change[k])), max(size, abs(v[k]))
        memory[RESIDUAL] = moved / max(size, 1e-300)
        momenta(system, q, v, p_v, slope)
        add_momenta(muscles, linear[SHADOW], t, q, v, system, p_v, slope)
        if moved <= CONVERGED * size or (moved >= 0.5 * before and moved <= STALLED * size):
            break
        before = moved
    else:
        return FAILED
    for k in range(n):
        q[k] += h * v[k]
    if not solved_momenta(muscles, t, q, still, weightless, forces[6], p_v, qdot):
        hybrid_outward(weightless, q, still)
        hybrid_inward(weightless, p_v, qdot, forces[6])
    return OK
