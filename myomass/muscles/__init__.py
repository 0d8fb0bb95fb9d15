"""Musculotendons: paths through points and over surfaces (`wrapping`), their mass, what both do to a mechanism."""

from . import wrapping as wrap
from .geometry import (
    MusclePath,
    moment_arms,
    muscle_jacobian,
    muscle_jacobian_dot,
    muscle_lengths,
    muscle_paths,
    muscle_points,
    muscle_velocities,
)
from .network.trained import Network
from .spec import Belly, Lumps, MovingPoint

__all__ = [
    "Belly",
    "Lumps",
    "MovingPoint",
    "MusclePath",
    "Network",
    "moment_arms",
    "muscle_jacobian",
    "muscle_jacobian_dot",
    "muscle_lengths",
    "muscle_paths",
    "muscle_points",
    "muscle_velocities",
    "wrap",
]


def __dir__() -> list[str]:
    return __all__
