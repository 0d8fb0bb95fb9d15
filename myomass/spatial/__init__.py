"""Rotations, rigid motions, inertias and splines on SE(3)."""

from . import se3, so3
from .inertia import Inertia
from .motion import Motion
from .rotations import euler_jacobian, exponential_jacobian, quaternion_jacobian
from .se3 import rotation, translation

__all__ = [
    "Inertia",
    "Motion",
    "euler_jacobian",
    "exponential_jacobian",
    "quaternion_jacobian",
    "rotation",
    "se3",
    "so3",
    "translation",
]
