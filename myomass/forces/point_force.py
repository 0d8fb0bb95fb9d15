"""A constant force in the world, applied at a point of a body: as a weight is, with the potential V = -f . x."""

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
    """Write the constant force f on the point; returns its potential -f . x, zero at the world's origin."""
    V = points[0].x[0] * 0.0
    for i in range(3):
        points[0].f[i] = params[at + i] + V * 0.0
        V -= params[at + i] * points[0].x[i]
    return V


@brief
@dataclass(eq=False)
class PointForce(Force):
    """`force` [N], in world axes, at a `point` [m] in the body's frame; its potential -f . x counts in the energy.

    The linearly implicit step takes it as it stands, as it takes gravity.
    """

    body: str
    force: Sequence[float]
    point: Sequence[float] = (0.0, 0.0, 0.0)
    formula: ClassVar = formula
    drawn: ClassVar = "arrow"

    def parts(self, model: Model) -> list[Element]:
        """One element, of one point."""
        numbers = check_numbers(self.force, "force [N]", (3,))
        return [Element(self.kind, [(check_body(self.body, "a point force"), self.point)], numbers, stores=False)]
