"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; models made to measure."""

from .give_mass import MassGiven, give_mass, take_mass
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .joint_reactions import JointReactions, joint_reactions
from .kinematics import Kinematics, kinematics
from .marker_tasks import MarkerTasks, read_tasks
from .measured_factors import MeasuredFactors, Measurement, measured_factors
from .muscles import MuscleAnalysis, muscle_analysis
from .place_markers import PlacedMarkers, place_markers
from .reduce_residuals import ResidualReduction, reduce_residuals
from .scale import Scaled, scale
from .scaling_setup import ScalingSetup, read_scaling
from .static_optimization import StaticOptimization, static_optimization
from .trajectory_of import trajectory_of
from .window_optimization import WindowOptimization, window_optimization

__all__ = [
    "InverseDynamics",
    "InverseKinematics",
    "JointReactions",
    "Kinematics",
    "MarkerTasks",
    "MassGiven",
    "MeasuredFactors",
    "Measurement",
    "MuscleAnalysis",
    "PlacedMarkers",
    "ResidualReduction",
    "Scaled",
    "ScalingSetup",
    "StaticOptimization",
    "WindowOptimization",
    "give_mass",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_reactions",
    "kinematics",
    "measured_factors",
    "muscle_analysis",
    "place_markers",
    "read_scaling",
    "read_tasks",
    "reduce_residuals",
    "scale",
    "static_optimization",
    "take_mass",
    "trajectory_of",
    "window_optimization",
]


def __dir__() -> list[str]:
    return __all__
