"""Points that ride in a mesh: a fine surface in coarse tetrahedra.

    y_p = sum over the four nodes a of its tetrahedron of w_pa x_a,    f_a += w_pa f_p

Weights are barycentric and constant, and so is the matrix W of y = W x. Points outside of the mesh are carried by the
tetrahedron behind the nearest triangle of its surface, with weights that may be negative.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from ..spatial.brief import counted
from ..spatial.checks import check_numbers
from .boxes import Boxes
from .tet_mesh import TetMesh

TOUCHING = -1e-9  # a weight above this is inside


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """Points [m] (k, 3), given where the mesh is at rest. Points farther outside than `reach` [m] are refused."""

    mesh: TetMesh
    points: np.ndarray
    reach: float = np.inf
    tets: np.ndarray = field(init=False)  # that carry the points (k,)
    weights: np.ndarray = field(init=False)  # of their four nodes (k, 4)
    outside: np.ndarray = field(init=False)  # how far the points are outside [m] (k,)

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, TetMesh):
            raise ValueError(f"Embedding: `mesh` must be a TetMesh, and is {self.mesh!r}")
        if not self.reach >= 0.0:
            raise ValueError(f"Embedding: `reach` [m] must not be negative, and is {self.reach!r}")
        mesh = self.mesh
        points = np.array(check_numbers(self.points, "Embedding: the points [m]", (None, 3)), order="C")
        found = Boxes(mesh.nodes[mesh.tets]).tetrahedra_around(points, mesh.nodes, mesh.tets)
        weights = np.full((len(points), 4), -np.inf)
        weights[found >= 0] = _weights(mesh, found[found >= 0], points[found >= 0])
        out, off = weights.min(axis=1) < TOUCHING, np.zeros(len(points))
        if out.any():
            boxes = Boxes(mesh.nodes[mesh.surface])
            triangle, nearest, _ = boxes.nearest_triangles(points[out], mesh.nodes, mesh.surface)
            off[out] = np.linalg.norm(points[out] - nearest, axis=1)
            found[out] = mesh.behind[triangle]
            weights[out] = _weights(mesh, found[out], points[out])
        if (off > self.reach).any():
            p = np.argmax(off > self.reach)
            raise ValueError(
                f"Embedding: point {p} is {off[p]:.3g} m outside of the mesh, and {self.reach:g} m are allowed"
            )
        for name, value in {"points": points, "tets": found, "weights": weights, "outside": off}.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Embedding({counted(len(self.points), 'point')} in {self.mesh!r})"

    @cached_property
    def matrix(self) -> csr_array:
        """W of y = W x. (k, n)"""
        rows = np.arange(len(self.points) + 1) * 4
        nodes = self.mesh.tets[self.tets].ravel()
        return csr_array((self.weights.ravel(), nodes, rows), shape=(len(self.points), len(self.mesh.nodes)))

    def places(self, x: np.ndarray) -> np.ndarray:
        """Places of the points where nodes are at x [m], or their velocities of those of nodes. (k, 3)"""
        return self.matrix @ check_numbers(x, "Embedding: x", self.mesh.nodes.shape, real=False)

    def node_forces(self, forces: np.ndarray) -> np.ndarray:
        """Forces on nodes that do the same work as these on the points [N]. (n, 3)"""
        return self.matrix.T @ check_numbers(forces, "Embedding: forces [N]", self.points.shape, real=False)


def _weights(mesh: TetMesh, tets: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Barycentric weights of points in their tetrahedra. (k, 4)"""
    last = np.einsum("kai,ki->ka", mesh.gradients[tets][:, 1:], points - mesh.nodes[mesh.tets[tets, 0]])
    return np.concatenate([1.0 - last.sum(axis=1, keepdims=True), last], axis=1)
