"""What the kernels of forces share: the record of a point, and the checks of numbers that a person gives.

A law and a formula are each written once, for numbers of any type; energy, generalized force and, by complex step,
stiffness and damping all come from it:

    law(params, at, t, q, qdot) -> (force, energy)           of one degree of freedom
    formula(params, at, points) -> energy                    reads x, v, w of each point; writes f (and n) on it
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from .._jit import kernel
from ..model.elements import Point


@kernel
def ramp(depth, width):
    """depth/width, at most 1: the factor of a damping that begins at a boundary, so that its force does not jump."""
    if depth.real >= width:
        return depth * 0.0 + 1.0
    return depth / width


@cache
def point_dtype(scalar: type) -> np.dtype:
    """Record of a point as a formula reads and writes it, in world axes."""
    return np.dtype(
        [
            ("x", scalar, (3,)),  # place [m]
            ("v", scalar, (3,)),  # velocity [m/s]
            ("w", scalar, (3,)),  # angular velocity of its body [rad/s]
            ("f", scalar, (3,)),  # force on it [N]
            ("n", scalar, (3,)),  # moment on its body [N m]
            ("t", scalar),  # time [s]
        ],
        align=True,
    )


def check_points(points: Sequence[Point], least: int) -> list[Point]:
    """The points as a list. Raises a ValueError if there are fewer than `least`."""
    if isinstance(points, str) or not isinstance(points, Sequence) or len(points) < least:
        raise ValueError(f"points must be a list of {least} or more (body, (x, y, z)), and is {points!r}")
    return list(points)


def check_body(body: str, what: str) -> str:
    """The body. Raises a ValueError if it is the world, on which a force would do nothing."""
    if body is None:
        raise ValueError(f"{what} acts on a body, not on the world; name a body")
    return body
