"""Actuator of a whole body: a moment and a force, one control for each of their components."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element
from ..spatial.algebra import add, cross, load3, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers
from ..spatial.motion import value_at
from .actuator import Actuator, as_controls
from .base import check_body

MOTIONS = 7  # where in the parameters the controls begin: after their 6 places and optimal_force


@kernel
def three(params, at, first, t):
    """Three of the controls at time t, times optimal_force."""
    x = value_at(params, at + int(params[at + first]), t)
    y = value_at(params, at + int(params[at + first + 1]), t)
    z = value_at(params, at + int(params[at + first + 2]), t)
    return scale(params[at + 6], (x, y, z))


@kernel
def formula(params, at, points):
    """Write moment and force on points[0], of a body; returns no energy, as work is put in.

    points[1]: where the force acts; then tail and tips of the axes that both are given along. params[at:]: where each
    control starts, optimal_force, the controls.
    """
    o = points[0].x[0] * 0.0
    n, f = three(params, at, 0, points[0].t), three(params, at, 3, points[0].t)
    moment, force = (o, o, o), (o, o, o)
    for k in range(3):
        axis = sub(load3(points[3 + k].x), load3(points[2].x))
        moment, force = add(moment, scale(n[k] + o, axis)), add(force, scale(f[k] + o, axis))
    for i in range(6):
        store3(points[i].f, (o, o, o))
        store3(points[i].n, (o, o, o))
    store3(points[0].f, force)
    store3(points[0].n, add(moment, cross(sub(load3(points[1].x), load3(points[0].x)), force)))
    return o


@brief
@dataclass(eq=False)
class BodyActuator(Actuator):
    """Exerts a moment [N m] and a force [N] at a `point` [m] of a body, both times six controls, the moment's first.

    Moment and force are along the world's axes, or with world_axes=False along those of a frame of the body (its pose;
    None: the body's own). The point is in that frame, or with `world_point` in the world, wherever the body is.
    """

    body: str
    point: Sequence[float] = (0.0, 0.0, 0.0)
    world_axes: bool = True
    world_point: bool = False
    frame: np.ndarray | None = None
    formula: ClassVar = formula
    drawn: ClassVar = "arrow"
    inputs: ClassVar = 6

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where the controls begin."""
        return [at + int(params[at + k]) for k in range(6)]

    def drive(self) -> list[float]:
        """Six places, optimal_force, six controls."""
        motions = as_controls(self.control, self.inputs, "control")
        numbers = [motion.parameters() for motion in motions]
        optimal = float(check_numbers(self.optimal_force, "optimal_force", ()))
        places = MOTIONS + np.cumsum([0, *map(len, numbers[:-1])])
        return [*places, optimal, *np.concatenate(numbers)]

    def parts(self, model: Model) -> list[Element]:
        """One element: the body's centre, the place, and tail and tips of the axes."""
        body = check_body(self.body, "an actuator")
        place = check_numbers(self.point, "point [m]", (3,))
        where = None if self.world_point else body
        E = np.eye(4) if self.frame is None else check_frame(self.frame, "frame")
        tips = np.eye(3) if self.world_axes else E[:3, :3].T
        axes = [(None if self.world_axes else body, tip) for tip in (np.zeros(3), *tips)]
        points = [(body, np.zeros(3)), (where, place if self.world_point else E[:3, :3] @ place + E[:3, 3]), *axes]
        return [Element(self.kind, points, self.drive(), turns=True, stores=False)]
