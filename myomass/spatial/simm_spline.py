"""The cubic spline of SIMM, whose end conditions are neither natural nor not-a-knot."""

import numpy as np

from .motion import Motion


def simm_spline(x: np.ndarray, y: np.ndarray) -> Motion:
    """The cubic spline through points (x, y), x rising, as SIMM and OpenSim make it: straight on beyond its ends.

    The third derivative in the first (last) interval is that of the cubic through the first (last) four points; it is
    zero with three points, and with two the curve is a line.
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    A, b = np.eye(n), np.zeros(n)  # for the second derivatives
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * (slope[i] - slope[i - 1])
    if n > 2:
        A[0, :2], A[-1, -2:] = (-1, 1), (-1, 1)
        if n > 3:
            b[0], b[-1] = 6 * h[0] * _third(x[:4], y[:4]), 6 * h[-1] * _third(x[-4:], y[-4:])
    bend = np.linalg.solve(A, b)
    rows = np.column_stack([y[:-1], slope - h * (2 * bend[:-1] + bend[1:]) / 6, bend[:-1] / 2, np.diff(bend) / h / 6])
    end = slope[-1] + h[-1] * (bend[-2] + 2 * bend[-1]) / 6
    before, after = [y[0] - rows[0, 1], rows[0, 1], 0, 0], [y[-1], end, 0, 0]
    return Motion.pieces([x[0] - 1.0, *x, x[-1] + 1.0], [before, *rows, after], goes_on=True)


def _third(x: np.ndarray, y: np.ndarray) -> float:
    """Divided difference of four points: the leading coefficient of the cubic through them."""
    for k in range(1, 4):
        y = np.diff(y) / (x[k:] - x[:-k])
    return y[0]
