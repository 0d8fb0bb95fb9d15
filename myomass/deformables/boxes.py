"""A tree of boxes around triangles or tetrahedra, by which the nearest one to a place is found quickly.

The elements are ordered along a curve through space (Morton's), cut into leaves of LEAF, and boxes of neighbours are
joined in pairs up to one box around all: node i has the children 2i + 1 and 2i + 2, so that boxes are all there is.
"""

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add_scaled, cross, dot, load3, sub

LEAF = 4
DEEP = 64  # nodes that may wait
BITS = 10  # of a place along each axis
INSIDE, EDGE, VERTEX = 0, 1, 4  # features of a triangle: itself, edges (0, 1), (1, 2), (2, 0), vertices


class Boxes:
    """Boxes around elements whose corners are given (m, corners, 3)."""

    def __init__(self, corners: np.ndarray):
        lower, upper = corners.min(axis=1), corners.max(axis=1)
        self.order = np.argsort(_along_curve(0.5 * (lower + upper)), kind="stable")
        leaves = -(-len(corners) // LEAF)
        self.leaves = 1 << (leaves - 1).bit_length()
        low = np.full((self.leaves * LEAF, 3), np.inf)
        high = np.full((self.leaves * LEAF, 3), -np.inf)
        low[: len(corners)], high[: len(corners)] = lower[self.order], upper[self.order]
        self.low, self.high = np.empty((2 * self.leaves - 1, 3)), np.empty((2 * self.leaves - 1, 3))
        low, high = low.reshape(-1, LEAF, 3).min(axis=1), high.reshape(-1, LEAF, 3).max(axis=1)
        while True:
            first = len(low) - 1
            self.low[first : first + len(low)], self.high[first : first + len(high)] = low, high
            if not first:
                break
            low, high = low.reshape(-1, 2, 3).min(axis=1), high.reshape(-1, 2, 3).max(axis=1)

    def nearest_triangles(
        self, points: np.ndarray, vertices: np.ndarray, faces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(triangle, its nearest place [m] (k, 3), which feature of it that is on) of each point."""
        found, places, features = np.empty(len(points), int), np.empty_like(points), np.empty(len(points), int)
        tree = self.low, self.high, self.order, np.empty(DEEP, int)
        nearest_triangles(*tree, points, vertices, faces, found, places, features)
        return found, places, features

    def tetrahedra_around(self, points: np.ndarray, nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
        """The tetrahedron that each point is deepest inside of, by its least weight; -1 if it is in none's box. (k,)"""
        found = np.empty(len(points), int)
        tetrahedra_around(self.low, self.high, self.order, np.empty(DEEP, int), points, nodes, tets, found)
        return found


def _along_curve(places: np.ndarray) -> np.ndarray:
    """Numbers that grow along a curve which visits near places one after the other."""
    lower, size = places.min(axis=0), np.ptp(places, axis=0).max()
    cells = ((places - lower) * ((2**BITS - 1) / size if size > 0.0 else 0.0)).astype(np.int64)
    code = np.zeros(len(places), np.int64)
    for bit in range(BITS):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code


@kernel
def outside(low, high, x):
    """Squared distance of a place from a box; infinite from an empty one."""
    total = 0.0
    for i in range(3):
        gap = max(low[i] - x[i], x[i] - high[i], 0.0)
        total += gap * gap
    return total


@kernel(inline=False)
def nearest_on_triangle(x, a, b, c):
    """(nearest place of a triangle, which feature of it): by the regions of Ericson (2005)."""
    ab, ac, ax = sub(b, a), sub(c, a), sub(x, a)
    d1, d2 = dot(ab, ax), dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, VERTEX
    bx = sub(x, b)
    d3, d4 = dot(ab, bx), dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return b, VERTEX + 1
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return add_scaled(a, d1 / (d1 - d3), ab), EDGE
    cx = sub(x, c)
    d5, d6 = dot(ab, cx), dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return c, VERTEX + 2
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return add_scaled(a, d2 / (d2 - d6), ac), EDGE + 2
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        return add_scaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c, b)), EDGE + 1
    over = 1.0 / (va + vb + vc)
    return add_scaled(add_scaled(a, vb * over, ab), vc * over, ac), INSIDE


@kernel(entry=True)
def nearest_triangles(low, high, order, waiting, points, vertices, faces, found, places, features):
    """Fill the nearest triangle of each point, the place on it and its feature. waiting: scratch."""
    first = low.shape[0] // 2  # of the leaves
    for p in range(points.shape[0]):
        x = load3(points[p])
        best, count = np.inf, 1
        waiting[0] = 0
        while count > 0:
            count -= 1
            node = waiting[count]
            if outside(low[node], high[node], points[p]) >= best:
                continue
            if node < first:
                one, other = 2 * node + 1, 2 * node + 2
                if outside(low[one], high[one], points[p]) < outside(low[other], high[other], points[p]):
                    one, other = other, one
                waiting[count], waiting[count + 1] = one, other  # the nearer one comes first
                count += 2
                continue
            start = LEAF * (node - first)
            for k in range(start, min(start + LEAF, order.shape[0])):
                face = faces[order[k]]
                place, feature = nearest_on_triangle(
                    x, load3(vertices[face[0]]), load3(vertices[face[1]]), load3(vertices[face[2]])
                )
                off = sub(x, place)
                square = dot(off, off)
                if square < best:
                    best, found[p], features[p] = square, order[k], feature
                    for i in range(3):
                        places[p, i] = place[i]


@kernel
def least_weight(x, a, b, c, d):
    """The least of the four barycentric weights of a place in a tetrahedron: negative outside."""
    ab, ac, ad, ax = sub(b, a), sub(c, a), sub(d, a), sub(x, a)
    over = 1.0 / dot(ab, cross(ac, ad))
    one, two, three = over * dot(ax, cross(ac, ad)), over * dot(ab, cross(ax, ad)), over * dot(ab, cross(ac, ax))
    return min(1.0 - one - two - three, one, two, three)


@kernel(entry=True)
def tetrahedra_around(low, high, order, waiting, points, nodes, tets, found):
    """Fill the tetrahedron in which each point's least weight is largest, of those whose box it is in, or -1."""
    first = low.shape[0] // 2
    for p in range(points.shape[0]):
        x = load3(points[p])
        best, count = -np.inf, 1
        waiting[0], found[p] = 0, -1
        while count > 0:
            count -= 1
            node = waiting[count]
            if outside(low[node], high[node], points[p]) > 0.0:
                continue
            if node < first:
                waiting[count], waiting[count + 1] = 2 * node + 1, 2 * node + 2
                count += 2
                continue
            start = LEAF * (node - first)
            for k in range(start, min(start + LEAF, order.shape[0])):
                tet = tets[order[k]]
                weight = least_weight(
                    x, load3(nodes[tet[0]]), load3(nodes[tet[1]]), load3(nodes[tet[2]]), load3(nodes[tet[3]])
                )
                if weight > best:
                    best, found[p] = weight, order[k]
