"""Actuator between two bodies: a torque about an axis on one, and its opposite on the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element
from ..spatial.algebra import load3, neg, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import unit_axis
from .actuator import Actuator, actuation


@kernel
def formula(params, at, points):
    """Write the torque on the body of points[0] and its opposite on that of points[1]; returns no energy.

    points[2] and [3]: tail and tip of the axis. params[at:] as of `actuation`.
    """
    o = points[0].x[0] * 0.0
    axis = sub(load3(points[3].x), load3(points[2].x))
    torque = scale(actuation(params, at, points[0].t) + o, axis)
    for i in range(4):
        store3(points[i].f, (o, o, o))
        store3(points[i].n, (o, o, o))
    store3(points[0].n, torque)
    store3(points[1].n, neg(torque))
    return o


@brief
@dataclass(eq=False)
class TorqueActuator(Actuator):
    """Exerts its torque [N m] about `axis` on `body`, and the opposite one on `other` (None: the world).

    The axis is normalised; it is given in the frame of `body`, or with `world_axis` in the world's.
    """

    body: str | None
    axis: Sequence[float]
    other: str | None = None
    world_axis: bool = False
    formula: ClassVar = formula

    def parts(self, model: Model) -> list[Element]:
        """One element: the two bodies, tail and tip of the axis."""
        if self.body == self.other:
            raise ValueError(f"a torque acts between two bodies, and both are {self.body!r}")
        axis, centre = unit_axis(self.axis, "axis"), np.zeros(3)
        frame = None if self.world_axis else self.body
        points = [(self.body, centre), (self.other, centre), (frame, centre), (frame, axis)]
        return [Element(self.kind, points, self.drive(), turns=True, stores=False)]
