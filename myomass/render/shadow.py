"""Soft shadows of one far light: depths seen from it, and how much of it a point sees.

The map holds the height of the first thing that the light meets, along the direction to the light. A point compares
itself with the map over a disc, each tap lifted to the plane of its own surface, so that a surface does not shade
itself; the disc widens with the distance to what casts the shadow (Fernando, Percentage-closer soft shadows, 2005).
"""

from math import cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..spatial.algebra import dot, load3
from .raster import CAST, fill

TILE = 16  # texels
WIDEST = 9.0  # radius of the disc [texels]: with a tile's neighbours, a disc is always covered
NARROWEST = 1.25
SPREAD = 0.07  # radius of the light as seen from here [rad]
STEEPEST = 0.15  # cosine at which a surface's own plane is no longer followed
NOTHING = -1e30


def disc(n: int) -> tuple[tuple[float, float], ...]:
    """n points spread evenly over the unit disc (Vogel's spiral)."""
    turns = [i * pi * (3 - sqrt(5)) for i in range(n)]
    return tuple((sqrt((i + 0.5) / n) * cos(t), sqrt((i + 0.5) / n) * sin(t)) for i, t in enumerate(turns))


SEARCH = np.array(disc(16))
TAPS = np.array(disc(32))


class Sun(NamedTuple):
    """A far light: its axes in those of the camera, and where its map lies."""

    right: tuple[float, float, float]
    ahead: tuple[float, float, float]
    toward: tuple[float, float, float]
    up: tuple[float, float, float]  # of the world
    left: float  # of the map, along `right` [texels]
    bottom: float
    texel: float
    casts: bool  # are there shadows?


@kernel
def on_map(p, sun):
    """(x, y, height) of a point as the light sees it: two in texels, height in units of length."""
    return (dot(sun.right, p) / sun.texel - sun.left, dot(sun.ahead, p) / sun.texel - sun.bottom, dot(sun.toward, p))


@kernel(entry=True)
def cast(soup, last, sun, heights, tiles, ids):
    """Draw the first triangles into the light's map; then the greatest height in and around each tile."""
    for t in range(last):
        a = on_map(load3(soup.vertices[soup.triangles[t, 0]]), sun)
        b = on_map(load3(soup.vertices[soup.triangles[t, 1]]), sun)
        c = on_map(load3(soup.vertices[soup.triangles[t, 2]]), sun)
        fill(a, b, c, 0, t, CAST, heights, heights, ids)
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tiles[row, column] = NOTHING
    for y in range(heights.shape[0]):
        for x in range(heights.shape[1]):
            if heights[y, x] > NOTHING:
                lift_tiles(y // TILE, x // TILE, heights[y, x], tiles)


@kernel
def lift_tiles(row, column, height, tiles):
    """Raise a tile and its neighbours to a height."""
    if tiles[row, column] >= height:
        return
    for i in range(max(row - 1, 0), min(row + 2, tiles.shape[0])):
        for j in range(max(column - 1, 0), min(column + 2, tiles.shape[1])):
            tiles[i, j] = max(tiles[i, j], height)


@kernel
def passes(x, y, height, along_x, along_y, heights):
    """Share of the light, 0 to 1, that reaches a height above (x, y): four texels are compared, each at its height."""
    i, j = int(y), int(x)
    u, v = x - j, y - i
    height -= u * along_x + v * along_y
    low = (1.0 - u) * (heights[i, j] <= height) + u * (heights[i, j + 1] <= height + along_x)
    height += along_y
    high = (1.0 - u) * (heights[i + 1, j] <= height) + u * (heights[i + 1, j + 1] <= height + along_x)
    return (1.0 - v) * low + v * high


@kernel(inline=False)
def light_at(p, normal, sun, heights, tiles):
    """Part of the light that a point of a surface sees, from 0 to 1."""
    if not sun.casts:
        return 1.0
    n = heights.shape[0]
    x, y, height = on_map(p, sun)
    if not (WIDEST + 2.0 <= x <= n - WIDEST - 3.0 and WIDEST + 2.0 <= y <= n - WIDEST - 3.0):  # nan too
        return 1.0
    facing = max(dot(normal, sun.toward), STEEPEST)
    along_x, along_y = -dot(normal, sun.right) / facing * sun.texel, -dot(normal, sun.ahead) / facing * sun.texel
    height += sun.texel
    if tiles[int(y) // TILE, int(x) // TILE] < height - WIDEST * (abs(along_x) + abs(along_y)):
        return 1.0
    blockers, gap = 0, 0.0
    for k in range(SEARCH.shape[0]):
        i, j = int(y + WIDEST * SEARCH[k, 1] + 0.5), int(x + WIDEST * SEARCH[k, 0] + 0.5)
        above = heights[i, j] - (height + (j - x) * along_x + (i - y) * along_y)
        if above > 0.0:
            blockers += 1
            gap += above
    if blockers == 0 or blockers == SEARCH.shape[0]:
        return 1.0 if blockers == 0 else 0.0
    radius = min(max(SPREAD * gap / blockers / sun.texel, NARROWEST), WIDEST)
    seen = 0.0
    for k in range(TAPS.shape[0]):
        dx, dy = radius * TAPS[k, 0], radius * TAPS[k, 1]
        seen += passes(x + dx, y + dy, height + dx * along_x + dy * along_y, along_x, along_y, heights)
    return seen / TAPS.shape[0]
