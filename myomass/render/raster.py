"""Triangles into buffers: placing instances, clipping at the near plane, filling with a depth test.

Everything is in the camera's axes (x right, y down, z ahead) and in units of the distance from eye to target, so that
a scene of any size is drawn with the same numbers. The buffers hold w = 1/z, which is linear on the screen; 0 is
infinitely far.

A pixel has one column and samples^2 rows in the buffers. Each row lies a little further left or right than the next, so
that no two samples of a pixel share a line either way, and edges of any slope come out smooth. A row of a triangle runs
between two edges, each computed from its upper to its lower end whichever triangle asks, so that neighbours leave
neither gaps nor overlaps.
"""

from math import ceil, inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add, cross, dot, load3, mul, scale, store3, sub

NEAR = 1e-3  # near plane, in distances from eye to target
FARTHEST = 1e9  # things beyond are not drawn
UNPAINTED = -(1 << 62)  # shift of an instance that has one colour
NEAREST, BEHIND, CAST = 0, 1, 2  # ways to fill: nearest to the eye; nearest to a layer from before; depths only


class View(NamedTuple):
    """The picture's size and focal length in pixels; the square root of samples per pixel."""

    width: int
    height: int
    focal: float
    samples: int


class Soup(NamedTuple):
    """All that is drawn: vertices, their normals, triangles (three vertices and an instance each), and instances."""

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    colours: np.ndarray  # linear light
    opacity: np.ndarray
    paint: np.ndarray  # colours of vertices, of instances that are painted
    shifts: np.ndarray  # row of a vertex's colour in `paint`, less the vertex; or UNPAINTED


@kernel
def rotation_of_quaternion(q):
    """Rotation matrix of a quaternion (w, x, y, z) that need not have length 1."""
    s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    w, x, y, z = q
    return (
        (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
    )


@kernel
def is_drawn(position, q, size):
    """True if an instance is finite, has a quaternion and a size other than zero, and is not absurdly far away."""
    length = abs(q[0]) + abs(q[1]) + abs(q[2]) + abs(q[3])
    largest = max(abs(size[0]), abs(size[1]), abs(size[2]))
    far = abs(position[0]) + abs(position[1]) + abs(position[2])
    flat = size[0] * size[1] * size[2]
    return 1e-100 < length < 1e100 and far + largest < FARTHEST and flat != 0.0 and isfinite(flat)


@kernel(entry=True)
def place(mesh, where, camera, number, used, soup):
    """Write the instances of a mesh into the soup; `used` counts vertices and triangles written.

    mesh = (vertices, normals, faces), where = (positions, wxyz, scales), camera = (eye, axes as rows, 1/distance).
    """
    vertices, normals, faces = mesh
    positions, quaternions, scales = where
    eye, axes, unit = camera
    for k in range(positions.shape[0]):
        position = scale(unit, sub(load3(positions[k]), eye))
        size = scale(unit, load3(scales[k]))
        q = (quaternions[k, 0], quaternions[k, 1], quaternions[k, 2], quaternions[k, 3])
        if not is_drawn(position, q, size):
            continue
        R = rotation_of_quaternion(q)
        largest = max(abs(size[0]), abs(size[1]), abs(size[2]))
        x, y, z = scale(1.0 / largest, size)
        first, count = used[0], used[1]
        for i in range(vertices.shape[0]):
            local = (size[0] * vertices[i, 0], size[1] * vertices[i, 1], size[2] * vertices[i, 2])
            normal = (y * z * normals[i, 0], x * z * normals[i, 1], x * y * normals[i, 2])
            length = sqrt(dot(normal, normal))
            store3(soup.vertices[first + i], mul(axes, add(position, mul(R, local))))
            store3(soup.normals[first + i], scale(1.0 / max(length, 1e-300), mul(axes, mul(R, normal))))
        for i in range(faces.shape[0]):
            for corner in range(3):
                soup.triangles[count + i, corner] = first + faces[i, corner]
            soup.triangles[count + i, 3] = number + k
        if soup.shifts[number + k] != UNPAINTED:
            soup.shifts[number + k] -= first
        used[0] = first + vertices.shape[0]
        used[1] = count + faces.shape[0]


@kernel
def fill_row(y, first, last, start, slope, number, mode, behind, buffer, ids):
    """Fill one row of a triangle: depth `start` at the sample `first`, rising by `slope`."""
    w = start
    if mode == NEAREST:
        for x in range(first, last):
            if w > buffer[y, x]:
                buffer[y, x] = w
                ids[y, x] = number
            w += slope
    elif mode == BEHIND:
        for x in range(first, last):
            if behind[y, x] < np.float32(w) < buffer[y, x]:  # else rounding would show a layer twice
                buffer[y, x] = w
                ids[y, x] = number
            w += slope
    else:
        for x in range(first, last):
            if w > buffer[y, x]:
                buffer[y, x] = w
            w += slope


@kernel
def slope_between(a, b):
    """dx/dy of the edge from a down to b, which does not run along a row."""
    if b[1] > a[1]:
        return (b[0] - a[0]) / (b[1] - a[1])
    return 0.0


@kernel
def row_bound(x, n):
    """First sample at or right of x, within 0 and n."""
    return ceil(min(max(x, 0.0), n * 1.0))


@kernel
def shift_of(row, samples):
    """Where in a pixel, from 0 to 1, the sample in a row of the buffer lies; with samples = 0 it lies at 0."""
    if samples == 0:
        return 0.0
    n = samples * samples
    return (samples * (row % n + 1) % (n + 1) - 0.5) / n


@kernel(inline=False)
def fill(a, b, c, samples, number, mode, behind, buffer, ids):
    """Fill the triangle of the points (x, y, w): x in columns, y in rows of the buffer."""
    if b[1] < a[1]:
        a, b = b, a
    if c[1] < a[1]:
        a, c = c, a
    if c[1] < b[1]:
        b, c = c, b
    ab, ac = sub(b, a), sub(c, a)
    area = ab[0] * ac[1] - ab[1] * ac[0]
    if not 0.0 < abs(area) < inf:
        return
    along_x = (ab[2] * ac[1] - ab[1] * ac[2]) / area
    along_y = (ab[0] * ac[2] - ab[2] * ac[0]) / area
    upper, lower, long = slope_between(a, b), slope_between(b, c), slope_between(a, c)
    height, width = buffer.shape
    for y in range(row_bound(a[1], height), row_bound(c[1], height)):
        along = a[0] + (y - a[1]) * long
        if y < b[1]:
            other = a[0] + (y - a[1]) * upper
        else:
            other = b[0] + (y - b[1]) * lower
        left, right = (along, other) if area > 0.0 else (other, along)
        shift = shift_of(y, samples)
        first, last = row_bound(left - shift, width), row_bound(right - shift, width)
        start = a[2] + (first + shift - a[0]) * along_x + (y - a[1]) * along_y
        fill_row(y, first, last, start, along_x, number, mode, behind, buffer, ids)


@kernel
def on_screen(p, view):
    """(x, y, 1/z) of a point before the camera: x in columns, y in rows of the buffer."""
    w = 1.0 / p[2]
    y = 0.5 * view.height + view.focal * p[1] * w
    return (0.5 * view.width + view.focal * p[0] * w, y * view.samples * view.samples - 0.5, w)


@kernel
def cut(a, b):
    """Where the edge from a to b meets the near plane."""
    t = (NEAR - a[2]) / (b[2] - a[2])
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), NEAR)


