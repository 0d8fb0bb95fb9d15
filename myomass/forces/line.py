"""A line through points, which cables, springs and actuators along paths share: its length, and a pull along it."""

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add_scaled, dot, load3, scale, store3, sub


@kernel
def direction(a, b):
    """(unit vector from point a to point b, their distance); a zero vector where they coincide."""
    apart = sub(load3(b.x), load3(a.x))
    square = dot(apart, apart)
    if square.real == 0.0:
        return scale(0.0, apart), square
    length = np.sqrt(square)
    return scale(1.0 / length, apart), length


@kernel(inline=False)
def measure_line(points):
    """(length, its rate of change) of the line through all points [m, m/s]."""
    length = rate = points[0].x[0] * 0.0
    for i in range(points.shape[0] - 1):
        along, piece = direction(points[i], points[i + 1])
        length += piece
        rate += dot(along, sub(load3(points[i + 1].v), load3(points[i].v)))
    return length, rate


@kernel(inline=False)
def pull_line(points, tension):
    """Write the force on each point of a tension along the line [N]."""
    zero = points[0].x[0] * 0.0
    for i in range(points.shape[0]):
        store3(points[i].f, (zero, zero, zero))
    for i in range(points.shape[0] - 1):
        along, _ = direction(points[i], points[i + 1])
        store3(points[i].f, add_scaled(load3(points[i].f), tension, along))
        store3(points[i + 1].f, add_scaled(load3(points[i + 1].f), -tension, along))
