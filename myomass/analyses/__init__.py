"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them."""

from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .kinematics import Kinematics, kinematics

__all__ = ["InverseDynamics", "Kinematics", "inverse_dynamics", "kinematics"]


def __dir__() -> list[str]:
    return __all__
