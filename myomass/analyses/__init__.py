"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; masses for muscles."""

from .give_mass import MassGiven, give_mass, take_mass
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .kinematics import Kinematics, kinematics

__all__ = [
    "InverseDynamics",
    "InverseKinematics",
    "Kinematics",
    "MassGiven",
    "give_mass",
    "inverse_dynamics",
    "inverse_kinematics",
    "kinematics",
    "take_mass",
]


def __dir__() -> list[str]:
    return __all__
