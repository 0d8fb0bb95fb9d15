"""What the kernels of constraints share: the records of an end and of a row, and checks.

A formula is written once, for numbers of any type. It sees the two ends of a part, each a frame in the world or a
coordinate, and fills rows:

    formula(params, at, t, spots, rows)     reads R, x and q of each spot; writes of each row
        g                       its value [m or rad]; zero, or not negative, where the row holds
        n[e], f[e], c[e]        dg/dt = sum over both ends of n.w + f.v + c qdot, + rate
        rate                    what changes by itself: dg/dt with everything at rest [m/s or rad/s]

with w and v the angular velocity of the frame and the velocity of its origin, in world axes. What accelerations need
beside, d(n, f, c, rate)/dt along the motion, comes from the same formula by a complex step.
"""

from functools import cache

import numpy as np

from .._jit import kernel
from ..model.elements import Point
from ..spatial.algebra import store3
from ..spatial.checks import check_frame, check_numbers


@cache
def spot_dtype(scalar: type) -> np.dtype:
    """Record of an end as a formula reads it: frame R and place x [m] in the world, or coordinate q."""
    return np.dtype([("R", scalar, (3, 3)), ("x", scalar, (3,)), ("q", scalar)], align=True)


@cache
def row_dtype(scalar: type) -> np.dtype:
    """Record of a row: g, rate, n, f and c as the formula writes them, and what `evaluate_rows` adds."""
    return np.dtype(
        [
            ("g", scalar),
            ("rate", scalar),
            ("n", scalar, (2, 3)),  # at the ends' frames, world axes; after `evaluate_rows` about their links' origins
            ("f", scalar, (2, 3)),
            ("c", scalar, (2,)),
            ("link", "i8", (2,)),
            ("dof", "i8", (2,)),
            ("speed", scalar),  # dg/dt
            ("drift", scalar),  # d(rate)/dt
            ("bias", scalar),  # d^2g/dt^2 less what the links' accelerations (gravity taken off) and qddot make of it
        ],
        align=True,
    )


@kernel
def set_row(row, g, rate):
    """Write g and rate of a row, and zeros for what it pulls at; `pull` follows for each end."""
    row.g, row.rate = g, rate
    for e in range(2):
        row.c[e] = g * 0.0
        for k in range(3):
            row.n[e, k] = g * 0.0
            row.f[e, k] = g * 0.0


@kernel
def pull(row, e, f, n):
    """Write the row's force f and moment n on one end, e = 0 or 1."""
    store3(row.f[e], f)
    store3(row.n[e], n)


@kernel
def axis_of(spot, k):
    """Unit vector of axis k of a spot's frame, in world axes."""
    return (spot.R[0, k], spot.R[1, k], spot.R[2, k])


def as_frame(point: Point, what: str) -> tuple[str | None, np.ndarray]:
    """(body, pose) of a place in a body, which is given as three numbers or as a pose."""
    try:
        body, place = point
        shape = np.shape(place)
    except (TypeError, ValueError):
        raise ValueError(
            f"{what} is (body, (x, y, z)) or (body, pose), body None for the world, not {point!r}"
        ) from None
    if shape == (4, 4):
        return body, check_frame(place, what)
    E = np.eye(4)
    E[:3, 3] = check_numbers(place, f"{what} [m]", (3,))
    return body, E
