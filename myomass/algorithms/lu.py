"""Small systems that are not symmetric, inside kernels, in place: P A = U L, from the last unknown to the first.

Degrees of freedom come before those further out, so in this order no entries appear where two branches of a tree do not
meet: their zeros stay, and are skipped. A pivot is taken from the diagonal as long as it could be one of a positive
definite matrix, as alpha M + D + K/alpha mostly is, and else it is the largest of its column.
"""

from .._jit import kernel

SKEW = 4.0  # |A_ik A_ik|/(A_ii A_kk) is at most 1 in a positive definite matrix; a bit more does no harm
FEW = 4  # so many times fewer entries than columns are worth a list


@kernel
def good_pivot(A, k, rows):
    """May A_kk be the pivot of its column? rows: so many unknowns in front have a diagonal that says nothing."""
    good = A[k, k] > 0.0
    for i in range(rows, k):
        good = good and A[i, k] * A[i, k] <= SKEW * abs(A[i, i]) * A[k, k]
    return good


@kernel
def take_largest(A, k, order):
    """Swap the row with the largest entry of column k, up to row k, into row k."""
    best = k
    for i in range(k):
        if abs(A[i, k]) > abs(A[best, k]):
            best = i
    if best != k:
        order[k], order[best] = order[best], order[k]
        for j in range(A.shape[0]):
            A[k, j], A[best, j] = A[best, j], A[k, j]


@kernel
def factorise(A, rows, order):
    """Overwrite A by U (unit diagonal) and L, and order[0] by the rows' order; False if A is singular or not finite.

    rows: how many unknowns, the first ones, are multipliers of constraints. order: (2, n), its second row is room.
    """
    n, columns = A.shape[0], order[1]
    for k in range(n):
        order[0, k] = k
    for k in range(n - 1, -1, -1):
        if not good_pivot(A, k, rows):
            take_largest(A, k, order[0])
        if not abs(A[k, k]) > 0.0:
            return False
        count = 0
        for j in range(k):
            if A[k, j] != 0.0:
                columns[count] = j
                count += 1
        for i in range(k):
            if A[i, k] != 0.0:
                factor = A[i, k] / A[k, k]
                A[i, k] = factor
                if FEW * count < k:
                    for c in range(count):
                        A[i, columns[c]] -= factor * A[k, columns[c]]
                else:
                    for j in range(k):
                        A[i, j] -= factor * A[k, j]
    return True


@kernel
def solve(A, order, b, x):
    """x = A^-1 b, from the factors and the order that `factorise` left."""
    n = b.shape[0]
    for i in range(n - 1, -1, -1):
        total = b[order[0, i]]
        for k in range(i + 1, n):
            total -= A[i, k] * x[k]
        x[i] = total
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]


@kernel
def solve_transposed(A, order, b, x):
    """x = A^-T b, likewise; b is used up."""
    n = b.shape[0]
    for i in range(n - 1, -1, -1):
        b[i] /= A[i, i]
        for k in range(i):
            b[k] -= A[i, k] * b[i]
    for i in range(n):
        for k in range(i + 1, n):
            b[k] -= A[i, k] * b[i]
    for i in range(n):
        x[order[0, i]] = b[i]
