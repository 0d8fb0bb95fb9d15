"""Derivatives of functions that are given as Python: complex steps, and Cauchy's integral for those of higher order.

    g'(0), g''(0), g'''(0) of a curve g(s) = f(Q + s d)

by the trapezoidal rule over a circle around 0: the Taylor coefficients are a Fourier transform of POINTS values, and
what is missed falls geometrically with the radius over the distance to the nearest singularity. The circle shrinks
until the last coefficients vanish and the mean is g(0), as it is for an analytic g; what remains is rounding, about
1e-13 of g''.
"""

from collections.abc import Callable

import numpy as np

STEP, POINTS = 1e-30, 16  # of complex steps; on a circle around Q
CIRCLE = np.exp(2j * np.pi * np.arange(POINTS // 2 + 1) / POINTS)  # its upper half, which the lower one mirrors
RADII = 0.25 * 0.25 ** np.arange(10)
TAIL = 1e-13  # last Taylor coefficients to the largest one, where a circle is small enough
POOR, EPS = 1e-4, float(np.finfo(float).eps)  # error of a second derivative that is no longer called one; rounding
ORDERS = 3
FACTORIALS = np.array([1.0, 2.0, 6.0])
Curve = Callable[[complex], np.ndarray]


def derivatives(curve: Curve) -> np.ndarray | None:
    """Three derivatives at 0 of a curve g(s), real where s is, or None where it has no second one. (3, *shape of g)"""
    best, least, slope, centre = None, np.inf, 0.0, curve(0j)
    for radius in RADII:
        with np.errstate(all="ignore"):
            values = np.array([curve(radius * z) for z in CIRCLE])
        if not np.isfinite(values).all():
            continue
        taylor = np.fft.hfft(values, POINTS, axis=0) / POINTS
        size = np.abs(taylor).reshape(POINTS, -1).max(axis=1, initial=0.0)
        tail = max(size[3 * POINTS // 4 :].max(), np.abs(taylor[0] - centre).max(initial=0.0))
        scale = (FACTORIALS / radius ** np.arange(1, ORDERS + 1)).reshape(-1, *(1,) * (taylor.ndim - 1))
        found = taylor[1 : ORDERS + 1] * scale
        if tail <= TAIL * size[1:].max() + POINTS * EPS * size[0]:
            return found
        error = 2 * (tail + EPS * size[0]) / radius**2
        if error < least:
            best, least, slope = found, error, size[1] / radius
    good = best is not None and least <= POOR * (np.abs(best[1]).max(initial=0.0) + slope)
    return best if good else None
