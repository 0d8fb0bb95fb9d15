"""Musculotendons: paths through points and over surfaces (`wrapping`), their mass, what both do to a mechanism."""

from . import wrapping as wrap
from .network.trained import Network
from .shape import (
    MusclePath,
    moment_arms,
    muscle_jacobian,
    muscle_jacobian_dot,
    muscle_lengths,
    muscle_paths,
    muscle_points,
    muscle_velocities,
)
from .spec import Belly, Lumps, MovingPoint
from .strands import Strand, strand_jacobians

__all__ = [
    "Belly",
    "Lumps",
    "MovingPoint",
    "MusclePath",
    "Network",
    "Strand",
    "moment_arms",
    "muscle_jacobian",
    "muscle_jacobian_dot",
    "muscle_lengths",
    "muscle_paths",
    "muscle_points",
    "muscle_velocities",
    "strand_jacobians",
    "wrap",
]
