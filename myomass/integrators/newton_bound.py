"""One implicit stage under equality rows: rates and multipliers together.

    r(t, q, qdot, qddot) - G^T lam = 0,   G qdot + rate = 0        with q and qddot as in newton.py

    [ alpha M + D + (K - d(G^T lam)/dq)/alpha    -G^T ] [dqdot]     [ r - G^T lam ]
    [ G                                           e   ] [dlam ] = - [ G qdot + rate ]

The rows hold at the level of velocities; positions are projected after the step. How the rows' own directions change
within a step, in both blocks, is left out of the matrix: Newton's method pays with a few more iterations. The small e
lets rows depend on each other.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import lu
from ..constraints.rows import add_row, evaluate_rows
from ..constraints.solve import choose_rows
from ..dynamics.kernels import fill_linear, fill_residual
from ..model.elements import VELOCITY
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL
from .newton import STALLED, TOLERANCE, balance, follow, noise, size_of

MOST_ITERATIONS = 60
FAST = 0.1  # the matrix is kept while an iteration leaves less than this of the error
SOFT = 1e-13  # e, of G (alpha M)^-1 G^T


@kernel
def fill_defect(t, alpha, q, qdot, qddot, count, run, G, defect):
    """Residual less the rows' forces, then the rows' speeds."""
    system, forces, control, _, _, bound = run
    constraints, _, _, solver, _, _ = bound
    lam, chosen = solver[4], solver[6]
    links, _, _, _, work, dofs = system
    n = q.shape[0]
    fill_residual(t, q, qdot, qddot, control[0], system, forces, defect[:n])
    evaluate_rows(t, q, qdot, system, constraints)
    G[:, :] = 0.0
    for i in range(count):
        row = constraints[5][chosen[i]]
        add_row(row, links, work, dofs, 1.0, G[i])
        defect[n + i] = row.speed
        for k in range(n):
            defect[k] -= G[i, k] * lam[i]


@kernel
def worst_speed(alpha, scale, count, qdot, M, G, defect):
    """Largest speed of a row, relative to what the rates, or what is in balance, make of it."""
    n, worst = qdot.shape[0], 0.0
    for i in range(count):
        size = abs(defect[n + i])
        for k in range(n):
            size += abs(G[i, k]) * (abs(qdot[k]) + scale / (alpha * np.sqrt(M[k, k])))
        worst = max(worst, abs(defect[n + i]) / max(size, 1e-300))
    return worst


@kernel
def form_saddle(alpha, count, M, D, K, G, A):
    """The matrix above."""
    n = M.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = alpha * M[i, j] + D[i, j] + K[i, j] / alpha
    largest = 0.0
    for r in range(count):
        size = 0.0
        for k in range(n):
            A[n + r, k] = G[r, k]
            A[k, n + r] = -G[r, k]
            size += G[r, k] * G[r, k] / (alpha * M[k, k])
        largest = max(largest, size)
    for r in range(count):
        for s in range(count):
            A[n + r, n + s] = SOFT * largest if r == s else 0.0


@kernel(inline=False)
def solve_stage_bound(t, alpha, q_hat, v_hat, q, qdot, qddot, memory, run):
    """From the guess qdot to the solution, with its q and qddot: OK or FAILED."""
    system, forces, _, _, (linear, M, D, K, A, order), bound = run
    _, levels, unilateral, (G, _, _, _, lam, _, chosen, _, _, _), _, _ = bound
    n, count = q.shape[0], choose_rows(levels, unilateral, VELOCITY, chosen)
    defect, change = linear[4], linear[5]
    scale = rounding = 0.0
    stale, before = True, np.inf
    for iteration in range(MOST_ITERATIONS):
        follow(alpha, qdot, q_hat, v_hat, q, qddot)
        fill_defect(t, alpha, q, qdot, qddot, count, run, G, defect)
        if stale:
            fill_linear(t, q, qdot, qddot, system, forces, linear, M, D, K)
            form_saddle(alpha, count, M, D, K, G, A)
            rounding = noise(alpha, q, qdot, M, K)
            memory[MATRICES] += 1.0
            if not lu.factorise(A[: n + count, : n + count], order):
                return FAILED
            if iteration == 0:
                scale = balance(alpha, qdot, defect[:n], system, M)
        force, speeds = size_of(defect[:n], M), worst_speed(alpha, scale, count, qdot, M, G, defect)
        error = force / max(scale, 1e-300)
        memory[RESIDUAL] = max(error, speeds)
        if not memory[RESIDUAL] < np.inf:
            return FAILED
        if force <= max(TOLERANCE * scale, rounding) and speeds <= TOLERANCE:
            return OK
        memory[ITERATIONS] += 1.0
        lu.solve(A[: n + count, : n + count], order, defect[: n + count], change[: n + count])
        for k in range(n):
            qdot[k] -= change[k]
        for i in range(count):
            lam[i] -= change[n + i]
        stale = not max(error, speeds) < FAST * before
        before = max(error, speeds)
    return OK if max(error, speeds) <= STALLED else FAILED
