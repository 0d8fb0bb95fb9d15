"""Volume, centre and inertia of the solid inside a closed triangle mesh.

Each face spans a signed tetrahedron with the origin; volume, first and second moments of those add up:

    V = det(a, b, c)/6,   int x = V (a + b + c)/4,   int x x^T = V/20 (aa^T + bb^T + cc^T + (a+b+c)(a+b+c)^T)
"""

from collections import Counter

import numpy as np

from .checks import check_numbers


def check_closed(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Raise a ValueError if the faces are not triangles of the vertices, or do not close a solid, all turned alike."""
    if faces.ndim != 2 or faces.shape[1:] != (3,) or not np.issubdtype(faces.dtype, np.integer) or not len(faces):
        raise ValueError(f"mesh: the faces must be integers of shape (k, 3), and are {faces.dtype} of {faces.shape}")
    if faces.min() < 0:
        raise ValueError(f"mesh: a face names the negative vertex {faces.min()}; vertices are counted from 0")
    if faces.max() >= len(vertices):
        raise ValueError(f"mesh: a face names vertex {faces.max()}; there are {len(vertices)} vertices")
    edges = Counter((int(face[i]), int(face[i - 2])) for face in faces for i in range(3))
    for (a, b), count in edges.items():
        if count != edges.get((b, a), 0):
            raise ValueError(
                f"mesh: the edge between vertices {a} and {b} is not shared by two faces that turn the same way; "
                "close the mesh and orient its faces"
            )


def mass_integrals(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """(volume [m^3], centre [m] (3,), inertia about it at density 1 [m^5] (3, 3)) of a closed mesh."""
    vertices, faces = check_numbers(vertices, "mesh: the vertices", (None, 3)), np.asarray(faces)
    check_closed(vertices, faces)
    middle = vertices[faces].mean(axis=(0, 1))  # near the solid, so that a far-away mesh loses no digits
    a, b, c = (vertices[faces[:, i]] - middle for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = volumes.sum()
    if volume < 0:
        raise ValueError("mesh: its volume is negative: the faces turn inwards; reverse their order")
    if volume <= 1e-12 * np.abs(volumes).sum():
        raise ValueError("mesh: it encloses no volume")
    corners = a + b + c
    centre = volumes @ corners / (4 * volume)
    second = sum(np.einsum("i,ij,ik->jk", volumes, x, x) for x in (a, b, c, corners)) / 20
    second -= volume * np.outer(centre, centre)
    return float(volume), centre + middle, np.trace(second) * np.eye(3) - second
