"""Wrapping surfaces: `mm.wrap.Cylinder` and its siblings."""

from .base import Surface
from .dispatch import SURFACES, CappedCylinder, Cylinder, DoubleCylinder, Ellipsoid, Sphere, Torus

__all__ = [
    "SURFACES",
    "CappedCylinder",
    "Cylinder",
    "DoubleCylinder",
    "Ellipsoid",
    "Sphere",
    "Surface",
    "Torus",
]


def __dir__() -> list[str]:
    return __all__
