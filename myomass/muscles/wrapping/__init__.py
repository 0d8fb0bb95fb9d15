"""Wrapping surfaces, the names of `mm.wrap`: Cylinder, Sphere, Ellipsoid and others."""

from .dispatch import SURFACES, CappedCylinder, Cylinder, DoubleCylinder, Ellipsoid, Sphere, Torus

__all__ = ["SURFACES", "CappedCylinder", "Cylinder", "DoubleCylinder", "Ellipsoid", "Sphere", "Torus"]
