"""Load sharing with any power of activation, by a primal-dual interior point method.

    min sum_m a_m^p + sum_k x_k^2     with     C y = b,    low <= y = (a, x) <= high

Newton's method on the optimality conditions with complementarity products that shrink to nothing,

    f'(y) - C^T lam - z + w = 0,    C y = b,    z (y - low) = mu,    w (high - y) = mu

with a predictor and a corrector: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J.
Optim. 2, 1992. A power above 2 is flat near zero, where a method that goes by curvature alone loses its way.
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from .nearest import factor, substitute

MOST_STEPS = 80
INSIDE = 0.01  # of its range, by which an unknown is inside its bounds at the start
TOWARDS = 0.995  # of the way to the nearest bound
GAP = 1e-15  # that y keeps from its bounds: rounding must not close it
TRACE = 1e-14  # relative, added to the pivots
LEAST = 3e-15  # complementarity product that is aimed at: less would leave the central path
AHEAD = 0.1  # of the error of the slopes: flat costs (powers above 2) need products that do not shrink before it does
PRODUCT, ERROR = 1e-14, 1e-12  # where it ends: complementarity products, and errors of the equations in scale
SLOPE = 1e-11  # of the largest slope: error of the optimality conditions where it ends


class Interior(Bundle):
    """Scratch of the method, (k,) each: multipliers of the bounds, directions, and the diagonal."""

    z = fields.plain(np.float64)
    w = fields.plain(np.float64)
    dy = fields.plain(np.float64)
    dz = fields.plain(np.float64)
    dw = fields.plain(np.float64)
    D = fields.plain(np.float64)
    push = fields.plain(np.float64)  # right-hand side of the optimality conditions


def interior_scratch(k: int) -> Interior:
    """Scratch for k unknowns."""
    return Interior(np.float64, **{key: np.zeros(k) for key in Interior.fields})


@kernel
def slope_and_curvature(y, k, power, muscles):
    """(f', f'') of an unknown's cost."""
    if k >= muscles:
        return 2.0 * y, 2.0
    if power == 2.0:
        return 2.0 * y, 2.0
    return power * y ** (power - 1.0), power * (power - 1.0) * y ** (power - 2.0)


@kernel
def start_inside(y, low, high, scratch):
    """Bring y between its bounds, and set the multipliers of those."""
    for k in range(y.shape[0]):
        if np.isfinite(low[k]) and np.isfinite(high[k]):
            edge = INSIDE * (high[k] - low[k])
            y[k] = min(max(y[k], low[k] + edge), high[k] - edge)
        elif np.isfinite(low[k]):
            y[k] = max(y[k], low[k] + INSIDE)
        elif np.isfinite(high[k]):
            y[k] = min(y[k], high[k] - INSIDE)
        scratch.z[k] = 1.0 if np.isfinite(low[k]) else 0.0
        scratch.w[k] = 1.0 if np.isfinite(high[k]) else 0.0


@kernel
def fill_push(y, low, high, target, corrected, push, scratch):
    """push = -(f' - C^T lam) (given in push) with the bounds' multipliers led to products `target`."""
    z, w, dy, dz, dw = scratch.z, scratch.w, scratch.dy, scratch.dz, scratch.dw
    for k in range(y.shape[0]):
        if z[k] > 0.0:
            extra = dy[k] * dz[k] if corrected else 0.0
            push[k] += (target - extra) / (y[k] - low[k])
        if w[k] > 0.0:
            extra = -dy[k] * dw[k] if corrected else 0.0
            push[k] -= (target - extra) / (high[k] - y[k])


@kernel
def fill_residual(C, y, lam, power, muscles, push):
    """push = -(f' - C^T lam); returns the largest |f'|, which errors are compared with."""
    size = 0.0
    for k in range(y.shape[0]):
        slope, _ = slope_and_curvature(y[k], k, power, muscles)
        size = max(size, abs(slope))
        push[k] = -slope
        for i in range(lam.shape[0]):
            push[k] += C[i, k] * lam[i]
    return size


@kernel
def direct(C, y, low, high, target, corrected, missing, room, scratch, out):
    """Fill dy, dz, dw, and out = the change of lam. Needs: H factored, D; push = -(f' - C^T lam)."""
    z, w, dy, dz, dw, D, push = scratch.z, scratch.w, scratch.dy, scratch.dz, scratch.dw, scratch.D, scratch.push
    fill_push(y, low, high, target, corrected, push, scratch)
    scales, n = room.scales, out.shape[0]
    for i in range(n):
        out[i] = missing[i]
        for k in range(y.shape[0]):
            out[i] -= C[i, k] * push[k] / D[k]
        out[i] *= scales[i]
    substitute(room.H, out)
    for i in range(n):
        out[i] *= scales[i]
    for k in range(y.shape[0]):
        move = push[k]
        for i in range(n):
            move += C[i, k] * out[i]
        move /= D[k]
        if z[k] > 0.0:
            extra = dy[k] * dz[k] if corrected else 0.0
            dz[k] = (target - extra - z[k] * move) / (y[k] - low[k]) - z[k]
        if w[k] > 0.0:
            extra = -dy[k] * dw[k] if corrected else 0.0
            dw[k] = (target - extra + w[k] * move) / (high[k] - y[k]) - w[k]
        dy[k] = move


@kernel
def longest(y, low, high, scratch):
    """(of y, of the multipliers): the longest steps, up to 1, that keep to the bounds."""
    z, w, dy, dz, dw = scratch.z, scratch.w, scratch.dy, scratch.dz, scratch.dw
    own, other = 1.0, 1.0
    for k in range(y.shape[0]):
        if z[k] > 0.0:
            if dy[k] < 0.0:
                own = min(own, -TOWARDS * (y[k] - low[k]) / dy[k])
            if dz[k] < 0.0:
                other = min(other, -TOWARDS * z[k] / dz[k])
        if w[k] > 0.0:
            if dy[k] > 0.0:
                own = min(own, TOWARDS * (high[k] - y[k]) / dy[k])
            if dw[k] < 0.0:
                other = min(other, -TOWARDS * w[k] / dw[k])
    return own, other


@kernel
def product_after(y, low, high, own, other, scratch):
    """Mean complementarity product after steps."""
    z, w, dy, dz, dw = scratch.z, scratch.w, scratch.dy, scratch.dz, scratch.dw
    total, count = 0.0, 0
    for k in range(y.shape[0]):
        if z[k] > 0.0:
            total, count = total + (z[k] + other * dz[k]) * (y[k] + own * dy[k] - low[k]), count + 1
        if w[k] > 0.0:
            total, count = total + (w[k] + other * dw[k]) * (high[k] - y[k] - own * dy[k]), count + 1
    return total / count if count > 0 else 0.0


@kernel
def factor_diagonal(C, y, low, high, power, muscles, room, scratch):
    """Fill D, and factor H = S C D^-1 C^T S, S that gives it a unit diagonal; False if that fails."""
    D, H, scales = scratch.D, room.H, room.scales
    n = scales.shape[0]
    for k in range(y.shape[0]):
        _, D[k] = slope_and_curvature(y[k], k, power, muscles)
        if scratch.z[k] > 0.0:
            D[k] += scratch.z[k] / (y[k] - low[k])
        if scratch.w[k] > 0.0:
            D[k] += scratch.w[k] / (high[k] - y[k])
    for i in range(n):
        total = 0.0
        for k in range(y.shape[0]):
            total += C[i, k] * C[i, k] / D[k]
        scales[i] = 1.0 / np.sqrt(total) if total > 0.0 else 1.0
    for i in range(n):
        for j in range(i + 1):
            total = TRACE if i == j else 0.0
            for k in range(y.shape[0]):
                total += scales[i] * C[i, k] * C[j, k] * scales[j] / D[k]
            H[i, j] = total
    return factor(H)


@kernel
def solve_interior(C, b, power, muscles, lam, y, missing, room, scratch):
    """Improve y, whose equations can be met, until the cost is least; True if it is.

    Needs: bounds in the program of `room`.
    """
    low, high, out = room.program[2], room.program[3], room.along
    z, w = scratch.z, scratch.w
    start_inside(y, low, high, scratch)
    for i in range(lam.shape[0]):
        lam[i] = 0.0
    for _ in range(MOST_STEPS):
        error, size = 0.0, 0.0
        for i in range(b.shape[0]):
            missing[i], total = b[i], abs(b[i])
            for k in range(y.shape[0]):
                missing[i] -= C[i, k] * y[k]
                total += abs(C[i, k] * y[k])
            error, size = max(error, abs(missing[i])), max(size, total)
        slope, worst = fill_residual(C, y, lam, power, muscles, scratch.push), 0.0
        for k in range(y.shape[0]):
            _, bend = slope_and_curvature(y[k], k, power, muscles)
            off = abs(scratch.push[k] + z[k] - w[k])
            if power < 2.0:  # whose slopes are infinitely steep at 0
                off /= max(bend, 1.0)
            worst = max(worst, off)
        product = product_after(y, low, high, 0.0, 0.0, scratch)
        if product <= PRODUCT and error <= ERROR * size and worst <= SLOPE * (slope + 1e-3):
            return True
        if not factor_diagonal(C, y, low, high, power, muscles, room, scratch):
            return False
        direct(C, y, low, high, 0.0, False, missing, room, scratch, out)
        own, other = longest(y, low, high, scratch)
        ahead = product_after(y, low, high, own, other, scratch)
        part = (ahead / product) ** 3 if product > 0.0 else 0.0
        fill_residual(C, y, lam, power, muscles, scratch.push)
        least = min(product, AHEAD * worst) if power > 2.0 else 0.0
        target = max(part * product, least, LEAST)
        direct(C, y, low, high, target, True, missing, room, scratch, out)
        own, other = longest(y, low, high, scratch)
        step = min(own, other)
        for k in range(y.shape[0]):
            y[k] = min(max(y[k] + step * scratch.dy[k], low[k] + GAP), high[k] - GAP)
            z[k] += step * scratch.dz[k]
            w[k] += step * scratch.dw[k]
        for i in range(lam.shape[0]):
            lam[i] += step * out[i]
    return False
