"""Motions found by optimisation and as limit cycles, with exact gradients."""

from .bifurcation import Branch, Diagram, Doubling, bifurcation_diagram, follow_cycle, period_doubling
from .curve import Clip, JointCurve
from .limit_cycle import LimitCycle, limit_cycle
from .planted import Planted
from .return_map import Phase, ReturnMap, Stride
from .spacetime import Bearing, spacetime_energy, spacetime_gradient
from .transition import Transition, motion_transition

__all__ = [
    "Bearing",
    "Branch",
    "Clip",
    "Diagram",
    "Doubling",
    "JointCurve",
    "LimitCycle",
    "Phase",
    "Planted",
    "ReturnMap",
    "Stride",
    "Transition",
    "bifurcation_diagram",
    "follow_cycle",
    "limit_cycle",
    "motion_transition",
    "period_doubling",
    "spacetime_energy",
    "spacetime_gradient",
]
