"""A torus, around whose tube a path is held: a ring that it passes through, or over.

The search for its geodesic begins with the straight tube along the ring's tangent at one place, and a helix around it:
the place is where the ring is nearest to the line between both ends or, with a side, where that side of the tube makes
the least detour. A path has one arc: it does not see the ring's far side, nor bridges a hollow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add_scaled, dot, load3, scale, sub
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from .base import LENGTH, SHAPE, SIDE, SIDED, TURN, Solid, Surface
from .circle import choose_turn
from .hunt import end_hunt, hunt, start_hunt
from .levels import TORUS, real3
from .taut import NODE, SIGMA, STEPS, STRIDE, WIDTH, follow_from, point_from, solve_from, whole_steps

PLACES = 24  # number of places on the ring that are tried
BISECTIONS = 50
GAPS = 48  # between places, where the search in one unknown looks
PER_RADIUS = 1.5  # steps along the geodesic


@kernel
def ring(rho, z, angle):
    """The point at an angle of the circle of radius rho about the axis at height z."""
    return (rho * np.cos(angle), rho * np.sin(angle), z)


@kernel
def is_inside(x, R, r):
    """True if a place is within the tube."""
    return np.hypot(np.hypot(x[0], x[1]) - R, x[2]) < r


@kernel
def nearest(a, b, x):
    """Vector from x to the nearest point of the line between a and b."""
    line, away = sub(b, a), sub(x, a)
    share = min(max(dot(away, line) / dot(line, line), 0.0), 1.0)
    return add_scaled(scale(-1.0, away), share, line)


@kernel
def detour(a, b, x):
    """Length of the way from a over x to b [m]."""
    p, q = sub(x, a), sub(b, x)
    return np.sqrt(dot(p, p)) + np.sqrt(dot(q, q))


@kernel
def downhill(a, b, R, angle):
    """True if the ring comes nearer to the line between a and b where its angle grows."""
    away = nearest(a, b, ring(R, 0.0, angle))
    return away[1] * np.cos(angle) - away[0] * np.sin(angle) > 0.0


@kernel(inline=False)
def choose_place(a, b, R, sided, rho, z):
    """(angle, foot, away): the ring's angle where the search begins, that nearest to the line, and from there to it."""
    angle, least = 0.0, np.inf
    for i in range(PLACES):
        here = 2.0 * np.pi * i / PLACES
        away = nearest(a, b, ring(R, 0.0, here))
        score = detour(a, b, ring(rho, z, here)) if sided else dot(away, away)
        if score < least:
            least, angle = score, here
    low, width = angle, 2.0 * np.pi / PLACES
    up = downhill(a, b, R, angle)
    for _ in range(PLACES):  # to a bracket of the nearest place, then halved
        if downhill(a, b, R, low) == up:
            low += width if up else -width
    high = low if up else low + width
    low = high - width
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if downhill(a, b, R, middle):
            low = middle
        else:
            high = middle
    return (angle if sided else low), low, nearest(a, b, ring(R, 0.0, low))


