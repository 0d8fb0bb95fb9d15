"""Rotations, rigid motions, inertias and splines on SE(3)."""

from . import se3, so3
from .inertia import Inertia
from .motion import Motion
from .se3 import rotation, translation

__all__ = [
    "Inertia",
    "Motion",
    "rotation",
    "se3",
    "so3",
    "translation",
]
