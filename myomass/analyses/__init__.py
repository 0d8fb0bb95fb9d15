"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; masses for muscles."""

from .give_mass import MassGiven, give_mass, take_mass
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .joint_reactions import JointReactions, joint_reactions
from .kinematics import Kinematics, kinematics
from .muscles import MuscleAnalysis, muscle_analysis
from .static_optimization import StaticOptimization, static_optimization

__all__ = [
    "InverseDynamics",
    "InverseKinematics",
    "JointReactions",
    "Kinematics",
    "MassGiven",
    "MuscleAnalysis",
    "StaticOptimization",
    "give_mass",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_reactions",
    "kinematics",
    "muscle_analysis",
    "static_optimization",
    "take_mass",
]


def __dir__() -> list[str]:
    return __all__
