"""Contact of spheres, capsules and boxes with planes, and of spheres and capsules with each other.

The first row is the gap, g >= 0 along the normal; with friction two rows follow, the sliding velocities along two
tangents at the point of contact, which have no g.

    plane:  g = n . (x_A - x_B) - r                       a sphere (or a corner, r = 0) at A on the plane z = 0 of B
    swept:  g = |p_A - p_B| - r_A - r_B                   p the nearest points of two segments along the frames' z axes
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..joints.base import frame_with_z_along
from ..model import Model
from ..model.elements import FRICTION, POSITION, Constraint, ConstraintPart, Formula, Frame, Point
from ..spatial.algebra import add_scaled, cross, dot, load3, neg, scale, sub
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers, check_positive
from .base import as_frame, axis_of, pull, set_row
from .loop import smallest

Place = tuple[np.ndarray, np.ndarray]  # (x, R) of an end in the world


@kernel
def set_tangents(rows, t1, t2, lever_A, lever_B):
    """Write the two rows of sliding velocity of A over B, at a point given by its levers from the frames' origins."""
    o = t1[0] * 0.0
    for k in range(1, rows.shape[0]):
        along = t1 if k == 1 else t2
        set_row(rows[k], o, o)
        pull(rows[k], 0, along, cross(lever_A, along))
        pull(rows[k], 1, neg(along), cross(along, lever_B))


@kernel
def on_plane(params, at, t, spots, rows):
    """Row of the gap between the plane of B and a sphere of radius params[at] at A."""
    normal = axis_of(spots[1], 2)
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    r = params[at]
    o = apart[0] * 0.0
    set_row(rows[0], dot(normal, apart) - r, o)
    pull(rows[0], 0, normal, (o, o, o))
    pull(rows[0], 1, neg(normal), cross(normal, apart))
    lever = scale(-r, normal)
    set_tangents(rows, axis_of(spots[1], 0), axis_of(spots[1], 1), lever, add_scaled(apart, -r, normal))


@kernel
def clamp(x, most):
    """The number between -most and most that is nearest to x."""
    if x.real > most:
        return x * 0.0 + most
    if x.real < -most:
        return x * 0.0 - most
    return x


@kernel
def nearest(d_A, d_B, apart, half_A, half_B):
    """(s, u): the places on two segments, along the unit vectors d from their middles, that are nearest each other."""
    b = dot(d_A, d_B)
    along_A, along_B = dot(d_A, apart), dot(d_B, apart)
    free = 1.0 - b * b
    s = along_A * 0.0
    if free.real > 1e-12:
        s = clamp((b * along_B - along_A) / free, half_A)
    u = clamp(b * s + along_B, half_B)
    s = clamp(b * u - along_A, half_A)
    return s, clamp(b * s + along_B, half_B)


@kernel(inline=False)
def swept(params, at, t, spots, rows):
    """Row of the gap between two capsules; spheres have no length.

    params[at:]: r_A, half length of A, r_B, half length of B.
    """
    r_A, half_A, r_B, half_B = params[at], params[at + 1], params[at + 2], params[at + 3]
    d_A, d_B = axis_of(spots[0], 2), axis_of(spots[1], 2)
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    s, u = nearest(d_A, d_B, apart, half_A, half_B)
    lever_A, lever_B = scale(s, d_A), scale(u, d_B)
    between = sub(add_scaled(apart, s, d_A), lever_B)
    square = dot(between, between)
    o = square * 0.0
    normal, distance = (o, o, o + 1.0), o
    if square.real > 0.0:
        distance = np.sqrt(square)
        normal = scale(1.0 / distance, between)
    set_row(rows[0], distance - r_A - r_B, o)
    pull(rows[0], 0, normal, cross(lever_A, normal))
    pull(rows[0], 1, neg(normal), cross(normal, lever_B))
    if rows.shape[0] > 1:
        t1 = cross(normal, smallest(normal))
        t1 = scale(1.0 / np.sqrt(dot(t1, t1)), t1)
        touch_A, touch_B = add_scaled(lever_A, -r_A, normal), add_scaled(lever_B, r_B, normal)
        set_tangents(rows, t1, cross(normal, t1), touch_A, touch_B)


class Touch(NamedTuple):
    """Where two shapes are nearest to each other, whether they touch or not."""

    place: np.ndarray  # on the surface of the first, in the world [m]
    normal: np.ndarray  # from the second to the first
    tangents: np.ndarray  # (2, 3)
    gap: float  # [m]


def touch_plane(params: np.ndarray, A: Place, B: Place) -> Touch:
    """The nearest points of a sphere at A and the plane of B, as in `on_plane`, for drawing."""
    (x_A, _), (x_B, R_B), radius = A, B, params[0]
    normal = R_B[:, 2]
    return Touch(x_A - radius * normal, normal, R_B[:, :2].T, normal @ (x_A - x_B) - radius)


def touch_swept(params: np.ndarray, A: Place, B: Place) -> Touch:
    """The nearest points of two capsules, as in `swept`, for drawing."""
    (x_A, R_A), (x_B, R_B), (r_A, half_A, r_B, half_B) = A, B, params[:4]
    s, u = nearest(tuple(R_A[:, 2]), tuple(R_B[:, 2]), tuple(x_A - x_B), half_A, half_B)
    x = x_A + s * R_A[:, 2]
    between = x - x_B - u * R_B[:, 2]
    distance = np.linalg.norm(between)
    normal = between / distance if distance > 0 else np.array([0.0, 0.0, 1.0])
    t1 = np.cross(normal, smallest(tuple(normal)))
    tangents = np.array([t1, np.cross(normal, t1)]) / np.linalg.norm(t1)
    return Touch(x - r_A * normal, normal, tangents, distance - r_A - r_B)


