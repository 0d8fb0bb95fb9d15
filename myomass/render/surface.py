"""What a sample of the picture shows: the point of a triangle or of the ground, and its normal."""

from math import sqrt
from typing import NamedTuple

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, cross, dot, load3, neg, scale, sub
from .raster import UNPAINTED, faces_away, shift_of

SKY, FLOOR = -1, -2  # what a sample shows, if it is no triangle
BEFORE = 1.0 - 1e-5  # things that lie on the ground are drawn before it


class Floor(NamedTuple):
    """The ground in the camera's axes; at a place in the picture [pixels] it has w = rise . (x, y, 1)."""

    rise: tuple[float, float, float]  # all 0 if there is none
    origin: tuple[float, float, float]
    x_axis: tuple[float, float, float]
    y_axis: tuple[float, float, float]
    normal: tuple[float, float, float]
    cell: float
    extent: float


@kernel
def spot(row, column, view):
    """(x, y) of a sample in the picture, in pixels."""
    return column + shift_of(row, view.samples), (row + 0.5) / (view.samples * view.samples)


@kernel
def ray(x, y, view):
    """Direction of the line of sight through a place in the picture [pixels], one unit ahead."""
    return ((x - 0.5 * view.width) / view.focal, (y - 0.5 * view.height) / view.focal, 1.0)


@kernel
def floor_depth(x, y, floor):
    """w of the ground at a place in the picture; 0 or less where it is not seen."""
    return floor.rise[0] * x + floor.rise[1] * y + floor.rise[2]


@kernel
def shown(row, column, view, floor, buffer, ids):
    """What a sample shows: a triangle, FLOOR or SKY."""
    x, y = spot(row, column, view)
    w = floor_depth(x, y, floor)
    if w > 0.0 and w * BEFORE > buffer[row, column]:
        return FLOOR
    return ids[row, column]


@kernel
def unit(a):
    """a / |a|."""
    return scale(1.0 / sqrt(max(dot(a, a), 1e-300)), a)


@kernel
def corners(soup, t):
    """The three corners of triangle t."""
    return (
        load3(soup.vertices[soup.triangles[t, 0]]),
        load3(soup.vertices[soup.triangles[t, 1]]),
        load3(soup.vertices[soup.triangles[t, 2]]),
    )


@kernel
def shares(d, a, b, c):
    """Shares of the corners in the point where a line of sight meets a triangle, kept within the triangle."""
    i, j, k = dot(d, cross(b, c)), dot(d, cross(c, a)), dot(d, cross(a, b))
    if i + j + k < 0.0:
        i, j, k = -i, -j, -k
    i, j, k = max(i, 0.0), max(j, 0.0), max(k, 0.0)
    total = i + j + k
    if not total > 0.0:
        return (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)
    return (i / total, j / total, k / total)


@kernel
def contains(x, y, t, view, soup):
    """True if a triangle covers a place in the picture."""
    a, b, c = corners(soup, t)
    d = ray(x, y, view)
    i, j, k = dot(d, cross(b, c)), dot(d, cross(c, a)), dot(d, cross(a, b))
    return (i >= 0.0 and j >= 0.0 and k >= 0.0) or (i <= 0.0 and j <= 0.0 and k <= 0.0)


@kernel
def blend(s, a, b, c):
    """s0 a + s1 b + s2 c, vectors."""
    return add(scale(s[0], a), add_scaled(scale(s[1], b), s[2], c))


@kernel
def normals_of(soup, t):
    """Normals at the three corners of triangle t."""
    return (
        load3(soup.normals[soup.triangles[t, 0]]),
        load3(soup.normals[soup.triangles[t, 1]]),
        load3(soup.normals[soup.triangles[t, 2]]),
    )


@kernel(inline=False)
def normal_at(x, y, t, view, soup):
    """Unit normal of a triangle seen at a place in the picture, on the side of the eye."""
    a, b, c = corners(soup, t)
    na, nb, nc = normals_of(soup, t)
    normal = unit(blend(shares(ray(x, y, view), a, b, c), na, nb, nc))
    if faces_away(a, b, c):
        return neg(normal)
    return normal


@kernel
def lift(p, corner, normal):
    """Height of the tangent plane of a corner above a point, along the corner's normal."""
    return scale(-min(dot(sub(p, corner), normal), 0.0), normal)


@kernel
def surface_at(x, y, t, view, soup):
    """(point, unit normal) of a triangle seen at a place in the picture.

    The point is lifted to the smooth surface that the normals stand for: else the facets of a round thing shade each
    other where the light grazes it (Hanika, Hacking the shadow terminator, 2021).
    """
    a, b, c = corners(soup, t)
    na, nb, nc = normals_of(soup, t)
    s = shares(ray(x, y, view), a, b, c)
    p, normal = blend(s, a, b, c), unit(blend(s, na, nb, nc))
    if faces_away(a, b, c):
        return p, neg(normal)
    return add(p, blend(s, lift(p, a, na), lift(p, b, nb), lift(p, c, nc))), normal


@kernel
def colour_of(x, y, t, view, soup):
    """Own colour of a triangle at a place in the picture: that of its instance, or between those of its corners."""
    number = soup.triangles[t, 3]
    shift = soup.shifts[number]
    if shift == UNPAINTED:
        return load3(soup.colours[number])
    a, b, c = corners(soup, t)
    return blend(
        shares(ray(x, y, view), a, b, c),
        load3(soup.paint[soup.triangles[t, 0] + shift]),
        load3(soup.paint[soup.triangles[t, 1] + shift]),
        load3(soup.paint[soup.triangles[t, 2] + shift]),
    )


@kernel
def floor_point(x, y, view, floor):
    """Point of the ground seen at a place in the picture."""
    return scale(1.0 / floor_depth(x, y, floor), ray(x, y, view))
