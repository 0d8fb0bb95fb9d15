"""Small dense systems that are not symmetric, inside kernels: P A = L U with partial pivoting, in place."""

from .._jit import kernel


@kernel
def factorise(A, order):
    """Overwrite A by L (unit diagonal) and U, and `order` by the rows' order; False if A is singular or not finite."""
    n = A.shape[0]
    for k in range(n):
        order[k] = k
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if not abs(A[best, k]) > 0.0:
            return False
        if best != k:
            order[k], order[best] = order[best], order[k]
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return True


@kernel
def solve(A, order, b, x):
    """x = A^-1 b, from the factors and the order that `factorise` left."""
    n = b.shape[0]
    for i in range(n):
        total = b[order[i]]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]


@kernel
def solve_transposed(A, order, b, x):
    """x = A^-T b, likewise; b is used up."""
    n = b.shape[0]
    for i in range(n):
        b[i] /= A[i, i]
        for k in range(i + 1, n):
            b[k] -= A[i, k] * b[i]
    for i in range(n - 1, -1, -1):
        for k in range(i):
            b[k] -= A[i, k] * b[i]
    for i in range(n):
        x[order[i]] = b[i]
