"""Unit solids, to be scaled, turned and placed: box, sphere, cylinder, cone. Normals point outwards."""

from functools import cache

import numpy as np

from .mesh import Mesh, crease_split

SIDES = 32  # around an axis; half as many rings from pole to pole


def revolved(radii: np.ndarray, heights: np.ndarray, sides: int = SIDES) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a profile, given from the bottom up, turned about z; a radius of 0 is a pole."""
    vertices, faces, rings = [], [], []
    for radius, height in zip(radii, heights, strict=True):
        angles = np.arange(sides if radius else 1) * (2 * np.pi / sides)
        rings.append(np.resize(np.arange(len(angles)) + sum(map(len, vertices)), sides + 1))
        vertices.append(np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles + height], axis=1))
    for k in range(len(rings) - 1):
        low, high = rings[k], rings[k + 1]
        if radii[k]:
            faces.append(np.stack([low[:-1], low[1:], high[1:]], axis=1))
        if radii[k + 1]:
            faces.append(np.stack([low[:-1], high[1:], high[:-1]], axis=1))
    return np.concatenate(vertices), np.concatenate(faces)


def with_normals(mesh: Mesh, normals: np.ndarray) -> Mesh:
    """The mesh with given normals, those of the exact surface, in place of means over its faces."""
    vars(mesh)["normals"] = np.ascontiguousarray(normals)  # fills the cached property
    return mesh


@cache
def unit_box() -> Mesh:
    """The box of side 1 about the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return crease_split(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


@cache
def unit_sphere(sides: int = SIDES) -> Mesh:
    """The sphere of radius 1 about the origin; small ones need fewer sides."""
    latitudes = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    radii = np.cos(latitudes)
    radii[[0, -1]] = 0
    mesh = Mesh(*revolved(radii, np.sin(latitudes), sides))
    return with_normals(mesh, mesh.vertices)


@cache
def unit_cylinder(sides: int = SIDES) -> Mesh:
    """The cylinder of radius 1 about z, from z = -0.5 to 0.5, with caps; thin ones need fewer sides."""
    mesh = crease_split(*revolved(np.array([0.0, 1, 1, 0]), np.array([-0.5, -0.5, 0.5, 0.5]), sides))
    side = np.abs(mesh.normals[:, 2:]) < 0.5
    return with_normals(mesh, np.where(side, mesh.vertices * (1, 1, 0), mesh.normals))


@cache
def unit_cone() -> Mesh:
    """The cone about z with a base of radius 1 at z = -0.5 and its tip at z = 0.5."""
    base, disc = revolved(np.array([0.0, 1]), np.array([-0.5, -0.5]))
    ring = base[1:]
    tips = np.tile([0.0, 0, 0.5], (SIDES, 1))  # one for each side, with that side's normal
    k = np.arange(SIDES)
    sides = len(base) + np.stack([k, (k + 1) % SIDES, SIDES + k], axis=1)
    mesh = Mesh(np.concatenate([base, ring, tips]), np.concatenate([disc, sides]))
    between = ring + np.roll(ring, -1, axis=0)
    slanted = [np.divide(v, np.linalg.norm(v[:, :2], axis=1, keepdims=True)) * (1, 1, 0) for v in (ring, between)]
    return with_normals(mesh, np.concatenate([mesh.normals[: len(base)], *((n + (0, 0, 1)) / 2**0.5 for n in slanted)]))
