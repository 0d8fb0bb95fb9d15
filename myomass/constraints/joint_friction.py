"""Dry friction in joints: where the two halves of a joint press on each other, and how hard a reaction makes them.

The reaction F of the joint, a wrench about its centre, is shared out among the places where the halves touch with the
least sum of squares, and friction resists sliding by at most mu times what presses there, either way (bilateral). The
halves touch where the load presses (points="load"), so that the friction does not depend on how the child is turned:

    hinge      a cylinder of radius r and height H: on its side at both ends, and on the rims of both faces:
               mu r (|P+| + |P-| + t + max(t, m)),  P+- = f/2 +- (H/4D) n x z,  t = |f_z|/2,  m = r |n|/D,
               with f and n across the axis z, D = (H/2)^2 + r^2; mu r |f| under a load across the axis
    ball       a sphere of radius r, at the point where the load f presses: moments square to f up to mu r |f|, none
               about f itself
    slide      a box (length along the axis, and two sides across): two normals at each of its corners. Its faces do not
               turn, and a load across a corner does press on both of them

All points of a hinge slide along the same circle and those of a slide along the same axis, so one row of friction
serves them; a ball has three, the components of its turning.

points="fixed" is the scheme of the RedMax table: touching at a few points that turn with the child, with known normals
N, a = pinv(N^T) F, and mu |a| at each. It equals the above where the load lies along a normal, and is more elsewhere:
up to sqrt(2) times in a hinge, whose normals, radial and axial ones, are at 4 angles and both ends; a ball has radial
normals at the ends of three axes, and there its three components are bounded one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..joints.dispatch import KINDS, REVOLUTE, SPHERICAL_EXP
from ..joints.prismatic import Prismatic
from ..model import Model
from ..model.elements import FRICTION, Constraint, ConstraintPart, Formula, Frame
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .base import axis_of, pull, set_row

# Kinds of bearings by number, as files keep them; a loop is a hinge that closes one.
FIXED_HINGE, SLIDE, FIXED_BALL, FIXED_LOOP, HINGE, BALL, LOOP = range(7)
LOADED = {FIXED_HINGE: HINGE, FIXED_BALL: BALL, FIXED_LOOP: LOOP, SLIDE: SLIDE}
PRISMATIC = KINDS.index(Prismatic)


@kernel
def coordinate(params, at, t, spots, rows):
    """Row of the joint's own rate, qdot."""
    set_row(rows[0], spots[0].q * 0.0, spots[0].q * 0.0)
    rows[0].c[0] += 1.0


@kernel
def turning(params, at, t, spots, rows):
    """Rows of the angular velocity of A relative to B along A's axes: z alone for one row, x, y and z for three."""
    o = spots[0].x[0] * 0.0
    for k in range(rows.shape[0]):
        axis = axis_of(spots[0], 3 - rows.shape[0] + k)
        set_row(rows[k], o, o)
        pull(rows[k], 0, (o, o, o), axis)
        pull(rows[k], 1, (o, o, o), (-axis[0], -axis[1], -axis[2]))


COORDINATE, TURNING = Formula(coordinate, unit=0), Formula(turning, unit="rad")


