"""Things that bend and stretch: soft bodies of finite elements, and chains of springs on bodies."""

from .embedding import Embedding
from .materials.base import Material
from .materials.corotated import CoRotated
from .materials.saint_venant_kirchhoff import SaintVenantKirchhoff
from .materials.stable_neo_hookean import StableNeoHookean
from .packed import PackedSoftBody
from .places import node_places
from .soft_body import SoftBody
from .springs import add_spring_chain
from .statics import Equilibrium
from .tet_mesh import TetMesh
from .touch import Touch

__all__ = [
    "CoRotated",
    "Embedding",
    "Equilibrium",
    "Material",
    "PackedSoftBody",
    "SaintVenantKirchhoff",
    "SoftBody",
    "StableNeoHookean",
    "TetMesh",
    "Touch",
    "add_spring_chain",
    "node_places",
]


def __dir__() -> list[str]:
    return __all__
