"""Dry friction in joints: where the two halves of a joint can press on each other, and how hard a reaction makes them.

A bearing is thought to touch at a few points with known normals. The reaction F of the joint, a wrench about its
centre, is shared out among them with the least sum of squares, a = pinv(N^T) F, and friction resists sliding by at
most mu |a| at each point, either way (bilateral). All points of a hinge slide along the same circle and those of a
slide along the same axis, so one row of friction serves them; a ball has three, the components of its turning.

    hinge      a cylinder of radius r and height H: radial and axial normals at 4 angles and both ends
    slide      a box (length along the axis, and two sides across): two normals at each of its corners
    ball       a sphere of radius r: radial normals at the ends of three axes
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

HINGE, SLIDE, BALL, LOOP = 0, 1, 2, 3  # kinds of bearings, the last a hinge that closes a loop
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
    """(N, levers): wrenches of unit normal forces about the centre (k, 6), and what each resists of a row (rows, k).

    In the joint's frame, a hinge's or slide's axis along z.
    """
    points, directions = [], []
    if bearing == SLIDE:
        length, *across = sizes
        for signs in product((-1, 1), repeat=3):
            point = 0.5 * np.array(signs) * (*across, length)
            points += [point, point]
            directions += [np.array((1.0, 0, 0)), np.array((0, 1.0, 0))]
        levers = np.ones((1, len(points)))
    elif bearing == BALL:
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


def loop_bearing(mu: float, sizes: Sequence[float], ends: tuple[Frame, Frame]) -> ConstraintPart:
    """The part that gives friction to a hinge which closes a loop; sizes = (radius, height) [m]."""
    sizes = [check_positive(x, word) for x, word in zip(sizes, ("radius [m]", "height [m]"), strict=True)]
    mu = check_positive(mu, "friction")
    return ConstraintPart(TURNING, ("friction",), (LOOP, *sizes, 0.0), ends, FRICTION, friction=mu)


@brief
@dataclass(eq=False)
class JointFriction(Constraint):
    """Coulomb friction in a body's joint, from the reaction that the joint carries; `friction` is its coefficient.

    A revolute joint has a bearing of `radius` and `height` [m], a prismatic one of `sides` [m] (along the axis and two
    across it), a spherical one of `radius`.
    """

    body: str
    friction: float
    radius: float | None = None
    height: float | None = None
    sides: Sequence[float] | None = None
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
            return [ConstraintPart(TURNING, rows, (BALL, radius, 0.0, 0.0), ends, FRICTION, friction=mu)]
        if dofs.stop - dofs.start != 1 or kind not in (REVOLUTE, PRISMATIC):
            raise ValueError(
                f"friction acts in revolute, prismatic and SphericalExp joints, not in that of {self.body!r}"
            )
        if kind == PRISMATIC:
            sides = check_numbers(self.sides, "sides [m] (along the axis, across, across)", (3,))
            parameters = (SLIDE, *(check_positive(x, "a side [m]") for x in sides))
        else:
            sizes = [check_positive(getattr(self, key) or 0.0, f"{key} [m]") for key in ("radius", "height")]
            parameters = (HINGE, *sizes, 0.0)
        return [ConstraintPart(COORDINATE, ("",), parameters, (dofs.start,), FRICTION, friction=mu)]


def _parent(model: Model, i: int) -> str | None:
    parent = int(model.parents[i])
    return None if parent < 0 else model.names[parent]
