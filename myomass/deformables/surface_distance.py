"""Distance from a closed surface of triangles, negative inside.

The sign is that of the angle-weighted normal at the nearest place (Baerentzen and Aanaes 2005), which is right on
faces, edges and vertices alike.
"""

import numpy as np

from ..spatial.checks import check_numbers
from ..spatial.mesh import check_closed, mass_integrals
from .boxes import EDGE, VERTEX, Boxes
from .tet_checks import whole_numbers


class SurfaceDistance:
    """Function of places (k, 3): their distance from a closed surface, negative inside [m]. (k,)"""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray):
        self.vertices = np.ascontiguousarray(check_numbers(vertices, "surface: the vertices [m]", (None, 3)))
        self.faces = whole_numbers(faces, "surface: the faces", 3)
        check_closed(self.vertices, self.faces)
        mass_integrals(self.vertices, self.faces)  # refuses a surface that is turned inwards or encloses nothing
        corners = self.vertices[self.faces]
        self._boxes = Boxes(corners)
        self._normals = _normals(corners, self.faces, len(self.vertices))

    def __call__(self, places: np.ndarray) -> np.ndarray:
        """Distances [m]. (k,)"""
        places = np.ascontiguousarray(places, float)
        triangle, nearest, feature = self._boxes.nearest_triangles(places, self.vertices, self.faces)
        off = places - nearest
        outwards = np.einsum("ij,ij->i", off, self._normals[triangle, feature])
        return np.where(outwards < 0.0, -1.0, 1.0) * np.linalg.norm(off, axis=1)


def _normals(corners: np.ndarray, faces: np.ndarray, vertices: int) -> np.ndarray:
    """Normals of each face itself, its three edges and its three vertices. (f, 7, 3)"""
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.maximum(np.linalg.norm(sides, axis=2, keepdims=True), 1e-300)
    normal = np.cross(sides[:, 0], sides[:, 1])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    units = sides / lengths
    cosines = -np.einsum("fki,fki->fk", units, np.roll(units, 1, axis=1))
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    at_vertices = np.zeros((vertices, 3))
    np.add.at(at_vertices, faces, angles[:, :, None] * normal[:, None, :])
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1), axis=-1)
    _, edge = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    edge = edge.reshape(faces.shape)
    at_edges = np.zeros((edge.max() + 1, 3))
    np.add.at(at_edges, edge, np.broadcast_to(normal[:, None, :], (*faces.shape, 3)))
    made = np.empty((len(faces), 7, 3))
    made[:, 0], made[:, EDGE:VERTEX], made[:, VERTEX:] = normal, at_edges[edge], at_vertices[faces]
    return made
