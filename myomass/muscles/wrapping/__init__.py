"""Wrapping surfaces: `mm.wrap.Cylinder` and its siblings."""

from .dispatch import SURFACES, CappedCylinder, Cylinder, DoubleCylinder, Ellipsoid, Sphere, Torus

__all__ = ["SURFACES", "CappedCylinder", "Cylinder", "DoubleCylinder", "Ellipsoid", "Sphere", "Torus"]
