"""One implicit stage under equality rows: rates and multipliers together.

    r(t, q, qdot, qddot) - G^T lam = 0,   G qdot + rate = 0        with q and qddot as in newton.py

    [  e    G                                        ] [dlam ]     [ G qdot + rate ]
    [ -G^T  alpha M + D + (K - d(G^T lam)/dq)/alpha  ] [dqdot] = - [ r - G^T lam   ]

The rows hold at the level of velocities; positions are projected after the step. How the rows' own directions change
within a step, in both blocks, is left out of the matrix: Newton's method pays with a few more iterations. The small e
lets rows depend on each other.
"""

import numpy as np
from numba.core import types

from .._jit import kernel
from ..algorithms import lu
from ..constraints.solve import choose_rows
from ..dynamics.constrained import place_all_rows, pull_row
from ..dynamics.equations import fill_linear, fill_residual
from ..model.elements import VELOCITY
from .balance import STALLED, TOLERANCE, balance, follow, noise, size_of
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL

MOST_ITERATIONS = 60
FAST = 0.1  # the matrix is kept while an iteration leaves less than this of the error
SOFT = 1e-13  # e, of G (alpha M)^-1 G^T


@kernel
def fill_defect(t, q, qdot, qddot, count, run):
    """The rows' speeds, then the residual less the rows' forces; G into the solver's B."""
    system, speeds = run.system, run.matrices.defect[:count]
    constraints, solver = system.constraints, system.constraints.solver
    G, n = solver.B, q.shape[0]
    r = run.matrices.defect[count : count + n]
    fill_residual(t, q, qdot, qddot, run.tau, system.no_wrenches, system, r)
    place_all_rows(t, q, qdot, system)
    G[:, :] = 0.0
    for i in range(count):
        row = constraints.rows[solver.chosen[i]]
        pull_row(row, 1.0, system, G[i])
        speeds[i] = row.speed
        for k in range(n):
            r[k] -= G[i, k] * solver.lam[i]


@kernel
def worst_speed(alpha, scale, qdot, M, G, speeds):
    """Largest speed of a row, relative to what the rates, or what is in balance, make of it."""
    n, worst = qdot.shape[0], 0.0
    for i in range(speeds.shape[0]):
        size = abs(speeds[i])
        for k in range(n):
            size += abs(G[i, k]) * (abs(qdot[k]) + scale / (alpha * np.sqrt(M[k, k])))
        worst = max(worst, abs(speeds[i]) / max(size, 1e-300))
    return worst


@kernel
def form_saddle(alpha, count, M, D, K, G, A):
    """The matrix above."""
    n = M.shape[0]
    for i in range(n):
        for j in range(n):
            A[count + i, count + j] = alpha * M[i, j] + D[i, j] + K[i, j] / alpha
    largest = 0.0
    for r in range(count):
        size = 0.0
        for k in range(n):
            A[r, count + k] = G[r, k]
            A[count + k, r] = -G[r, k]
            size += G[r, k] * G[r, k] / (alpha * M[k, k])
        largest = max(largest, size)
    for r in range(count):
        for s in range(count):
            A[r, s] = SOFT * largest if r == s else 0.0


@kernel(on_demand=types.int64)
def solve_stage_bound(t, alpha, q_hat, v_hat, q, qdot, qddot, run):
    """From the guess qdot to the solution, with its q and qddot: OK or FAILED."""
    system, matrices, memory, solver = run.system, run.matrices, run.memory, run.system.constraints.solver
    M, D, K, A, order, G = matrices.M, matrices.D, matrices.K, matrices.H, matrices.order, solver.B
    defect, change, n = matrices.defect, matrices.change, q.shape[0]
    count = choose_rows(system.constraints.levels, system.constraints.unilateral, VELOCITY, solver.chosen)
    whole = n + count
    speeds, r = defect[:count], defect[count:whole]
    scale = rounding = 0.0
    stale, before = True, np.inf
    for iteration in range(MOST_ITERATIONS + 1):
        follow(alpha, qdot, q_hat, v_hat, q, qddot)
        fill_defect(t, q, qdot, qddot, count, run)
        if stale:
            fill_linear(t, q, qdot, qddot, system, matrices.linear, M, D, K)
            form_saddle(alpha, count, M, D, K, G, A)
            rounding = noise(alpha, q, qdot, M, K)
            memory[MATRICES] += 1.0
            if not lu.factorise(A[:whole, :whole], count, order):
                return FAILED
            if iteration == 0:
                scale = balance(alpha, qdot, r, system, M)
        force, speed = size_of(r, M), worst_speed(alpha, scale, qdot, M, G, speeds)
        error = max(force / max(scale, 1e-300), speed)
        memory[RESIDUAL] = error
        if not error < np.inf:
            return FAILED
        if force <= max(TOLERANCE * scale, rounding) and speed <= TOLERANCE:
            return OK
        if iteration == MOST_ITERATIONS:  # q, qdot and qddot belong together here
            break
        memory[ITERATIONS] += 1.0
        lu.solve(A[:whole, :whole], order, defect[:whole], change[:whole])
        for k in range(n):
            qdot[k] -= change[count + k]
        for i in range(count):
            solver.lam[i] -= change[i]
        stale = not error < FAST * before
        before = error
    return OK if memory[RESIDUAL] <= STALLED else FAILED
