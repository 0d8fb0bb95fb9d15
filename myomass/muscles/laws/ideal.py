"""An actuator along a path: its tension is optimal_force times a control, whatever the path's length and rate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.brief import brief
from ...spatial.checks import check_numbers
from ...spatial.motion import Motion, as_motion, value_at
from .base import TensionLaw


@kernel
def law(params, at, t, L, Ldot):
    """(optimal_force times the control at time t, no energy: work is put in). params[at:]: optimal_force, control."""
    o = L * 0.0
    return params[at] * value_at(params, at + 1, t) + o, o


@brief
@dataclass(frozen=True, eq=False)
class IdealActuator(TensionLaw):
    """Exerts `optimal_force` [N] times `control`, a number or an mm.Motion in time, along the path; it may push.

    The least and the largest control are kept for those who choose one; a control that is given is used as it is.
    """

    optimal_force: float = 1.0
    control: Motion | float = 0.0
    least_control: float = -np.inf
    largest_control: float = np.inf
    law: ClassVar = law

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where the control begins."""
        return [at + 1]

    def parameters(self) -> list[float]:
        """(optimal force, the control's numbers), checked."""
        optimal = float(check_numbers(self.optimal_force, "optimal_force [N]", ()))
        if not self.least_control <= self.largest_control:
            raise ValueError(
                f"least_control must not exceed largest_control, and they are {self.least_control:g} and "
                f"{self.largest_control:g}"
            )
        return [optimal, *as_motion(self.control, "control").parameters()]
