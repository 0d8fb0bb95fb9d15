"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them."""

from .kinematics import Kinematics, kinematics

__all__ = ["Kinematics", "kinematics"]


def __dir__() -> list[str]:
    return __all__
