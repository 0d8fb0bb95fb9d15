"""outer(inner(x)) of two functions made of polynomial pieces, exactly: polynomials again, with breaks where the inner
function passes a break of the outer one.
"""

from itertools import pairwise

import numpy as np
from numpy.polynomial import Polynomial

from ...spatial.motion import Motion
from ...spatial.scaled import scaled

REAL = 1e-9  # imaginary parts of roots up to here, in parts of 1 + the root, are rounding

Span = tuple[float, float, float, Polynomial]  # from, to, centre, polynomial


def compose(outer: Motion, inner: Motion) -> Motion:
    """The motion outer(inner(x)); a ValueError if one is a sine and the other bends."""
    if not inner.moves:
        return Motion(outer(inner.coefficients[0, 0]))
    if not outer.moves:
        return Motion(outer.coefficients[0, 0])
    line = _as_line(outer)
    if line is not None:
        return scaled(inner, *line)
    line = _as_line(inner)
    if outer.wave and line is not None:
        amplitude, rate, phase, offset = outer.wave
        return Motion.sine(amplitude, rate * line[0], rate * line[1] + phase, offset)
    if outer.wave or inner.wave:
        raise ValueError("a sine of a function that is no line, or such a function of a sine, is not made of pieces")
    return _joined([piece for span in _spans(inner) for piece in _within(span, _spans(outer))])


def _as_line(motion: Motion) -> tuple[float, float] | None:
    """(slope, value at 0) of a motion that is one line everywhere."""
    rows = motion.coefficients
    if motion.wave or not motion.goes_on or len(rows) != 1 or rows[0, 2:].any():
        return None
    slope = float(rows[0, 1]) if rows.shape[1] > 1 else 0.0
    return slope, float(rows[0, 0] - slope * motion.breaks[0])


def _spans(motion: Motion) -> list[Span]:
    """The pieces of a motion, which together cover all x."""
    x, rows = motion.breaks, [Polynomial(row) for row in motion.coefficients]
    spans = [(float(a), float(b), float(a), row) for (a, b), row in zip(pairwise(x), rows, strict=True)]
    if motion.goes_on:
        spans[0] = (-np.inf, *spans[0][1:])
        spans[-1] = (spans[-1][0], np.inf, *spans[-1][2:])
        return spans
    ends = rows[0](0.0), rows[-1](x[-1] - x[-2])
    held = [(-np.inf, x[0], x[0], Polynomial([ends[0]])), (x[-1], np.inf, x[-1], Polynomial([ends[1]]))]
    return [held[0], *spans, held[1]]


def _within(span: Span, outers: list[Span]) -> list[Span]:
    """The pieces of the composition over one span of the inner function."""
    a, b, centre, inner = span
    cuts = set()
    for _, level, _, _ in outers[:-1]:
        roots = (inner - level).roots() if inner.degree() > 0 else np.zeros(0)
        real = roots.real[np.abs(roots.imag) <= REAL * (1.0 + np.abs(roots))] + centre
        cuts |= {float(x) for x in real if a < x < b}
    found = []
    for low, high in pairwise([a, *sorted(cuts), b]):
        y = inner(_middle(low, high) - centre)
        outer = next(one for one in outers if y <= one[1])
        start = low if np.isfinite(low) else (high - 1.0 if np.isfinite(high) else 0.0)
        moved = inner(Polynomial([start - centre, 1.0]))
        value = outer[3](moved - outer[2])
        found.append((low, high, start, value if isinstance(value, Polynomial) else Polynomial([value])))
    return found


def _middle(low: float, high: float) -> float:
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    if np.isfinite(high):
        return high - 1.0
    return low + 1.0 if np.isfinite(low) else 0.0


def _joined(spans: list[Span]) -> Motion:
    """One motion of spans that cover all x."""
    width = max(len(span[3].coef) for span in spans)
    rows = [np.pad(span[3].coef, (0, width - len(span[3].coef))) for span in spans]
    breaks = [span[2] for span in spans]
    return Motion.pieces([*breaks, breaks[-1] + 1.0], rows, goes_on=True)
