"""A force and a moment on a body that are given in time, with the place where the force acts, each by three motions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force
from ..spatial.algebra import add, cross, load3, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import check_frame
from ..spatial.motion import Motion, value_at
from .actuator import as_controls
from .base import check_body

GIVEN = ("force", "torque", "point")


@kernel
def vector_at(params, at, first, points, tail):
    """Three motions from number `first` on, at the points' time, along the axes whose tail and tips are points."""
    o = points[0].x[0] * 0.0
    x = (o, o, o)
    for k in range(3):
        value = value_at(params, at + int(params[at + first + k]), points[0].t)
        axis = sub(load3(points[tail + 1 + k].x), load3(points[tail].x))
        x = add(x, scale(value + o, axis))
    return x


@kernel(inline=False)
def formula(params, at, points):
    """Write the force and the moment on points[0], of the body; returns no energy, as work is put in.

    points[1:5]: tail and tips of the axes of force and torque; points[5:9]: of those of the place. params[at:]: where
    each of the nine motions starts, the motions.
    """
    o = points[0].x[0] * 0.0
    for i in range(9):
        store3(points[i].f, (o, o, o))
        store3(points[i].n, (o, o, o))
    f, n = vector_at(params, at, 0, points, 1), vector_at(params, at, 3, points, 1)
    place = add(load3(points[5].x), vector_at(params, at, 6, points, 5))
    store3(points[0].f, f)
    store3(points[0].n, add(n, cross(sub(place, load3(points[0].x)), f)))
    return o


@brief
@dataclass(eq=False)
class PrescribedForce(Force):
    """Exerts `force` [N] and `torque` [N m] on a body, the force at `point` [m]; three numbers or motions in time each.

    They are along the axes of a frame of the body (its pose; None: the body's own), or with world_axes those of the
    world. The point is in that frame too, or with world_point in the world.
    """

    body: str
    force: Sequence[Motion | float] = (0.0, 0.0, 0.0)
    torque: Sequence[Motion | float] = (0.0, 0.0, 0.0)
    point: Sequence[Motion | float] = (0.0, 0.0, 0.0)
    world_axes: bool = True
    world_point: bool = False
    frame: np.ndarray | None = None
    formula: ClassVar = formula
    drawn: ClassVar = "arrow"

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where the motions begin."""
        return [at + int(params[at + k]) for k in range(9)]

    def parts(self, model: Model) -> list[Element]:
        """One element: the frame's origin, then tails and tips of the axes of the forces and of the place."""
        body = check_body(self.body, "a prescribed force")
        rows = [x.parameters() for what in GIVEN for x in as_controls(getattr(self, what), 3, what)]
        places = 9 + np.cumsum([0, *map(len, rows[:-1])])
        E = np.eye(4) if self.frame is None else check_frame(self.frame, "frame")
        axes = [tip for world in (self.world_axes, self.world_point) for tip in _axes(None if world else body, E)]
        numbers = [*places, *np.concatenate(rows)]
        return [Element(self.kind, [(body, E[:3, 3]), *axes], numbers, turns=True, stores=False)]


def _axes(body: str | None, E: np.ndarray) -> list[tuple[str | None, np.ndarray]]:
    """Tail and tips of the axes of a frame of a body, or of the world's."""
    E = np.eye(4) if body is None else E
    return [(body, E[:3, 3]), *((body, E[:3, 3] + E[:3, k]) for k in range(3))]
