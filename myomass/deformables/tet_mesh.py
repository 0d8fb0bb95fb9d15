"""Meshes of tetrahedra: the rest shape of a soft body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from pathlib import Path

import numpy as np

from ..spatial.checks import check_numbers, check_positive
from .stuffing import stuff
from .surface_distance import SurfaceDistance
from .tet_checks import check_vertices, check_volumes, signed_volumes, surface_of, whole_numbers
from .tet_files import read_tets

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)])


@dataclass(frozen=True, eq=False, repr=False)
class TetMesh:
    """Nodes [m] (n, 3) and tetrahedra, four nodes each (m, 4), of one connected piece.

    Seen from its node 0, nodes 1, 2, 3 of a tetrahedron turn clockwise: its volume det(x1 - x0, x2 - x0, x3 - x0)/6 is
    positive. Raises a ValueError that names the first vertex or tetrahedron with which something is wrong.
    """

    nodes: np.ndarray
    tets: np.ndarray
    volumes: np.ndarray = field(init=False)  # of tetrahedra [m^3] (m,)
    surface: np.ndarray = field(init=False)  # triangles seen from outside (k, 3)
    behind: np.ndarray = field(init=False)  # the tetrahedron of each triangle (k,)

    def __post_init__(self) -> None:
        nodes = np.array(check_numbers(self.nodes, "mesh: the nodes [m]", (None, 3)), order="C")
        tets = whole_numbers(self.tets, "mesh: the tetrahedra", 4)
        check_vertices(nodes, tets)
        volumes = check_volumes(nodes, tets)
        surface, behind = surface_of(tets)
        made = {"nodes": nodes, "tets": tets, "volumes": volumes, "surface": surface, "behind": behind}
        for name, array in made.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return f"TetMesh({len(self.nodes)} nodes, {len(self.tets)} tetrahedra, {self.volume:.6g} m^3)"

    @property
    def volume(self) -> float:
        """Volume at rest [m^3]."""
        return float(self.volumes.sum())

    @cached_property
    def gradients(self) -> np.ndarray:
        """Gradients of the four shape functions of each tetrahedron [1/m]. (m, 4, 3)"""
        x = self.nodes[self.tets]
        last = np.linalg.inv(x[:, 1:] - x[:, :1]).transpose(0, 2, 1)
        return np.ascontiguousarray(np.concatenate([-last.sum(axis=1, keepdims=True), last], axis=1))

    @classmethod
    def box(cls, size: Sequence[float], divisions: Sequence[int]) -> "TetMesh":
        """A box of full side lengths `size` [m] about the origin, each side divided evenly.

        Six tetrahedra a cell; neighbouring cells mirror each other, so that no direction is preferred.
        """
        sides = [check_positive(side, f"box: the side along {axis} [m]") for axis, side in _three(size, "size")]
        counts = [_division(count, axis) for axis, count in _three(divisions, "divisions")]
        lines = [np.linspace(-0.5 * side, 0.5 * side, n + 1) for side, n in zip(sides, counts, strict=True)]
        nodes = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
        number = np.arange(len(nodes)).reshape([n + 1 for n in counts])
        cells = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
        corners = cells[:, None, :] + np.where(cells[:, None, :] % 2, 1 - CORNERS, CORNERS)
        corners = number[tuple(np.moveaxis(corners, -1, 0))]
        ways = [np.cumsum([0, *(1 << axis for axis in way)]) for way in permutations(range(3))]
        return cls(nodes, _upright(nodes, corners[:, ways].reshape(-1, 4)))

    @classmethod
    def read(cls, path: str | Path) -> "TetMesh":
        """The tetrahedra of a file .msh, .vtk or .vtu (extra `mesh`), or of a pair of files .node and .ele.

        Vertices that belong to none are left out, and inverted tetrahedra turned: files differ in what they call
        positive.
        """
        nodes, tets = read_tets(Path(path))
        try:
            return cls(*_tidy(nodes, tets))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def fill(cls, vertices: np.ndarray, faces: np.ndarray, spacing: float) -> "TetMesh":
        """The inside of a closed surface of triangles, by tetrahedra of about the same size. (k, 3) [m], (f, 3)

        The nodes of the mesh's surface lie on the given one up to the square of the spacing; edges and corners are
        rounded off over about one spacing, and what is thinner than that is lost.
        """
        distance = SurfaceDistance(vertices, faces)
        return cls.fill_distance(distance, distance.vertices.min(axis=0), distance.vertices.max(axis=0), spacing)

    @classmethod
    def fill_distance(
        cls, distance: Callable, lower: Sequence[float], upper: Sequence[float], spacing: float
    ) -> "TetMesh":
        """The places within a box where a function of places (k, 3) is negative, by tetrahedra of about the same size.

        The function should be about the distance from a surface, negative inside [m]. (k,)
        """
        lower, upper = check_numbers(lower, "lower [m]", (3,)), check_numbers(upper, "upper [m]", (3,))
        nodes, tets = stuff(distance, lower, upper, check_positive(spacing, "spacing [m]"))
        return cls(nodes, tets)


def _three(values: Sequence, what: str) -> list[tuple[str, object]]:
    """Three values with the names of their axes. Raises a ValueError if there are not three."""
    if isinstance(values, str) or np.ndim(values) != 1 or len(values) != 3:
        raise ValueError(f"box: `{what}` must be three numbers, one for each axis, and is {values!r}")
    return list(zip("xyz", values, strict=True))


def _division(count: object, axis: str) -> int:
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"box: `divisions` along {axis} must be a whole number, 1 or more, and is {count!r}")
    return int(count)


def _upright(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """The same tetrahedra, those of negative volume with two vertices swapped."""
    turned = signed_volumes(nodes, tets) < 0.0
    return np.where(turned[:, None], tets[:, [0, 2, 1, 3]], tets)


def _tidy(nodes: np.ndarray, tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without vertices that belong to no tetrahedron, and none of these inverted."""
    nodes = check_numbers(nodes, "mesh: the nodes [m]", (None, 3))
    if not len(tets) or tets.min() < 0 or tets.max() >= len(nodes):
        return nodes, tets
    used, place = np.unique(tets, return_inverse=True)
    kept = nodes[used]
    return kept, _upright(kept, place.reshape(tets.shape))
