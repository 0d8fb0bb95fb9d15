"""A string around a capsule, as a network sees it: a cylinder of radius r about z, closed by hemispheres.

Across the axis, x runs along the string's chord and y is the distance of the chord from the axis, positive on the way
that the string takes. Own variables, in radii: x of the first end, the chord's length across the axis, y, z of both
ends, half the cylinder's length, and the square of the distance between the chord and the line between the caps'
centres: the string touches where that is less than 1, so the kink is a plane. Marks are where the chord passes the axis
and the seams, and the ends' heights above both seams. Along the axis x has no direction: the gate closes there too.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.jets import (
    fixed,
    fixed3,
    j_add,
    j_div,
    j_mul,
    j_part,
    j_scale,
    j_sqrt,
    j_sub,
    j_vector,
    smooth_step,
    v_add,
    v_dot,
    v_mul,
    v_sub,
    v_unit,
)
from .table import AXES, GATE, OWN, SCALE, put, put3
from .trained import Problem, Variable

ALONG = 0.3  # length of a chord across the axis, in radii, below which it counts as parallel to the axis


def _derive(own: np.ndarray) -> np.ndarray:
    """Derived variables of rows of own ones. (n, 5)"""
    x_a, width, y, z_a, z_b, half = own[:, :6].T
    beyond = np.abs([z_a, z_b]) - half
    away = np.sqrt(np.array([x_a, x_a + width]) ** 2 + y**2 + np.maximum(beyond, 0.0) ** 2) - 1.0
    return np.stack([x_a + width, *beyond, *away], axis=1)


CAPSULE = Problem(
    "capsule",
    ("CappedCylinder",),
    (
        Variable("place of the piece's first end along its chord, from the axis,", "radii"),
        Variable("length of the piece's chord across the axis", "radii"),
        Variable("distance of the chord from the axis, towards the way the piece turns,", "radii"),
        Variable("height of the piece's first end", "radii"),
        Variable("height of the piece's second end", "radii"),
        Variable("half the length of the cylinder", "radii"),
        Variable("distance of the chord from the line between the caps' centres", "radii", lambda x: float(x) ** 0.5),
    ),
    marks=7,
    outputs=3,
    derived=(
        Variable("place of the piece's second end along its chord, from the axis,", "radii"),
        Variable("height of the piece's first end beyond the seam", "radii"),
        Variable("height of the piece's second end beyond the seam", "radii"),
        Variable("distance of the piece's first end from the surface", "radii"),
        Variable("distance of the piece's second end from the surface", "radii"),
    ),
    derive=_derive,
)


@kernel(inline=False)
def clearance(a, b, half):
    """Square of the distance between the chord and the capsule's inner axis, a jet."""
    d = v_sub(b, a)
    o = a[0][0] * 0.0
    flat = j_vector(j_part(d, 0), j_part(d, 1), fixed(o))
    nearest = fixed(o)
    for k in range(3):
        centre = fixed3((o, o, (k - 1) * half + o))
        along = flat if k == 1 else d
        s = j_div(v_dot(v_sub(centre, a), along), v_dot(along, along))
        if not s[0].real > 0.0:
            s = fixed(o)
        elif s[0].real > 1.0:
            s = fixed(o + 1.0)
        x = v_add(a, v_mul(s, d))
        beyond = j_part(x, 2)
        if abs(beyond[0].real) <= half.real:
            beyond = fixed(o)
        else:
            sign = 1.0 if beyond[0].real > 0.0 else -1.0
            beyond = (beyond[0] - sign * half, beyond[1], beyond[2])
        away = j_vector(j_part(x, 0), j_part(x, 1), beyond)
        square = v_dot(away, away)
        if k == 0 or square[0].real < nearest[0].real:
            nearest = square
    return nearest


@kernel
def see_capsule(a, b, sense, r, half, n):
    """Fill the table for ends a and b outside a capsule, turning about z or (sense -1) against it.

    Returns 1, or 0 where the ends are far from touching, or -1 where the string turns by more than half a turn, which
    no network has learned.
    """
    inverse, o = 1.0 / r, a[0][0] * 0.0
    level = fixed(half * inverse + o)
    across = v_sub(b, a)
    across = j_vector(j_part(across, 0), j_part(across, 1), fixed(o))
    if not v_dot(across, across)[0].real > 0.0:
        return 0
    square = j_scale(inverse * inverse, clearance(a, b, half))
    opening = fixed(o + 1.0)
    if square[0].real > 1.0:
        opening = j_scale(-1.0 / GATE, j_sqrt(square))
        opening = (opening[0] + 1.0 + 1.0 / GATE, opening[1], opening[2])
    along, width = v_unit(across)
    width = j_scale(inverse, width)
    aside = j_vector(j_scale(sense, j_part(along, 1)), j_scale(-sense, j_part(along, 0)), fixed(o))
    y = j_scale(inverse, v_dot(aside, a))
    if not (opening[0].real > 0.0 or y[0].real < 0.0):
        return 0
    gate = j_mul(smooth_step(opening), smooth_step(j_scale(1.0 / ALONG, width)))
    _, chord = v_unit(v_sub(b, a))
    put(n, SCALE, j_mul(gate, chord))
    put3(n, AXES, along)
    put3(n, AXES + 3, aside)
    put3(n, AXES + 6, fixed3((o, o, o + 1.0)))
    x_a = j_scale(inverse, v_dot(along, a))
    z_a, z_b = j_scale(inverse, j_part(a, 2)), j_scale(inverse, j_part(b, 2))
    put(n, OWN, x_a)
    put(n, OWN + 1, width)
    put(n, OWN + 2, y)
    put(n, OWN + 3, z_a)
    put(n, OWN + 4, z_b)
    put(n, OWN + 5, level)
    put(n, OWN + 6, square)
    rise, still = j_sub(z_b, z_a), fixed(o)
    put_mark(n, 0, x_a, width)
    put_mark(n, 1, j_sub(z_a, level), rise)
    put_mark(n, 2, j_add(z_a, level), rise)
    put_mark(n, 3, j_sub(z_a, level), still)
    put_mark(n, 4, j_add(z_a, level), still)
    put_mark(n, 5, j_sub(z_b, level), still)
    put_mark(n, 6, j_add(z_b, level), still)
    return -1 if y[0].real < 0.0 else 1


@kernel
def put_mark(n, k, p, q):
    """Write mark k, p + xi q, into the table."""
    put(n, OWN + 7 + 2 * k, p)
    put(n, OWN + 8 + 2 * k, q)
