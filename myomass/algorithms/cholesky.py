"""Symmetric systems inside kernels, in place in the lower triangle (no LAPACK there).

Dense: M = L L^T. Sparse: M = L^T L, eliminated from the last degree of freedom inwards, so that the zeros between
branches of a tree stay. `inner[k]` is the next dof that k is coupled to (an elimination tree, -1 at its end): row k of
L has entries at k and along the chain from inner[k] only, and the whole costs the sum of all chains' lengths squared.
"""

import numpy as np

from .._jit import kernel

REGULAR = -1  # no pivot is weak


@kernel
def factorise(M):
    """Overwrite the lower triangle of a symmetric positive definite M by L."""
    for j in range(M.shape[0]):
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        M[j, j] = np.sqrt(M[j, j])
        for i in range(j + 1, M.shape[0]):
            total = M[i, j]
            for k in range(j):
                total -= M[i, k] * M[j, k]
            M[i, j] = total / M[j, j]


@kernel
def solve(L, x):
    """Overwrite x by the solution of L L^T y = x."""
    n = x.shape[0]
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@kernel(inline=False)
def factorise_inwards(M, inner):
    """Overwrite the lower triangle of M by L, M = L^T L, along an elimination tree."""
    for k in range(M.shape[0] - 1, -1, -1):
        pivot = np.sqrt(M[k, k])
        M[k, k] = pivot
        i = inner[k]
        while i >= 0:
            M[k, i] /= pivot
            i = inner[i]
        i = inner[k]
        while i >= 0:
            j = i
            while j >= 0:
                M[i, j] -= M[k, i] * M[k, j]
                j = inner[j]
            i = inner[i]


@kernel
def solve_inwards(L, inner, x):
    """Overwrite x by L^-T x."""
    for k in range(x.shape[0] - 1, -1, -1):
        x[k] /= L[k, k]
        i = inner[k]
        while i >= 0:
            x[i] -= L[k, i] * x[k]
            i = inner[i]


@kernel
def solve_outwards(L, inner, x):
    """Overwrite x by L^-1 x."""
    for k in range(x.shape[0]):
        total = x[k]
        i = inner[k]
        while i >= 0:
            total -= L[k, i] * x[i]
            i = inner[i]
        x[k] = total / L[k, k]


@kernel
def weak_pivot(L, inwards, prescribed, rounding):
    """First degree of freedom whose pivot is rounding against its inertia, REGULAR if there is none.

    L is a factor of M = L L^T, or of M = L^T L if `inwards`: its rows, or its columns, make up M's diagonal.
    """
    for k in range(L.shape[0]):
        inertia = 0.0
        for j in range(L.shape[0]):
            entry = abs(L[j, k]) if inwards else abs(L[k, j])
            if (j >= k) == inwards or j == k:
                inertia += entry * entry
        if not (abs(L[k, k]) ** 2 > rounding * inertia or prescribed[k]):
            return k
    return REGULAR
