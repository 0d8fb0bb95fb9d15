"""Linear systems over free nodes, rows of constraints and joints together, by GMRES.

    [ H  C ] [nodes        ]
    [ B  A ] [rows, joints ]

H is sparse, A dense and small. The system is preconditioned by the upper half of its own block elimination,

    [ S  C            ]
    [ 0  A - B S^-1 C ]

with incomplete factors S of H, which takes a solve with S for each joint. So the joints' large motions with all the
flesh that hangs on them, which no local preconditioner sees, are found as well as S finds those of the flesh. S is read
once an iteration, which is most of what that costs: from front to back, in single precision.

Vectors have free nodes in the kernels' order, then the rows, then the joints. Residuals are measured in the metric of
the mass matrix's diagonal, so that N and N m compare. Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986).
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms import lu
from ..model import Model
from .blocks import factorise, line_up, multiply, substitute
from .packed import SoftBodies

RESTART, MOST = 60, 600  # vectors that are kept; iterations
CYCLE = 1e-4  # part of a residual that one basis in single precision leaves; more takes another
KEPT = 3
KEPT_ALPHA, KNOWN, LINEAR_ITERATIONS = range(KEPT)  # of the matrix (0: none); is qddot known; iterations so far


class SoftSolver(Bundle):
    """Scratch of the linear systems of implicit steps."""

    A = fields.plain(np.float64, 2)  # over rows and joints
    factors = fields.plain(np.float64, 2)  # of A - B S^-1 C
    order = fields.plain(np.int64, 2)
    L = fields.plain(np.float64)  # S = L U
    inverse = fields.plain(np.float64)  # of U's diagonal blocks
    counts = fields.plain(np.int32)  # of blocks in each row of L, downwards, and of U, upwards
    columns = fields.plain(np.int32)  # nodes of these blocks; after each row of U that of the inverse
    lined = fields.plain(np.float32)  # the same factors in this order
    place = fields.plain(np.int64)  # scratch (free,)
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
    n, blocks = 3 * free + dense, len(model.soft.pattern.columns)
    return SoftSolver(
        np.float64,
        A=np.zeros((dense, dense)),
        factors=np.zeros((dense, dense)),
        order=np.zeros((2, dense), np.int64),
        L=np.zeros(9 * blocks),
        **_lined_up(model.soft),
        inverse=np.zeros(9 * free),
        place=np.zeros(free, np.int64),
        scales=np.ones(n),
        basis=np.zeros((min(RESTART, n) + 1, n), np.float32),
        upper=np.zeros((min(RESTART, n) + 1, min(RESTART, n))),
        turns=np.zeros((3, min(RESTART, n) + 1)),
        **{key: np.zeros(n) for key in ("rhs", "x", "z", "w")},
        kept=np.zeros(KEPT),
        qddot=np.zeros(model.ndof),
    )


def _lined_up(soft: SoftBodies) -> dict[str, np.ndarray]:
    """The order in which blocks of the factors are read, and room for them."""
    free, pattern = soft.free, soft.pattern
    row = np.repeat(np.arange(len(soft.links)), np.diff(pattern.starts))
    among = (row < free) & (pattern.columns < free)
    row, column = row[among], pattern.columns[among]
    lower = column < row
    downwards, upwards = column[lower], np.where(column == row, free, column)[~lower]
    order = np.lexsort((upwards, -row[~lower]))  # the diagonal last
    counts = [np.bincount(row[lower], minlength=free), np.bincount(row[column > row], minlength=free)[::-1]]
    columns = np.concatenate([downwards, upwards[order]])
    return {
        "counts": np.concatenate(counts).astype(np.int32),
        "columns": columns.astype(np.int32),
        "lined": np.zeros(9 * len(columns), np.float32),
    }


@kernel(inline=False)
def prepare_solve(rows, soft, linear, solver):
    """Incomplete factors of H, and those of A - B S^-1 C; False if the latter is singular or not finite."""
    free, joints, z, C, B = soft.dofs.shape[0], soft.first, solver.z, linear.C, linear.B
    starts, columns, diagonal = soft.starts, soft.columns, soft.diagonal
    factorise(free, starts, columns, diagonal, linear.H, solver.L, solver.inverse, solver.place)
    line_up(free, starts, columns, diagonal, solver.L, solver.inverse, solver.lined)
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
        substitute(free, solver.counts, solver.columns, solver.lined, z)
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
    substitute(free, solver.counts, solver.columns, solver.lined, y)


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
    left, count = start, 0
    while left > tolerance * start and count < MOST and left < np.inf:
        for k in range(n):
            V[0, k] = w[k] / left
        turns[2, 0] = left
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
