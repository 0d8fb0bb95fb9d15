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
from .hill import curves
from .hill import start as _start  # noqa: F401  (gives models their states in equilibrium)
from .hill.metabolics.base import Metabolics
from .hill.metabolics.bhargava import Bhargava2004
from .hill.metabolics.power import MetabolicPower, metabolic_power
from .hill.metabolics.umberger import Umberger2010
from .hill.rates import muscle_rates
from .hill.reflex import Reflex
from .hill.report import MuscleReport, muscle_report
from .hill.spec import Hill
from .laws import BlankevoortLigament, IdealActuator, Ligament, PathSpring, TensionLaw
from .network.trained import Network
from .spec import Belly, ConditionalPoint, Lumps, MovingPoint

__all__ = [
    "Belly",
    "Bhargava2004",
    "BlankevoortLigament",
    "ConditionalPoint",
    "Hill",
    "IdealActuator",
    "Ligament",
    "Lumps",
    "MetabolicPower",
    "Metabolics",
    "MovingPoint",
    "MusclePath",
    "MuscleReport",
    "Network",
    "PathSpring",
    "Reflex",
    "TensionLaw",
    "Umberger2010",
    "curves",
    "metabolic_power",
    "moment_arms",
    "muscle_jacobian",
    "muscle_jacobian_dot",
    "muscle_lengths",
    "muscle_paths",
    "muscle_points",
    "muscle_rates",
    "muscle_report",
    "muscle_velocities",
    "wrap",
]


def __dir__() -> list[str]:
    return __all__
