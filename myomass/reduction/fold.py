"""Products with J = dq/dQ and its derivatives, which are as sparse as coordinates have leaders.

Row i of J has entries in `columns[starts[i]:starts[i + 1]]` only: one for a coordinate that stays.
"""

from .._jit import kernel


@kernel
def fold(reduction, r, out):
    """out = J^T r."""
    J, starts, columns = reduction.J, reduction.starts, reduction.columns
    for k in range(out.shape[0]):
        out[k] = 0.0
    for i in range(r.shape[0]):
        for s in range(starts[i], starts[i + 1]):
            out[columns[s]] += J[i, columns[s]] * r[i]


@kernel
def spread_rates(reduction, x, out):
    """out = J x."""
    J, starts, columns = reduction.J, reduction.starts, reduction.columns
    for i in range(out.shape[0]):
        out[i] = 0.0
        for s in range(starts[i], starts[i + 1]):
            out[i] += J[i, columns[s]] * x[columns[s]]


@kernel
def multiply(A, B, reduction, out):
    """out = A B, with B as sparse as J. (n, N)"""
    starts, columns = reduction.starts, reduction.columns
    for i in range(A.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        for j in range(A.shape[1]):
            for s in range(starts[j], starts[j + 1]):
                out[i, columns[s]] += A[i, j] * B[j, columns[s]]


@kernel
def fold_rows(reduction, W, out):
    """out = J^T W. (N, N) from (n, N)"""
    J, starts, columns = reduction.J, reduction.starts, reduction.columns
    for k in range(out.shape[0]):
        for m in range(out.shape[1]):
            out[k, m] = 0.0
    for i in range(J.shape[0]):
        for s in range(starts[i], starts[i + 1]):
            k = columns[s]
            for m in range(out.shape[1]):
                out[k, m] += J[i, k] * W[i, m]


@kernel(inline=False)
def fold_matrix(A, reduction, out):
    """out = J^T A J. (N, N) from (n, n)"""
    multiply(A, reduction.J, reduction, reduction.W)
    fold_rows(reduction, reduction.W, out)


@kernel
def apply_matrix(A, x, out):
    """out = A x."""
    for i in range(out.shape[0]):
        out[i] = 0.0
        for j in range(x.shape[0]):
            out[i] += A[i, j] * x[j]
