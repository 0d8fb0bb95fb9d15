"""Small dense systems inside kernels: M = L L^T, in place (the lower triangle; no LAPACK in kernels)."""

import numpy as np

from .._jit import kernel


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
