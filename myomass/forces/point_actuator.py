"""Actuator at a point of a body: a force along a direction that stays in the world, or turns with the body."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element
from ..spatial.algebra import cross, load3, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, unit_axis
from .actuator import Actuator, actuation
from .base import check_body


@kernel
def formula(params, at, points):
    """Write the force on points[0], of a body; returns no energy, as work is put in.

    points[1]: its tip in the body, or in the world the place where it acts. params[at:]: is the direction the world's,
    is the place the world's, the direction in the world, then as of `actuation`.
    """
    towards = load3(params[at + 2 : at + 5])
    zero = points[0].x[0] * 0.0
    away = (zero, zero, zero)
    if params[at] == 0.0:
        towards = sub(load3(points[2].x), load3(points[0].x))
    if params[at + 1] != 0.0:
        away = sub(load3(points[1].x), load3(points[0].x))
    f = scale(actuation(params, at + 5, points[0].t) + zero, towards)
    store3(points[0].f, f)
    store3(points[0].n, cross(away, f))
    return zero


@brief
@dataclass(eq=False)
class PointActuator(Actuator):
    """Exerts its force [N] along `direction` at a `point` [m] of a body, both in the body's own frame.

    The direction is normalised. With `world_direction` it is the world's, with `world_point` the point is where the
    force acts in the world, wherever the body is.
    """

    body: str
    direction: Sequence[float]
    point: Sequence[float] = (0.0, 0.0, 0.0)
    world_direction: bool = False
    world_point: bool = False
    formula: ClassVar = formula
    drawn: ClassVar = "arrow"
    drive_at: ClassVar = 5

    def parts(self, model: Model) -> list[Element]:
        """One element: where the force acts on the body, where it acts in the world, and the direction's tip."""
        body = check_body(self.body, "an actuator")
        place = check_numbers(self.point, "point [m]", (3,))
        towards = unit_axis(self.direction, "direction")
        own, world = ((0.0, 0.0, 0.0), (None, place)) if self.world_point else (place, (body, place))
        points = [(body, own), world, (body, own + towards)]
        numbers = [float(self.world_direction), float(self.world_point), *towards, *self.drive()]
        return [Element(self.kind, points, numbers, turns=True, stores=False)]