@kernel
def is_on_side(R, side, g):
    """True if the middle of the solved arc is on the half of the tube towards a side, seen from the tube's centre."""
    c = NODE + WIDTH * ((whole_steps(g[0, SIGMA]) + 2) // 2)
    x, y, z = g[0, c].real, g[0, c + 1].real, g[0, c + 2].real
    return (np.hypot(x, y) - R) * side[0] + z * side[1] > 0.0


@kernel(entry=True)
def solve(params, at, a, b, g):
    """Newton's method on the geodesic, from a helix around the tube; where that fails, from other places."""
    R, r, sided = params[at + SHAPE].real, params[at + SHAPE + 1].real, params[at + SIDED].real != 0.0
    start, end = real3(a), real3(b)
    if dot(sub(end, start), sub(end, start)) == 0.0 or is_inside(start, R, r) or is_inside(end, R, r):
        return 0
    x, y, z = real3(load3(params[at + SIDE : at + SIDE + 3]))
    out, up = np.hypot(x, y) - R, z
    far = np.hypot(out, up) if sided else 1.0
    place, foot, away = choose_place(start, end, R, sided, R + r * out / far, r * up / far)
    if not dot(away, away) < r * r:
        c, s = np.cos(foot), np.sin(foot)
        hand_a = out * start[2] - up * (c * start[0] + s * start[1] - R)
        hand_b = out * end[2] - up * (c * end[0] + s * end[1] - R)
        if not sided or hand_a * hand_b >= 0.0 or (c * away[0] + s * away[1]) * out + away[2] * up >= 0.0:
            return 0
    g[0, LENGTH] = np.nan
    arcs = -1
    for strict in range(1 if sided else 0, -1, -1):  # on its side, else on any
        for k in range(PLACES):
            if arcs < 0:
                swing = (k + 1) // 2 if k % 2 else -(k // 2)
                angle = place + np.pi * swing / PLACES
                begun, P = begin(start, end, R, r, angle, sided, (out, up), a[0] * 0.0, g)
                if begun:
                    arcs = solve_from(TORUS, params, at, a, b, P, g)
                    if strict and not (arcs > 0 and is_on_side(R, (out, up), g)):
                        arcs = -1
    for reach in (2.0, 4.0, 7.0):  # in radii of the tube: geodesics are the more exact, the shorter they are
        if arcs < 0:
            arcs = hunt_around(params, at, a, b, place, sided, (out, up), reach, g)
    if arcs < 0 and not dot(away, away) < r * r:
        return 0
    return 1 if arcs < 0 else arcs


@kernel
def graze(a, R, r, place, sense, o):
    """(True, P): where the tube, if straight at one place, is touched from a in a sense of turning; or False."""
    c, s = np.cos(place), np.sin(place)
    out = c * a[0] + s * a[1] - R
    away = np.hypot(out, a[2])
    if not away > r:
        return False, (o, o, o)
    angle = np.arctan2(a[2], out) + sense * np.arccos(r / away)
    P = ring(R + r * np.cos(angle), r * np.sin(angle), place)
    return True, (o + P[0], o + P[1], o + P[2])


@kernel(inline=False)
def hunt_around(params, at, a, b, place, sided, side, reach, g):
    """Shoot from places all around the ring, in the sense of turning about the tube that each wants, else in both."""
    R, r, o = params[at + SHAPE].real, params[at + SHAPE + 1].real, a[0] * 0.0
    start, end = real3(a), real3(b)
    start_hunt(g)
    for k in range(GAPS + 1):
        begun, P = begin(start, end, R, r, place + 2.0 * np.pi * k / GAPS, sided, side, o, g)
        g[0, STRIDE] = reach * r / STEPS
        hunt(TORUS, params, at, a, b, begun, P, g)
    arcs = end_hunt(TORUS, params, at, a, b, g)
    if arcs < 0:
        start_hunt(g)
        for i in range(4 * GAPS + 2):
            sense, k = (1.0, i) if i <= 2 * GAPS else (-1.0, i - 2 * GAPS - 1)
            begun, P = graze(start, R, r, place + np.pi * k / GAPS, sense, o)
            g[0, STRIDE] = reach * r / STEPS
            hunt(TORUS, params, at, a, b, begun, P, g)
        arcs = end_hunt(TORUS, params, at, a, b, g)
    return arcs


@kernel(inline=False)
def begin(a, b, R, r, place, sided, side, o, g):
    """(touches, P): where a helix around the tube at one place begins; writes SIGMA and STRIDE into the table."""
    c, s = np.cos(place), np.sin(place)
    flat_a = (c * a[0] + s * a[1] - R, a[2])
    flat_b = (c * b[0] + s * b[1] - R, b[2])
    reach_a, reach_b = np.hypot(flat_a[0], flat_a[1]), np.hypot(flat_b[0], flat_b[1])
    if not (reach_a > r and reach_b > r):
        return False, (o, o, o)
    sense, theta = choose_turn(flat_a, flat_b, r, sided, side)
    theta = max(theta, 0.02)
    first, last = np.sqrt(reach_a * reach_a - r * r), np.sqrt(reach_b * reach_b - r * r)
    low, high = c * a[1] - s * a[0], c * b[1] - s * b[0]
    grade = (high - low) / (first + r * theta + last)
    angle = np.arctan2(flat_a[1], flat_a[0]) + sense * np.arctan2(first, r)
    rho = R + r * np.cos(angle)
    P = ring(rho, r * np.sin(angle), place + np.arctan2(low + grade * first, rho))
    span = r * theta * np.sqrt(1.0 + grade * grade)
    steps = min(np.ceil(PER_RADIUS * span / min(r, R - r)), 1.0 * STEPS)
    g[0, SIGMA], g[0, STRIDE], g[0, TURN] = steps, span / steps, theta
    return True, (o + P[0], o + P[1], o + P[2])


@kernel(entry=True)
def follow(params, at, a, b, g):
    """First and second derivatives of the path along jets a and b."""
    follow_from(TORUS, params, at, a, b, g)


@kernel
def arc_point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi, on the geodesic."""
    return point_from(TORUS, params, at, g, xi)


@kernel(entry=True)
def point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi of the piece."""
    return arc_point(params, at, arc, g, xi)


@kernel(entry=True)
def place(params, at, arc, g, xi):
    """(place, velocity) at the fraction xi of the piece; the compiler drops the second derivative."""
    x, v, _ = arc_point(params, at, arc, g, xi)
    return x, v


@brief
@dataclass(eq=False)
class Torus(Surface):
    """A torus about the z axis of its frame: radius of the ring (its tube's centre) and of the tube in m.

    A side is a place relative to the tube's centre; its angle about the axis does not count. The side (0, 0, 0) holds
    the path in the hole, a point farther out than the ring outside. Without a side the path passes the tube on the
    side on which the straight line does.
    """

    radius: float = 1.0
    tube: float = 0.25
    side: Sequence[float] | None = None
    solve: ClassVar = solve
    follow: ClassVar = follow
    point: ClassVar = point
    place: ClassVar = place

    def shape(self) -> list[float]:
        """(radius of the ring, radius of the tube) [m]."""
        radius, tube = check_positive(self.radius, "radius [m]"), check_positive(self.tube, "tube [m]")
        if tube >= radius:
            raise ValueError(f"tube [m] must be less than the radius of the ring, {radius:g}, and is {tube:g}")
        return [radius, tube]

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """A ring."""
        return [("ring", np.eye(4), (shape[0], shape[1]))]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the surface [m], negative inside."""
        return float(np.hypot(np.hypot(x[0], x[1]) - self.radius, x[2]) - self.tube)

    def check_side(self, side: np.ndarray) -> None:
        """Raise a ValueError if the side is at the tube's centre."""
        if np.hypot(side[0], side[1]) == self.radius and side[2] == 0.0:
            raise ValueError("side is at the centre of the torus' tube; give a point that says which way to go")
