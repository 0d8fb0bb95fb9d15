"""Placements of many copies of a unit solid: poses and sizes."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from ..render import Placement

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
HIDDEN = 0.0  # a copy of no size is not drawn


def at_frames(E: np.ndarray, sizes: np.ndarray) -> Placement:
    """Copies at poses E (n, 4, 4), stretched to sizes (n, 3)."""
    if not len(E):
        return nowhere(0)
    seen = np.isfinite(E).all(axis=(1, 2))
    R = np.where(seen[:, None, None], E[:, :3, :3], np.eye(3))
    wxyz = Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]
    return Placement(np.where(seen[:, None], E[:, :3, 3], 0.0), wxyz, np.where(seen[:, None], sizes, HIDDEN))


def at_points(x: np.ndarray, radii: np.ndarray | float) -> Placement:
    """Balls of the given radii about points (n, 3); none where a point is not finite."""
    seen = np.isfinite(x).all(axis=1)
    sizes = np.where(seen, radii, HIDDEN)[:, None] * np.ones(3)
    return Placement(np.where(seen[:, None], x, 0.0), np.tile(UPRIGHT, (len(x), 1)), sizes)


def between(a: np.ndarray, b: np.ndarray, radii: np.ndarray | float) -> Placement:
    """Copies that reach along their z axes from points a to points b (n, 3)."""
    along = b - a
    lengths = np.linalg.norm(along, axis=1)
    seen = np.isfinite(lengths) & (lengths > 0)
    directions = np.where(seen[:, None], along, (0.0, 0.0, 1.0)) / np.where(seen, lengths, 1.0)[:, None]
    sizes = np.stack(np.broadcast_arrays(radii, radii, lengths), axis=1)
    middles = np.where(seen[:, None], 0.5 * (a + b), 0.0)
    return Placement(middles, turn_z_to(directions), np.where(seen[:, None], sizes, HIDDEN))


def turn_z_to(directions: np.ndarray) -> np.ndarray:
    """Shortest rotations that take z to unit vectors (n, 3), as quaternions wxyz. (n, 4)"""
    x, y, z = directions.T
    wxyz = np.stack([1.0 + z, -y, x, np.zeros_like(z)], axis=1)
    wxyz[z < -1.0 + 1e-9] = (0.0, 1.0, 0.0, 0.0)
    return wxyz / np.linalg.norm(wxyz, axis=1, keepdims=True)


def nowhere(count: int) -> Placement:
    """Copies that are not drawn."""
    return Placement(np.zeros((count, 3)), np.tile(UPRIGHT, (count, 1)), np.zeros((count, 3)))


def together(placements: Sequence[Placement]) -> Placement:
    """Several placements of one solid as one."""
    if not placements:
        return nowhere(0)
    return Placement(*(np.concatenate(columns) for columns in zip(*placements, strict=True)))
