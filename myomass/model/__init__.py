"""Spec (what a person says) -> Model (arrays) -> State (what changes in time)."""

from .model import Model
from .muscle import Belly, Lumps, MovingPoint
from .network import Network
from .shape import Shape
from .spec import BodySpec, Spec
from .state import State

__all__ = ["Belly", "BodySpec", "Lumps", "Model", "MovingPoint", "Network", "Shape", "Spec", "State"]
