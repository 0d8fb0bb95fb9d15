"""One implicit stage, and the Newton solver that all implicit integrators share.

Every one of them asks for the q at which the equations of motion hold with

    qdot = alpha (q - q_hat),   qddot = alpha (qdot - v_hat)

so r(t, q, qdot, qddot) = 0 with the exact matrix H = alpha^2 M + alpha D + K. H is kept while residuals shrink fast,
and taken anew where they do not; a step that does not reduce the residual is halved.

Residuals are measured in the metric of the mass matrix's diagonal, |r|^2 = sum r_k^2/M_kk, so that N and N m compare.
A stage is solved when |r| <= TOLERANCE times the size of what is in balance: the forces of inertia, motion and gravity
together, the applied forces, and the momentum over the step, alpha M qdot. Where rounding forbids that, STALLED is good
enough, or NOISE with a last Newton step that is SMALL beside the way moved; otherwise the stage has failed.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import lu
from ..dynamics import fill_linear, fill_residual
from ..forces.stiffness import linear_scratch
from ..model import Model
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL

TOLERANCE, STALLED, NOISE, SMALL = 1e-12, 1e-8, 1e-5, 1e-6
MOST_ITERATIONS, MOST_HALVINGS = 60, 20
FAST = 0.05  # H is kept while a step leaves less than this of the residual
EPSILON = 2.220446049250313e-16


def implicit_scratch(model: Model) -> tuple:
    """(linear, M, D, K, H, order): scratch of derivatives, and the matrices."""
    n = model.ndof
    return linear_scratch(model), *np.zeros((4, n, n)), np.zeros(n, np.int64)


@kernel
def rates(alpha, q, q_hat, v_hat, qdot, qddot):
    """qdot and qddot that belong to q in this stage."""
    for k in range(q.shape[0]):
        qdot[k] = alpha * (q[k] - q_hat[k])
        qddot[k] = alpha * (qdot[k] - v_hat[k])


@kernel
def size_of(r, M):
    """|r| in the metric of M's diagonal."""
    total = 0.0
    for k in range(r.shape[0]):
        total += r[k] * r[k] / M[k, k]
    return np.sqrt(total)


@kernel
def balance(alpha, q, qdot, r, applied, M):
    """(size of what is in balance, rounding of alpha^2 M q) at the first guess."""
    forces = rounding = 0.0
    for k in range(r.shape[0]):
        own, moving = r[k] + applied[k], alpha * M[k, k] * qdot[k]
        forces += (own * own + applied[k] * applied[k] + moving * moving) / M[k, k]
        shift = 8.0 * EPSILON * alpha * alpha * q[k]
        rounding += M[k, k] * shift * shift
    return np.sqrt(forces), np.sqrt(rounding)


@kernel
def is_small(dq, q, q_hat, M):
    """Is the Newton step dq nothing beside the way that the stage has moved?"""
    step = moved = 0.0
    for k in range(q.shape[0]):
        step += M[k, k] * dq[k] * dq[k]
        moved += M[k, k] * (q[k] - q_hat[k]) ** 2
    return step <= SMALL * SMALL * moved


@kernel
def form_matrix(alpha, M, D, K, H):
    """H = alpha^2 M + alpha D + K."""
    for i in range(H.shape[0]):
        for j in range(H.shape[0]):
            H[i, j] = alpha * (alpha * M[i, j] + D[i, j]) + K[i, j]


@kernel(inline=False)
def solve_stage(t, alpha, q_hat, v_hat, q, qdot, qddot, memory, run):
    """From the guess q to the solution with its rates: OK or FAILED."""
    system, loads, control, scratch, (linear, M, D, K, H, order) = run
    r, dq, start = scratch[0], scratch[1], scratch[2]
    n = q.shape[0]
    rates(alpha, q, q_hat, v_hat, qdot, qddot)
    fill_residual(t, q, qdot, qddot, control[0], system, loads, r)
    scale = rounding = error = 0.0
    stale, memory[RESIDUAL] = True, np.inf
    for iteration in range(MOST_ITERATIONS):
        fresh = stale
        if stale:
            fill_linear(t, q, qdot, qddot, system, loads, linear, M, D, K)
            form_matrix(alpha, M, D, K, H)
            memory[MATRICES] += 1.0
            if not lu.factorise(H, order):
                return FAILED
            if iteration == 0:
                scale, rounding = balance(alpha, q, qdot, r, loads[5], M)
            error = size_of(r, M)
        memory[RESIDUAL] = error / max(scale, 1e-300)
        if error <= TOLERANCE * scale + rounding:
            return OK
        if not error < np.inf:
            return FAILED
        memory[ITERATIONS] += 1.0
        lu.solve(H, order, r, dq)
        for k in range(n):
            start[k] = q[k]
        fraction, before = 1.0, error
        for _ in range(MOST_HALVINGS if fresh else 1):
            for k in range(n):
                q[k] = start[k] - fraction * dq[k]
            rates(alpha, q, q_hat, v_hat, qdot, qddot)
            fill_residual(t, q, qdot, qddot, control[0], system, loads, r)
            error = size_of(r, M)
            if error < before:
                break
            fraction *= 0.5
        stale = not error < FAST * before
        if not error < before:  # no better: back, and on with a matrix of this place, unless it was one
            for k in range(n):
                q[k] = start[k]
            rates(alpha, q, q_hat, v_hat, qdot, qddot)
            fill_residual(t, q, qdot, qddot, control[0], system, loads, r)
            error = before
            if fresh:
                break
    if error <= NOISE * scale and is_small(dq, q, q_hat, M):
        # rounding of stiff forces hides what the step still does for soft ones: take it
        for k in range(n):
            q[k] = start[k] - dq[k]
        rates(alpha, q, q_hat, v_hat, qdot, qddot)
        return OK
    return OK if error <= STALLED * scale else FAILED
