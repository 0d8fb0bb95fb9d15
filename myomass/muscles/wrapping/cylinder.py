"""A cylinder: across its axis a string around a circle (circle.py); along it, as unrolled, a straight line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import dot
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ...spatial.jets import (
    fixed3,
    j_add,
    j_cos_sin,
    j_div,
    j_mul,
    j_part,
    j_scale,
    j_sqrt,
    j_sub,
    j_vector,
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
    length_jet,
    place3,
    put,
    put3,
)
from .circle import choose_turn, touch

SENSE, ACROSS, FIRST, START_Z, RISE = PRIVATE, PRIVATE + 1, PRIVATE + 2, PRIVATE + 3, PRIVATE + 4
FOOT = PRIVATE + 5  # where the path touches, without its height


@kernel
def across(v):
    """A vector without its z component, the part across the axis."""
    o = v[0][0] * 0.0
    return ((v[0][0], v[0][1], o), (v[1][0], v[1][1], o), (v[2][0], v[2][1], o))


@kernel
def sideways(sense, v):
    """A vector's part across the axis, turned by a quarter in the given sense."""
    return j_vector(j_scale(-sense, j_part(v, 1)), j_scale(sense, j_part(v, 0)), j_scale(0.0, j_part(v, 0)))


@kernel
def tangents(params, at, sense, a, b):
    """(P, l_a, Q, l_b) in the plane across the cylinder's axis, jets."""
    r = params[at + SHAPE]
    return *touch(a, sideways(sense, a), r), *touch(b, sideways(-sense, b), r)


@kernel(entry=True)
def solve(params, at, a, b, g):
    """The circle's problem gives the path across the axis; its height rises evenly along it."""
    r = params[at + SHAPE]
    side = (params[at + SIDE], params[at + SIDE + 1])
    sense, theta = choose_turn((a[0], a[1]), (b[0], b[1]), r, params[at + SIDED].real, side)
    if not theta.real > 0.0:
        return 0
    P, first, Q, last = tangents(params, at, sense, across(fixed3(a)), across(fixed3(b)))
    plane = first[0] + r * theta + last[0]
    rise = b[2] - a[2]
    length = np.sqrt(plane * plane + rise * rise)
    slant = length / plane
    g[0, SENSE], g[0, ACROSS], g[0, FIRST], g[0, START_Z], g[0, RISE] = sense, plane, first[0], a[2], rise
    g[0, LENGTH], g[0, TURN] = length, theta
    g[0, WRAPPED] = g[0, ARC + SPAN] = r * theta * slant
    g[0, ARC + START] = first[0] * slant
    place3(g, FOOT, P[0])
    place3(g, ARC + ENTRY, (P[0][0], P[0][1], a[2] + rise * first[0] / plane))
    place3(g, ARC + EXIT, (Q[0][0], Q[0][1], b[2] - rise * last[0] / plane))
    return 1


@kernel
def derive(params, at, a, b, g, second):
    """Derivatives of the path along jets a and b; without `second` the first ones alone."""
    flat_a, flat_b = across(a), across(b)
    P, first, Q, last = tangents(params, at, g[0, SENSE], flat_a, flat_b)
    turn = g[0, SENSE] / params[at + SHAPE]
    t_a, t_b = sideways(turn, P), sideways(turn, Q)
    plane = length_jet(g[0, ACROSS], flat_a, flat_b, t_a, t_b)
    start, end = j_part(a, 2), j_part(b, 2)
    rise = j_sub(end, start)
    length = j_sqrt(j_add(j_mul(plane, plane), j_mul(rise, rise)))
    slant, grade = j_div(length, plane), j_div(rise, plane)
    contact = j_sub(plane, j_add(first, last))
    wrapped = j_mul(contact, slant)
    put(g, LENGTH, length, second)
    put(g, WRAPPED, wrapped, second)
    put(g, ARC + SPAN, wrapped, second)
    put(g, ARC + START, j_mul(first, slant), second)
    put3(g, ARC + ENTRY, j_vector(j_part(P, 0), j_part(P, 1), j_add(start, j_mul(first, grade))), second)
    put3(g, ARC + EXIT, j_vector(j_part(Q, 0), j_part(Q, 1), j_sub(end, j_mul(last, grade))), second)
    put(g, ACROSS, plane, second)
    put(g, FIRST, first, second)
    put(g, START_Z, start, second)
    put(g, RISE, rise, second)
    put3(g, FOOT, P, second)


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
    """The jet of the place at the fraction xi, on the helix."""
    x, y = get(g, FOOT), get(g, FOOT + 1)
    angle = j_scale(1.0 / params[at + SHAPE], j_sub(j_mul(xi, get(g, ACROSS)), get(g, FIRST)))
    c, s = j_cos_sin(j_scale(g[0, SENSE], angle))
    height = j_add(get(g, START_Z), j_mul(xi, get(g, RISE)))
    return j_vector(j_sub(j_mul(c, x), j_mul(s, y)), j_add(j_mul(s, x), j_mul(c, y)), height)


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
    """What a network is told: the circle across the axis; heights rise evenly along the path, as along the chord."""
    r = params[at + SHAPE]
    a, b = across(a), across(b)
    if not min(dot(a[0], a[0]).real, dot(b[0], b[0]).real) > (r * r).real:
        return 0
    side = (params[at + SIDE], params[at + SIDE + 1])
    sense, _ = choose_turn((a[0][0], a[0][1]), (b[0][0], b[0][1]), r, params[at + SIDED].real, side)
    o = a[0][0] * 0.0
    return see_circle(a, b, fixed3((o, o, o + sense)), r, n)


@brief
@dataclass(eq=False)
class Cylinder(Surface):
    """A cylinder of any length about the z axis of its frame, radius in m.

    With `hold` the path stays on its side, up to a full turn; without, it is straight again where an end has crossed
    the line through axis and side on the far half, as with MuJoCo's sidesite (circle.py).
    """

    radius: float = 1.0
    side: Sequence[float] | None = None
    hold: bool = True
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
        """A cylinder without ends."""
        return [("cylinder", np.eye(4), (shape[0], np.inf))]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the surface [m], negative inside."""
        return float(np.hypot(x[0], x[1]) - self.radius)

    def check_side(self, side: np.ndarray) -> None:
        """Raise a ValueError if the side is on the axis."""
        if not side[:2].any():
            raise ValueError("side is on the cylinder's axis; give a point that says which way to go")
