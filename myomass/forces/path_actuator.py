"""Actuator along a path: a tension between the ends of a line through points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Point
from ..spatial.brief import brief
from .actuator import Actuator, actuation
from .base import check_points
from .line import pull_line


@kernel
def formula(params, at, points):
    """Write the pull of the tension; returns no energy, as work is put in. params[at:] as of `actuation`."""
    zero = points[0].x[0] * 0.0
    pull_line(points, actuation(params, at, points[0].t) + zero)
    return zero


@brief
@dataclass(eq=False)
class PathActuator(Actuator):
    """Exerts its tension [N] along the line through `points`, (body, place in its frame [m]) each; it may push.

    For a path over surfaces or through moving points take a muscle without mass and give it a tension in time.
    """

    points: Sequence[Point]
    formula: ClassVar = formula
    drawn: ClassVar = "cable"

    def parts(self, model: Model) -> list[Element]:
        """One element, of all the points."""
        return [Element(self.kind, check_points(self.points, 2), self.drive(), stores=False)]
