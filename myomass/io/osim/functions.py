"""Functions of OpenSim as motions, each with its own ends and with what it does beyond them."""

from collections.abc import Callable
from math import factorial

import numpy as np
from scipy.interpolate import PPoly, make_interp_spline

from ...recordings.xml import Element
from ...spatial.motion import Motion
from ...spatial.scaled import scaled
from ...spatial.simm_spline import simm_spline

STEP = (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)  # of a smooth step, lowest degree first


def read_function(element: Element) -> Motion:
    """The motion of a function's element, or of the element that holds it."""
    if element.tag not in READERS:
        inner = [child for child in element if child.tag in READERS]
        if len(inner) != 1:
            known = ", ".join(sorted(READERS))
            holds = ", ".join(f"<{child.tag}>" for child in element) or "nothing"
            element.fail(f"<{element.tag}> should hold one of the functions {known}, and holds {holds}")
        (element,) = inner
    with element.at_fault():
        return READERS[element.tag](element)


def of_polynomial(highest_first: np.ndarray) -> Motion:
    """A polynomial, for all x."""
    rows = np.array([highest_first[::-1]])
    return Motion(float(rows[0, 0])) if rows.shape[1] == 1 else Motion.pieces([0.0, 1.0], rows, goes_on=True)


def natural_spline(x: np.ndarray, y: np.ndarray, degree: int) -> Motion:
    """The spline of odd degree 2m - 1 whose derivatives from the m-th on vanish beyond its ends."""
    m = (degree + 1) // 2
    if len(x) <= degree:
        raise ValueError(f"a spline of degree {degree} needs {degree + 1} points, and has {len(x)}")
    free = [(k, 0.0) for k in range(m, degree)]
    curve = PPoly.from_spline(make_interp_spline(x, y, degree, bc_type=(free, free) if free else None))
    inside = (curve.x[:-1] >= x[0]) & (curve.x[1:] <= x[-1]) & (np.diff(curve.x) > 0)
    tails = [_tail(curve, end, start, m) for end, start in ((x[0], x[0] - 1.0), (x[-1], x[-1]))]
    rows = np.zeros((inside.sum() + 2, degree + 1))
    rows[0, :m], rows[1:-1], rows[-1, :m] = tails[0], curve.c[::-1, inside].T, tails[1]
    return Motion.pieces([x[0] - 1.0, *curve.x[:-1][inside], x[-1], x[-1] + 1.0], rows, goes_on=True)


def _tail(curve: PPoly, end: float, start: float, m: int) -> list[float]:
    """Coefficients, about `start`, of the polynomial of degree m - 1 that goes on from an end of a curve."""
    slopes = [float(curve(end, k)) / factorial(k) for k in range(m)]
    moved = np.polynomial.Polynomial(slopes)(np.polynomial.Polynomial([start - end, 1.0]))
    return np.resize(np.append(moved.coef, np.zeros(m)), m).tolist()


def _points(element: Element, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Rising x and as many y."""
    x, y = element.numbers("x"), element.numbers("y")
    if x is None or y is None or len(x) != len(y) or len(x) < least:
        element.fail(f"{element.tag} has {least} or more points, as many <y> as <x>")
    if (np.diff(x) <= 0).any():
        element.fail(f"{element.tag}: its <x> must rise")
    return x, y


def _constant(element: Element) -> Motion:
    return Motion(float(element.numbers("value", [0.0], 1)[0]))


def _linear(element: Element) -> Motion:
    slope, intercept = element.numbers("coefficients", [1.0, 0.0], 2)
    return Motion.line(slope, intercept)


def _polynomial(element: Element) -> Motion:
    coefficients = element.numbers("coefficients", [1.0])
    if not len(coefficients):
        element.fail("a polynomial needs coefficients")
    return of_polynomial(coefficients)


def _multiplier(element: Element) -> Motion:
    factor = float(element.numbers("scale", [1.0], 1)[0])
    holder = element.find("function")
    if holder is None:
        holder = next((child for child in element if child.tag in READERS), None)
    if holder is None:
        element.fail("a MultiplierFunction holds a <function>")
    return scaled(read_function(holder), factor)


def _simm(element: Element) -> Motion:
    return simm_spline(*_points(element, 2))


def _gcv(element: Element) -> Motion:
    if element.numbers("error_variance", [0.0], 1)[0] != 0:
        element.find("error_variance").fail("a spline that smooths its points is not read; write <error_variance> 0")
    degree = 2 * int(element.numbers("half_order", [3], 1)[0]) - 1
    if degree < 1:
        element.find("half_order").fail("<half_order> of a GCVSpline is 1, 2, 3, ...")
    return natural_spline(*_points(element, 2), degree)


def _piecewise_linear(element: Element) -> Motion:
    x, y = _points(element, 2)
    return Motion.pieces(x, np.column_stack([y[:-1], np.diff(y) / np.diff(x)]), goes_on=True)


def _piecewise_constant(element: Element) -> Motion:
    x, y = _points(element, 1)
    return Motion.pieces([*x, x[-1] + 1.0], y[:, None]) if len(x) > 1 else Motion(float(y[0]))


def _sine(element: Element) -> Motion:
    tags = (("amplitude", 1.0), ("omega", 1.0), ("phase", 0.0), ("offset", 0.0))
    return Motion.sine(*(float(element.numbers(tag, [default], 1)[0]) for tag, default in tags))


def _step(element: Element) -> Motion:
    tags = {"transition_start_time": 0.99, "transition_end_time": 1.01, "start_value": 0.0, "end_value": 1.0}
    start, end, low, high = (float(element.numbers(tag, [default], 1)[0]) for tag, default in tags.items())
    if not end > start:
        element.fail("StepFunction: its <transition_end_time> must come after its <transition_start_time>")
    row = (high - low) * np.array(STEP) / (end - start) ** np.arange(6)
    row[0] += low
    return Motion.pieces([start, end], [row])


READERS: dict[str, Callable[[Element], Motion]] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "PolynomialFunction": _polynomial,
    "MultiplierFunction": _multiplier,
    "SimmSpline": _simm,
    "NaturalCubicSpline": _simm,
    "natCubicSpline": _simm,
    "GCVSpline": _gcv,
    "PiecewiseLinearFunction": _piecewise_linear,
    "PiecewiseConstantFunction": _piecewise_constant,
    "Sine": _sine,
    "StepFunction": _step,
}
