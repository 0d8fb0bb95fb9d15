"""Helices as jets, and the angles they turn by: what the surfaces with a cylinder in them share."""

import numpy as np

from ..._jit import kernel
from ...spatial.jets import (
    angle_of,
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
    v_add,
    v_cross,
    v_mul,
    v_scale,
)
from .base import get, get3, length_jet, place3, put, put3
from .circle import tangent_length, touch
from .cylinder import across

FOOT, WIND, CLIMB, HELIX = 0, 3, 4, 5  # columns of a helix in the table: its start, turn and rise per length


@kernel(inline=False)
def tangent(a, axis, r):
    """`touch` of circle.py for a string that turns about an axis; compiled once for all callers."""
    return touch(a, v_cross(axis, a), r)


@kernel
def put_all(g, c, x):
    """Write a jet, with its value, into column c."""
    g[0, c] = x[0]
    put(g, c, x)


@kernel
def put_all3(g, c, v):
    """Write the jet of a vector, with its value, into columns c to c + 2."""
    place3(g, c, v[0])
    put3(g, c, v)


@kernel
def put_helix(g, c, foot, wind, climb):
    """Write a helix, by its foot, turn and rise per length, into HELIX columns from c on."""
    put_all3(g, c + FOOT, foot)
    put_all(g, c + WIND, wind)
    put_all(g, c + CLIMB, climb)


@kernel
def on_helix(g, c, along):
    """The place at the distance `along` from the foot of the helix kept from column c on, a jet."""
    foot = get3(g, c + FOOT)
    cos, sin = j_cos_sin(j_mul(along, get(g, c + WIND)))
    x, y = j_part(foot, 0), j_part(foot, 1)
    height = j_add(j_part(foot, 2), j_mul(along, get(g, c + CLIMB)))
    return j_vector(j_sub(j_mul(cos, x), j_mul(sin, y)), j_add(j_mul(sin, x), j_mul(cos, y)), height)


@kernel
def on_circle(foot, axis, angle):
    """The place at an angle from the foot on a circle about the origin, a jet."""
    cos, sin = j_cos_sin(angle)
    return v_add(v_mul(cos, foot), v_mul(sin, v_cross(axis, foot)))


@kernel
def cross_z(a, b):
    """Third component of a x b, a jet."""
    return j_sub(j_mul(j_part(a, 0), j_part(b, 1)), j_mul(j_part(a, 1), j_part(b, 0)))


@kernel
def contact(r, sense, a, b):
    """The angle by which a string from a to b lies on a cylinder about z, in a sense of turning; negative: it does not.

    Both ends must be outside the cylinder.
    """
    delta = angle_of(sense * (a[0] * b[1] - a[1] * b[0]), a[0] * b[0] + a[1] * b[1])
    if delta.real < 0.0:
        delta += 2.0 * np.pi
    free_a, free_b = tangent_length(a, r), tangent_length(b, r)
    return delta - angle_of(free_a, r + 0.0 * free_a) - angle_of(free_b, r + 0.0 * free_b)


@kernel
def beyond(v, r):
    """The jet of a place, moved out of a cylinder about z if it was inside."""
    rho = np.sqrt((v[0][0] * v[0][0] + v[0][1] * v[0][1]).real)
    if rho >= r.real:
        return v
    out = (1.0 + 1e-6) * r / max(rho, 1e-3 * r.real)
    return j_vector(j_scale(out, j_part(v, 0)), j_scale(out, j_part(v, 1)), j_part(v, 2))


@kernel(inline=False)
def string(r, sense, a, b):
    """(P, Q, head, span, tail, wind, climb) of a string around a cylinder about z, from a to b, jets.

    P and Q are the ends of its helix, span the helix's length, head and tail the straight parts' lengths.
    """
    o = a[0][0] * 0.0
    a, b = beyond(a, r), beyond(b, r)
    axis, flat_a, flat_b = fixed3((o, o, o + sense)), across(a), across(b)
    P, first = tangent(flat_a, axis, r)
    Q, last = tangent(flat_b, v_scale(-1.0, axis), r)
    t_a, t_b = v_scale(1.0 / r, v_cross(axis, P)), v_scale(1.0 / r, v_cross(axis, Q))
    plane = length_jet(first[0] + last[0] + r * contact(r, sense, a[0], b[0]), flat_a, flat_b, t_a, t_b)
    rise = j_sub(j_part(b, 2), j_part(a, 2))
    length = j_sqrt(j_add(j_mul(plane, plane), j_mul(rise, rise)))
    wind, climb = j_div(plane, length), j_div(rise, length)
    head, tail = j_div(first, wind), j_div(last, wind)
    enters = j_vector(j_part(P, 0), j_part(P, 1), j_add(j_part(a, 2), j_mul(head, climb)))
    leaves = j_vector(j_part(Q, 0), j_part(Q, 1), j_sub(j_part(b, 2), j_mul(tail, climb)))
    return enters, leaves, head, j_sub(length, j_add(head, tail)), tail, j_scale(sense / r, wind), climb
