"""Prescribed motion of a joint, of components of a body's twist, or of a point.

Given at the level of positions (g = q - p(t)), velocities (qdot = v(t)) or accelerations (qddot = a(t)). A velocity has
no position to keep, an acceleration no velocity: their rows have no g and are followed as they stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import ACCELERATION, POSITION, VELOCITY, Constraint, ConstraintPart, Formula, Point
from ..model.joint_checks import coordinate_of
from ..spatial.algebra import cross, dot, load3, load33, mul, neg, sub
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, unit_axis
from ..spatial.motion import Motion, as_motion, motion_at
from .base import as_frame, pull, set_row

LEVELS = {"position": POSITION, "velocity": VELOCITY, "acceleration": ACCELERATION}


@kernel
def joint_position(params, at, t, spots, rows):
    """Row q - p(t) of a coordinate that follows a position."""
    p, rate = motion_at(params, at, t)
    set_row(rows[0], spots[0].q - p, -rate)
    rows[0].c[0] += 1.0


@kernel
def joint_rate(params, at, t, spots, rows):
    """Row of a coordinate that follows a velocity, qdot = v(t), or an acceleration, qddot = dv/dt."""
    v, _ = motion_at(params, at, t)
    set_row(rows[0], v * 0.0 + spots[0].q * 0.0, -v)
    rows[0].c[0] += 1.0


@kernel
def twist_rate(params, at, t, spots, rows):
    """Row of a component of the twist of A, in its own frame, that follows v(t).

    params[at:]: the component, 0 to 5, then the motion.
    """
    v, _ = motion_at(params, at + 1, t)
    component = int(params[at])
    o = spots[0].x[0] * 0.0 + v * 0.0
    set_row(rows[0], o, -v)
    R = load33(spots[0].R)
    k = component % 3
    axis = (R[0][k], R[1][k], R[2][k])
    if component < 3:
        pull(rows[0], 0, (o, o, o), axis)
    else:
        pull(rows[0], 0, axis, (o, o, o))


@kernel
def set_along(params, at, spots, row, g_moves, rate):
    """Write a row along a direction d of end B's frame: g = d . (x_A - x_B) less g_moves, which changes at `rate`."""
    d = mul(load33(spots[1].R), load3(params[at : at + 3]))
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    set_row(row, dot(d, apart) - g_moves, -rate)
    pull(row, 0, d, (apart[0] * 0.0, apart[0] * 0.0, apart[0] * 0.0))
    pull(row, 1, neg(d), cross(d, apart))


@kernel
def point_position(params, at, t, spots, rows):
    """Row d . (x_A - x_B) - p(t). params[at:]: the direction d in the frame of B, then the motion."""
    p, rate = motion_at(params, at + 3, t)
    set_along(params, at, spots, rows[0], p, rate)


@kernel
def point_rate(params, at, t, spots, rows):
    """Row of the speed of A along d, seen from B, that follows v(t). params[at:]: the direction d, then the motion."""
    v, _ = motion_at(params, at + 3, t)
    set_along(params, at, spots, rows[0], v * 0.0, v)
    rows[0].g = rows[0].g * 0.0


JOINT_POSITION, JOINT_RATE = Formula(joint_position, unit=0, motion=0), Formula(joint_rate, unit=0, motion=0)
TWIST_RATE = Formula(twist_rate, unit="rad", motion=1)
POINT_POSITION, POINT_RATE = Formula(point_position, unit="m", motion=3), Formula(point_rate, unit="m", motion=3)


def _level(name: str, motion: Motion | float) -> tuple[int, np.ndarray]:
    """(level, parameters) of a motion; an acceleration is kept as the velocity whose rate it is."""
    if not isinstance(name, str) or name not in LEVELS:
        raise ValueError(f"a motion is given as position, velocity or acceleration, not as {name!r}")
    motion = as_motion(motion, name)
    return LEVELS[name], (motion.integral() if name == "acceleration" else motion).parameters()


@brief
@dataclass(eq=False)
class DrivenJoint(Constraint):
    """A coordinate of a body's joint follows a motion: exactly one of position, velocity or acceleration is given.

    Numbers stay; `mm.Motion` moves [rad or m and their rates]. The torque that it takes is the row's force. A joint of
    several degrees of freedom is driven in one of them, `component`, or `body` is that coordinate's name.
    """

    body: str
    position: Motion | float | None = None
    velocity: Motion | float | None = None
    acceleration: Motion | float | None = None
    component: int = 0
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row."""
        given = {key: getattr(self, key) for key in LEVELS if getattr(self, key) is not None}
        if len(given) != 1:
            raise ValueError("give one of position, velocity and acceleration")
        ((name, motion),) = given.items()
        dof = coordinate_of(model, self.body, self.component, "a driven joint")
        level, parameters = _level(name, motion)
        formula = JOINT_POSITION if level == POSITION else JOINT_RATE
        return [ConstraintPart(formula, ("",), parameters, (dof,), level)]


@brief
@dataclass(eq=False)
class DrivenBody(Constraint):
    """Components of a body's twist (0-2 angular, 3-5 linear, in its own frame) follow motions [rad/s, m/s].

    `components` maps a component to its velocity, or with level="acceleration" to its acceleration.
    """

    body: str
    components: dict[int, Motion | float]
    level: str = "velocity"

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row for each component."""
        if self.level not in ("velocity", "acceleration") or not (
            isinstance(self.components, dict) and self.components
        ):
            raise ValueError('give components {0: rate, ...} of the twist, and level "velocity" or "acceleration"')
        made = []
        for component, motion in self.components.items():
            if component not in range(6):
                raise ValueError(f"a twist has components 0 to 5, not {component!r}")
            level, parameters = _level(self.level, motion)
            ends = (model.names[model.body(self.body)], np.eye(4)), (None, np.eye(4))
            made.append(ConstraintPart(TWIST_RATE, (f"twist {component}",), [component, *parameters], ends, level))
        return made


@brief
@dataclass(eq=False)
class DrivenPoint(Constraint):
    """A point of a body follows motions along directions, seen from the frame `relative_to` (default: the world's).

    `along` is a list of (direction, motion); level "position" [m], "velocity" or "acceleration".
    """

    point: Point
    along: Sequence[tuple[Sequence[float], Motion | float]]
    level: str = "position"
    relative_to: Point = field(default_factory=lambda: (None, np.eye(4)))

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row for each direction."""
        ends = as_frame(self.point, "the point"), as_frame(self.relative_to, "relative_to")
        if ends[0][0] == ends[1][0]:
            raise ValueError(f"the point is on {ends[0][0]!r} itself, which cannot drive it")
        if not isinstance(self.along, Sequence) or not self.along:
            raise ValueError(f"`along` is a list of (direction, motion), and is {self.along!r}")
        made = []
        for i, pair in enumerate(self.along):
            try:
                direction, motion = pair
            except (TypeError, ValueError):
                raise ValueError(f"`along` is a list of (direction, motion), and one is {pair!r}") from None
            level, parameters = _level(self.level, motion)
            formula = POINT_POSITION if level == POSITION else POINT_RATE
            numbers = [*unit_axis(check_numbers(direction, "a direction", (3,)), "a direction"), *parameters]
            made.append(ConstraintPart(formula, (f"{i}",), numbers, ends, level))
        return made
