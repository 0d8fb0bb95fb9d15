"""Cubic bases of splines: weights of the four control values of a segment at u in [0, 1], and their sums from the end.

    b-spline       (v^3, 4 - 6u^2 + 3u^3, 1 + 3u + 3u^2 - 3u^3, u^3)/6               C2; passes near its control values
    catmull-rom    (-u v^2, 2 - 5u^2 + 3u^3, u + 4u^2 - 3u^3, -u^2 v)/2              C1; passes through the inner two
    bezier         (v^3, 3u v^2, 3u^2 v, u^3)                                        C0; passes through the outer two

with v = 1 - u, and cumulative ones B2 = b2 + b3 + b4, B3 = b3 + b4, B4 = b4 (supplement Eq. 53-58). The windows of four
lie one control value apart, those of Bezier segments three: they share their ends. Numbers packed for kernels begin
with minus the number of the basis, but for B-splines, which have nothing there.
"""

import numpy as np

from .._jit import kernel

NAMES = ("b-spline", "catmull-rom", "bezier")
B_SPLINE, CATMULL_ROM, BEZIER = range(3)


@kernel
def cumulative_b_spline(u):
    """(B2, B3, B4) of a B-spline, their first and their second derivatives."""
    v = 1.0 - u
    uu, vv = u * u, v * v
    value = (1.0 - vv * v / 6.0, (1.0 + u * (3.0 + u * (3.0 - 2.0 * u))) / 6.0, uu * u / 6.0)
    slope = (0.5 * vv, 0.5 + u * v, 0.5 * uu)
    return value, slope, (-v, 1.0 - 2.0 * u, u)


@kernel
def cumulative_catmull_rom(u):
    """(B2, B3, B4) of a Catmull-Rom spline, their first and their second derivatives."""
    v = 1.0 - u
    value = (1.0 + 0.5 * u * v * v, 0.5 * u * (1.0 + u * (3.0 - 2.0 * u)), -0.5 * u * u * v)
    slope = (0.5 * v * (1.0 - 3.0 * u), 0.5 + 3.0 * u * v, 0.5 * u * (3.0 * u - 2.0))
    return value, slope, (3.0 * u - 2.0, 3.0 - 6.0 * u, 3.0 * u - 1.0)


@kernel
def cumulative_bezier(u):
    """(B2, B3, B4) of a Bezier segment, their first and their second derivatives."""
    v = 1.0 - u
    uu, vv = u * u, v * v
    value = (1.0 - vv * v, uu * (3.0 - 2.0 * u), uu * u)
    return value, (3.0 * vv, 6.0 * u * v, 3.0 * uu), (-6.0 * v, 6.0 - 12.0 * u, 6.0 * u)


@kernel
def cumulative_basis(kind, u):
    """(B2, B3, B4) of a basis, their first and their second derivatives."""
    if kind == CATMULL_ROM:
        return cumulative_catmull_rom(u)
    if kind == BEZIER:
        return cumulative_bezier(u)
    return cumulative_b_spline(u)


@kernel
def basis(kind, u):
    """The four weights of a basis, their first and their second derivatives."""
    B, dB, ddB = cumulative_basis(kind, u)
    return (
        (1.0 - B[0], B[0] - B[1], B[1] - B[2], B[2]),
        (-dB[0], dB[0] - dB[1], dB[1] - dB[2], dB[2]),
        (-ddB[0], ddB[0] - ddB[1], ddB[1] - ddB[2], ddB[2]),
    )


@kernel
def basis_of(params, at):
    """(basis, where the other numbers begin) of packed numbers."""
    if params[at] < 0.0:
        return int(-params[at]), at + 1
    return B_SPLINE, at


@kernel
def window_step(kind):
    """How far apart the windows of neighbouring segments lie, in control values."""
    return 3 if kind == BEZIER else 1


@kernel
def count_segments(kind, n):
    """How many segments n control values make that do not close."""
    return (n - 1) // 3 if kind == BEZIER else n - 3


@kernel
def segment_of(q, segments, closed):
    """Number of the segment that the parameter q lies in."""
    s = int(np.floor(q.real))
    return s if closed else min(max(s, 0), segments - 1)


# --- in Python ------------------------------------------------------------------------------------------------------


def number_of(name: str, who: str) -> int:
    """The number of a basis. Raises a ValueError that names the ones there are."""
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(f"{who}: the basis is one of {', '.join(map(repr, NAMES))}, not {name!r}")
    return NAMES.index(name)


def header(kind: int) -> list[float]:
    """What packed numbers begin with."""
    return [-float(kind)] if kind else []
