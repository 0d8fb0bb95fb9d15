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
from ..dynamics.given import linear_arrays
from ..dynamics.kernels import fill_linear, fill_residual
from ..model import Model
from ..spatial.algebra import dot, load3
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL

TOLERANCE, STALLED, NOISE = 1e-12, 1e-8, 1e-3
MOST_ITERATIONS, MOST_HALVINGS = 60, 20
FAST = 0.05  # H is kept while a step leaves less than this of the residual
ROUNDING = 8 * 2.220446049250313e-16


def implicit_scratch(model: Model) -> tuple:
    """(linear, M, D, K, H, order): scratch of derivatives, and the matrices; H has room for constraints too."""
    n, m = model.ndof, len(model.constraints)
    linear = (*linear_arrays(model), *np.zeros((2, n + m)))
    return linear, *np.zeros((3, n, n)), np.zeros((n + m, n + m)), np.zeros(n + m, np.int64)


@kernel
def follow(alpha, qdot, q_hat, v_hat, q, qddot):
    """q and qddot that belong to qdot in this stage."""
    for k in range(q.shape[0]):
        q[k] = q_hat[k] + qdot[k] / alpha
        qddot[k] = alpha * (qdot[k] - v_hat[k])


@kernel
def size_of(r, M):
    """|r| in the metric of M's diagonal."""
    total = 0.0
    for k in range(r.shape[0]):
        total += r[k] * r[k] / M[k, k]
    return np.sqrt(total)


@kernel
def balance(alpha, qdot, r, system, M):
    """Size of what is in balance; the wrenches of the tree's own forces are those that `fill_linear` has left."""
    links, _, _, _, work, dofs = system
    total = 0.0
    for i in range(1, links.shape[0]):
        n, f = load3(work[i].n), load3(work[i].f)
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            own = dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), f)
            applied, moving = own - r[k], alpha * M[k, k] * qdot[k]
            total += (own * own + applied * applied + moving * moving) / M[k, k]
    return np.sqrt(total)


@kernel
def noise(alpha, q, qdot, M, K):
    """What rounding of alpha M qdot and of K q leaves in a residual; angles and lengths count as 1 at least."""
    total = 0.0
    for k in range(q.shape[0]):
        sum_k = alpha * M[k, k] * abs(qdot[k])
        for j in range(q.shape[0]):
            sum_k += abs(K[k, j]) * max(abs(q[j]), 1.0)
        total += sum_k * sum_k / M[k, k]
    return ROUNDING * np.sqrt(total)


@kernel
def form_matrix(alpha, M, D, K, H):
    """H = alpha M + D + K/alpha."""
    for i in range(H.shape[0]):
        for j in range(H.shape[0]):
            H[i, j] = alpha * M[i, j] + D[i, j] + K[i, j] / alpha


@kernel(inline=False)
def solve_stage(t, alpha, q_hat, v_hat, q, qdot, qddot, memory, run):
    """From the guess qdot to the solution, with its q and qddot: OK or FAILED."""
    system, forces, control, scratch, (linear, M, D, K, H, order), _ = run
    r, change, start = scratch[0], scratch[1], scratch[2]
    n = q.shape[0]
    follow(alpha, qdot, q_hat, v_hat, q, qddot)
    fill_residual(t, q, qdot, qddot, control[0], system, forces, r)
    scale = rounding = error = 0.0
    stale, memory[RESIDUAL] = True, np.inf
    for iteration in range(MOST_ITERATIONS):
        fresh = stale
        if stale:
            fill_linear(t, q, qdot, qddot, system, forces, linear, M, D, K)
            form_matrix(alpha, M, D, K, H)
            rounding = noise(alpha, q, qdot, M, K)
            memory[MATRICES] += 1.0
            if not lu.factorise(H, order):
                return FAILED
            if iteration == 0:
                scale = balance(alpha, qdot, r, system, M)
            error = size_of(r, M)
        memory[RESIDUAL] = error / max(scale, 1e-300)
        if error <= TOLERANCE * scale:
            return OK
        if not error < np.inf:
            return FAILED
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
            fill_residual(t, q, qdot, qddot, control[0], system, forces, r)
            error = size_of(r, M)
            if error < before:
                break
            fraction *= 0.5
        stale = not error < FAST * before
        if not error < before:  # no better: back, and on with a matrix of this place, unless it was one
            for k in range(n):
                qdot[k] = start[k]
            follow(alpha, qdot, q_hat, v_hat, q, qddot)
            fill_residual(t, q, qdot, qddot, control[0], system, forces, r)
            error = before
            if fresh:
                break
    return OK if error <= STALLED * scale else FAILED
