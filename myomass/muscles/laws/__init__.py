"""Laws of tension: what pulls along a muscle's path by its length and rate, or by a control. One file each."""

from .base import TensionLaw
from .ideal import IdealActuator
from .ligament import BlankevoortLigament, Ligament
from .path_spring import PathSpring

__all__ = ["BlankevoortLigament", "IdealActuator", "Ligament", "PathSpring", "TensionLaw"]
