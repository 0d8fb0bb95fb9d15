"""Bushing: springs and dampers between two frames, F and M, along the six deflections of M in F.

The deflections x are the body-fixed x-y-z angles of R_FM, and p_FM along the axes of F. Each of them has its own force
f_i(x_i) + d_i xdot_i, which pulls it back. As generalized forces these do the power sum f_i xdot_i, so that on M act

    the moment N^T f_123, N the matrix of angular velocity in M to angle rates,    and at its origin the force R_F f_456

and the opposite ones on F. N is singular where the second angle is a right one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force, Frame
from ..model.joint_checks import not_negative
from ..spatial.algebra import add, cross, dot, load3, neg, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import check_frame
from ..spatial.jets import angle_of
from ..spatial.motion import Motion, value_at
from ..spatial.primitive import primitive

ANGLES, MOTIONS = 3, 18  # how many deflections turn; where in the parameters motions begin


@kernel
def axes_of(points, first):
    """(x, y, z) in the world of the frame whose origin and tips of x and y are three points from `first` on."""
    o = load3(points[first].x)
    x, y = sub(load3(points[first + 1].x), o), sub(load3(points[first + 2].x), o)
    return x, y, cross(x, y)


@kernel
def oppose(params, at, i, x, rate):
    """(force, energy) of deflection i; adds up what restores and what damps it."""
    force = value_at(params, at + int(params[at + i]), x) + params[at + 12 + i] * rate
    stored = at + int(params[at + 6 + i])
    return -force, value_at(params, stored, x) - value_at(params, stored, x * 0.0)


@kernel
def turn_back(params, at, a, b, w):
    """(moment on M along its axes, energy) of the angles between the axes a of F and b of M; w: rate in the world."""
    sine, cosine = dot(a[0], b[2]), np.sqrt(dot(a[1], b[2]) ** 2 + dot(a[2], b[2]) ** 2)
    first = angle_of(-dot(a[1], b[2]), dot(a[2], b[2]))
    second, third = angle_of(sine, cosine), angle_of(-dot(a[0], b[1]), dot(a[0], b[0]))
    c, s = dot(a[0], b[0]) / cosine, -dot(a[0], b[1]) / cosine  # of the third angle
    w_x, w_y, w_z = dot(b[0], w), dot(b[1], w), dot(b[2], w)
    along = (c * w_x - s * w_y) / cosine
    f_1, e_1 = oppose(params, at, 0, first, along)
    f_2, e_2 = oppose(params, at, 1, second, s * w_x + c * w_y)
    f_3, e_3 = oppose(params, at, 2, third, w_z - sine * along)
    across = (f_1 - sine * f_3) / cosine
    return (c * across + s * f_2, c * f_2 - s * across, f_3), e_1 + e_2 + e_3


@kernel(inline=False)
def formula(params, at, points):
    """Write force and moment on points[0] (of F) and points[3] (of M); returns the energy of all six springs.

    Points: origin, tips of x and y of F, then those of M. params[at:]: where the six forces start, where their six
    integrals start, six dampings, the motions.
    """
    a, b = axes_of(points, 0), axes_of(points, 3)
    w_a, w_b = load3(points[0].w), load3(points[3].w)
    apart = sub(load3(points[3].x), load3(points[0].x))
    drift = sub(sub(load3(points[3].v), load3(points[0].v)), cross(w_a, apart))
    turning, V = turn_back(params, at, a, b, sub(w_b, w_a))
    o = V * 0.0
    moment, force = (o, o, o), (o, o, o)
    for k in range(3):
        f, e = oppose(params, at, 3 + k, dot(a[k], apart), dot(a[k], drift))
        force, moment, V = add(force, scale(f, a[k])), add(moment, scale(turning[k], b[k])), V + e
    for i in range(6):
        store3(points[i].f, (o, o, o))
        store3(points[i].n, (o, o, o))
    store3(points[3].f, force)
    store3(points[3].n, moment)
    store3(points[0].f, neg(force))
    store3(points[0].n, neg(add(moment, cross(apart, force))))
    return V


@brief
@dataclass(eq=False)
class Bushing(Force):
    """Springs and dampers between the frames `a` and `b`, (body or None, pose in its frame (4, 4)) each.

    `stiffness` and `damping` have six entries: of the body-fixed x-y-z angles of b in a [N m/rad, N m s/rad], then of
    b's origin along a's axes [N/m, N s/m]. A stiffness may be an mm.Motion
    instead: the moment [N m] or force [N] against a deflection [rad or m], as a function of it in place of time.
    """

    a: Frame
    b: Frame
    stiffness: Sequence[float | Motion]
    damping: Sequence[float] = (0.0,) * 6
    formula: ClassVar = formula

    def parts(self, model: Model) -> list[Element]:
        """One element: origin and tips of both frames."""
        points = [point for end in (self.a, self.b) for point in _tips(end)]
        return [Element(self.kind, points, self.numbers(), turns=True)]

    def numbers(self) -> list[float]:
        """What the kernel reads, checked."""
        for what in ("stiffness", "damping"):
            given = getattr(self, what)
            if isinstance(given, (str, Motion)) or np.ndim(given) == 0 or len(given) != 6:
                raise ValueError(f"{what} has six entries, of three angles and three shifts, and is {given!r}")
        springs = [k if isinstance(k, Motion) else Motion.line(not_negative(k, "stiffness")) for k in self.stiffness]
        rows = [motion.parameters() for motion in (*springs, *map(primitive, springs))]
        places = MOTIONS + np.cumsum([0, *map(len, rows[:-1])])
        return [*places, *(not_negative(d, "damping") for d in self.damping), *np.concatenate(rows)]


def _tips(end: Frame) -> list[tuple[str | None, np.ndarray]]:
    """Origin and tips of x and y of a frame, as points of its body."""
    try:
        body, pose = end
    except (TypeError, ValueError):
        raise ValueError(f"an end is (body, pose), body None for the world, and one is {end!r}") from None
    E = check_frame(np.eye(4) if pose is None else pose, "the pose of an end")
    return [(body, E[:3, 3]), (body, E[:3, 3] + E[:3, 0]), (body, E[:3, 3] + E[:3, 1])]
