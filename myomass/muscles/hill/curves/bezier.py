"""Chains of quintic Bezier segments, as Millard et al. 2013 build their curves of, turned into polynomials in x.

A segment runs from P0 to P1 with given slopes; C is where its two end tangents cross. With k = 0.1 + 0.8 curviness its
control points are P0, twice P0 + k (C - P0), twice P1 + k (C - P1), P1, and its value at x is y(u) where x(u) = x.
Solving for u is done here, once; kernels read the polynomials that `chain_of` fits (pieces.py).

M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle, J. Biomech. Eng. 135, 2013.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev

from .pieces import CORNER, DEGREE, HEAD, PARTS

Corner = tuple[float, float, float]  # x, y, slope
TOLERANCE, SLOPE_TOLERANCE = 2e-13, 2e-12  # largest errors, in units of the curve's height and largest slope
MOST_CELLS = 1024
POWERS = np.arange(DEGREE + 1)
GUESSES = np.linspace(0.0, 1.0, 1025)
INNER = np.arange(1, PARTS) / PARTS  # the u at which a segment is parted


def _to_powers() -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev points, and the matrix from values there to coefficients of powers."""
    nodes = -np.cos(np.pi * POWERS[:-1] / (DEGREE - 1))
    to_powers = np.zeros((DEGREE, DEGREE))
    for k, basis in enumerate(np.eye(DEGREE)):
        to_powers[: k + 1, k] = chebyshev.cheb2poly(basis)[: k + 1]
    return nodes, to_powers @ np.linalg.inv(chebyshev.chebvander(nodes, DEGREE - 1))


NODES, TO_POWERS = _to_powers()


def _bernstein(points: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Value of a Bezier polynomial with these control points, by De Casteljau's algorithm."""
    rows = np.asarray(points).reshape(-1, *[1] * u.ndim)
    while len(rows) > 1:
        rows = rows[:-1] + u * (rows[1:] - rows[:-1])
    return rows[0]


def control_points(start: Corner, end: Corner, curviness: float) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the six control points of a segment."""
    (x0, y0, s0), (x1, y1, s1) = start, end
    k = 0.1 + 0.8 * curviness
    xc = (y1 - y0 + s0 * x0 - s1 * x1) / (s0 - s1) if abs(s0 - s1) > 1e-14 * max(abs(s0), abs(s1)) else 0.5 * (x0 + x1)
    yc = y0 + s0 * (xc - x0)
    if not x0 < xc < x1:
        raise ValueError(f"the slopes {s0:g} at ({x0:g}, {y0:g}) and {s1:g} at ({x1:g}, {y1:g}) leave no smooth curve")
    x = np.array([x0, *[x0 + k * (xc - x0)] * 2, *[x1 + k * (xc - x1)] * 2, x1])
    y = np.array([y0, *[y0 + k * (yc - y0)] * 2, *[y1 + k * (yc - y1)] * 2, y1])
    return x, y


def segment(start: Corner, end: Corner, curviness: float) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The function x -> (value, slope) of a segment, by Newton's method for u from the nearest of many places."""
    px, py = control_points(start, end, curviness)
    dx, dy = 5.0 * np.diff(px), 5.0 * np.diff(py)
    places = _bernstein(px, GUESSES)

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u = np.interp(x, places, GUESSES)
        for _ in range(3):
            u = np.clip(u - (_bernstein(px, u) - x) / _bernstein(dx, u), 0.0, 1.0)
        return _bernstein(py, u), _bernstein(dy, u) / _bernstein(dx, u)

    return evaluate


def _fit(function: Callable, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Coefficients in t of polynomials whose slopes are the function's at Chebyshev points, ends included.

    Their values are right on average at both ends. A fit of values would have slopes that are wrong by their rounding.
    """
    half = 0.5 * (right - left)[:, None]
    values, slopes = function(0.5 * (left + right)[:, None] + half * NODES)
    grown = half * slopes @ TO_POWERS.T / POWERS[1:]
    ends = grown.sum(axis=1), (grown * (-1.0) ** POWERS[1:]).sum(axis=1)
    middle = 0.5 * (values[:, -1] - ends[0] + values[:, 0] - ends[1])
    return np.column_stack([middle, grown])


def _errors(function: Callable, left: np.ndarray, right: np.ndarray, c: np.ndarray) -> tuple[float, float]:
    """Largest errors of value and slope, at places between the fitted ones."""
    t = np.linspace(-1.0, 1.0, 23)
    half = 0.5 * (right - left)[:, None]
    value, slope = function(0.5 * (left + right)[:, None] + half * t)
    rates = POWERS * t[:, None] ** np.maximum(POWERS - 1, 0)
    return np.abs(c @ (t[:, None] ** POWERS).T - value).max(), np.abs(c @ rates.T / half - slope).max()


def cells_of(function: Callable, span: tuple[float, float], height: float, steepness: float) -> np.ndarray:
    """Coefficients on as few equal cells of a span as reproduce a function to TOLERANCE of its height and steepness."""
    cells = 3
    while cells <= MOST_CELLS:
        edges = np.linspace(*span, cells + 1)
        coefficients = _fit(function, edges[:-1], edges[1:])
        value, slope = _errors(function, edges[:-1], edges[1:], coefficients)
        if value <= TOLERANCE * height and slope <= SLOPE_TOLERANCE * steepness:
            return coefficients
        cells = cells + 1 if cells < 8 else cells * 5 // 4
    raise ValueError(f"a curve bends too sharply between {span[0]:g} and {span[1]:g}; make its corners softer")


@cache
def chain_of(corners: tuple[Corner, ...], curviness: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers that pieces.py reads of a chain through corners, with the curviness of each segment."""
    height, steepness = max(abs(y) for _, y, _ in corners), max(abs(slope) for _, _, slope in corners)
    head, body, total = [], [], 0.0
    segments = PARTS * (len(corners) - 1)
    place = HEAD + CORNER * (segments + 1)
    for (start, end), bend in zip(pairwise(corners), curviness, strict=True):
        x0, span = start[0], end[0] - start[0]  # from the segment's start on: steep curves keep their digits
        here, there = (0.0, *start[1:]), (span, *end[1:])
        function = segment(here, there, bend)
        places = np.array([0.0, *_bernstein(control_points(here, there, bend)[0], INNER), span])
        values, slopes = function(places)
        for x, width, y, slope in zip(places, np.diff(places), values, slopes, strict=False):
            coefficients = cells_of(function, (x, x + width), height, steepness)
            count = len(coefficients)
            head += [x0 + x, y, slope, count, count / width, place + len(body)]
            signs = (-1.0) ** POWERS
            for c in coefficients:
                middle = total + 0.5 * width / count * (c * signs / (POWERS + 1.0)).sum()
                body += [middle, *c]
                total = middle + 0.5 * width / count * (c / (POWERS + 1.0)).sum()
    head += [*corners[-1], 0.0, 0.0, 0.0]
    return tuple(map(float, [segments, total, *head, *body]))


def join(chains: Sequence[tuple[float, ...]]) -> list[float]:
    """Chains one after another, behind the places where they start."""
    starts = np.cumsum([len(chains), *map(len, chains[:-1])])
    return [*map(float, starts), *(number for chain in chains for number in chain)]
