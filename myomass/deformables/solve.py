"""Linear systems over free nodes, rows of constraints and joints together, by GMRES.

    [ H  C ] [nodes        ]
    [ B  A ] [rows, joints ]

H is sparse, A dense and small. The system is preconditioned by the upper half of its own block elimination,

    [ S  C            ]
    [ 0  A - B S^-1 C ]

with incomplete factors S of H, which takes a solve with S for each joint. So the joints' large motions with all the
flesh that hangs on them, which no local preconditioner sees, are found as well as S finds those of the flesh. S is kept
in single precision: it is read from memory once an iteration, and that is what an iteration costs.

Vectors have free nodes in the kernels' order, then the rows, then the joints. Residuals are measured in the metric of
the mass matrix's diagonal, so that N and N m compare. Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986).
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms import lu
from ..model import Model
from .blocks import factorise, multiply, substitute

RESTART, MOST = 60, 600  # vectors that are kept; iterations
KEPT = 3
KEPT_ALPHA, KNOWN, LINEAR_ITERATIONS = range(KEPT)  # of the matrix (0: none); is qddot known; iterations so far


class SoftSolver(Bundle):
    """Scratch of the linear systems of implicit steps."""

    A = fields.plain(np.float64, 2)  # over rows and joints
    factors = fields.plain(np.float64, 2)  # of A - B S^-1 C
    order = fields.plain(np.int64, 2)
    L = fields.plain(np.float32)  # S = L U
    inverse = fields.plain(np.float64)  # of U's diagonal blocks
    place = fields.plain(np.int64)  # scratch (free,)
    scales = fields.plain(np.float64)  # of residuals
    basis = fields.plain(np.float64, 2)
    upper = fields.plain(np.float64, 2)  # Hessenberg's matrix, turned triangular
    turns = fields.plain(np.float64, 2)  # cosines, sines, what is left
    rhs = fields.plain(np.float64)
    x = fields.plain(np.float64)
    z = fields.plain(np.float64)
    kept = fields.plain(np.float64)  # see KEPT_ALPHA and those below
    qddot = fields.plain(np.float64)  # of the stage solved last (ndof,)


def soft_solver(model: Model) -> SoftSolver:
    """Scratch of the linear systems of a model with soft bodies."""
    if model.soft is None:
        return SoftSolver.empty(np.float64)
    free, dense = model.soft.free, len(model.constraints) + model.joint_dofs
    n, blocks = 3 * free + dense, len(model.soft.pattern.columns)
    return SoftSolver(
        np.float64,
        A=np.zeros((dense, dense)),
        factors=np.zeros((dense, dense)),
        order=np.zeros((2, dense), np.int64),
        L=np.zeros(9 * blocks, np.float32),
        inverse=np.zeros(9 * free),
        place=np.zeros(free, np.int64),
        scales=np.ones(n),
        basis=np.zeros((min(RESTART, n) + 1, n)),
        upper=np.zeros((min(RESTART, n) + 1, min(RESTART, n))),
        turns=np.zeros((3, min(RESTART, n) + 1)),
        **{key: np.zeros(n) for key in ("rhs", "x", "z")},
        kept=np.zeros(KEPT),
        qddot=np.zeros(model.ndof),
    )


@kernel(inline=False)
def prepare_solve(rows, soft, linear, solver):
    """Incomplete factors of H, and those of A - B S^-1 C; False if the latter is singular or not finite."""
    free, joints, z, C, B = soft.dofs.shape[0], soft.first, solver.z, linear.C, linear.B
    factorise(free, soft.starts, soft.columns, soft.diagonal, linear.H, solver.L, solver.inverse, solver.place)
    size = rows + joints
    for i in range(size):
        for j in range(size):
            solver.factors[i, j] = solver.A[i, j]
    for k in range(joints):
        moves = False
        for c in range(C.shape[0]):
            moves = moves or C[c, k] != 0.0
        if not moves:
            continue
        for i in range(3 * free):
            z[i] = 0.0
        for c in range(linear.coupled.shape[0]):
            for a in range(3):
                z[3 * linear.coupled[c] + a] = C[3 * c + a, k]
        substitute(free, soft.starts, soft.columns, soft.diagonal, solver.L, solver.inverse, z)
        for j in range(joints):
            total = 0.0
            for c in range(linear.coupled.shape[0]):
                for a in range(3):
                    total += B[j, 3 * c + a] * z[3 * linear.coupled[c] + a]
            solver.factors[rows + j, rows + k] -= total
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
    free, joints, C, n, size = soft.dofs.shape[0], soft.first, linear.C, 3 * soft.dofs.shape[0], rows + soft.first
    for i in range(n):
        y[i] = x[i]
    if size > 0:
        at = n + rows
        lu.solve(solver.factors[:size, :size], solver.order, x[n : n + size], y[n : n + size])
        for c in range(linear.coupled.shape[0]):
            for a in range(3):
                for k in range(joints):
                    y[3 * linear.coupled[c] + a] -= C[3 * c + a, k] * y[at + k]
    substitute(free, soft.starts, soft.columns, soft.diagonal, solver.L, solver.inverse, y)


@kernel
def length(x):
    """|x|."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * x[k]
    return np.sqrt(total)


@kernel(inline=False)
def extend(j, rows, soft, linear, solver):
    """The next vector of the basis, and column j of the triangular matrix; returns what is left of the residual."""
    V, R, turns, scales = solver.basis, solver.upper, solver.turns, solver.scales
    precondition(rows, soft, linear, solver, V[j], solver.z)
    w = V[j + 1]
    apply_matrix(rows, soft, linear, solver, solver.z, w)
    for k in range(w.shape[0]):
        w[k] *= scales[k]
    for i in range(j + 1):
        own, total = V[i], 0.0
        for k in range(w.shape[0]):
            total += own[k] * w[k]
        R[i, j] = total
        for k in range(w.shape[0]):
            w[k] -= total * own[k]
    size = length(w)
    if size > 0.0:
        for k in range(w.shape[0]):
            w[k] /= size
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
    V, R, turns, x, n = solver.basis, solver.upper, solver.turns, solver.x, 3 * soft.dofs.shape[0] + rows + soft.first
    for k in range(n):
        x[k] = 0.0
        V[0, k] = solver.rhs[k] * solver.scales[k]
    start = length(V[0, :n])
    left, count = start, 0
    while left > tolerance * start and count < MOST and left < np.inf:
        for k in range(n):
            V[0, k] /= left
        turns[2, 0] = left
        size = 0
        while size < R.shape[1] and left > tolerance * start:
            left = extend(size, rows, soft, linear, solver)
            size += 1
        count += size
        for i in range(size - 1, -1, -1):
            for j in range(i + 1, size):
                turns[2, i] -= R[i, j] * turns[2, j]
            turns[2, i] = turns[2, i] / R[i, i] if R[i, i] > 0.0 else 0.0
        for k in range(n):
            V[size, k] = 0.0
            for i in range(size):
                V[size, k] += turns[2, i] * V[i, k]
        precondition(rows, soft, linear, solver, V[size], solver.z)
        for k in range(n):
            x[k] += solver.z[k]
        if left > tolerance * start:
            apply_matrix(rows, soft, linear, solver, x, V[0])
            for k in range(n):
                V[0, k] = (solver.rhs[k] - V[0, k]) * solver.scales[k]
            left = length(V[0, :n])
    solver.kept[LINEAR_ITERATIONS] += count
    return left / start if start > 0.0 else 0.0
