"""Signals of a capture made smooth: turns unwrapped, a Butterworth filter without lag, one spline, its derivatives.

A ball joint is smoothed as a quaternion, which no rotation is singular for, and then written as the rotation vector of

    q = g(w) v,      g = 2 arccos(w)/sqrt(1 - w^2),      (1 - w^2) g' = w g - 2,      (1 - w^2) g'' = g + 3 w g'

of the unit quaternion (w, v): exact derivatives of one smooth function, no differences of rows.
"""

from math import factorial, prod

import numpy as np

TWICE = (np.sqrt(2.0) - 1.0) ** 0.25  # what a second-order Butterworth filter's cut-off loses by going there and back
WRAP_BEYOND = 1.5 * np.pi  # [rad], where ball joints leave their chart: joints/spherical_exp.py
FAR = 1.3 * np.pi  # [rad], beyond which turns of an inner joint are counted from a middle one
SERIES = tuple(2.0 * factorial(n) / prod(range(1, 2 * n + 2, 2)) for n in range(24))  # of g in powers of 1 - w
SERIES_BELOW = 0.1
DEGREE = 5


def quaternions(angles: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Unit quaternions (w, v) of turns about coordinate axes one after another [rad], without jumps. (rows, 4)

    Of the two that are one rotation the one that keeps its angle further from a whole turn.
    """
    p = np.zeros((len(angles), 4))
    p[:, 0] = 1.0
    for k, axis in enumerate(axes):
        c, s = np.cos(0.5 * angles[:, k]), np.sin(0.5 * angles[:, k])
        i, j = (axis + 1) % 3 + 1, (axis + 2) % 3 + 1
        w, a, b, d = p[:, 0], p[:, axis + 1], p[:, i], p[:, j]
        turned = np.empty_like(p)  # p times (c, s e_axis)
        turned[:, 0], turned[:, axis + 1] = c * w - s * a, c * a + s * w
        turned[:, i], turned[:, j] = c * b + s * d, c * d - s * b
        p = turned
    steps = np.where((p[1:] * p[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    p *= np.cumprod(np.concatenate([[1.0], steps]))[: len(p), None]
    return -p if p[:, 0].min(initial=1.0) < -p[:, 0].max(initial=-1.0) else p


def middle_of(p: np.ndarray) -> np.ndarray:
    """The rotation that turns of a joint are counted from, as a quaternion: none, or a middle one if they go far. (4,)

    A rotation vector that is counted from there stays well within a whole turn.
    """
    if p[:, 0].min(initial=1.0) > np.cos(0.5 * FAR):
        return np.array([1.0, 0.0, 0.0, 0.0])
    middle = p.sum(axis=0)
    length = np.linalg.norm(middle)
    return middle / length if length > 0 else p[0]


def counted_from(p: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Quaternions of what is turned beyond a start: its conjugate times p. (rows, 4)"""
    w, v = start[0], -start[1:]
    turned = np.cross(v, p[:, 1:]) + w * p[:, 1:] + p[:, :1] * v
    return np.column_stack([w * p[:, 0] - p[:, 1:] @ v, turned])


def unwrapped_angles(angles: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Euler angles [rad] without jumps: of the two triples that are one rotation, and their turns, the nearest."""
    q = np.unwrap(angles, axis=0)
    if len(axes) != 3:
        return q
    mirrored = np.pi if len(set(axes)) == 3 else 0.0
    jumps = np.flatnonzero(np.abs(np.diff(q, axis=0)).max(axis=1) > 0.5 * np.pi) + 1
    for k in jumps:  # each time all that follows is mirrored if that is nearer
        other = np.column_stack([q[k:, 0] + np.pi, mirrored - q[k:, 1], q[k:, 2] + np.pi])
        other += 2.0 * np.pi * np.round((q[k - 1] - other[0]) / (2.0 * np.pi))
        if np.abs(other[0] - q[k - 1]).sum() < np.abs(q[k] - q[k - 1]).sum():
            q[k:] = other
    return q


def check_cutoff(cutoff: float, rate: float) -> None:
    """Raise a ValueError unless a cut-off [Hz] is positive and below half the frame rate [Hz]."""
    if not isinstance(cutoff, (int, float, np.number)) or not 0.0 < cutoff < 0.5 * rate:
        raise ValueError(
            f"motion: the cut-off must be between 0 and {0.5 * rate:.4g} Hz at {rate:.4g} frames a second, or None to "
            f"take the frames as they are, and is {cutoff!r}"
        )


def smoothed(signals: np.ndarray, cutoff: float, rate: float) -> np.ndarray:
    """Columns through a Butterworth filter of fourth order without lag, half the power gone at the cut-off [Hz]."""
    from scipy.signal import butter, sosfiltfilt  # it takes time to load

    wider = np.arctan(np.tan(np.pi * cutoff / rate) / TWICE) / np.pi * rate
    sections = butter(2, wider, fs=rate, output="sos")
    reach = min(len(signals) - 1, int(np.ceil(2.0 * rate / cutoff)))
    return sosfiltfilt(sections, signals, axis=0, padlen=reach)


def with_derivatives(t: np.ndarray, signals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, first and second derivatives of the quintic splines through columns, at the same times."""
    from scipy.interpolate import make_interp_spline  # it takes time to load

    spline = make_interp_spline(t, signals, k=DEGREE)
    return spline(t), spline(t, nu=1), spline(t, nu=2)


def rotation_vectors(p: np.ndarray, pdot: np.ndarray, pddot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, qddot of quaternions of any length and their derivatives. (rows, 3) each

    Continuous up to 1.5 pi; only where a joint turns on beyond that are vectors wrapped to the short way round.
    """
    n = np.linalg.norm(p, axis=1, keepdims=True)
    u = p / n
    stretch = (u * pdot).sum(axis=1, keepdims=True)
    udot = (pdot - stretch * u) / n
    stretching = (udot * pdot + u * pddot).sum(axis=1, keepdims=True)
    uddot = (pddot - 2.0 * stretch * udot - stretching * u) / n
    signs = _short_way(u[:, 0])[:, None]
    (w, v), (wdot, vdot), (wddot, vddot) = ((x[:, :1], x[:, 1:]) for x in (signs * u, signs * udot, signs * uddot))
    g, dg, ddg = _length_factor(w)
    q, qdot = g * v, dg * wdot * v + g * vdot
    return q, qdot, (ddg * wdot**2 + dg * wddot) * v + 2.0 * dg * wdot * vdot + g * vddot


def _short_way(w: np.ndarray) -> np.ndarray:
    """Signs that keep 2 arccos(w) within 1.5 pi, changed as seldom as that allows. (rows,)"""
    signs, edge, at = np.ones_like(w), np.cos(0.5 * WRAP_BEYOND), 0
    while True:
        beyond = np.flatnonzero(signs[at:] * w[at:] < edge)
        if not len(beyond):
            return signs
        at += int(beyond[0])
        signs[at:] *= -1.0


def _length_factor(w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """g, g' and g'' at w; a series where v is short."""
    y = 1.0 - w
    near = y < SERIES_BELOW
    far = np.where(near, 0.0, w)
    square = 1.0 - far * far
    g = 2.0 * np.arccos(np.clip(far, -1.0, 1.0)) / np.sqrt(square)
    dg = (far * g - 2.0) / square
    ddg = (g + 3.0 * far * dg) / square
    series = np.polynomial.Polynomial(SERIES)
    small = np.where(near, y, 0.0)
    by_series = series(small), -series.deriv()(small), series.deriv(2)(small)
    return tuple(np.where(near, a, b) for a, b in zip(by_series, (g, dg, ddg), strict=True))
