"""Motions of least effort between two others: curves, effort and its exact gradient, planted points, the search."""

from .curve import Clip, JointCurve
from .planted import Planted
from .spacetime import Bearing, spacetime_energy, spacetime_gradient
from .transition import Transition, motion_transition

__all__ = [
    "Bearing",
    "Clip",
    "JointCurve",
    "Planted",
    "Transition",
    "motion_transition",
    "spacetime_energy",
    "spacetime_gradient",
]


def __dir__() -> list[str]:
    return __all__
