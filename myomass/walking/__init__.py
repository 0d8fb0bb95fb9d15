"""Walking: impacts and landings, feet on the ground, return maps of strides, limit cycles and how they double."""

from .bifurcation import Branch, Diagram, Doubling, bifurcation_diagram, follow_cycle, period_doubling
from .feet import Feet, lift_off, strike
from .impact import Impact, impact
from .landing import Landing, land
from .limit_cycle import LimitCycle, limit_cycle
from .return_map import Phase, ReturnMap, Stride

__all__ = [
    "Branch",
    "Diagram",
    "Doubling",
    "Feet",
    "Impact",
    "Landing",
    "LimitCycle",
    "Phase",
    "ReturnMap",
    "Stride",
    "bifurcation_diagram",
    "follow_cycle",
    "impact",
    "land",
    "lift_off",
    "limit_cycle",
    "period_doubling",
    "strike",
]


def __dir__() -> list[str]:
    return __all__
