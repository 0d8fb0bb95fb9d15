"""Products and incomplete factors of matrices of 3x3 blocks between the free nodes of soft bodies.

A block's 9 numbers stand one column after the other. The incomplete factors L U have entries only where the matrix has
(ILU(0), block by block), L's diagonal is the identity; inverses of U's diagonal blocks are kept.
"""

from .._jit import kernel


@kernel
def add_product(A, o, x, j, y):
    """y + A x_j of the block that starts at o, x being a long vector."""
    a, b, c = x[3 * j], x[3 * j + 1], x[3 * j + 2]
    return (
        y[0] + A[o] * a + A[o + 3] * b + A[o + 6] * c,
        y[1] + A[o + 1] * a + A[o + 4] * b + A[o + 7] * c,
        y[2] + A[o + 2] * a + A[o + 5] * b + A[o + 8] * c,
    )


@kernel
def load_block(A, o):
    """The block that starts at o: its three columns."""
    return (A[o], A[o + 1], A[o + 2]), (A[o + 3], A[o + 4], A[o + 5]), (A[o + 6], A[o + 7], A[o + 8])


@kernel
def store_block(A, o, B):
    """Write a block of three columns at o."""
    for j in range(3):
        for i in range(3):
            A[o + 3 * j + i] = B[j][i]


@kernel
def times_column(A, v):
    """A v of a block of columns."""
    return (
        A[0][0] * v[0] + A[1][0] * v[1] + A[2][0] * v[2],
        A[0][1] * v[0] + A[1][1] * v[1] + A[2][1] * v[2],
        A[0][2] * v[0] + A[1][2] * v[1] + A[2][2] * v[2],
    )


@kernel
def times_block(A, B):
    """A B of blocks of columns."""
    return times_column(A, B[0]), times_column(A, B[1]), times_column(A, B[2])


@kernel
def inverse_block(A):
    """A^-1 of a block of columns."""
    (a, d, g), (b, e, h), (c, f, i) = A
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    over = 1.0 / (a * x + b * y + c * z)
    return (
        (over * x, over * y, over * z),
        (over * (c * h - b * i), over * (a * i - c * g), over * (b * g - a * h)),
        (over * (b * f - c * e), over * (c * d - a * f), over * (a * e - b * d)),
    )


@kernel(unit=True)
def multiply(free, starts, columns, A, x, y):
    """y = A x between free nodes."""
    for i in range(free):
        o = x[0] * 0.0
        total = (o, o, o)
        for s in range(starts[i], starts[i + 1]):
            if columns[s] >= free:
                break
            total = add_product(A, 9 * s, x, columns[s], total)
        y[3 * i], y[3 * i + 1], y[3 * i + 2] = total


@kernel(unit=True)
def factorise(free, starts, columns, diagonal, A, L, inverse, place):
    """L U of A between free nodes into L, and the inverses of U's diagonal blocks. place: scratch (free,)."""
    for i in range(free):
        first, last = starts[i], starts[i + 1]
        for s in range(first, last):
            if columns[s] >= free:
                last = s
                break
            place[columns[s]] = s
            for k in range(9 * s, 9 * s + 9):
                L[k] = A[k]
        for s in range(first, diagonal[i]):
            k = columns[s]
            factor = times_block(load_block(L, 9 * s), load_block(inverse, 9 * k))
            store_block(L, 9 * s, factor)
            for u in range(diagonal[k] + 1, starts[k + 1]):
                j = columns[u]
                if j >= free:
                    break
                own = place[j]
                if own >= first and own < last and columns[own] == j:
                    off = times_block(factor, load_block(L, 9 * u))
                    for a in range(3):
                        for b in range(3):
                            L[9 * own + 3 * a + b] -= off[a][b]
        store_block(inverse, 9 * i, inverse_block(load_block(L, 9 * diagonal[i])))


@kernel(unit=True)
def substitute(free, starts, columns, diagonal, L, inverse, x):
    """Overwrite x by (L U)^-1 x."""
    for i in range(free):
        total = (x[3 * i], x[3 * i + 1], x[3 * i + 2])
        for s in range(starts[i], diagonal[i]):
            j, o = columns[s], 9 * s
            a, b, c = x[3 * j], x[3 * j + 1], x[3 * j + 2]
            total = (
                total[0] - L[o] * a - L[o + 3] * b - L[o + 6] * c,
                total[1] - L[o + 1] * a - L[o + 4] * b - L[o + 7] * c,
                total[2] - L[o + 2] * a - L[o + 5] * b - L[o + 8] * c,
            )
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = total
    for i in range(free - 1, -1, -1):
        total = (x[3 * i], x[3 * i + 1], x[3 * i + 2])
        for s in range(diagonal[i] + 1, starts[i + 1]):
            j, o = columns[s], 9 * s
            if j >= free:
                break
            a, b, c = x[3 * j], x[3 * j + 1], x[3 * j + 2]
            total = (
                total[0] - L[o] * a - L[o + 3] * b - L[o + 6] * c,
                total[1] - L[o + 1] * a - L[o + 4] * b - L[o + 7] * c,
                total[2] - L[o + 2] * a - L[o + 5] * b - L[o + 8] * c,
            )
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = times_column(load_block(inverse, 9 * i), total)
