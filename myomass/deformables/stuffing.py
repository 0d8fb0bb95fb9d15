"""Isosurface stuffing (Labelle and Shewchuk 2007): the inside of a surface filled with tetrahedra of one size.

A body-centred lattice is laid over it: cubes' corners and cubes' centres, edges of the cubes and between neighbouring
centres (long), from centres to corners (short). Where an edge is cut by the surface close to one end, that end is moved
to the cut. Of each tetrahedron of the lattice the part inside is kept, whole, or cut into one to three; a quadrilateral
that two of them share is halved by a rule that both see alike. Dihedral angles stay between about 10 and 165 degrees,
for surfaces that are smooth on the scale of the lattice.
"""

from collections.abc import Callable

import numpy as np

from .tet_checks import signed_volumes

LONG, SHORT = 0.24999, 0.41189  # parts of an edge from its end, within which a cut moves that end
HALVINGS = 8  # steps that find a cut
MOST = 20_000_000  # places of a lattice
PAIRS = np.array([(0, 1), (2, 3), (0, 2), (0, 3), (1, 2), (1, 3)])  # edges of a tetrahedron: two long ones first


def stuff(distance: Callable, lower: np.ndarray, upper: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """(nodes, tetrahedra) of the places between two corners where the distance is negative. (n, 3), (m, 4)"""
    if not (upper > lower).all():
        raise ValueError(f"fill: `upper` must exceed `lower` along every axis, and they are {upper} and {lower}")
    counts = np.ceil((upper - lower) / spacing).astype(int) + 2
    if 2.0 * np.prod(counts + 1.0) > MOST:
        raise ValueError(f"fill: a spacing of {spacing:g} m asks for more than {MOST} places; take a larger one")
    corner = 0.5 * (lower + upper) - 0.5 * spacing * counts
    places, tets = lattice(counts)
    places = corner + spacing * places

    def inside(places: np.ndarray) -> np.ndarray:
        """How far inside of the surface and of the box places are. (k,)"""
        return -np.maximum(_values(distance, places), np.maximum(lower - places, places - upper).max(axis=1))

    values = inside(places)
    tets = tets[(values[tets] > 0.0).any(axis=1)]
    if not len(tets):
        raise ValueError(f"fill: no place of a lattice with a spacing of {spacing:g} m is inside; take a smaller one")
    edges, long = _edges(tets)
    crossing = values[edges[:, 0]] * values[edges[:, 1]] < 0.0
    edges, long = edges[crossing], long[crossing]
    part = cuts(inside, places, values, edges)
    places, values = _warped(places, values, edges, long, part)
    return _kept(places, values, tets, edges, long, part)


def lattice(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places in units of a cube's side, tetrahedra) of so many cubes along each axis. Corners first, then centres.

    A tetrahedron joins two neighbouring centres (0, 1) with an edge (2, 3) of the square between them.
    """
    grid = [np.stack(np.meshgrid(*map(np.arange, n), indexing="ij"), -1).reshape(-1, 3) for n in (counts + 1, counts)]
    steps, first = np.array([(counts[1] + 1) * (counts[2] + 1), counts[2] + 1, 1]), len(grid[0])
    inner, made = np.array([counts[1] * counts[2], counts[2], 1]), []
    for axis in range(3):
        one, other = np.delete(np.eye(3, dtype=int), axis, axis=0)
        cubes = grid[1][grid[1][:, axis] < counts[axis] - 1]
        square = cubes + np.eye(3, dtype=int)[axis]
        around = [square, square + one, square + one + other, square + other]
        here, there = first + cubes @ inner, first + square @ inner
        for k in range(4):
            made.append(np.stack([here, there, around[k - 1] @ steps, around[k] @ steps], axis=1))
    return np.concatenate([grid[0], grid[1] + 0.5]), np.concatenate(made)


def cuts(inside: Callable, places: np.ndarray, values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Parts of edges, from their first ends, at which a function is zero: by false position (Illinois). (k,)"""
    start, way = places[edges[:, 0]], places[edges[:, 1]] - places[edges[:, 0]]
    a, b, fa, fb = np.zeros(len(edges)), np.ones(len(edges)), *values[edges].T.copy()
    part = fa / (fa - fb)
    for _ in range(HALVINGS if len(edges) else 0):
        f = inside(start + part[:, None] * way)
        same = f * fb > 0.0
        a, fa = np.where(same, a, b), np.where(same, 0.5 * fa, fb)
        b, fb = part, f
        gap = fb - fa
        part = np.where(f == 0.0, b, b - fb * (b - a) / np.where(gap == 0.0, 1.0, gap))
        fb = np.where(f == 0.0, -1e-300 * np.sign(fa), fb)
    return np.clip(part, 0.0, 1.0)


def _values(distance: Callable, places: np.ndarray) -> np.ndarray:
    """Distances of places, checked. (k,)"""
    values = np.asarray(distance(places), float)
    if values.shape != (len(places),):
        raise ValueError(f"fill: the distance of {len(places)} places must be as many numbers, not of {values.shape}")
    if not np.isfinite(values).all():
        k = np.argmax(~np.isfinite(values))
        raise ValueError(f"fill: the distance of {places[k].tolist()} is {values[k]}; it must be finite everywhere")
    return values


def _edges(tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(edges of tetrahedra, once each, by growing ends; whether they are long). (k, 2), (k,)"""
    ends = np.sort(tets[:, PAIRS], axis=2)
    long = np.broadcast_to(np.arange(6) < 2, ends.shape[:2])
    edges, first = np.unique(ends.reshape(-1, 2), axis=0, return_index=True)
    return edges, long.ravel()[first]


def _warped(
    places: np.ndarray, values: np.ndarray, edges: np.ndarray, long: np.ndarray, part: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places and values with ends moved to the nearest of the cuts that are too close to them, value 0."""
    way = places[edges[:, 1]] - places[edges[:, 0]]
    limit, length = np.where(long, LONG, SHORT), np.linalg.norm(way, axis=1)
    off = np.concatenate([part, 1.0 - part])
    end, close = edges.T.ravel(), off < np.concatenate([limit, limit])
    order = np.argsort(np.where(close, off * np.concatenate([length, length]), np.inf), kind="stable")
    order = order[: close.sum()]
    moved, first = np.unique(end[order], return_index=True)
    edge = order[first] % len(edges)
    places, values = places.copy(), values.copy()
    places[moved] = places[edges[edge, 0]] + part[edge, None] * way[edge]
    values[moved] = 0.0
    return places, values


def _kept(
    places: np.ndarray, values: np.ndarray, tets: np.ndarray, edges: np.ndarray, long: np.ndarray, part: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(nodes, tetrahedra) of what is inside: whole ones, and parts of those that the surface cuts."""
    still = values[edges[:, 0]] * values[edges[:, 1]] < 0.0
    edges, long, part = edges[still], long[still], part[still]
    count = len(places)
    cut = places[edges[:, 0]] + part[:, None] * (places[edges[:, 1]] - places[edges[:, 0]])
    keys = edges[:, 0] * count + edges[:, 1]  # growing, as edges are sorted
    # a quadrilateral is halved from a long edge's cut if it has one, else from the first of two corners of the lattice
    rank = np.concatenate([count + np.arange(count), np.where(long, 0, 2 * count) + np.arange(len(edges))])

    def middle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Numbers of the cuts between vertices."""
        return count + np.searchsorted(keys, np.minimum(a, b) * count + np.maximum(a, b))

    signs = np.sign(values[tets]).astype(int)
    order = np.argsort(-signs, axis=1, kind="stable")  # inside first, then on the surface, then outside
    tets, plus, minus = np.take_along_axis(tets, order, axis=1), (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
    found = [tets[(plus > 0) & (minus == 0)]]
    for outside in (1, 2, 3):  # one corner inside
        part_of = tets[(plus == 1) & (minus == outside)].copy()
        for k in range(4 - outside, 4):
            part_of[:, k] = middle(part_of[:, 0], part_of[:, k])
        found.append(part_of)
    a, b, c, d = tets[(plus == 2) & (minus == 1)].T  # a pyramid over a quadrilateral
    found.append(pyramids(np.stack([a, b, middle(b, d), middle(a, d), c], axis=1), rank))
    a, b, c, d = tets[(plus == 2) & (minus == 2)].T  # wedges
    found.append(wedges(np.stack([a, middle(a, c), middle(a, d), b, middle(b, c), middle(b, d)], axis=1), rank))
    a, b, c, d = tets[(plus == 3) & (minus == 1)].T
    found.append(wedges(np.stack([a, b, c, middle(a, d), middle(b, d), middle(c, d)], axis=1), rank))
    made = np.concatenate(found)
    used, place = np.unique(made, return_inverse=True)
    nodes, made = np.concatenate([places, cut])[used], place.reshape(-1, 4)
    turned = signed_volumes(nodes, made) < 0.0
    return nodes, np.where(turned[:, None], made[:, [0, 2, 1, 3]], made)


def pyramids(corners: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Two tetrahedra of each pyramid: corners around a quadrilateral, then the tip. The least rank starts the cut."""
    turn = np.argmin(rank[corners[:, :4]], axis=1)
    around = np.take_along_axis(corners, (turn[:, None] + np.arange(4)) % 4, axis=1)
    tip = corners[:, 4]
    halves = [(around[:, 0], around[:, k], around[:, k + 1], tip) for k in (1, 2)]
    return np.concatenate([np.stack(half, axis=1) for half in halves])


TURNS = np.array([(0, 1, 2, 3, 4, 5), (1, 2, 0, 4, 5, 3), (2, 0, 1, 5, 3, 4),
                  (3, 5, 4, 0, 2, 1), (4, 3, 5, 1, 0, 2), (5, 4, 3, 2, 1, 0)])  # fmt: skip


def wedges(corners: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Three tetrahedra of each wedge: a triangle, then the one opposite it (Dompierre et al. 1999)."""
    turn = TURNS[np.argmin(rank[corners], axis=1)]
    v = np.take_along_axis(corners, turn, axis=1)
    r = rank[v]
    first = np.minimum(r[:, 1], r[:, 5]) < np.minimum(r[:, 2], r[:, 4])
    one, other = v[first], v[~first]
    found = [one[:, [0, 1, 2, 5]], one[:, [0, 1, 5, 4]], one[:, [0, 4, 5, 3]]]
    found += [other[:, [0, 1, 2, 4]], other[:, [0, 4, 2, 5]], other[:, [0, 4, 5, 3]]]
    return np.concatenate(found)
