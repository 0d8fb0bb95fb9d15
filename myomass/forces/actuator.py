"""Actuators: forces of a control. What they exert is optimal_force times the control."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model.elements import Force
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion, as_motion, value_at


@kernel
def actuation(params, at, t):
    """optimal_force times the control at time t. params[at:]: optimal_force, then the control as a motion."""
    return params[at] * value_at(params, at + 1, t)


@brief
@dataclass(eq=False, kw_only=True)
class Actuator(Force):
    """Base of actuators: they exert `optimal_force` [N or N m] times `control`, a number or an mm.Motion in time.

    The least and the largest control limit what static optimisation chooses; a control that is given is used as it is.
    """

    optimal_force: float = 1.0
    control: Motion | float = 0.0
    least_control: float = -np.inf
    largest_control: float = np.inf
    inputs: ClassVar[int] = 1  # how many controls it has
    drive_at: ClassVar[int] = 0  # where in its parameters `actuation` reads

    def __dir__(self) -> list[str]:
        """What is meant for people."""
        return [name for name in super().__dir__() if name not in ("unit", "drive", "drive_at")]

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where the control begins."""
        return [at + cls.drive_at + 1]

    def drive(self) -> list[float]:
        """What `actuation` reads, checked."""
        optimal = float(check_numbers(self.optimal_force, "optimal_force [N or N m]", ()))
        low, high = (float(getattr(self, key)) for key in ("least_control", "largest_control"))
        if not low <= high:
            raise ValueError(f"least_control must not exceed largest_control, and they are {low:g} and {high:g}")
        return [optimal, *as_motion(self.control, "control").parameters()]

    def unit(self, which: int = 0) -> "Actuator":
        """The same actuator with a control of 1 (the others of several 0)."""
        if self.inputs == 1:
            return replace(self, control=1.0)
        return replace(self, control=tuple(np.eye(self.inputs)[which].tolist()))


def as_controls(given: Motion | float | Sequence[Motion | float], count: int, what: str) -> list[Motion]:
    """So many motions; one number or motion serves all."""
    if isinstance(given, Motion) or np.ndim(given) == 0:
        given = [given] * count
    if len(given) != count:
        raise ValueError(f"{what} must be {count} numbers or motions, and there are {len(given)}")
    return [as_motion(one, f"{what} {i}") for i, one in enumerate(given)]