def normals(bearing: int, sizes: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """(N, levers) of fixed points: wrenches of unit normal forces about the centre (k, 6), and what each resists of a
    row (rows, k). In the joint's frame, a hinge's or slide's axis along z.
    """
    points, directions = [], []
    if bearing == SLIDE:
        length, *across = sizes
        for signs in product((-1, 1), repeat=3):
            point = 0.5 * np.array(signs) * (*across, length)
            points += [point, point]
            directions += [np.array((1.0, 0, 0)), np.array((0, 1.0, 0))]
        levers = np.ones((1, len(points)))
    elif bearing == FIXED_BALL:
        for axis, sign in product(range(3), (1, -1)):
            directions.append(sign * np.eye(3)[axis])
            points.append(sizes[0] * directions[-1])
        levers = sizes[0] * (1.0 - np.abs(np.array(directions)).T)
    else:
        radius, height = sizes[:2]
        for angle, end in product(np.arange(4) * np.pi / 2, (-0.5, 0.5)):
            outwards = np.array((np.cos(angle), np.sin(angle), 0.0))
            point = radius * outwards + (0, 0, end * height)
            points += [point, point]
            directions += [outwards, np.array((0, 0, np.sign(end)))]
        levers = np.full((1, len(points)), radius)
    return np.column_stack([np.cross(points, directions), directions]), levers


def hinge_pressure(radius: float, height: float, F: np.ndarray) -> float:
    """r times what presses in a hinge that touches where its load is: the torque of its friction by mu. [N m]"""
    n, f, square = F[:3], F[3:], 0.25 * height**2 + radius**2
    tilt = 0.25 * height / square * np.array((n[1], -n[0]))
    sides = np.hypot(*(0.5 * f[:2] + tilt)) + np.hypot(*(0.5 * f[:2] - tilt))
    thrust, rim = 0.5 * abs(f[2]), radius * np.hypot(n[0], n[1]) / square
    return float(radius * (sides + thrust + max(thrust, rim)))


def _kind_at(points: str, kind: int) -> int:
    if not isinstance(points, str) or points not in ("load", "fixed"):
        raise ValueError(f'a bearing touches at points "load" or "fixed", not {points!r}')
    return LOADED[kind] if points == "load" else kind


def loop_bearing(mu: float, sizes: Sequence[float], points: str, ends: tuple[Frame, Frame]) -> ConstraintPart:
    """The part that gives friction to a hinge which closes a loop; sizes = (radius, height) [m]."""
    kind = _kind_at(points, FIXED_LOOP)
    sizes = [check_positive(x, word) for x, word in zip(sizes, ("radius [m]", "height [m]"), strict=True)]
    mu = check_positive(mu, "friction")
    return ConstraintPart(TURNING, ("friction",), (kind, *sizes, 0.0), ends, FRICTION, friction=mu)


@brief
@dataclass(eq=False)
class JointFriction(Constraint):
    """Coulomb friction in a body's joint, from the reaction that the joint carries; `friction` is its coefficient.

    A revolute joint has a bearing of `radius` and `height` [m], a prismatic one of `sides` [m] (along the axis and two
    across it), a spherical one of `radius`. `points`: its halves touch where the "load" presses, or at "fixed" points
    of the body as in the RedMax table, with up to 41 % more friction of a hinge at some of its angles.
    """

    body: str
    friction: float
    radius: float | None = None
    height: float | None = None
    sides: Sequence[float] | None = None
    points: str = "load"
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part, of one row, or of three for a ball joint."""
        mu = check_positive(self.friction, "friction")
        i = model.body(self.body)
        link, dofs = model.links[model.bodies[i]["link"]], model.dof(i)
        kind = link["kind"]
        if kind == SPHERICAL_EXP and link["ndof"] == dofs.stop - dofs.start:
            radius = check_positive(self.radius or 0.0, "radius [m]")
            ends = (model.names[i], np.eye(4)), (_parent(model, i), np.eye(4))
            rows = ("turn x", "turn y", "turn z")
            parameters = (_kind_at(self.points, FIXED_BALL), radius, 0.0, 0.0)
            return [ConstraintPart(TURNING, rows, parameters, ends, FRICTION, friction=mu)]
        if dofs.stop - dofs.start != 1 or kind not in (REVOLUTE, PRISMATIC):
            raise ValueError(
                f"friction acts in revolute, prismatic and SphericalExp joints, not in that of {self.body!r}"
            )
        if kind == PRISMATIC:
            sides = check_numbers(self.sides, "sides [m] (along the axis, across, across)", (3,))
            parameters = (_kind_at(self.points, SLIDE), *(check_positive(x, "a side [m]") for x in sides))
        else:
            sizes = [check_positive(getattr(self, key) or 0.0, f"{key} [m]") for key in ("radius", "height")]
            parameters = (_kind_at(self.points, FIXED_HINGE), *sizes, 0.0)
        return [ConstraintPart(COORDINATE, ("",), parameters, (dofs.start,), FRICTION, friction=mu)]


def _parent(model: Model, i: int) -> str | None:
    parent = int(model.parents[i])
    return None if parent < 0 else model.names[parent]
