"""A cylinder that ends: a path touches it only where all of it that touches lies between both ends.

Beyond them it is as if the cylinder were not there. The length jumps where a path that touches slides over an end: this
is what OpenSim's cylinders mean. CappedCylinder has round ends over which paths slide without a jump.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ..network.trained import Problem
from . import cylinder
from .base import ARC, ENTRY, EXIT, SHAPE, Solid

HALF = SHAPE + 1  # where params keep half of the length


@kernel(entry=True)
def solve(params, at, a, b, g):
    """The path over the endless cylinder, if it touches between the ends."""
    arcs = cylinder.solve(params, at, a, b, g)
    if arcs > 0:
        farthest = max(abs(g[0, ARC + ENTRY + 2].real), abs(g[0, ARC + EXIT + 2].real))
        if farthest > params[at + HALF].real:
            return 0
    return arcs


@brief
@dataclass(eq=False)
class FiniteCylinder(cylinder.Cylinder):
    """A cylinder about the z axis of its frame, centred on the origin, radius and `length` in m, without caps.

    Where a path would touch it beyond an end it runs straight, and the length jumps. `side` and `hold` are those of a
    cylinder.
    """

    length: float = 1.0
    solve: ClassVar = solve
    problem: ClassVar[Problem | None] = None  # no network has learned where a path slides over an end

    def shape(self) -> list[float]:
        """(radius, half the length) [m]."""
        return [*super().shape(), 0.5 * check_positive(self.length, "length [m]")]

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """A cylinder of its length."""
        return [("cylinder", np.eye(4), (shape[0], 2.0 * shape[1]))]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the surface [m], negative inside."""
        return float(max(super().gap(x), abs(x[2]) - 0.5 * self.length))
