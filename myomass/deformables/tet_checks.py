"""Checks of tetrahedra that a person or a file gives: each raises a ValueError of one sentence about what is wrong."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])  # of a tetrahedron, seen from outside
FLAT = 1e-10  # six volumes over the product of the three edges at a corner, below which a tetrahedron is flat
CLOSE = 1e-12  # of the size of the mesh: vertices nearer than this are one


def whole_numbers(values: object, what: str, columns: int) -> np.ndarray:
    """Values as an array of int64 of shape (n, columns), n > 0. Raises an error that names `what`."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != columns or not len(array) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must be whole numbers of shape (n, {columns}), and are {array.dtype} of shape {array.shape}"
        )
    return np.array(array, np.int64, order="C")


def check_vertices(nodes: np.ndarray, tets: np.ndarray) -> None:
    """Every tetrahedron has four different vertices that exist, and every vertex a place and tetrahedra of its own."""
    outside = (tets < 0) | (tets >= len(nodes))
    if outside.any():
        e, a = np.argwhere(outside)[0]
        raise ValueError(f"mesh: tetrahedron {e} has vertex {tets[e, a]}; there are vertices 0 to {len(nodes) - 1}")
    ordered = np.sort(tets, axis=1)
    twice = ordered[:, 1:] == ordered[:, :-1]
    if twice.any():
        e, a = np.argwhere(twice)[0]
        raise ValueError(f"mesh: tetrahedron {e} has vertex {ordered[e, a]} twice")
    unused = np.setdiff1d(np.arange(len(nodes)), tets)
    if len(unused):
        raise ValueError(f"mesh: vertex {unused[0]} belongs to no tetrahedron; leave it out")
    size = np.ptp(nodes, axis=0).max()
    spots = np.round((nodes - nodes.min(axis=0)) / (CLOSE * size)) if size > 0.0 else np.zeros_like(nodes)
    order = np.lexsort(spots.T)
    same = (spots[order[1:]] == spots[order[:-1]]).all(axis=1)
    if same.any():
        one, other = sorted(order[np.argmax(same) : np.argmax(same) + 2])
        raise ValueError(f"mesh: vertices {one} and {other} are in the same place; make them one")


def signed_volumes(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Volumes of tetrahedra, negative where inverted [m^3]. (m,)"""
    a, b, c = (nodes[tets[:, k]] - nodes[tets[:, 0]] for k in (1, 2, 3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0


def check_volumes(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Volumes of all tetrahedra, none of which is flat or inverted [m^3]. (m,)"""
    volumes = signed_volumes(nodes, tets)
    edges = [np.linalg.norm(nodes[tets[:, k]] - nodes[tets[:, 0]], axis=1) for k in (1, 2, 3)]
    flat = 6.0 * np.abs(volumes) <= FLAT * np.prod(edges, axis=0)
    if flat.any():
        e = np.argmax(flat)
        raise ValueError(f"mesh: tetrahedron {e} is flat: its vertices {tets[e].tolist()} lie in one plane")
    if (volumes < 0.0).any():
        e = np.argmax(volumes < 0.0)
        raise ValueError(
            f"mesh: tetrahedron {e} is inverted: its volume is {volumes[e]:.3g} m^3; swap two of its vertices"
        )
    return volumes


def surface_of(tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(triangles that belong to one tetrahedron alone, seen from outside; that tetrahedron). (k, 3), (k,)

    No triangle may belong to more than two, all tetrahedra are different, and hang together by triangles.
    """
    faces = tets[:, FACES].reshape(-1, 3)
    ordered = np.sort(faces, axis=1)
    _, place, count = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
    place = place.ravel()
    order, owner = np.argsort(place, kind="stable"), np.arange(len(faces)) // 4
    starts = np.concatenate([[0], np.cumsum(count)])
    _check_twins(tets)
    if (count > 2).any():
        f = np.argmax(count > 2)
        among = order[starts[f] : starts[f + 1]]
        raise ValueError(
            f"mesh: the triangle of vertices {ordered[among[0]].tolist()} belongs to {count[f]} tetrahedra, "
            f"{', '.join(map(str, sorted(owner[among].tolist())))}; two can share one"
        )
    pairs = order[starts[:-1][count == 2]], order[starts[:-1][count == 2] + 1]
    _check_connected(len(tets), owner[pairs[0]], owner[pairs[1]])
    outer = np.sort(order[starts[:-1][count == 1]])
    return faces[outer], owner[outer]


def _check_twins(tets: np.ndarray) -> None:
    ordered = np.sort(tets, axis=1)
    order = np.lexsort(ordered.T)
    same = (ordered[order[1:]] == ordered[order[:-1]]).all(axis=1)
    if same.any():
        one, other = sorted(order[np.argmax(same) : np.argmax(same) + 2])
        raise ValueError(f"mesh: tetrahedra {one} and {other} have the same vertices; leave one out")


def _check_connected(count: int, one: np.ndarray, other: np.ndarray) -> None:
    links = coo_array((np.ones(len(one)), (one, other)), shape=(count, count))
    parts, part = connected_components(links, directed=False)
    if parts > 1:
        e = np.argmax(part != part[0])
        raise ValueError(
            f"mesh: tetrahedron {e} is not connected to tetrahedron 0 by triangles that they share; there are {parts} "
            "separate pieces: make a mesh of each"
        )