ON_PLANE = Formula(on_plane, unit="m", touch=touch_plane, plane=True)
SWEPT = Formula(swept, unit="m", touch=touch_swept)


@brief
@dataclass(eq=False)
class Sphere:
    """A sphere [m] about a point of a body (default: its centre of mass)."""

    body: str
    radius: float
    centre: Sequence[float] = (0.0, 0.0, 0.0)

    def swept(self) -> tuple[Frame, float, float]:
        """(frame, radius, half length) of the sphere as a capsule of no length."""
        return (*as_frame((self.body, self.centre), "centre"),), check_positive(self.radius, "radius [m]"), 0.0


@brief
@dataclass(eq=False)
class Capsule:
    """All within `radius` [m] of the segment from `start` to `end`, points of a body."""

    body: str
    radius: float
    start: Sequence[float]
    end: Sequence[float]

    def swept(self) -> tuple[Frame, float, float]:
        """(frame, radius, half length): the segment runs along the frame's z axis, which is centred on it."""
        start, end = (check_numbers(x, "a capsule's end [m]", (3,)) for x in (self.start, self.end))
        length = check_positive(np.linalg.norm(end - start), "a capsule's length [m]")
        E = frame_with_z_along((end - start) / length)
        E[:3, 3] = 0.5 * (start + end)
        return (self.body, E), check_positive(self.radius, "radius [m]"), 0.5 * length


@brief
@dataclass(eq=False)
class Box:
    """A box of a size [m] about a pose in a body's frame; its corners touch."""

    body: str
    size: Sequence[float]
    pose: np.ndarray = field(default_factory=lambda: np.eye(4))

    def corners(self) -> list[np.ndarray]:
        """The eight corners in the body's frame [m]. (8, 3)"""
        half = 0.5 * check_numbers(self.size, "size [m]", (3,))
        if (half <= 0).any():
            raise ValueError(f"size [m] must be positive, and is {self.size!r}")
        E = check_frame(self.pose, "pose")
        return [E[:3, :3] @ (half * signs) + E[:3, 3] for signs in np.array(list(product((-1, 1), repeat=3)))]


@brief
@dataclass(eq=False)
class Plane:
    """The plane z = 0 of a frame, solid below; (body, pose), the world's floor if nothing is given."""

    frame: Point = field(default_factory=lambda: (None, np.eye(4)))


@brief
@dataclass(eq=False)
class Contact(Constraint):
    """Shapes that do not pass through each other: a mm.Sphere, mm.Capsule or mm.Box and a mm.Plane, or two round ones.

    `friction` is Coulomb's coefficient; it acts within the cone |b| <= mu a or, with cone=False, within the box of each
    tangent. Impacts are plastic: what meets stays together until it is pulled apart.
    """

    a: Sphere | Capsule | Box
    b: Sphere | Capsule | Plane = field(default_factory=Plane)
    friction: float = 0.0
    cone: bool = True

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part for each pair of shapes that can touch."""
        mu = float(check_numbers(self.friction, "friction", ()))
        if mu < 0:
            raise ValueError(f"friction must not be negative, and is {mu:g}")
        return [
            ConstraintPart(
                formula,
                tuple(f"{word}{row}" for row in ("normal", "slide 1", "slide 2")[: 3 if mu else 1]),
                numbers,
                ends,
                (POSITION, FRICTION, FRICTION)[: 3 if mu else 1],
                unilateral=True,
                friction=mu,
                cone=bool(self.cone),
            )
            for formula, word, numbers, ends in self._pairs()
        ]

    def _pairs(self) -> list[tuple]:
        a, b = self.a, self.b
        if isinstance(b, Plane):
            return [(ON_PLANE, word, (r,), (spot, _plane(b, a))) for word, spot, r in self._round_parts()]
        for shape in (a, b):
            if not isinstance(shape, (Sphere, Capsule)):
                raise ValueError(f"boxes touch planes only; give two of mm.Sphere and mm.Capsule, not {shape!r}")
        A, r_A, half_A = a.swept()
        B, r_B, half_B = b.swept()
        if A[0] == B[0]:
            raise ValueError(f"both shapes are on {A[0]!r}, and cannot meet")
        return [(SWEPT, "", (r_A, half_A, r_B, half_B), (A, B))]

    def _round_parts(self) -> list[tuple]:
        """(word, frame, radius) of every sphere, capsule end or box corner of `a` that can touch a plane."""
        if isinstance(self.a, Box):
            return [(f"{i} ", as_frame((self.a.body, x), "corner"), 0.0) for i, x in enumerate(self.a.corners())]
        if not isinstance(self.a, (Sphere, Capsule)):
            raise ValueError(f"a must be a mm.Sphere, mm.Capsule or mm.Box, and is {self.a!r}")
        (body, E), r, half = self.a.swept()
        if half == 0.0:
            return [("", (body, E), r)]
        ends = []
        for i, s in enumerate((-half, half)):
            E_end = E.copy()
            E_end[:3, 3] += s * E[:3, 2]
            ends.append((f"{i} ", (body, E_end), r))
        return ends


def _plane(plane: Plane, other: Sphere | Capsule | Box) -> Frame:
    frame = as_frame(plane.frame, "the plane's frame")
    if frame[0] == other.body:
        raise ValueError(f"the plane and the shape are both on {other.body!r}, and cannot meet")
    return frame
