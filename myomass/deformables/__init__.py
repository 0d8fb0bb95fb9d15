"""Things that bend and stretch: chains of springs on bodies, and soft bodies of finite elements by themselves."""

from .embedding import Embedding
from .materials.base import Material
from .materials.corotated import CoRotated
from .materials.saint_venant_kirchhoff import SaintVenantKirchhoff
from .materials.stable_neo_hookean import StableNeoHookean
from .soft_body import SoftBody
from .springs import add_spring_chain
from .statics import Equilibrium
from .tet_mesh import TetMesh

__all__ = [
    "CoRotated",
    "Embedding",
    "Equilibrium",
    "Material",
    "SaintVenantKirchhoff",
    "SoftBody",
    "StableNeoHookean",
    "TetMesh",
    "add_spring_chain",
]


def __dir__() -> list[str]:
    return __all__
