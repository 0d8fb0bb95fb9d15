"""The step d of a fit: min 1/2 d^T (H + mu I) d + c . d, where R d = 0 and low <= q + d <= high.

Rows are solved for some coordinates in terms of the others (Gauss-Jordan elimination with complete pivoting), so that
what they hold is held to rounding: d_p = -sum_j R_pj d_j. Bounds are an active set: a step stops at the first bound in
its way, which then holds its coordinate; one is let go if the fit would move away from it.

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., 2006, section 16.5.
"""

import numpy as np

from .._jit import kernel
from ..algorithms.cholesky import factorise, solve

DEPENDENT = 1e-10  # entry of a row, after elimination, that counts as rounding against its largest one
FREE, AT_LOW, AT_HIGH = 0, -1, 1  # what holds a coordinate
RELEASE = 1e-12  # of the largest slope: slopes below are rounding


@kernel
def copy_rows(A, count, B):
    """B <- the first `count` rows of A."""
    for i in range(count):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j]


@kernel(inline=False)
def eliminate(R, count, g, held, pivots):
    """Bring the first `count` rows of R d = -g to the form d_p + sum_j R_pj d_j = -g_p; how many have a pivot p.

    Coordinates that are held are no pivots. Rows are scaled, and those with a pivot come first.
    """
    n = R.shape[1]
    for i in range(count):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(R[i, j]))
        if largest > 0.0:
            g[i] /= largest
            for j in range(n):
                R[i, j] /= largest
    for i in range(count):
        best, row, column = DEPENDENT, -1, -1
        for k in range(i, count):
            for j in range(n):
                if held[j] == FREE and abs(R[k, j]) > best:
                    best, row, column = abs(R[k, j]), k, j
        if row < 0:
            return i
        g[i], g[row] = g[row], g[i]
        for j in range(n):
            R[i, j], R[row, j] = R[row, j], R[i, j]
        pivots[i] = column
        size = R[i, column]
        g[i] /= size
        for j in range(n):
            R[i, j] /= size
        for k in range(count):
            factor = R[k, column]
            if k == i or factor == 0.0:
                continue
            g[k] -= factor * g[i]
            for j in range(n):
                R[k, j] -= factor * R[i, j]
            R[k, column] = 0.0
    return count


@kernel
def reduce_vector(R, rank, pivots, w):
    """w <- its slopes along the coordinates that are left, zero at the pivots."""
    for i in range(rank):
        p = pivots[i]
        for j in range(w.shape[0]):
            if j != p:
                w[j] -= R[i, j] * w[p]
        w[p] = 0.0


@kernel(inline=False)
def reduce_matrix(R, rank, pivots, K):
    """K <- Z^T K Z, where d = Z y for the coordinates y that are left; rows and columns of pivots mean nothing."""
    n = K.shape[0]
    for i in range(rank):
        p = pivots[i]
        for j in range(n):
            if j != p and R[i, j] != 0.0:
                for k in range(n):
                    K[k, j] -= R[i, j] * K[k, p]
        for j in range(n):
            if j != p and R[i, j] != 0.0:
                for k in range(n):
                    K[j, k] -= R[i, j] * K[p, k]


@kernel
def list_free(held, rank, pivots, free):
    """Fill `free` with the coordinates that are neither held nor pivots; how many there are."""
    count = 0
    for j in range(held.shape[0]):
        own = held[j] == FREE
        for i in range(rank):
            own = own and pivots[i] != j
        if own:
            free[count] = j
            count += 1
    return count


@kernel
def solve_free(K, w, free, count, L, y, s):
    """s[free] = -K^-1 w of the coordinates that are free, zeros elsewhere."""
    for a in range(count):
        for b in range(a + 1):
            L[a, b] = K[free[a], free[b]]
        y[a] = -w[free[a]]
    factorise(L[:count, :count])
    solve(L[:count, :count], y[:count])
    s[:] = 0.0
    for a in range(count):
        s[free[a]] = y[a]


@kernel
def first_bound(q, d, s, low, high, held):
    """(how much of the step s fits between the bounds, the coordinate that it meets there, which bound of it)."""
    share, met, side = 1.0, -1, FREE
    for j in range(s.shape[0]):
        if held[j] != FREE or s[j] == 0.0:
            continue
        room = (high[j] if s[j] > 0.0 else low[j]) - q[j] - d[j]
        if s[j] * share > room if s[j] > 0.0 else s[j] * share < room:
            share, met, side = max(room / s[j], 0.0), j, AT_HIGH if s[j] > 0.0 else AT_LOW
    return share, met, side


