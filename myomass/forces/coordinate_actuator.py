"""Actuator of one coordinate: a motor, or a reserve of static optimisation."""

from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Law
from ..model.joint_checks import coordinate_named
from ..spatial.brief import brief
from .actuator import Actuator, actuation


@kernel
def law(params, at, t, q, qdot):
    """(optimal_force times the control, no energy: work is put in). params[at:] as of `actuation`."""
    return actuation(params, at, t) + q * 0.0, q * 0.0


@brief
@dataclass(eq=False)
class CoordinateActuator(Actuator):
    """Exerts its torque [N m], or force [N] where it slides, on the `coordinate` of this name."""

    coordinate: str
    law: ClassVar = law
    named: ClassVar = ("coordinate",)

    def parts(self, model: Model) -> list[Law]:
        """One law."""
        return [Law(self.kind, coordinate_named(model, self.coordinate, "an actuator"), self.drive())]
