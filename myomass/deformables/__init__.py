"""Things that bend and stretch: chains of springs on bodies, and meshes of soft bodies."""

from .springs import add_spring_chain
from .tet_mesh import TetMesh

__all__ = [
    "TetMesh",
    "add_spring_chain",
]


def __dir__() -> list[str]:
    return __all__
