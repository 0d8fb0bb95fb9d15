"""Load sharing over a window, whose activations change no faster than activation dynamics let them.

    min sum_k w_k (sum_m a_km^p + sum_j x_kj^2)    with    C_k (a_k, x_k) = b_k,    low <= (a_k, x_k) <= high,
    fall(a_k) <= a_k+1 <= rise(a_k)

with rise and fall the flows of the largest and the least excitation (activation_flow.py), by a primal-dual interior
point method whose products are led to zero step by step; A. Waechter, L. T. Biegler, On the implementation of an
interior-point filter line-search algorithm, Math. Program. 106, 2006, sections 2 and 3.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

MOST_STEPS = 300
START, LAST = 0.1, 1e-12  # complementarity products
READY = 10.0  # times the product: error with which it is led on
TOWARDS = 0.99
INSIDE = 0.01  # of its range, by which an unknown is inside its bounds at the start
MOST_BENT = 0.9  # of the cost's curvature that further curvature takes away at most
TRACE = 1e-11  # of regularisation, on scaled equations
Flows = Callable[[np.ndarray], tuple[np.ndarray, ...]]  # a -> (rise, its slope and bend, fall, its slope and bend)


@dataclass
class Window:
    """The numbers of a window's program, and what stays the same of its linear systems."""

    C: np.ndarray  # (rows, n, k)
    b: np.ndarray  # (rows, n)
    low: np.ndarray  # (rows, k)
    high: np.ndarray
    weights: np.ndarray  # w, (rows,)
    power: float
    muscles: int
    flows: Flows
    bend: np.ndarray | None = None  # further curvature of the cost by the activations, (rows, muscles), ...
    about: np.ndarray | None = None  # ... about these activations
    cells: tuple = field(init=False)

    def __post_init__(self) -> None:
        rows, n, k = self.C.shape
        norms = np.sqrt((self.C**2).sum(axis=2))
        scale = 1.0 / np.where(norms > 0, norms, 1.0)
        self.C, self.b = self.C * scale[:, :, None], self.b * scale
        if self.bend is not None:
            bend, self.bend = self.bend, None
            own = self.cost(np.concatenate([self.about, np.zeros((rows, k - self.muscles))], axis=1))[1]
            self.bend = np.maximum(bend, -MOST_BENT * own[:, : self.muscles])
        v = np.arange(rows * k).reshape(rows, k)
        e = rows * k + np.arange(rows * n).reshape(rows, n)
        a = v[:, : self.muscles]
        near, far = a[:-1].ravel(), a[1:].ravel()
        i, j = np.repeat(e[:, :, None], k, axis=2).ravel(), np.repeat(v[:, None, :], n, axis=1).ravel()
        self.cells = (
            np.concatenate([v.ravel(), near, far, i, j, e.ravel()]),
            np.concatenate([v.ravel(), far, near, j, i, e.ravel()]),
        )

    def cost(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(slope, curvature) of the cost. (rows, k) each"""
        p, m, w = self.power, self.muscles, self.weights[:, None]
        slope, bend = 2 * w * y, 2 * w * np.ones_like(y)
        if p != 2:
            a = np.maximum(y[:, :m], 1e-300)
            slope[:, :m], bend[:, :m] = p * w * a ** (p - 1), p * (p - 1) * w * a ** (p - 2)
        if self.bend is not None:
            slope[:, :m] += self.bend * (y[:, :m] - self.about)
            bend[:, :m] += self.bend
        return slope, bend

    def solve_system(self, D: np.ndarray, between: np.ndarray, r: np.ndarray, missing: np.ndarray) -> tuple:
        """(dy, dlam) of D dy + neighbours - C^T dlam = r, C dy = missing."""
        rows, n, k = self.C.shape
        values = [
            D.ravel(),
            between.ravel(),
            between.ravel(),
            self.C.ravel(),
            self.C.ravel(),
            np.full(rows * n, -TRACE),
        ]
        size = rows * (n + k)
        matrix = sparse.csc_matrix((np.concatenate(values), self.cells), shape=(size, size))
        x = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1).solve(
            np.concatenate([r.ravel(), missing.ravel()])
        )
        return x[: rows * k].reshape(rows, k), -x[rows * k :].reshape(rows, n)


@dataclass
class _Point:
    """Unknowns, multipliers of the equations, slacks and multipliers of bounds and of limits of rates."""

    y: np.ndarray
    lam: np.ndarray
    low: np.ndarray  # multipliers of bounds, 0 where there are none
    high: np.ndarray
    slack: np.ndarray  # of (rise, fall), (2, rows - 1, muscles)
    rates: np.ndarray  # multipliers


def solve_window(window: Window, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """(y, what the equations' multipliers pull at it, did it converge?) of a window, from a start."""
    point, product = _start(window, y), START
    for _ in range(MOST_STEPS):
        seen = _look(window, point)
        error = _error(window, point, seen, product)
        if not np.isfinite(error):
            break
        if error <= READY * product:
            if product <= LAST:
                return point.y, np.einsum("rik,ri->rk", window.C, point.lam), True
            product = max(LAST, min(0.2 * product, product**1.5))
        _advance(window, point, seen, product)
    return point.y, np.zeros_like(point.y), False


def _start(window: Window, y: np.ndarray) -> _Point:
    """A point inside all bounds."""
    low, high = window.low, window.high
    both = np.isfinite(low) & np.isfinite(high)
    edge = np.where(both, INSIDE * np.where(both, high - low, 1.0), INSIDE)
    y = np.where(np.isfinite(low), np.maximum(y, low + edge), y)
    y = np.where(np.isfinite(high), np.minimum(y, high - edge), y)
    reached = _limits(window, y)[0]
    slack = np.maximum(reached, INSIDE)
    z = [np.where(np.isfinite(bound), START, 0.0) for bound in (low, high)]
    with np.errstate(invalid="ignore"):
        z = [np.where(np.isfinite(b), z[i] / np.abs(y - b), 0.0) for i, b in enumerate((low, high))]
    return _Point(y, np.zeros(window.b.shape), *z, slack, START / slack)


def _limits(window: Window, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """(what is left of the limits of rates, slopes and bends of rise and fall by the row before). (2, rows - 1, m)"""
    a = y[:, : window.muscles]
    rise, rise_slope, rise_bend, fall, fall_slope, fall_bend = window.flows(a[:-1])
    left = np.array([rise - a[1:], a[1:] - fall])
    return left, np.array([rise_slope, fall_slope]), np.array([rise_bend, fall_bend])


def _look(window: Window, point: _Point) -> tuple:
    """What the conditions of optimality are made of."""
    slope, bend = window.cost(point.y)
    pull = np.einsum("rik,ri->rk", window.C, point.lam)
    missing = window.b - np.einsum("rik,rk->ri", window.C, point.y)
    return slope - pull, bend, missing, *_limits(window, point.y)


def _on_unknowns(window: Window, slopes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """J^T values of the limits' Jacobian J. (rows, k)"""
    out, m = np.zeros(window.low.shape), window.muscles
    out[:-1, :m] += slopes[0] * values[0] - slopes[1] * values[1]
    out[1:, :m] += values[1] - values[0]
    return out


def _error(window: Window, point: _Point, seen: tuple, product: float) -> float:
    """Largest violation of the conditions of optimality at a complementarity product."""
    force, _, missing, left, slopes, _ = seen
    stationary = force - point.low + point.high - _on_unknowns(window, slopes, point.rates)
    with np.errstate(invalid="ignore"):
        products = [
            np.where(point.low > 0, point.low * (point.y - window.low) - product, 0.0),
            np.where(point.high > 0, point.high * (window.high - point.y) - product, 0.0),
            point.rates * point.slack - product,
        ]
    scale = max(1.0, np.abs(force + np.einsum("rik,ri->rk", window.C, point.lam)).max(initial=0.0))
    parts = [stationary / scale, missing / max(1.0, np.abs(window.b).max(initial=0.0)), left - point.slack, *products]
    return max(float(np.abs(part).max(initial=0.0)) for part in parts)


def _advance(window: Window, point: _Point, seen: tuple, product: float) -> None:
    """A step of Newton's method towards a complementarity product, in place."""
    force, bend, missing, left, slopes, bends = seen
    m, rates, slack = window.muscles, point.rates, point.slack
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low = np.where(point.low > 0, point.y - window.low, np.inf)
        to_high = np.where(point.high > 0, window.high - point.y, np.inf)
    stiff = rates / slack
    D = bend + point.low / to_low + point.high / to_high
    curved = np.zeros_like(D)
    curved[:-1, :m] = rates[1] * bends[1] - rates[0] * bends[0]
    D = np.maximum(D + curved, 0.1 * D)
    D[:-1, :m] += (stiff * slopes**2).sum(axis=0)
    D[1:, :m] += stiff.sum(axis=0)
    between = -(stiff * slopes).sum(axis=0)
    r = -force + product / to_low - product / to_high
    r += _on_unknowns(window, slopes, product / slack - stiff * (left - slack))
    dy, dlam = window.solve_system(D, between, r, missing)
    da = dy[:, :m]
    along = np.array([slopes[0] * da[:-1] - da[1:], da[1:] - slopes[1] * da[:-1]])
    dslack = along + left - slack
    drates = product / slack - rates - stiff * dslack
    dlow = np.where(point.low > 0, product / to_low - point.low - point.low / to_low * dy, 0.0)
    dhigh = np.where(point.high > 0, product / to_high - point.high + point.high / to_high * dy, 0.0)
    own = min(_longest(to_low, dy), _longest(to_high, -dy), _longest(slack, dslack))
    other = min(_longest(x, dx) for x, dx in ((point.low, dlow), (point.high, dhigh), (rates, drates)))
    point.y, point.slack, point.lam = point.y + own * dy, slack + own * dslack, point.lam + own * dlam
    point.low, point.high = point.low + other * dlow, point.high + other * dhigh
    point.rates = rates + other * drates


def _longest(x: np.ndarray, dx: np.ndarray) -> float:
    """The longest step, up to 1, after which x is still positive."""
    shrinks = (dx < 0) & (x > 0)
    return min(1.0, float((-TOWARDS * x[shrinks] / dx[shrinks]).min(initial=1.0)))
