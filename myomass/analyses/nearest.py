"""Separable quadratic programs with few equations: the kernel of static optimisation.

    min sum_k g_k y_k + h_k y_k^2 / 2     with     C y = b,    low <= y <= high,     h > 0

By duality y follows from the multipliers lam of the equations alone, each entry by itself:

    y_k = clip((C^T lam - g)_k / h_k, low_k, high_k),        grad D(lam) = b - C y(lam)

The dual function D is concave and its gradient piecewise linear, so Newton's method with a line search ends exactly. A
proximal term, eps |lam - centre|^2 / 2 with the centre moved to each maximum, lets it end too where equations depend on
each other, or cannot all hold: y is then the one that meets them best in the sense of least squares, each in parts of
what the y_k can do for it. R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm,
Math. Oper. Res. 1, 1976.
"""

import numpy as np

from .._jit import kernel

PROXIMAL = 1e-8  # eps, of equations scaled to unit curvature
MOST_CENTRES, MOST_NEWTON, MOST_TRIALS = 60, 200, 60
CLOSE = 1e-13  # error of an equation, scaled, that counts as rounding
ENOUGH = 0.25  # of the slope along a direction, which a step leaves at most
STUCK = 1e-3  # relative change of an error that no centre makes smaller


@kernel
def fill_answer(C, g, h, low, high, lam, y):
    """Fill y(lam)."""
    for k in range(y.shape[0]):
        s = -g[k]
        for i in range(lam.shape[0]):
            s += C[i, k] * lam[i]
        y[k] = min(max(s / h[k], low[k]), high[k])


@kernel
def slope_at(step, b, scales, program, lam, centre, along, work):
    """Slope of the dual function along a direction, after a step. work[0], work[1]: C^T lam and C^T along."""
    g, h, low, high = program[0], program[1], program[2], program[3]
    slope = 0.0
    for i in range(lam.shape[0]):
        away = (lam[i] + step * along[i] - centre[i]) / scales[i]
        slope += b[i] * along[i] - PROXIMAL * away * along[i] / scales[i]
    for k in range(g.shape[0]):
        y = min(max((work[0, k] + step * work[1, k] - g[k]) / h[k], low[k]), high[k])
        slope -= work[1, k] * y
    return slope


@kernel
def find_step(C, b, scales, program, lam, centre, along, work):
    """A step along a direction that leaves little of the slope: 1 if that does, else between brackets."""
    for k in range(work.shape[1]):
        work[0, k], work[1, k] = 0.0, 0.0
        for i in range(lam.shape[0]):
            work[0, k] += C[i, k] * lam[i]
            work[1, k] += C[i, k] * along[i]
    first = slope_at(0.0, b, scales, program, lam, centre, along, work)
    near, near_slope, far, far_slope, step = 0.0, first, -1.0, 0.0, 1.0
    for _ in range(MOST_TRIALS):
        slope = slope_at(step, b, scales, program, lam, centre, along, work)
        if abs(slope) <= ENOUGH * first:
            break
        if slope > 0.0:
            near, near_slope = step, slope
        else:
            far, far_slope = step, slope
        if far < 0.0:
            step = 4.0 * step
        else:
            cut = near + (far - near) * near_slope / (near_slope - far_slope)
            edge = 0.1 * (far - near)
            step = min(max(cut, near + edge), far - edge)
    return step


@kernel
def factor(H):
    """Overwrite H's lower triangle with Cholesky's factor; False if H is not positive."""
    for i in range(H.shape[0]):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                H[i, i] = np.sqrt(total)
            else:
                H[i, j] = total / H[j, j]
    return True


@kernel
def substitute(H, x):
    """Solve H x = x in place. Needs: `factor`."""
    n = x.shape[0]
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= H[i, k] * x[k]
        x[i] = total / H[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= H[k, i] * x[k]
        x[i] = total / H[i, i]


@kernel
def fill_curvature(C, scales, program, y, H):
    """Fill H = S (C_f h_f^-1 C_f^T) S + eps, f the entries between their bounds, S the scales of the equations."""
    h, low, high = program[1], program[2], program[3]
    n = scales.shape[0]
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = PROXIMAL if i == j else 0.0
    for k in range(y.shape[0]):
        if low[k] < y[k] < high[k]:
            for i in range(n):
                if C[i, k] != 0.0:
                    part = scales[i] * C[i, k] / h[k]
                    for j in range(i + 1):
                        H[i, j] += part * C[j, k] * scales[j]


@kernel
def errors_of(C, b, scales, y, missing):
    """Fill missing = b - C y; returns the largest, scaled."""
    largest = 0.0
    for i in range(b.shape[0]):
        missing[i] = b[i]
        for k in range(y.shape[0]):
            missing[i] -= C[i, k] * y[k]
        largest = max(largest, abs(missing[i]) * scales[i])
    return largest


@kernel
def climb(C, b, scales, program, lam, y, missing, room, close):
    """Newton's method to the maximum of the dual function with its proximal term. Leaves: y and missing."""
    H, centre, along, work = room.H, room.centre, room.along, room.work
    n = b.shape[0]
    for i in range(n):
        centre[i] = lam[i]
    for _ in range(MOST_NEWTON):
        fill_answer(C, program[0], program[1], program[2], program[3], lam, y)
        errors_of(C, b, scales, y, missing)
        largest = 0.0
        for i in range(n):
            along[i] = missing[i] * scales[i] - PROXIMAL * (lam[i] - centre[i]) / scales[i]
            largest = max(largest, abs(along[i]))
        if not largest > close:
            break
        fill_curvature(C, scales, program, y, H)
        if not factor(H):
            break
        substitute(H, along)
        for i in range(n):
            along[i] *= scales[i]
        step = find_step(C, b, scales, program, lam, centre, along, work)
        for i in range(n):
            lam[i] += step * along[i]


@kernel
def solve_nearest(C, b, program, lam, y, missing, room):
    """Fill y and lam, from a guess of lam, and missing = b - C y; True if the equations hold.

    program: rows g, h, low, high.
    """
    scales, n = room.scales, b.shape[0]
    size = 0.0
    for i in range(n):
        total = 0.0
        for k in range(y.shape[0]):
            total += C[i, k] * C[i, k] / program[1, k]
        scales[i] = 1.0 / np.sqrt(total) if total > 0.0 else 1.0
        size = max(size, abs(b[i]) * scales[i])
        lam[i] = lam[i] if np.isfinite(lam[i]) else 0.0
    close, before = CLOSE * (1.0 + size), np.inf
    for _ in range(MOST_CENTRES):
        climb(C, b, scales, program, lam, y, missing, room, close)
        largest = errors_of(C, b, scales, y, missing)
        if largest <= 10.0 * close:
            return True
        if largest > (1.0 - STUCK) * before:
            break
        before = largest
    return False
