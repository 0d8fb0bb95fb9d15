"""Linear systems over free nodes, rows of constraints and joints together, by GMRES.

    [ H  C ] [nodes        ]
    [ B  A ] [rows, joints ]

H is sparse, A dense and small. The system is preconditioned by its own block elimination,

    [ 1         0 ]^-1 [ S  C            ]^-1
    [ B S^-1    1 ]    [ 0  A - B S^-1 C ]

with factors S of H, which takes a solve with S for each joint; S^-1 C is kept. So the joints' large motions with all
the flesh that hangs on them, which no local preconditioner sees, are found as well as S finds those of the flesh. S is
complete where little fills in, as in meshes of a few hundred nodes and slender ones, and then one or two iterations do;
else it is incomplete. It is read once an iteration, which is most of what that costs: from front to back, in single
precision.

Vectors have free nodes in the kernels' order, then the rows, then the joints. Residuals are measured in the metric of
the mass matrix's diagonal, so that N and N m compare. Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986).
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms import lu
from ..model import Model
from .blocks import Factors, factorise, factors_of, multiply, substitute
from .pattern import FactorPattern

RESTART, MOST = 60, 600  # vectors that are kept; iterations
FILL = 2.2  # how many times the blocks of H its factors may have; more of them cost more than they save
CYCLE = 1e-4  # part of a residual that one basis in single precision leaves; more takes another
SLOW = 0.95  # part of a residual that one basis leaves at least where more of them are in vain
LEAST_SHIFT, MOST_SHIFT, MORE = 0.01, 0.3, 3.0  # of diagonals, relative, where incomplete factors fail; how it grows
KEPT = 4
# alpha of the matrix (0: there is none); is qddot known; iterations so far; shift of the last factors
KEPT_ALPHA, KNOWN, LINEAR_ITERATIONS, SHIFT = range(KEPT)


class SoftSolver(Bundle):
    """Scratch of the linear systems of implicit steps."""

    A = fields.plain(np.float64, 2)  # over rows and joints
    factors = fields.plain(np.float64, 2)  # of A - B S^-1 C
    order = fields.plain(np.int64, 2)
    flesh = Factors  # S = L U
    W = fields.plain(np.float64, 2)  # S^-1 C, a row for each joint
    dense = fields.plain(np.float64)  # scratch (rows and joints,)
    scales = fields.plain(np.float64)  # of residuals
    basis = fields.plain(np.float32, 2)
    upper = fields.plain(np.float64, 2)  # Hessenberg's matrix, turned triangular
    turns = fields.plain(np.float64, 2)  # cosines, sines, what is left
    rhs = fields.plain(np.float64)
    x = fields.plain(np.float64)
    z = fields.plain(np.float64)
    w = fields.plain(np.float64)
    kept = fields.plain(np.float64)  # see KEPT_ALPHA and those below
    qddot = fields.plain(np.float64)  # of the stage solved last (ndof,)


def soft_solver(model: Model) -> SoftSolver:
    """Scratch of the linear systems of a model with soft bodies."""
    if model.soft is None:
        return SoftSolver.empty(np.float64)
    free, dense = model.soft.free, len(model.constraints) + model.joint_dofs
    n, pattern = 3 * free + dense, FactorPattern.of(model.soft.pattern, free, FILL)
    return SoftSolver(
        np.float64,
        A=np.zeros((dense, dense)),
        factors=np.zeros((dense, dense)),
        order=np.zeros((2, dense), np.int64),
        flesh=factors_of(pattern),
        W=np.zeros((model.joint_dofs, 3 * free)),
        dense=np.zeros(dense),
        scales=np.ones(n),
        basis=np.zeros((min(RESTART, n) + 1, n), np.float32),
        upper=np.zeros((min(RESTART, n) + 1, min(RESTART, n))),
        turns=np.zeros((3, min(RESTART, n) + 1)),
        **{key: np.zeros(n) for key in ("rhs", "x", "z", "w")},
        kept=np.zeros(KEPT),
        qddot=np.zeros(model.ndof),
    )


@kernel
def pulled(j, linear, x):
    """Entry of joint j of B times a vector of nodes."""
    total = 0.0
    for c in range(linear.coupled.shape[0]):
        for a in range(3):
            total += linear.B[j, 3 * c + a] * x[3 * linear.coupled[c] + a]
    return total


@kernel
def factorise_soundly(soft, linear, solver):
    """Factors S of H or, if incomplete ones have a pivot that is not positive, of H with more on its diagonal.

    Flesh that hardly changes its volume has such pivots, and factors with them are worse than none (Manteuffel, Math.
    Comp. 34, 1980). The next search for enough begins a little below what was enough this time.
    """
    free, factors, shift = soft.dofs.shape[0], solver.flesh, solver.kept[SHIFT] / MORE
    shift = shift if shift >= LEAST_SHIFT else 0.0
    while not factorise(free, soft.starts, soft.columns, linear.H, shift, factors):
        if factors.complete != 0 or shift >= MOST_SHIFT:
            break
        shift = max(LEAST_SHIFT, MORE * shift)
    solver.kept[SHIFT] = shift


@kernel(inline=False)
def prepare_solve(rows, soft, linear, solver):
    """Factors S of H, S^-1 C, and factors of A - B S^-1 C; False if the latter is singular or not finite."""
    free, joints, C = soft.dofs.shape[0], soft.first, linear.C
    factorise_soundly(soft, linear, solver)
    size = rows + joints
    for i in range(size):
        for j in range(size):
            solver.factors[i, j] = solver.A[i, j]
    for k in range(joints):
        z, moves = solver.W[k], False
        for i in range(3 * free):
            z[i] = 0.0
        for c in range(linear.coupled.shape[0]):
            for a in range(3):
                z[3 * linear.coupled[c] + a] = C[3 * c + a, k]
                moves = moves or C[3 * c + a, k] != 0.0
        if not moves:
            continue
        substitute(free, solver.flesh, z)
        for j in range(joints):
            solver.factors[rows + j, rows + k] -= pulled(j, linear, z)
    return lu.factorise(solver.factors[:size, :size], rows, solver.order)


@kernel(inline=False)
def apply_matrix(rows, soft, linear, solver, x, y):
    """y = the whole matrix times x."""
    free, joints, C, B = soft.dofs.shape[0], soft.first, linear.C, linear.B
    n, size = 3 * free, rows + soft.first
    multiply(free, soft.starts, soft.columns, linear.H, x, y)
    for i in range(size):
        total = 0.0
        for j in range(size):
            total += solver.A[i, j] * x[n + j]
        y[n + i] = total
    at = n + rows
    for c in range(linear.coupled.shape[0]):
        for a in range(3):
            i, total = 3 * linear.coupled[c] + a, 0.0
            for k in range(joints):
                total += C[3 * c + a, k] * x[at + k]
                y[at + k] += B[k, 3 * c + a] * x[i]
            y[i] += total


@kernel(inline=False)
def precondition(rows, soft, linear, solver, x, y):
    """y = about the inverse of the whole matrix times x, which is another vector."""
    joints, n, size = soft.first, 3 * soft.dofs.shape[0], rows + soft.first
    for i in range(n):
        y[i] = x[i]
    substitute(soft.dofs.shape[0], solver.flesh, y)
    if size == 0:
        return
    d, at = solver.dense, n + rows
    for i in range(size):
        d[i] = x[n + i]
    for j in range(joints):
        d[rows + j] -= pulled(j, linear, y)
    lu.solve(solver.factors[:size, :size], solver.order, d[:size], y[n : n + size])
    for k in range(joints):
        moves, z = y[at + k], solver.W[k]
        for i in range(n):
            y[i] -= moves * z[i]


@kernel
def long_dot(x, y):
    """x . y, in four sums that do not wait for each other."""
    a = b = c = d = 0.0
    n = x.shape[0] - x.shape[0] % 4
    for k in range(0, n, 4):
        a += x[k] * y[k]
        b += x[k + 1] * y[k + 1]
        c += x[k + 2] * y[k + 2]
        d += x[k + 3] * y[k + 3]
    for k in range(n, x.shape[0]):
        a += x[k] * y[k]
    return (a + b) + (c + d)


@kernel
def length(x):
    """|x|."""
    return np.sqrt(long_dot(x, x))


@kernel(inline=False)
def extend(j, rows, soft, linear, solver):
    """The next vector of the basis, and column j of the triangular matrix; returns what is left of the residual."""
    V, R, turns, scales, w = solver.basis, solver.upper, solver.turns, solver.scales, solver.w
    for k in range(w.shape[0]):
        w[k] = V[j, k] / scales[k]
    precondition(rows, soft, linear, solver, w, solver.z)
    apply_matrix(rows, soft, linear, solver, solver.z, w)
    for k in range(w.shape[0]):
        w[k] *= scales[k]
    for i in range(j + 1):
        own, total = V[i], long_dot(V[i], w)
        R[i, j] = total
        for k in range(w.shape[0]):
            w[k] -= total * own[k]
    size = length(w)
    for k in range(w.shape[0]):
        V[j + 1, k] = w[k] / size if size > 0.0 else 0.0
    for i in range(j):
        a, b = R[i, j], R[i + 1, j]
        R[i, j], R[i + 1, j] = turns[0, i] * a + turns[1, i] * b, turns[0, i] * b - turns[1, i] * a
    hypotenuse = np.sqrt(R[j, j] * R[j, j] + size * size)
    if hypotenuse > 0.0:
        turns[0, j], turns[1, j] = R[j, j] / hypotenuse, size / hypotenuse
    R[j, j] = hypotenuse
    turns[2, j + 1] = -turns[1, j] * turns[2, j]
    turns[2, j] = turns[0, j] * turns[2, j]
    return abs(turns[2, j + 1])


@kernel(unit=True)
def solve_whole(rows, tolerance, soft, linear, solver):
    """Solve for x of the right-hand side `rhs` until the residual is `tolerance` of that; what is left of it, relative.

    Needs: `prepare_solve`.
    """
    V, R, turns, n = solver.basis, solver.upper, solver.turns, 3 * soft.dofs.shape[0] + rows + soft.first
    x, w = solver.x, solver.w
    for k in range(n):
        x[k] = 0.0
        w[k] = solver.rhs[k] * solver.scales[k]
    start = length(w[:n])
    left, before, count = start, np.inf, 0
    while left > tolerance * start and count < MOST and left < SLOW * before:
        for k in range(n):
            V[0, k] = w[k] / left
        turns[2, 0] = before = left
        size, enough = 0, max(tolerance * start, CYCLE * left)
        while size < R.shape[1] and left > enough:
            left = extend(size, rows, soft, linear, solver)
            size += 1
        count += size
        for i in range(size - 1, -1, -1):
            for j in range(i + 1, size):
                turns[2, i] -= R[i, j] * turns[2, j]
            turns[2, i] = turns[2, i] / R[i, i] if R[i, i] > 0.0 else 0.0
        for k in range(n):
            w[k] = 0.0
        for i in range(size):
            for k in range(n):
                w[k] += turns[2, i] * V[i, k]
        for k in range(n):
            w[k] /= solver.scales[k]
        precondition(rows, soft, linear, solver, w, solver.z)
        for k in range(n):
            x[k] += solver.z[k]
        if left > tolerance * start:
            apply_matrix(rows, soft, linear, solver, x, w)
            for k in range(n):
                w[k] = (solver.rhs[k] - w[k]) * solver.scales[k]
            left = length(w[:n])
    solver.kept[LINEAR_ITERATIONS] += count
    return left / start if start > 0.0 else 0.0
