"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; models made to measure."""

from .give_mass import MassGiven, give_mass, take_mass
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .kinematics import Kinematics, kinematics
from .marker_tasks import MarkerTasks, read_tasks
from .measured_factors import MeasuredFactors, Measurement, measured_factors
from .place_markers import PlacedMarkers, place_markers
from .scale import Scaled, scale
from .scaling_setup import ScalingSetup, read_scaling

__all__ = [
    "InverseDynamics",
    "InverseKinematics",
    "Kinematics",
    "MarkerTasks",
    "MassGiven",
    "MeasuredFactors",
    "Measurement",
    "PlacedMarkers",
    "Scaled",
    "ScalingSetup",
    "give_mass",
    "inverse_dynamics",
    "inverse_kinematics",
    "kinematics",
    "measured_factors",
    "place_markers",
    "read_scaling",
    "read_tasks",
    "scale",
    "take_mass",
]


def __dir__() -> list[str]:
    return __all__
