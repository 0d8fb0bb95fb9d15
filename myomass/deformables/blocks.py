"""Products and factors of matrices of 3x3 blocks between the free nodes of soft bodies.

A block's 9 numbers stand one column after the other. The factors L U have blocks where a pattern of their own has: that
of the matrix, with as much of what fills in as is worth it (`FactorPattern`; all of it makes them complete). L's
diagonal is the identity; of U's diagonal blocks the inverses are kept.
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..spatial.algebra import add, sub
from .pattern import FactorPattern


class Factors(Bundle):
    """L and U between free nodes, and where they have blocks."""

    starts = fields.plain(np.int64)  # see FactorPattern
    columns = fields.plain(np.int64)
    diagonal = fields.plain(np.int64)
    L = fields.plain(np.float64)  # L and U
    inverse = fields.plain(np.float64)  # of U's diagonal blocks
    place = fields.plain(np.int64)  # scratch (free,)
    counts = fields.plain(np.int32)  # of blocks in each row of L, downwards, and of U, upwards
    order = fields.plain(np.int32)  # nodes of these blocks; after each row of U that of the inverse
    lined = fields.plain(np.float32)  # the same factors in this order
    complete = fields.whole_number()  # 1: all that fills in has a block


def factors_of(pattern: FactorPattern) -> Factors:
    """Room for factors, and the order in which their blocks are read."""
    free = len(pattern.diagonal)
    row, column = np.repeat(np.arange(free), np.diff(pattern.starts)), pattern.columns
    lower = column < row
    upwards = np.where(column == row, free, column)[~lower]  # the diagonal last
    order = np.lexsort((upwards, -row[~lower]))
    counts = [np.bincount(row[lower], minlength=free), np.bincount(row[column > row], minlength=free)[::-1]]
    return Factors(
        np.float64,
        starts=pattern.starts,
        columns=pattern.columns,
        diagonal=pattern.diagonal,
        L=np.zeros(9 * len(column)),
        inverse=np.zeros(9 * free),
        place=np.zeros(free, np.int64),
        counts=np.concatenate(counts).astype(np.int32),
        order=np.concatenate([column[lower], upwards[order]]).astype(np.int32),
        lined=np.zeros(9 * len(column), np.float32),
        complete=int(pattern.complete),
    )


@kernel
def product(A, o, x, j):
    """A x_j of the block that starts at o, x being a long vector: summed by itself, sums do not wait for each other."""
    a, b, c = x[3 * j], x[3 * j + 1], x[3 * j + 2]
    return (
        A[o] * a + A[o + 3] * b + A[o + 6] * c,
        A[o + 1] * a + A[o + 4] * b + A[o + 7] * c,
        A[o + 2] * a + A[o + 5] * b + A[o + 8] * c,
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
            total = add(total, product(A, 9 * s, x, columns[s]))
        y[3 * i], y[3 * i + 1], y[3 * i + 2] = total


@kernel
def positive(A):
    """Are the leading minors of a block of columns positive?"""
    (a, d, g), (b, e, h), (c, f, i) = A
    minor = a * e - b * d
    return a > 0.0 and minor > 0.0 and a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.0


@kernel(unit=True)
def factorise(free, own_starts, own_columns, A, shift, factors):
    """L U of A between free nodes, with the blocks of the factors' pattern alone; are all pivots positive?

    The diagonal of A counts `shift` more of itself.
    """
    starts, columns, diagonal, L = factors.starts, factors.columns, factors.diagonal, factors.L
    inverse, place, sound = factors.inverse, factors.place, True
    for i in range(free):
        first, last = starts[i], starts[i + 1]
        for s in range(first, last):
            place[columns[s]] = s
        for k in range(9 * first, 9 * last):
            L[k] = 0.0
        for s in range(own_starts[i], own_starts[i + 1]):
            if own_columns[s] >= free:
                break
            at = 9 * place[own_columns[s]]
            for k in range(9):
                L[at + k] = A[9 * s + k]
        for k in range(0, 9, 4):
            L[9 * diagonal[i] + k] *= 1.0 + shift
        for s in range(first, diagonal[i]):
            k = columns[s]
            factor = times_block(load_block(L, 9 * s), load_block(inverse, 9 * k))
            store_block(L, 9 * s, factor)
            for u in range(diagonal[k] + 1, starts[k + 1]):
                own = place[columns[u]]
                if own >= first and own < last and columns[own] == columns[u]:
                    off = times_block(factor, load_block(L, 9 * u))
                    for a in range(3):
                        for b in range(3):
                            L[9 * own + 3 * a + b] -= off[a][b]
        pivot = load_block(L, 9 * diagonal[i])
        sound = sound and positive(pivot)
        store_block(inverse, 9 * i, inverse_block(pivot))
    line_up(free, factors)
    return sound


@kernel
def line_up(free, factors):
    """Copy the factors into the order in which `substitute` reads them: rows of L downwards, then rows of U upwards."""
    starts, diagonal, L, lined, at = factors.starts, factors.diagonal, factors.L, factors.lined, 0
    for i in range(free):
        for k in range(9 * starts[i], 9 * diagonal[i]):
            lined[at] = L[k]
            at += 1
    for i in range(free - 1, -1, -1):
        for k in range(9 * diagonal[i] + 9, 9 * starts[i + 1]):
            lined[at] = L[k]
            at += 1
        for k in range(9 * i, 9 * i + 9):
            lined[at] = factors.inverse[k]
            at += 1


@kernel(unit=True)
def substitute(free, factors, x):
    """Overwrite x by (L U)^-1 x."""
    counts, order, lined, at = factors.counts, factors.order, factors.lined, 0
    for i in range(free):
        total = (x[3 * i], x[3 * i + 1], x[3 * i + 2])
        for _ in range(counts[i]):
            total = sub(total, product(lined, 9 * at, x, order[at]))
            at += 1
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = total
    for k in range(free, 2 * free):
        i = 2 * free - 1 - k
        total = (x[3 * i], x[3 * i + 1], x[3 * i + 2])
        for _ in range(counts[k]):
            total = sub(total, product(lined, 9 * at, x, order[at]))
            at += 1
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = times_column(load_block(lined, 9 * at), total)
        at += 1
