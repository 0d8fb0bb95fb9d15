"""A constant force in the world, applied at a point of a body."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .base import check_body


@kernel
def formula(params, at, points):
    """Write the constant force f on the point; returns no energy, as work is put in from outside."""
    zero = points[0].x[0] * 0.0
    for i in range(3):
        points[0].f[i] = params[at + i] + zero
    return zero


@brief
@dataclass(eq=False)
class PointForce(Force):
    """`force` [N], in world axes, at a `point` [m] in the body's frame."""

    body: str
    force: Sequence[float]
    point: Sequence[float] = (0.0, 0.0, 0.0)
    formula: ClassVar = formula
    drawn: ClassVar = "arrow"

    def parts(self, model: Model) -> list[Element]:
        """One element, of one point."""
        numbers = check_numbers(self.force, "force [N]", (3,))
        return [Element(self.kind, [(check_body(self.body, "a point force"), self.point)], numbers, stores=False)]
