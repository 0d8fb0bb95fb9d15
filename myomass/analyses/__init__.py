"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; masses for muscles."""

from .give_mass import MassGiven, give_mass, take_mass
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .kinematics import Kinematics, kinematics
from .muscles import MuscleAnalysis, muscle_analysis
from .static_optimization import StaticOptimization, static_optimization
from .window_optimization import WindowOptimization, window_optimization

__all__ = [
    "InverseDynamics",
    "InverseKinematics",
    "Kinematics",
    "MassGiven",
    "MuscleAnalysis",
    "StaticOptimization",
    "WindowOptimization",
    "give_mass",
    "inverse_dynamics",
    "inverse_kinematics",
    "kinematics",
    "muscle_analysis",
    "static_optimization",
    "take_mass",
    "window_optimization",
]


def __dir__() -> list[str]:
    return __all__
