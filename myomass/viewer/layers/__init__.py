"""Layers of a drawing, one file per kind; a new one is a class of its own and a line here."""

from .base import Layer, Measures, Part
from .bodies import Axes, Bodies
from .contacts import Contacts, Forces, Plates
from .joints import Joints
from .muscles import MassPoints, Surfaces, Tubes
from .skins import Skin, Skins
from .springs import Cables, Springs

LAYERS: tuple[type[Layer], ...] = (
    Bodies,
    Joints,
    Axes,
    Springs,
    Cables,
    Tubes,
    MassPoints,
    Skins,
    Surfaces,
    Plates,
    Contacts,
    Forces,
)

__all__ = ["LAYERS", "Bodies", "Layer", "Measures", "Part", "Skin", "Skins"]
