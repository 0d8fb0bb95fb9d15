"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them."""

from .inverse_kinematics import InverseKinematics, inverse_kinematics

__all__ = ["InverseKinematics", "inverse_kinematics"]


def __dir__() -> list[str]:
    return __all__