@kernel(inline=False)
def fill_clipped(a, b, c, view, number, mode, behind, buffer, ids):
    """Fill the part beyond the near plane of a triangle that has one or two corners before it."""
    ahead = (a[2] >= NEAR) * 1 + (b[2] >= NEAR) * 1 + (c[2] >= NEAR) * 1
    for _ in range(2):  # turn it until a is the corner that is alone on its side
        if (a[2] >= NEAR) != (ahead == 1):
            a, b, c = b, c, a
    p, q = on_screen(cut(a, b), view), on_screen(cut(a, c), view)
    if ahead == 1:
        fill(on_screen(a, view), p, q, view.samples, number, mode, behind, buffer, ids)
    else:
        fill(on_screen(b, view), on_screen(c, view), q, view.samples, number, mode, behind, buffer, ids)
        fill(on_screen(b, view), q, p, view.samples, number, mode, behind, buffer, ids)


@kernel
def faces_away(a, b, c):
    """True if the eye is on the inner side of a triangle."""
    return dot(cross(sub(b, a), sub(c, a)), a) > 0.0


@kernel(entry=True)
def draw(soup, first, last, view, mode, behind, buffer, ids):
    """Draw triangles as the eye sees them; the transparent ones (mode BEHIND) only where they face it."""
    for t in range(first, last):
        a = load3(soup.vertices[soup.triangles[t, 0]])
        b = load3(soup.vertices[soup.triangles[t, 1]])
        c = load3(soup.vertices[soup.triangles[t, 2]])
        nearest, farthest = min(a[2], b[2], c[2]), max(a[2], b[2], c[2])
        if farthest < NEAR or (mode == BEHIND and faces_away(a, b, c)):
            continue
        if nearest >= NEAR:
            fill(on_screen(a, view), on_screen(b, view), on_screen(c, view), view.samples, t, mode, behind, buffer, ids)
        else:
            fill_clipped(a, b, c, view, t, mode, behind, buffer, ids)
