"""A cylinder closed by hemispheres, a capsule: helix on the cylinder, great circles on the caps, no kink at the seams.

capsule.py tells which of them the string takes, seam.py where it crosses from one to the other.

After B. A. Garner and M. G. Pandy, The obstacle-set method for representing muscle paths in musculoskeletal models,
Computer Methods in Biomechanics and Biomedical Engineering 3 (2000), whose sphere-capped cylinder has one cap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import cross, dot
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ...spatial.jets import (
    fixed,
    fixed3,
    j_add,
    j_angle,
    j_div,
    j_mul,
    j_part,
    j_scale,
    j_sqrt,
    j_sub,
    j_vector,
    v_add,
    v_cross,
    v_dot,
    v_scale,
    v_sub,
    v_unit,
)
from ..network.capsule import CAPSULE, see_capsule
from .base import ARC, ENTRY, EXIT, LENGTH, SHAPE, SIDE, SIDED, SPAN, START, TURN, WRAPPED, Solid, Surface, get, get3
from .capsule import CAP_ONLY, NONE, choose_case, is_clear
from .circle import choose_turn
from .helix import HELIX, on_circle, on_helix, put_all, put_all3, put_helix, tangent
from .seam import CASE, PHI, PHI_END, SENSE, UP, has_cap, improve, newton, on_seam, reach, residual
from .sphere import OPPOSITE, plane_of

SEAM = PHI_END  # how far along the path it leaves the first cap, and reaches the last
AXIS = SEAM + 2  # of the circles on the first cap and on the last
ON_CYLINDER = AXIS + 6
ON_LAST = ON_CYLINDER + HELIX  # where the last cap begins


@kernel(inline=False)
def normal(a, b):
    """Unit vector along a x b."""
    return v_unit(v_cross(a, b))[0]


@kernel(inline=False)
def leg(g, end, x, r, level, phi, free, wind, climb):
    """(free length, arc's length, touch, crossing, axis) between an end and the helix, which starts or ends at phi.

    level is the height of the seam at that end. Without a cap, touch and crossing coincide, and the axis is zero.
    """
    place, seam = on_seam(x, r, level, phi)
    if not has_cap(g, end):
        straight = j_div(free, wind)
        height = j_add(j_part(x, 2), j_mul(straight, climb))
        touched = j_vector(j_part(seam, 0), j_part(seam, 1), height)
        return straight, fixed(free[0] * 0.0), touched, touched, touched
    centre = v_sub(x, place)
    axis = v_scale(1.0 if (place[0][2] * level).real >= 0.0 else -1.0, normal(place, seam))
    foot, straight = tangent(place, axis, r)
    angle = j_angle(v_dot(axis, v_cross(foot, seam)), v_dot(foot, seam))
    return straight, j_scale(r, angle), v_add(foot, centre), v_add(seam, centre), axis


@kernel(inline=False)
def trace(params, at, a, b, g):
    """Write the path over the cylinder into the table, from the angles of the crossings."""
    r, level = params[at + SHAPE], g[0, UP] * params[at + SHAPE + 1]
    first, last = get(g, PHI), get(g, PHI + 1)
    _, free_a, _, free_b, plane, fall = reach(params, at, g, a, b, first, last)
    contact = j_sqrt(j_add(j_mul(plane, plane), j_mul(fall, fall)))
    wind, climb = j_div(plane, contact), j_scale(-g[0, UP], j_div(fall, contact))
    head, arc_a, entry, start, axis_a = leg(g, 0, a, r, level, first, free_a, wind, climb)
    tail, arc_b, exit_, end, axis_b = leg(g, 1, b, r, -level, last, free_b, wind, j_scale(-1.0, climb))
    if not has_cap(g, 0):
        contact = j_sub(contact, head)
    if not has_cap(g, 1):
        contact = j_sub(contact, tail)
    g[0, TURN] = (arc_a[0] + arc_b[0]) / r + g[0, SENSE] * (last[0] - first[0])
    put_helix(g, ON_CYLINDER, start, j_scale(g[0, SENSE] / r, wind), climb)
    put_all3(g, AXIS, axis_a)
    put_all3(g, AXIS + 3, v_scale(-1.0, axis_b))
    put_all3(g, ON_LAST, end)
    leave = j_add(j_add(head, arc_a), contact)
    put_all(g, SEAM, j_add(head, arc_a))
    put_all(g, SEAM + 1, leave)
    put_arc(g, head, j_sub(j_add(leave, arc_b), head), tail, entry, exit_)


@kernel(inline=False)
def put_arc(g, head, span, tail, entry, exit_):
    """Write into the table the columns of an arc that every surface has."""
    put_all(g, LENGTH, j_add(j_add(head, span), tail))
    put_all(g, WRAPPED, span)
    put_all(g, ARC + START, head)
    put_all(g, ARC + SPAN, span)
    put_all3(g, ARC + ENTRY, entry)
    put_all3(g, ARC + EXIT, exit_)


@kernel(inline=False)
def trace_cap(params, at, a, b, g):
    """Write the path over one cap only into the table; its plane is that of the ends and the cap's centre."""
    r = params[at + SHAPE]
    o = a[0][0] * 0.0
    centre = fixed3((o, o, g[0, UP] * params[at + SHAPE + 1]))
    a, b = v_sub(a, centre), v_sub(b, centre)
    n = cross(a[0], b[0])
    axis = fixed3(plane_of(a[0], b[0], True, (o, o, o + g[0, UP])))
    if np.sqrt(dot(n, n).real) > OPPOSITE * np.sqrt(dot(a[0], a[0]).real * dot(b[0], b[0]).real):
        axis = normal(a, b)
    axis = v_scale(g[0, SENSE], axis)
    P, head = tangent(a, axis, r)
    Q, tail = tangent(b, v_scale(-1.0, axis), r)
    angle = j_angle(v_dot(axis, v_cross(P, Q)), v_dot(P, Q))
    g[0, TURN] = angle[0]
    put_all3(g, AXIS, axis)
    put_arc(g, head, j_scale(r, angle), tail, v_add(P, centre), v_add(Q, centre))
    g[0, SEAM] = g[0, LENGTH]


@kernel(entry=True)
def solve(params, at, a, b, g):
    """Find the case and the crossings in real numbers, then take two steps of Newton's method in those of any type."""
    r, half = params[at + SHAPE].real, params[at + SHAPE + 1].real
    side = (params[at + SIDE].real, params[at + SIDE + 1].real)
    real_a, real_b = (a[0].real, a[1].real, a[2].real), (b[0].real, b[1].real, b[2].real)
    case, up, sense, first, last = choose_case(real_a, real_b, r, half, params[at + SIDED].real, side)
    if case == NONE:
        return 0
    g[0, CASE], g[0, UP], g[0, SENSE], g[0, PHI], g[0, PHI + 1] = case, up, sense, first, last
    g[1, PHI] = g[2, PHI] = g[1, PHI + 1] = g[2, PHI + 1] = 0.0
    if case == CAP_ONLY:
        trace_cap(params, at, fixed3(a), fixed3(b), g)
    else:
        newton(params, at, fixed3(a), fixed3(b), g)
        newton(params, at, fixed3(a), fixed3(b), g)
        trace(params, at, fixed3(a), fixed3(b), g)
    return 1


@kernel(entry=True)
def follow(params, at, a, b, g):
    """Derivatives of the path: first of the crossings' angles, by implicit differentiation, then of the rest."""
    if g[0, CASE].real == CAP_ONLY:
        trace_cap(params, at, a, b, g)
        return
    for order in range(1, 3):
        g[order, PHI] = g[order, PHI + 1] = 0.0
    for order in range(1, 3):
        x, y = residual(params, at, g, a, b, get(g, PHI), get(g, PHI + 1))
        improve(g, order, x[1] if order == 1 else x[2], y[1] if order == 1 else y[2])
    trace(params, at, a, b, g)


@kernel
def arc_point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi, on the first cap, on the cylinder or on the last cap."""
    r, o = params[at + SHAPE], g[0, UP] * 0.0
    centre = fixed3((o, o, g[0, UP] * params[at + SHAPE + 1]))
    along = j_mul(xi, get(g, LENGTH))
    before, after = j_sub(along, get(g, SEAM)), j_sub(along, get(g, SEAM + 1))
    if (has_cap(g, 0) or g[0, CASE].real == CAP_ONLY) and before[0].real < 0.0:
        angle = j_scale(1.0 / r, j_sub(along, get(g, ARC + START)))
        return v_add(centre, on_circle(v_sub(get3(g, ARC + ENTRY), centre), get3(g, AXIS), angle))
    if has_cap(g, 1) and after[0].real > 0.0:
        foot = v_add(get3(g, ON_LAST), centre)
        return v_sub(on_circle(foot, get3(g, AXIS + 3), j_scale(1.0 / r, after)), centre)
    return on_helix(g, ON_CYLINDER, before)


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
    """What a network is told: the capsule, turning the way that is shorter or passes the side."""
    r, half = params[at + SHAPE], params[at + SHAPE + 1]
    real_a, real_b = (a[0][0].real, a[0][1].real, a[0][2].real), (b[0][0].real, b[0][1].real, b[0][2].real)
    if not (is_clear(real_a, real_a, r.real, half.real) and is_clear(real_b, real_b, r.real, half.real)):
        return 0
    side, flat_a, flat_b = (params[at + SIDE].real, params[at + SIDE + 1].real), real_a[:2], real_b[:2]
    sense, _ = choose_turn(flat_a, flat_b, 0.0, params[at + SIDED].real, side)
    return see_capsule(a, b, sense, r, half, n)


@brief
@dataclass(eq=False)
class CappedCylinder(Surface):
    """A cylinder about the z axis, `length` long and centred on the origin, closed by hemispheres of its radius [m].

    Of a side only its place across the axis counts, and `hold` means the same, as for a cylinder. Where no taut string
    passes there (beyond half a turn it may slip over a cap) the path takes the other way. It jumps then, unless both
    ends are above the cap's seam and it slips over the middle of the cap, at half a turn.
    """

    radius: float = 1.0
    length: float = 1.0
    side: Sequence[float] | None = None
    hold: bool = True
    solve: ClassVar = solve
    follow: ClassVar = follow
    point: ClassVar = point
    place: ClassVar = place
    see: ClassVar = see
    problem: ClassVar = CAPSULE

    def shape(self) -> list[float]:
        """(radius, half the length) [m]."""
        return [check_positive(self.radius, "radius [m]"), 0.5 * check_positive(self.length, "length [m]")]

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """A cylinder, and a ball at each end."""
        (r, half), ends = shape[:2], np.array([np.eye(4)] * 2)
        ends[:, 2, 3] = -half, half
        return [("cylinder", np.eye(4), (r, 2 * half)), *(("ball", E, (r, r, r)) for E in ends)]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the surface [m], negative inside."""
        beyond = max(abs(x[2]) - 0.5 * self.length, 0.0)
        return float(np.sqrt(x[0] ** 2 + x[1] ** 2 + beyond**2) - self.radius)

    def check_side(self, side: np.ndarray) -> None:
        """Raise a ValueError if the side is on the axis."""
        if not side[:2].any():
            raise ValueError("side is on the cylinder's axis; give a point that says which way to go")
