"""One implicit stage, and the Newton solver that all implicit integrators share.

Every one of them asks for the qdot at which the equations of motion hold with

    q = q_hat + qdot/alpha,   qddot = alpha (qdot - v_hat)

so r(t, q, qdot, qddot) = 0 with the exact matrix H = alpha M + D + K/alpha. (Solved for qdot and not for q: so short
steps lose no digits.) H is kept while residuals shrink fast, and taken anew where they do not; a step that does not
reduce the residual is halved.

Residuals are measured in the metric of the mass matrix's diagonal, |r|^2 = sum r_k^2/M_kk, so that N and N m compare.
A stage is solved when |r| <= TOLERANCE times the size of what is in balance: the forces of inertia, motion and gravity
together, the applied forces, and the momentum over the step, alpha M qdot. Where rounding of alpha M qdot or of K q
forbids that, by no more than NOISE, a last Newton step is taken untested. A residual that stays, but below STALLED, is
taken too; otherwise the stage has failed.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import lu
from ..dynamics.equations import fill_linear, fill_residual
from .balance import NOISE, STALLED, TOLERANCE, balance, follow, noise, size_of
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL
from .newton_bound import solve_stage_bound
from .newton_soft import solve_stage_soft

MOST_ITERATIONS, MOST_HALVINGS = 60, 20
FAST = 0.05  # H is kept while a step leaves less than this of the residual


@kernel
def form_matrix(alpha, M, D, K, H):
    """H = alpha M + D + K/alpha."""
    for i in range(H.shape[0]):
        for j in range(H.shape[0]):
            H[i, j] = alpha * M[i, j] + D[i, j] + K[i, j] / alpha


@kernel(inline=False)
def solve_stage(t, alpha, q_hat, v_hat, q, qdot, qddot, run):
    """From the guess qdot to the solution, with its q and qddot: OK or FAILED."""
    system, matrices, memory = run.system, run.matrices, run.memory
    if system.soft.count > 0:
        return solve_stage_soft(t, alpha, q_hat, v_hat, q, qdot, qddot, run)
    if system.constraints.count > 0:
        return solve_stage_bound(t, alpha, q_hat, v_hat, q, qdot, qddot, run)
    M, D, K, H, order = matrices.M, matrices.D, matrices.K, matrices.H, matrices.order
    r, change, start = run.scratch[0], run.scratch[1], run.scratch[2]
    n = q.shape[0]
    follow(alpha, qdot, q_hat, v_hat, q, qddot)
    fill_residual(t, q, qdot, qddot, run.tau, system.no_wrenches, system, r)
    scale = rounding = error = 0.0
    stale, memory[RESIDUAL] = True, np.inf
    for iteration in range(MOST_ITERATIONS):
        fresh = stale
        if stale:
            fill_linear(t, q, qdot, qddot, system, matrices.linear, M, D, K)
            form_matrix(alpha, M, D, K, H)
            rounding = noise(alpha, q, qdot, M, K)
            memory[MATRICES] += 1.0
            if not lu.factorise(H, 0, order):
                return FAILED
            if iteration == 0:
                scale = balance(alpha, qdot, r, system, M)
            error = size_of(r, M)
        memory[RESIDUAL] = error / max(scale, 1e-300)
        if not (error < np.inf and scale < np.inf):
            return FAILED
        if error <= TOLERANCE * scale:
            return OK
        memory[ITERATIONS] += 1.0
        lu.solve(H, order, r, change)
        if error <= min(rounding, NOISE * scale):
            for k in range(n):
                qdot[k] -= change[k]
            follow(alpha, qdot, q_hat, v_hat, q, qddot)
            return OK
        for k in range(n):
            start[k] = qdot[k]
        fraction, before = 1.0, error
        for _ in range(MOST_HALVINGS if fresh else 1):
            for k in range(n):
                qdot[k] = start[k] - fraction * change[k]
            follow(alpha, qdot, q_hat, v_hat, q, qddot)
            fill_residual(t, q, qdot, qddot, run.tau, system.no_wrenches, system, r)
            error = size_of(r, M)
            if error < before:
                break
            fraction *= 0.5
        stale = not error < FAST * before
        if not error < before:  # no better: back, and on with a matrix of this place, unless it was one
            for k in range(n):
                qdot[k] = start[k]
            follow(alpha, qdot, q_hat, v_hat, q, qddot)
            fill_residual(t, q, qdot, qddot, run.tau, system.no_wrenches, system, r)
            error = before
            if fresh:
                break
    return OK if error <= STALLED * scale else FAILED
