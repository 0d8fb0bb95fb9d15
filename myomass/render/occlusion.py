"""Darkening in corners and near contact: how much of the half space above a surface is closed by what is near.

Found on the screen, once for a cell of 2 x 2 pixels: taps on a disc around the cell see other points; each counts by
its angle above the surface and by its nearness. A mean over 4 x 4 cells, over which the disc is turned, takes away the
noise; cells at another depth do not count. Ground with nothing near it is left out.
"""

from math import cos, pi, sin, sqrt

import numpy as np

from .._jit import kernel
from ..spatial.algebra import dot, scale, sub
from .shadow import disc
from .surface import FLOOR, SKY, floor_depth, normal_at, ray, shown, spot

CELL = 2  # pixels
TAPS = np.array(disc(12))
TURNS = np.array([(cos(k * pi / 8), sin(k * pi / 8)) for k in (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)])
STRENGTH = 1.6
FLATTEST = 0.1  # sine of the angle below which a point does not count: the surface itself
WIDEST = 0.08  # radius of the disc, of the picture's height


@kernel
def middle_row(y, view):
    """The row of the buffer that holds the middle sample of the pixels in a row of the picture."""
    n = view.samples * view.samples
    return y * n + n // 2


@kernel
def point_seen(i, j, view, floor, buffer):
    """(point of the nearest thing or ground at the middle sample of pixel i of row j, its w); w = 0 is the sky."""
    row = middle_row(j, view)
    x, y = spot(row, i, view)
    w = max(buffer[row, i] * 1.0, floor_depth(x, y, floor))
    return scale(1.0 / max(w, 1e-30), ray(x, y, view)), w


@kernel
def closed_at(i, j, turn, radius, seen, soup, view, floor, buffer):
    """Part of the half space above the surface at a pixel that is closed, from 0 to 1."""
    p, w = point_seen(i, j, view, floor, buffer)
    normal = floor.normal if seen == FLOOR else normal_at(i + 0.5, j + 0.5, seen, view, soup)
    reach = min(radius * view.focal * w, WIDEST * view.height)
    radius = reach / (view.focal * w)
    total = 0.0
    for k in range(TAPS.shape[0]):
        x = int(i + reach * (turn[0] * TAPS[k, 0] - turn[1] * TAPS[k, 1]) + 0.5)
        y = int(j + reach * (turn[1] * TAPS[k, 0] + turn[0] * TAPS[k, 1]) + 0.5)
        x, y = min(max(x, 0), view.width - 1), min(max(y, 0), view.height - 1)
        other, depth = point_seen(x, y, view, floor, buffer)
        if depth <= 0.0 or (x == i and y == j):
            continue
        v = sub(other, p)
        square = dot(v, v)
        rise = dot(v, normal) / sqrt(square + 1e-300) - FLATTEST
        if rise > 0.0 and square < radius * radius:
            total += rise * (1.0 - square / (radius * radius))
    return min(total / TAPS.shape[0], 1.0)


@kernel
def find_crowd(view, ids, cells, crowd, block):
    """Mark the blocks of cells in which, or in whose neighbours, there are things."""
    for row in range(crowd.shape[0]):
        for column in range(crowd.shape[1]):
            crowd[row, column] = 0
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            i, j = min(column * CELL + CELL // 2, view.width - 1), min(row * CELL + CELL // 2, view.height - 1)
            if ids[middle_row(j, view), i] == SKY:
                continue
            a, b = row // block, column // block
            for k in range(max(a - 1, 0), min(a + 2, crowd.shape[0])):
                for m in range(max(b - 1, 0), min(b + 2, crowd.shape[1])):
                    crowd[k, m] = 1


@kernel(entry=True)
def occlude(soup, view, floor, radius, buffer, ids, cells, crowd):
    """Fill the cells (rows, columns, 3) with what is closed and with w; the third number and `crowd` are scratch."""
    rows, columns = cells.shape[0], cells.shape[1]
    block = int(WIDEST * view.height / CELL) + 2
    find_crowd(view, ids, cells, crowd, block)
    for row in range(rows):
        for column in range(columns):
            i, j = min(column * CELL + CELL // 2, view.width - 1), min(row * CELL + CELL // 2, view.height - 1)
            cells[row, column, 1] = point_seen(i, j, view, floor, buffer)[1]
            cells[row, column, 2] = 0.0
            if not crowd[row // block, column // block] or cells[row, column, 1] <= 0.0:
                continue
            seen = shown(middle_row(j, view), i, view, floor, buffer, ids)
            k = 4 * (row % 4) + column % 4
            turn = (TURNS[k, 0], TURNS[k, 1])
            cells[row, column, 2] = closed_at(i, j, turn, radius, seen, soup, view, floor, buffer)
    for row in range(rows):
        for column in range(columns):
            crowded = crowd[row // block, column // block]
            cells[row, column, 0] = mean_around(row, column, cells) if crowded else 0.0


@kernel
def mean_around(row, column, cells):
    """Mean of the scratch over 4 x 4 cells at about the depth of one."""
    w, total, weight = cells[row, column, 1], 0.0, 0.0
    if w <= 0.0:
        return 0.0
    for i in range(max(row - 2, 0), min(row + 2, cells.shape[0])):
        for j in range(max(column - 2, 0), min(column + 2, cells.shape[1])):
            if abs(cells[i, j, 1] - w) < 0.02 * w:
                total += cells[i, j, 2]
                weight += 1.0
    return total / max(weight, 1.0)


@kernel(inline=False)
def openness(x, y, w, cells):
    """1 less what is closed at a place in the picture: from those of the four cells around it that have its depth w."""
    v, u = max((y - 0.5) / CELL - 0.5, 0.0), max((x - 0.5) / CELL - 0.5, 0.0)
    row, column = int(v), int(u)
    v, u = v - row, u - column
    total, weight = 0.0, 1e-9
    for i in range(2):
        for j in range(2):
            a, b = min(row + i, cells.shape[0] - 1), min(column + j, cells.shape[1] - 1)
            share = (v if i else 1.0 - v) * (u if j else 1.0 - u) + 1e-3
            if abs(cells[a, b, 1] - w) < 0.04 * w:
                total += share * cells[a, b, 0]
                weight += share
    return 1.0 - min(STRENGTH * total / weight, 0.8)
