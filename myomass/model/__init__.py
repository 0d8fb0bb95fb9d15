"""Spec (what a person says) -> Model (arrays) -> State (what changes in time)."""

from .model import Model
from .spec import BodySpec, Spec
from .state import State

__all__ = ["BodySpec", "Model", "Spec", "State"]
