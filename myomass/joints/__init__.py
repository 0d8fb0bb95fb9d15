"""Joint types: one short file each. `dispatch.py` lists those that have kernels."""

from .base import Joint, add_partial, set_column
from .composite import Composite, Free2D, Free3D
from .ellipsoidal import Ellipsoidal
from .fixed import Fixed
from .inverse import Inverse
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spatial_transform import SpatialTransform
from .spherical_euler import SphericalEuler
from .spherical_exp import SphericalExp
from .spline_curve import SplineCurve
from .spline_surface import SplineSurface
from .translational import Translational
from .universal import Universal

__all__ = [
    "Composite",
    "Ellipsoidal",
    "Fixed",
    "Free2D",
    "Free3D",
    "Inverse",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "SpatialTransform",
    "SphericalEuler",
    "SphericalExp",
    "SplineCurve",
    "SplineSurface",
    "Translational",
    "Universal",
    "add_partial",
    "set_column",
]


def __dir__() -> list[str]:
    return __all__
