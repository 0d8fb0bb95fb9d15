"""A string around a circle, as a network sees it: the problem of cylinders (across their axis) and of spheres.

Own variables are the angles beta_a and beta_b between each end and where its tangent touches (cos beta = r / rho), and
delta, by which the string turns from a to b seen from the centre. It touches where theta = delta - beta_a - beta_b is
positive: the kink is a plane. Marks are where it would enter and leave the circle, l_a and l_a + r theta from a.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.jets import (
    j_add,
    j_angle,
    j_mul,
    j_scale,
    j_sqrt,
    j_sub,
    smooth_step,
    v_cross,
    v_dot,
    v_scale,
    v_sub,
    v_unit,
)
from .table import AXES, GATE, OWN, SCALE, put, put3
from .trained import Problem, Variable


def _radii(beta: float) -> float:
    """Distance of an end from the centre, in radii, where the angle to its tangent point is beta."""
    return float(1.0 / np.cos(beta))


CIRCLE = Problem(
    "circle",
    ("Cylinder", "Sphere"),
    (
        Variable("distance of the piece's first end from the axis or centre", "radii", _radii),
        Variable("distance of the piece's second end from the axis or centre", "radii", _radii),
        Variable("angle between the piece's ends, the way it turns,", "degrees", lambda x: float(np.degrees(x))),
    ),
    marks=2,
    outputs=2,
)


@kernel
def free_length(a, r):
    """Length of the tangent from a in radii, a jet."""
    square = v_dot(a, a)
    return j_scale(1.0 / r, j_sqrt((square[0] - r * r, square[1], square[2])))


@kernel
def tangent_angle(free):
    """The angle at the centre between an end and where its tangent of that length touches."""
    o = free[0] * 0.0
    return j_angle(free, (o + 1.0, o, o))


@kernel
def turn_between(a, b, axis):
    """The angle from a to b about an axis, 0 to 2 pi."""
    angle = j_angle(v_dot(axis, v_cross(a, b)), v_dot(a, b))
    if angle[0].real < 0.0:
        return (angle[0] + 2.0 * np.pi, angle[1], angle[2])
    return angle


@kernel
def see_circle(a, b, axis, r, n):
    """Fill the table for ends a and b outside a circle about the origin, turning about a unit axis.

    Returns 1, or 0 where the ends are far from touching.
    """
    free_a, free_b = free_length(a, r), free_length(b, r)
    beta_a, beta_b, delta = tangent_angle(free_a), tangent_angle(free_b), turn_between(a, b, axis)
    theta = j_sub(delta, j_add(beta_a, beta_b))
    chord = v_sub(b, a)
    if not (theta[0].real > -GATE and v_dot(chord, chord)[0].real > 0.0):
        return 0
    opening = (1.0 + theta[0] / GATE, theta[1] / GATE, theta[2] / GATE)
    along, length = v_unit(chord)
    put(n, SCALE, j_mul(smooth_step(opening), length))
    put3(n, AXES, along)
    put3(n, AXES + 3, v_cross(along, axis))
    put3(n, AXES + 6, v_scale(0.0, along))
    put(n, OWN, beta_a)
    put(n, OWN + 1, beta_b)
    put(n, OWN + 2, delta)
    whole = j_add(j_add(free_a, theta), free_b)
    put(n, OWN + 3, j_scale(-1.0, free_a))
    put(n, OWN + 4, whole)
    put(n, OWN + 5, j_scale(-1.0, j_add(free_a, theta)))
    put(n, OWN + 6, whole)
    return 1
