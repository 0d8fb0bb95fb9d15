"""Pictures without a window: a small renderer of triangles, with soft shadows and a ground."""

from .mesh import Mesh, crease_origins, crease_split
from .picture import Camera, Ground, Instances, Placement, Renderer, render
from .solids import unit_box, unit_cone, unit_cylinder, unit_sphere

__all__ = [
    "Camera",
    "Ground",
    "Instances",
    "Mesh",
    "Placement",
    "Renderer",
    "crease_origins",
    "crease_split",
    "render",
    "unit_box",
    "unit_cone",
    "unit_cylinder",
    "unit_sphere",
]
