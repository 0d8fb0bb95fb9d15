"""A sphere: a string around a circle in the plane of its centre and both ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import cross, dot, load3, scale
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ...spatial.jets import (
    fixed3,
    j_add,
    j_cos_sin,
    j_mul,
    j_scale,
    j_sub,
    v_add,
    v_cross,
    v_mul,
    v_scale,
    v_unit,
)
from ..network.circle import CIRCLE, see_circle
from .base import (
    ARC,
    ENTRY,
    EXIT,
    LENGTH,
    PRIVATE,
    SHAPE,
    SIDE,
    SIDED,
    SPAN,
    START,
    TURN,
    WRAPPED,
    Solid,
    Surface,
    get,
    get3,
    length_jet,
    place3,
    put,
    put3,
)
from .circle import choose_turn, touch

AXIS, SIDEWAYS = PRIVATE, PRIVATE + 3  # about which the path turns, unit; where it enters, turned by a quarter
OPPOSITE = 1e-12  # sine of the angle between the ends below which they have no plane


@kernel
def plane_of(a, b, sided, side):
    """Unit normal of the plane of two ends; of one end and the side, or of any plane, where they are in line."""
    n = cross(a, b)
    if np.sqrt(dot(n, n).real) <= OPPOSITE * np.sqrt(dot(a, a).real * dot(b, b).real):
        n = cross(a, side) if sided else scale(0.0, n)
        if dot(n, n).real == 0.0:
            o = a[0] * 0.0
            n = cross(a, (o + 1.0, o, o) if abs(a[0].real) < abs(a[1].real) else (o, o + 1.0, o))
    return scale(1.0 / np.sqrt(dot(n, n)), n)


@kernel
def turn_in_plane(params, at, a, b):
    """(axis, theta): about which unit axis the string turns, and its angle of contact, 0 if there is none."""
    r, sided = params[at + SHAPE], params[at + SIDED].real
    side = load3(params[at + SIDE : at + SIDE + 3])
    n = plane_of(a, b, sided != 0.0, side)
    e = scale(1.0 / np.sqrt(dot(a, a)), a)
    f = cross(n, e)
    flat = (dot(side, e), dot(side, f))
    sense, theta = choose_turn((dot(a, e), a[0] * 0.0), (dot(b, e), dot(b, f)), r, sided, flat)
    return scale(sense, n), theta


@kernel
def turning_axis(a, b, axis):
    """The axis as a jet: the plane turns with the ends, unless they are in line with the centre."""
    n = v_cross(a, b)
    if np.sqrt(dot(n[0], n[0]).real) > OPPOSITE * np.sqrt(dot(a[0], a[0]).real * dot(b[0], b[0]).real):
        turned, _ = v_unit(n)
        return v_scale(1.0 if dot(turned[0], axis).real > 0.0 else -1.0, turned)
    return fixed3(axis)


@kernel(entry=True)
def solve(params, at, a, b, g):
    """Solve the circle's problem in the plane of centre and ends, and write the path into the table."""
    r = params[at + SHAPE]
    axis, theta = turn_in_plane(params, at, a, b)
    if not theta.real > 0.0:
        return 0
    P, first = touch(fixed3(a), fixed3(cross(axis, a)), r)
    Q, last = touch(fixed3(b), fixed3(cross(b, axis)), r)
    g[0, LENGTH], g[0, TURN] = first[0] + r * theta + last[0], theta
    g[0, WRAPPED] = g[0, ARC + SPAN] = r * theta
    g[0, ARC + START] = first[0]
    place3(g, AXIS, axis)
    place3(g, SIDEWAYS, cross(axis, P[0]))
    place3(g, ARC + ENTRY, P[0])
    place3(g, ARC + EXIT, Q[0])
    return 1


@kernel
def derive(params, at, a, b, g, second):
    """Derivatives of the path along jets a and b, with which its plane turns; without `second` the first ones alone."""
    r = params[at + SHAPE]
    axis = turning_axis(a, b, (g[0, AXIS], g[0, AXIS + 1], g[0, AXIS + 2]))
    P, first = touch(a, v_cross(axis, a), r)
    Q, last = touch(b, v_cross(b, axis), r)
    sideways = v_cross(axis, P)
    length = length_jet(g[0, LENGTH], a, b, v_scale(1.0 / r, sideways), v_scale(1.0 / r, v_cross(axis, Q)))
    wrapped = j_sub(length, j_add(first, last))
    put(g, LENGTH, length, second)
    put(g, WRAPPED, wrapped, second)
    put(g, ARC + SPAN, wrapped, second)
    put(g, ARC + START, first, second)
    put3(g, SIDEWAYS, sideways, second)
    put3(g, ARC + ENTRY, P, second)
    put3(g, ARC + EXIT, Q, second)


@kernel(entry=True)
def follow(params, at, a, b, g):
    """First and second derivatives of the path along jets a and b."""
    derive(params, at, a, b, g, True)


@kernel(entry=True)
def rates(params, at, a, b, g):
    """First derivatives of the path along jets a and b; the compiler drops the second ones."""
    derive(params, at, a, b, g, False)


@kernel
def arc_point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi, on an arc of a great circle."""
    foot = get3(g, ARC + ENTRY)
    along = j_sub(j_mul(xi, get(g, LENGTH)), get(g, ARC + START))
    c, s = j_cos_sin(j_scale(1.0 / params[at + SHAPE], along))
    return v_add(v_mul(c, foot), v_mul(s, get3(g, SIDEWAYS)))


@kernel(entry=True)
def point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi of the piece."""
    return arc_point(params, at, arc, g, xi)


@kernel(entry=True)
def place(params, at, arc, g, xi):
    """(place, velocity) at the fraction xi of the piece; the compiler drops the second derivative."""
    x, v, _ = arc_point(params, at, arc, g, xi)
    return x, v


@kernel(entry=True)
def see(params, at, a, b, n):
    """What a network is told: the circle in the plane of centre and ends."""
    r = params[at + SHAPE]
    if not min(dot(a[0], a[0]).real, dot(b[0], b[0]).real) > (r * r).real:
        return 0
    axis, _ = turn_in_plane(params, at, a[0], b[0])
    return see_circle(a, b, turning_axis(a, b, axis), r, n)


@brief
@dataclass(eq=False)
class Sphere(Surface):
    """A sphere about the origin of its frame, radius in m; a side chooses between the two ways in one plane.

    Held, the path takes the way whose middle is nearer to the side. It jumps where both middles, which are opposite,
    are equally near: in a plane that keeps away from a right angle to the side, only where a cylinder's path does too.
    With `forced=False` a path is straight wherever the straight line clears the sphere, on either side.
    """

    radius: float = 1.0
    side: Sequence[float] | None = None
    hold: bool = True
    forced: bool = True
    solve: ClassVar = solve
    follow: ClassVar = follow
    rates: ClassVar = rates
    point: ClassVar = point
    place: ClassVar = place
    see: ClassVar = see
    problem: ClassVar = CIRCLE

    def shape(self) -> list[float]:
        """The radius [m]."""
        return [check_positive(self.radius, "radius [m]")]

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """A ball."""
        return [("ball", np.eye(4), (shape[0],) * 3)]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the surface [m], negative inside."""
        return float(np.linalg.norm(x) - self.radius)
