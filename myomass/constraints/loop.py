"""Loop closures: a planar pin (2 rows), a ball (3), a hinge (5) or a weld (6) between two bodies of the tree.

Points:       g = v . (x_A - x_B) along directions v: the world's axes, or for a pin two orthogonal to A's hinge axis
              (dissertation Eq. 4.97), which turn with it (Eq. 4.100 leaves that out)
Orientations: g = a . b, an axis of A against one of B that it must stay orthogonal to
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._jit import kernel
from ..joints.base import frame_with_z_along
from ..joints.dispatch import REVOLUTE
from ..model import Model
from ..model.elements import Constraint, ConstraintPart, Formula, Point
from ..spatial.algebra import add, add_scaled, cross, dot, load3, neg, scale, sub
from ..spatial.brief import brief
from ..spatial.checks import unit_axis
from .base import as_frame, axis_of, pull, set_row
from .joint_friction import loop_bearing


@kernel
def ball(params, at, t, spots, rows):
    """Rows x_A - x_B along the world's axes."""
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    o = apart[0] * 0.0
    for k in range(3):
        set_row(rows[k], apart[k], o)
        rows[k].f[0, k] = o + 1.0
        rows[k].f[1, k] = o - 1.0


@kernel
def smallest(a):
    """Unit vector of the world axis along which a vector has its smallest component."""
    x, y, z = abs(a[0].real), abs(a[1].real), abs(a[2].real)
    o = a[0] * 0.0
    if x <= y and x <= z:
        return (o + 1.0, o, o)
    if y <= z:
        return (o, o + 1.0, o)
    return (o, o, o + 1.0)


@kernel(inline=False)
def pin(params, at, t, spots, rows):
    """Rows of x_A - x_B in the plane orthogonal to A's z axis a, along v2 = a x e/|a x e| and v1 = v2 x a.

    With w the angular velocity of A, v2' = P (w x a) x e/|a x e| where P takes the part orthogonal to v2.
    """
    a = axis_of(spots[0], 2)
    e = smallest(a)
    across = cross(a, e)
    s = 1.0 / np.sqrt(dot(across, across))
    v2 = scale(s, across)
    v1 = cross(v2, a)
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    o = s * 0.0
    seen = (cross(a, apart), apart)  # v' . apart = v2' . seen (and, for v1, what a's own turning does)
    for k in range(2):
        v = v1 if k == 0 else v2
        set_row(rows[k], dot(v, apart), o)
        y = add_scaled(seen[k], -dot(v2, seen[k]), v2)
        turn = scale(s, cross(a, cross(e, y)))
        if k == 0:
            turn = add(turn, cross(a, cross(apart, v2)))
        pull(rows[k], 0, v, turn)
        pull(rows[k], 1, neg(v), (o, o, o))


@kernel
def set_orthogonal(row, a, b):
    """Write the row g = a . b, where the unit vector a turns with A and b with B."""
    g = dot(a, b)
    o = g * 0.0
    set_row(row, g, o)
    turn = cross(a, b)
    pull(row, 0, (o, o, o), turn)
    pull(row, 1, (o, o, o), neg(turn))


@kernel
def parallel(params, at, t, spots, rows):
    """Rows that keep the z axes of A and B parallel."""
    for k in range(2):
        set_orthogonal(rows[k], axis_of(spots[0], 2), axis_of(spots[1], k))


@kernel
def aligned(params, at, t, spots, rows):
    """Rows that keep all axes of A and B parallel."""
    for k in range(3):
        set_orthogonal(rows[k], axis_of(spots[0], k), axis_of(spots[1], (k + 1) % 3))


PIN, BALL = Formula(pin, unit="m", closes=True), Formula(ball, unit="m", closes=True)
PARALLEL, ALIGNED = Formula(parallel, unit="rad", closes=True), Formula(aligned, unit="rad", closes=True)
XYZ = ("x", "y", "z")
KINDS = {
    "pin": ((PIN, ("1", "2")),),
    "ball": ((BALL, XYZ),),
    "hinge": ((BALL, XYZ), (PARALLEL, ("turn x", "turn y"))),
    "weld": ((BALL, XYZ), (ALIGNED, ("turn z", "turn x", "turn y"))),
}


@brief
@dataclass(eq=False)
class Loop(Constraint):
    """Closes a loop: ties a place `a` of one body to a place `b` of another, (body, (x, y, z)) or (body, pose) each.

    kind "pin": the points meet in the plane orthogonal to the axis of `a`, for planar mechanisms (2 rows); "ball": they
    meet (3); "hinge": and the z axes of the two poses are one (5); "weld": and the others too (6). `axis`, in the frame
    of `a`'s body, is for pins and hinges the z axis there; a pin without one takes the axis of its body's hinge.
    `friction`: coefficient of a pin or hinge whose bearing has a radius and height [m] and touches at `points`, as that
    of a JointFriction.
    """

    a: Point
    b: Point
    kind: str = "ball"
    axis: Sequence[float] | None = None
    friction: float = 0.0
    radius: float = 0.0
    height: float = 0.0
    points: str = "load"

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One or two parts (points, orientation), and one of friction, between the same two frames."""
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ValueError(f"a loop is closed by a pin, ball, hinge or weld, not by {self.kind!r}")
        (body, A), B = as_frame(self.a, "a"), as_frame(self.b, "b")
        if body == B[0]:
            raise ValueError(f"both ends are on {body!r}, which cannot be tied to itself")
        if self.axis is not None and self.kind in ("pin", "hinge"):
            A = A.copy()
            A[:3, :3] = frame_with_z_along(unit_axis(self.axis, "axis"))[:3, :3]
        elif self.kind == "pin" and np.shape(self.a[1]) != (4, 4):
            A = A.copy()
            A[:3, :3] = frame_with_z_along(_hinge_axis(model, body))[:3, :3]
        elif self.kind == "hinge" and np.shape(self.a[1]) != (4, 4):
            raise ValueError("a hinge needs its axis: give `axis`, or poses whose z axes lie along it")
        made = [ConstraintPart(formula, rows, (), ((body, A), B)) for formula, rows in KINDS[self.kind]]
        if self.friction:
            if self.kind not in ("pin", "hinge"):
                raise ValueError(f"friction acts in pins and hinges, not in a {self.kind}")
            made.append(loop_bearing(self.friction, (self.radius, self.height), self.points, ((body, A), B)))
        return made


def _hinge_axis(model: Model, body: str | None) -> np.ndarray:
    """The axis of a body's own hinge, in the body's frame."""
    if body is not None:
        record = model.bodies[model.body(body)]
        link = model.links[record["link"]]
        if link["kind"] == REVOLUTE:
            return record["R_lb"].T[:, 2]
    raise ValueError(f"body {body!r} does not hang on a revolute joint: give the pin's `axis`")
