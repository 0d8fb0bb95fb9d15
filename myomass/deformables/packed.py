"""Soft bodies as a model keeps them, and the arrays that kernels read.

The nodes of all soft bodies are numbered anew for the kernels: free ones first, in an order in which neighbours are
near each other (reverse Cuthill-McKee), then those that ride on bodies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ..spatial.brief import brief
from .embedding import Embedding
from .pattern import NodePattern
from .soft_body import SoftBody
from .tet_mesh import TetMesh
from .touch import Touch

AXES = "xyz"


@brief
@dataclass(frozen=True, eq=False)
class PackedSoftBody:
    """A soft body in a model: on which link each node rides (-1: it is free), and where there [m] (n, 3)."""

    name: str
    soft: SoftBody
    links: np.ndarray  # (n,)
    places: np.ndarray  # (n, 3)
    vertices: np.ndarray  # of the surface at rest [m] (k, 3)
    faces: np.ndarray  # triangles of it (f, 3)
    touches: Sequence[Touch] = ()
    colour: tuple[float, float, float] | None = None

    @property
    def mesh(self) -> TetMesh:
        """The mesh of tetrahedra."""
        return self.soft.mesh

    @cached_property
    def embedding(self) -> Embedding:
        """How the surface rides in the mesh."""
        return Embedding(self.mesh, self.vertices)

    @property
    def weights(self) -> csr_array:
        """W: places of the surface's vertices are W x, those of the nodes being x. (k, n)"""
        return self.embedding.matrix

    @cached_property
    def areas(self) -> np.ndarray:
        """A third of the area of each vertex's triangles at rest [m^2]. (k,)"""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        each = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        return np.bincount(self.faces.ravel(), np.repeat(each, 3), minlength=len(self.vertices))

    def strain(self, x: np.ndarray) -> np.ndarray:
        """Size of Green's strain, sqrt(E:E), at the surface's vertices where the nodes are at x. (k,)"""
        return np.maximum(self.weights @ self.node_strain(x), 0.0)

    def node_strain(self, x: np.ndarray) -> np.ndarray:
        """Size of Green's strain at the nodes where they are at x: the mean over their tetrahedra, by volume. (n,)"""
        mesh, volumes, nodes = self.mesh, np.repeat(self.mesh.volumes, 4), self.mesh.tets.ravel()
        F = np.einsum("eai,eaj->eij", x[mesh.tets], mesh.gradients)
        E = 0.5 * (np.einsum("eki,ekj->eij", F, F) - np.eye(3))
        sizes = np.repeat(np.sqrt(np.einsum("eij,eij->e", E, E)), 4)
        return np.bincount(nodes, volumes * sizes, len(x)) / np.bincount(nodes, volumes, len(x))

    def __reduce__(self) -> tuple:
        made = self.name, self.soft, self.links, self.places, self.vertices, self.faces, self.touches, self.colour
        return PackedSoftBody, made


@dataclass(frozen=True, eq=False, repr=False)
class SoftBodies:
    """All soft bodies of a model, whose joints have `first` degrees of freedom."""

    parts: tuple[PackedSoftBody, ...]
    first: int

    def __reduce__(self) -> tuple:
        return SoftBodies, (self.parts, self.first)

    @cached_property
    def by_name(self) -> dict[str, PackedSoftBody]:
        """The soft bodies by name."""
        return {part.name: part for part in self.parts}

    @cached_property
    def links(self) -> np.ndarray:
        """Link on which each node rides, -1 if it is free, body after body. (nodes,)"""
        return np.concatenate([part.links for part in self.parts])

    @cached_property
    def free(self) -> int:
        """How many nodes are free."""
        return int((self.links < 0).sum())

    @cached_property
    def starts(self) -> np.ndarray:
        """Number of the first node of each body, and of all nodes."""
        return np.cumsum([0, *(len(part.links) for part in self.parts)])

    @cached_property
    def dofs(self) -> np.ndarray:
        """First degree of freedom of each node, -1 where it rides, body after body. (nodes,)"""
        free = self.links < 0
        return np.where(free, self.first + 3 * (np.cumsum(free) - 1), -1)

    @property
    def coordinates(self) -> list[str]:
        """Names of the degrees of freedom, such as "flesh.17.x"."""
        names = [f"{part.name}.{i}" for part in self.parts for i in np.flatnonzero(part.links < 0)]
        return [f"{name}.{axis}" for name in names for axis in AXES]

    def nodes_of(self, name: str) -> slice:
        """Numbers of a body's nodes."""
        i = list(self.by_name).index(name)
        return slice(int(self.starts[i]), int(self.starts[i + 1]))

    @cached_property
    def tets(self) -> np.ndarray:
        """Tetrahedra of all bodies, by the kernels' numbers of nodes. (m, 4)"""
        tets = [part.mesh.tets + start for part, start in zip(self.parts, self.starts, strict=False)]
        return np.ascontiguousarray(self.numbers[np.concatenate(tets)])

    @cached_property
    def numbers(self) -> np.ndarray:
        """The kernels' number of each node, body after body. (nodes,)"""
        tets = np.concatenate([part.mesh.tets + start for part, start in zip(self.parts, self.starts, strict=False)])
        free, count = np.flatnonzero(self.links < 0), len(self.links)
        place = np.full(count, -1)
        place[free] = np.arange(len(free))
        pairs = np.broadcast_arrays(tets[:, :, None], tets[:, None, :])
        rows, columns = (place[side].ravel() for side in pairs)
        among = (rows >= 0) & (columns >= 0)
        graph = csr_array((np.ones(among.sum()), (rows[among], columns[among])), shape=(len(free), len(free)))
        order = reverse_cuthill_mckee(graph, symmetric_mode=True) if len(free) else np.zeros(0, int)
        number = np.empty(count, np.int64)
        number[free[order]] = np.arange(len(free))
        number[self.links >= 0] = np.arange(len(free), count)
        return number

    @cached_property
    def pattern(self) -> NodePattern:
        """Where matrices between nodes have blocks, by the kernels' numbers."""
        return NodePattern.of(self.tets, len(self.links))

    def in_order(self, values: np.ndarray) -> np.ndarray:
        """Values of nodes, body after body, in the kernels' order."""
        made = np.empty_like(values)
        made[self.numbers] = values
        return made
