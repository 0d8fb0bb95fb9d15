"""Spring and damper on one coordinate by its name: -k (q - rest) - d qdot."""

from dataclasses import dataclass
from typing import ClassVar

from ..model import Model
from ..model.elements import Force, Law
from ..model.joint_checks import coordinate_named, not_negative
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .joint_spring import law


@brief
@dataclass(eq=False)
class CoordinateSpring(Force):
    """Stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m] of the `coordinate` of this name; rest [rad or m]."""

    coordinate: str
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    law: ClassVar = law
    named: ClassVar = ("coordinate",)

    def parts(self, model: Model) -> list[Law]:
        """One law."""
        numbers = [not_negative(getattr(self, name), name) for name in ("stiffness", "damping")]
        rest = float(check_numbers(self.rest, "rest", ()))
        return [Law(self.kind, coordinate_named(model, self.coordinate, "a spring"), [*numbers, rest])]
