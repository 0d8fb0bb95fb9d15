"""An ellipsoid. Divided by its radii it is the unit sphere, on which the search for its geodesic begins.

There every plane through both ends cuts the ellipsoid in a circle, with its string in two ways, one on each side of
the straight line; of all these, turned about the line, the shortest as seen in the ellipsoid is near the geodesic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add, add_scaled, cross, dot, load3, scale, sub
from ...spatial.brief import brief
from ...spatial.checks import check_numbers
from ..spec import HELD, NO_SIDE, PASSED, UNFORCED
from .base import LENGTH, SHAPE, SIDE, SIDED, TURN, Solid, Surface
from .circle import choose_turn, tangent_length
from .geodesic import PACE
from .hunt import end_hunt, hunt, start_hunt
from .levels import ELLIPSOID, real3, stretch
from .taut import NODE, SIGMA, STEPS, STRIDE, follow_from, point_from, solve_from

WAYS = 16  # number of half planes about the line through both ends that are tried
BEADS = 8  # number of places on the arc of each, to measure its length
GAPS, LONGER = 64, 1.5  # between half planes, where the search in one unknown looks; its reach against the string's
IN_LINE = 1e-12  # sine of an angle that counts as zero


@kernel
def string(a, b, e, d):
    """(centre, radius, first, theta): the string over the circle in the half plane of a line along e, towards d.

    a and b are on the line; the string leaves a for the angle `first` (from d, clockwise) and then lies on the circle
    for the angle theta. All on the unit sphere.
    """
    m = cross(e, d)
    centre = scale(dot(a, m), m)
    r = np.sqrt(max(1.0 - dot(centre, centre), 0.0))
    high = dot(a, d)
    start, end = np.arctan2(dot(a, e), high), np.arctan2(dot(b, e), high)
    free_a = np.arctan2(tangent_length((dot(a, e), high), r), r)
    free_b = np.arctan2(tangent_length((dot(b, e), high), r), r)
    turn = end - start if end >= start else end - start + 2.0 * np.pi
    return centre, r, start + free_a, turn - free_a - free_b


@kernel
def on_string(radii, e, d, way, angle):
    """The place on the ellipsoid at an angle of a string around the unit sphere."""
    return stretch(radii, add(way[0], add(scale(way[1] * np.sin(angle), e), scale(way[1] * np.cos(angle), d))))


@kernel
def measure(radii, a, b, e, d, way):
    """(length of a string from a to b as seen in the ellipsoid, time of a geodesic's clock along its arc)."""
    x = on_string(radii, e, d, way, way[2])
    leg = sub(x, stretch(radii, a))
    length, ticks = np.sqrt(dot(leg, leg)), 0.0
    inverse = (radii[0] ** -2, radii[1] ** -2, radii[2] ** -2)
    for i in range(1, BEADS + 1):
        y = on_string(radii, e, d, way, way[2] + way[3] * i / BEADS)
        chord, g = sub(y, x), stretch(inverse, scale(0.5, add(x, y)))
        piece = np.sqrt(dot(chord, chord))
        length += piece
        ticks += piece * dot(g, g) ** (-0.5 * PACE)
        x = y
    leg = sub(stretch(radii, b), x)
    return length + np.sqrt(dot(leg, leg)), ticks


@kernel(inline=False)
def choose_way(radii, a, b, e, near, width, sided, side, g):
    """The angle about the line, from its near side, at which the search begins.

    Where all ways around touch (width = pi), of those on the side (the nearer half of each plane) the shortest valley,
    else the highest ridge; where the line passes on the wrong side, the ridge between the angles pi -+ width.
    """
    around = width == np.pi
    for i in range(WAYS):
        d = turned(e, near, width * (2.0 * i / WAYS - 1.0) + np.pi)
        g[0, NODE + i], _ = measure(radii, a, b, e, d, string(a, b, e, d))
        g[0, NODE + WAYS + i] = forwards(a, b, e, d, sided, side)
    best, choice, in_valley = np.inf, 0.0 if around else np.pi, False
    for i in range(0 if around else 1, WAYS):
        before, here, after = g[0, NODE + (i - 1) % WAYS].real, g[0, NODE + i].real, g[0, NODE + (i + 1) % WAYS].real
        opposite = g[0, NODE + WAYS + (i + WAYS // 2) % WAYS].real
        allowed = not (sided != NO_SIDE and around) or g[0, NODE + WAYS + i].real >= opposite
        valley, ridge = around and here <= before and here <= after, here >= before and here >= after
        score = here if valley else -here
        if allowed and ((valley and not in_valley) or ((valley or (ridge and not in_valley)) and score < best)):
            curve = before - 2.0 * here + after
            shift = 0.5 * (before - after) / curve if curve != 0.0 else 0.0
            best, choice, in_valley = score, width * (2.0 * (i + shift) / WAYS - 1.0) + np.pi, valley
    return choice


@kernel
def is_opposite(radii, a, b, e, d, side):
    """True if the middle of the string towards d, on the ellipsoid, lies more than 135 degrees from the side."""
    way = string(a, b, e, d)
    middle = on_string(radii, e, d, way, way[2] + 0.5 * way[3])
    along = dot(middle, side)
    return along < 0.0 and 2.0 * along * along > dot(middle, middle) * dot(side, side)


@kernel
def turned(e, near, angle):
    """The unit vector `near` turned about e by an angle."""
    return add(scale(np.cos(angle), near), scale(np.sin(angle), cross(e, near)))


@kernel
def perpendicular(e, v):
    """Unit vector at right angles to e towards v, or any where v is along e."""
    w = add_scaled(v, -dot(v, e), e)
    if dot(w, w) <= IN_LINE * IN_LINE * dot(v, v):
        v = (1.0, 0.0, 0.0) if abs(e[0]) < 0.6 else (0.0, 1.0, 0.0)
        w = add_scaled(v, -dot(v, e), e)
    return scale(1.0 / np.sqrt(dot(w, w)), w)


@kernel(entry=True)
def solve(params, at, a, b, g):
    """Newton's method from the best string around the sphere; where that fails, from others."""
    radii = real3(load3(params[at + SHAPE : at + SHAPE + 3]))
    inverse = (1.0 / radii[0], 1.0 / radii[1], 1.0 / radii[2])
    start, end, sided = stretch(inverse, real3(a)), stretch(inverse, real3(b)), params[at + SIDED].real
    side = stretch(inverse, real3(load3(params[at + SIDE : at + SIDE + 3])))
    line = sub(end, start)
    if dot(line, line) == 0.0 or dot(start, start) < 1.0 or dot(end, end) < 1.0:
        return 0
    e = scale(1.0 / np.sqrt(dot(line, line)), line)
    foot = add_scaled(start, -dot(start, e), e)
    far = dot(foot, foot)
    near = perpendicular(e, side if sided != NO_SIDE and far <= IN_LINE * IN_LINE else foot)
    width = np.pi
    if not (far < 1.0 and dot(start, e) < 0.0 and dot(end, e) > 0.0):
        if sided != PASSED or forwards(start, end, e, near, sided, side) > 0.0:
            return 0
        width = np.arcsin(1.0 / np.sqrt(max(far, 1.0)))
    g[0, LENGTH] = np.nan
    if sided == UNFORCED:
        sided = NO_SIDE
        best = choose_way(radii, start, end, e, near, width, sided, side, g)
        d = turned(e, near, best)
        if is_opposite(radii, start, end, e, d, stretch(radii, side)):
            sided, side = HELD, scale(-1.0, d)
    best = choose_way(radii, start, end, e, near, width, sided, side, g)
    arcs = -1
    for k in range(WAYS):
        if arcs < 0:
            swing = (k + 1) // 2 if k % 2 else -(k // 2)
            begun, P = begin(radii, start, end, e, turned(e, near, best + 2.0 * width * swing / WAYS), a[0] * 0.0, g)
            if begun:
                arcs = solve_from(ELLIPSOID, params, at, a, b, P, g)
    if arcs < 0:
        arcs = hunt_around(params, at, a, b, e, near, side, sided, g)
    if arcs < 0 and width < np.pi:
        return 0
    if arcs < 0 and sided != NO_SIDE:
        arcs = hunt_around(params, at, a, b, e, near, side, NO_SIDE, g)
    return 1 if arcs < 0 else arcs


@kernel(inline=False)
def hunt_around(params, at, a, b, e, near, side, sided, g):
    """Shoot from the strings in half planes all around the line, towards the side or, if not sided, on any."""
    radii = real3(load3(params[at + SHAPE : at + SHAPE + 3]))
    inverse = (1.0 / radii[0], 1.0 / radii[1], 1.0 / radii[2])
    start, end = stretch(inverse, real3(a)), stretch(inverse, real3(b))
    start_hunt(g)
    for k in range(GAPS + 1):
        d = turned(e, near, 2.0 * np.pi * k / GAPS)
        begun, P = False, (a[0] * 0.0, a[0] * 0.0, a[0] * 0.0)
        if reaches(start, end, e, d) and not (sided != NO_SIDE and forwards(start, end, e, d, sided, side) < 0.0):
            begun, P = begin(radii, start, end, e, d, a[0] * 0.0, g)
            g[0, STRIDE] *= LONGER * g[0, SIGMA] / STEPS
        hunt(ELLIPSOID, params, at, a, b, begun, P, g)
    return end_hunt(ELLIPSOID, params, at, a, b, g)


@kernel
def reaches(a, b, e, d):
    """True if the half plane towards d cuts the unit sphere in a circle that both ends are outside of."""
    m = cross(e, d)
    height = dot(a, m)
    r = 1.0 - height * height
    high, along_a, along_b = dot(a, d), dot(a, e), dot(b, e)
    nearest = min(high * high + along_a * along_a, high * high + along_b * along_b)
    return r > 0.0 and nearest > r


@kernel(inline=False)
def begin(radii, a, b, e, d, o, g):
    """(touches, P): where the string on one side of the line first touches; writes SIGMA and STRIDE into the table."""
    way = string(a, b, e, d)
    _, ticks = measure(radii, a, b, e, d, way)
    P = on_string(radii, e, d, way, way[2])
    slope = (P[0] / radii[0] ** 2, P[1] / radii[1] ** 2, P[2] / radii[2] ** 2)
    uneven = max(radii[0], radii[1], radii[2]) / min(radii[0], radii[1], radii[2])
    steps = max(min(np.ceil((0.4 + 0.9 * uneven) * way[1] * way[3]), 1.0 * STEPS), 1.0)
    g[0, SIGMA], g[0, STRIDE] = steps, dot(slope, slope) ** (0.5 * PACE) * ticks / steps
    g[0, TURN] = way[3]
    return way[3] > 0.0 and g[0, STRIDE].real > 0.0, (o + P[0], o + P[1], o + P[2])


@kernel
def forwards(a, b, e, d, sided, side):
    """1 if the string on one side of the line, towards d, turns in its plane as the side asks for; -1 if not."""
    high = dot(a, d)
    return -choose_turn((dot(a, e), high), (dot(b, e), high), 0.0, sided, (dot(side, e), dot(side, d)))[0]


@kernel(entry=True)
def follow(params, at, a, b, g):
    """First and second derivatives of the path along jets a and b."""
    follow_from(ELLIPSOID, params, at, a, b, g)


@kernel
def arc_point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi, on the geodesic."""
    return point_from(ELLIPSOID, params, at, g, xi)


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
class Ellipsoid(Surface):
    """An ellipsoid about the origin of its frame, radii along its axes in m.

    Without a side the path takes the shortest way; a side chooses among the ways of each plane through both ends. With
    `forced=False` the path is straight wherever the straight line clears the ellipsoid, and else takes the shortest way
    whose middle is not more than 135 degrees from the side, seen from the centre.
    """

    radii: Sequence[float] = (1.0, 1.0, 1.0)
    side: Sequence[float] | None = None
    forced: bool = True
    solve: ClassVar = solve
    follow: ClassVar = follow
    point: ClassVar = point
    place: ClassVar = place

    def shape(self) -> list[float]:
        """The three radii [m]."""
        radii = check_numbers(self.radii, "radii [m]", (3,))
        if not (radii > 0).all():
            raise ValueError(f"radii [m] must be positive, and are {radii.tolist()}")
        return radii.tolist()

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """A ball of three radii."""
        return [("ball", np.eye(4), tuple(shape[:3]))]

    def gap(self, x: np.ndarray) -> float:
        """Roughly the distance of a point from the surface [m], negative inside."""
        return float((np.linalg.norm(x / np.asarray(self.radii)) - 1.0) * min(self.radii))
