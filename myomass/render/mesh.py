"""Triangle meshes as they are drawn: vertices with normals, split where the surface has an edge."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..spatial.checks import check_numbers


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices [m] (n, 3) and faces (k, 3) that name them, counter-clockwise seen from outside.

    A vertex occurs once for each smooth surface that meets there: its normal is the mean over the faces that name it.
    """

    vertices: np.ndarray
    faces: np.ndarray

    def __post_init__(self):
        vertices = check_numbers(self.vertices, "mesh: the vertices", (None, 3))
        faces = np.asarray(self.faces)
        if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
            raise ValueError(
                f"mesh: the faces must be integers of shape (k, 3), and are {faces.dtype} of {faces.shape}"
            )
        if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
            raise ValueError(f"mesh: faces name vertices {faces.min()} to {faces.max()} of {len(vertices)}")
        object.__setattr__(self, "vertices", np.array(vertices, np.float64, order="C"))
        object.__setattr__(self, "faces", np.array(faces, np.int32, order="C"))

    @cached_property
    def normals(self) -> np.ndarray:
        """Unit normals of the vertices: mean of their faces' normals, weighted by area. (n, 3)"""
        areas, corners = np.tile(face_normals(self.vertices, self.faces), (3, 1)), self.faces.T.ravel()
        sums = np.stack([np.bincount(corners, area, len(self.vertices)) for area in areas.T], axis=1)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.where(length > 0, sums / np.where(length > 0, length, 1), (0.0, 0.0, 1.0))

    def moved(self, vertices: np.ndarray) -> "Mesh":
        """The mesh with its vertices elsewhere (n, 3) [m]: faces are not checked again, normals are found anew."""
        mesh = object.__new__(Mesh)
        object.__setattr__(mesh, "vertices", np.array(vertices, np.float64, order="C").reshape(self.vertices.shape))
        object.__setattr__(mesh, "faces", self.faces)
        return mesh


def face_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Normals of faces, as long as twice their area. (k, 3)"""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def crease_split(vertices: np.ndarray, faces: np.ndarray, angle: float = 0.6) -> Mesh:
    """A mesh whose faces share a vertex only where they meet at less than an angle [rad]: sharp edges stay sharp.

    Vertices in the same place are first made one.
    """
    plain = Mesh(vertices, faces)
    origins, split = crease_origins(plain, angle)
    return Mesh(plain.vertices[origins], split)


def crease_origins(mesh: Mesh, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """(which vertex each one of the mesh that `crease_split` makes was made from (n,), its faces (k, 3)).

    Corners of faces that are joined by a smooth edge get one vertex: the components of a graph, found by spreading the
    smallest label.
    """
    places, first, renamed = np.unique(mesh.vertices, axis=0, return_index=True, return_inverse=True)
    faces = renamed.reshape(-1)[mesh.faces].reshape(-1, 3)
    joined = smooth_corners(places, faces, np.cos(angle))
    labels = np.arange(faces.size)
    while len(joined):
        smallest = labels.copy()
        np.minimum.at(smallest, joined[:, 0], labels[joined[:, 1]])
        np.minimum.at(smallest, joined[:, 1], labels[joined[:, 0]])
        smallest = smallest[smallest]
        if np.array_equal(smallest, labels):
            break
        labels = smallest
    kept, split = np.unique(labels, return_inverse=True)
    return first[faces.reshape(-1)[kept]], split.reshape(-1, 3)


def smooth_corners(vertices: np.ndarray, faces: np.ndarray, cosine: float) -> np.ndarray:
    """Pairs of corners (3 face + place) that stand at one vertex on both sides of a smooth edge. (m, 2)"""
    normals = face_normals(vertices, faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(length > 0, length, 1)
    corners = np.arange(faces.size).reshape(-1, 3)
    start, end = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    flat = faces.reshape(-1)
    forward = flat[start] < flat[end]
    low, high = np.where(forward, start, end), np.where(forward, end, start)
    order = np.lexsort((flat[high], flat[low]))
    low, high = low[order], high[order]
    same = (flat[low][1:] == flat[low][:-1]) & (flat[high][1:] == flat[high][:-1])
    smooth = np.einsum("ij,ij->i", normals[low[1:] // 3], normals[low[:-1] // 3]) > cosine
    pick = np.flatnonzero(same & smooth)
    return np.concatenate([np.stack([side[pick], side[pick + 1]], axis=1) for side in (low, high)])
