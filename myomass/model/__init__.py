"""Spec (what a person says) -> Model (arrays) -> State (what changes in time)."""

from .coordinate import Coordinate, Frame, Marker
from .model import Model
from .shape import Shape
from .spec import BodySpec, Spec
from .state import State

__all__ = [
    "BodySpec",
    "Coordinate",
    "Frame",
    "Marker",
    "Model",
    "Shape",
    "Spec",
    "State",
]


def __dir__() -> list[str]:
    return __all__
