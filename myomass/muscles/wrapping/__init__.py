"""Wrapping surfaces, the names of `mm.wrap`: Cylinder, Sphere, Ellipsoid and others."""

from .base import Surface
from .dispatch import SURFACES, CappedCylinder, Cylinder, DoubleCylinder, Ellipsoid, FiniteCylinder, Sphere, Torus

__all__ = [
    "SURFACES",
    "CappedCylinder",
    "Cylinder",
    "DoubleCylinder",
    "Ellipsoid",
    "FiniteCylinder",
    "Sphere",
    "Surface",
    "Torus",
]


def __dir__() -> list[str]:
    return __all__