@kernel
def bound_to_leave(w, low, high, held, small):
    """The held coordinate that the fit most wants to move inwards; -1: none."""
    most, found = small, -1
    for j in range(w.shape[0]):
        if held[j] != FREE and high[j] > low[j] and held[j] * w[j] > most:
            most, found = held[j] * w[j], j
    return found


@kernel(inline=False)
def bounded_step(H, c, mu, q, count, low, high, scratch):
    """Fill scratch.d with the step; scratch.held: the bounds that hold at its beginning, and then at its end.

    Needs: the first `count` rows in scratch.G.
    """
    n = c.shape[0]
    G, R, g, held, pivots, free = scratch.G, scratch.R, scratch.g, scratch.held, scratch.pivots, scratch.free
    d, s, w, K = scratch.d, scratch.s, scratch.w, scratch.K
    d[:] = 0.0
    small = 0.0
    for j in range(n):
        small = max(small, RELEASE * abs(c[j]))
    for _ in range(4 * n + 10):
        copy_rows(G, count, R)
        rank = eliminate(R, count, g, held, pivots)
        for j in range(n):
            w[j] = c[j] + mu * d[j]
            for k in range(n):
                K[j, k] = H[j, k]
                w[j] += H[j, k] * d[k]
            K[j, j] += mu
        reduce_vector(R, rank, pivots, w)
        reduce_matrix(R, rank, pivots, K)
        solve_free(K, w, free, list_free(held, rank, pivots, free), scratch.L, scratch.y, s)
        for i in range(rank):
            for j in range(n):
                if j != pivots[i]:
                    s[pivots[i]] -= R[i, j] * s[j]
        share, met, side = first_bound(q, d, s, low, high, held)
        for j in range(n):
            d[j] += share * s[j]
        if met >= 0:
            held[met] = side
            d[met] = (high[met] if side == AT_HIGH else low[met]) - q[met]
            continue
        for j in range(n):
            w[j] = c[j] + mu * d[j]
            for k in range(n):
                w[j] += H[j, k] * d[k]
        reduce_vector(R, rank, pivots, w)
        leaves = bound_to_leave(w, low, high, held, small)
        if leaves < 0:
            return
        held[leaves] = FREE


@kernel(inline=False)
def shortest_step(count, scratch):
    """Fill scratch.d with the shortest step that R d = -g asks for of the coordinates that are not held.

    Needs: the first `count` rows in scratch.G and their values in scratch.g.
    """
    R, g, held, pivots, L, y, d = (
        scratch.R,
        scratch.g,
        scratch.held,
        scratch.pivots,
        scratch.L,
        scratch.y,
        scratch.d,
    )
    copy_rows(scratch.G, count, R)
    rank = eliminate(R, count, g, held, pivots)
    for a in range(rank):
        for b in range(a + 1):
            L[a, b] = 0.0
            for j in range(d.shape[0]):
                if held[j] == FREE:
                    L[a, b] += R[a, j] * R[b, j]
        y[a] = -g[a]
    factorise(L[:rank, :rank])
    solve(L[:rank, :rank], y[:rank])
    d[:] = 0.0
    for j in range(d.shape[0]):
        if held[j] == FREE:
            for a in range(rank):
                d[j] += R[a, j] * y[a]


@kernel(inline=False)
def undetermined(H, count, scratch, weak):
    """Set weak[j] where H does not determine coordinate j once those before it are known; rows hold, bounds do not.

    Needs: the first `count` rows in scratch.G.
    """
    n = H.shape[0]
    R, g, held, pivots, free, K, L = (
        scratch.R,
        scratch.g,
        scratch.held,
        scratch.pivots,
        scratch.free,
        scratch.K,
        scratch.L,
    )
    held[:] = FREE
    copy_rows(scratch.G, count, R)
    rank = eliminate(R, count, g, held, pivots)
    copy_rows(H, n, K)
    reduce_matrix(R, rank, pivots, K)
    m = list_free(held, rank, pivots, free)
    largest = 0.0
    for a in range(m):
        largest = max(largest, K[free[a], free[a]])
    weak[:] = False
    for a in range(m):
        left = K[free[a], free[a]]
        for b in range(a):
            total = K[free[a], free[b]]
            for k in range(b):
                total -= L[a, k] * L[b, k]
            L[a, b] = 0.0 if weak[free[b]] else total / L[b, b]
            left -= L[a, b] * L[a, b]
        own = K[free[a], free[a]]
        weak[free[a]] = not (left > DEPENDENT * own and own > DEPENDENT * DEPENDENT * largest)
        L[a, a] = np.sqrt(max(left, 0.0))
