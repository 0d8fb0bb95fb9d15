"""The program of each frame of static optimisation, and its solution for all frames.

    min sum_m a_m^p + sum_k x_k^2     with     A a + G x = b,    low <= (a, x) <= high

For p = 2 that is a quadratic program, solved exactly (nearest.py); its answer is where an interior point method starts
for other powers (interior.py). Where the equations cannot all hold, the answer of p = 2 that meets them best is kept.
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from .interior import Interior, interior_scratch, solve_interior
from .nearest import errors_of, solve_nearest


class Room(Bundle):
    """Scratch for the programs of n equations in k unknowns."""

    program = fields.plain(np.float64, 2)  # g, h, low, high, (4, k)
    scales = fields.plain(np.float64)  # of the equations, (n,)
    centre = fields.plain(np.float64)
    along = fields.plain(np.float64)
    H = fields.plain(np.float64, 2)  # (n, n)
    work = fields.plain(np.float64, 2)  # (2, k)
    interior = Interior


open_room = opener(Room)


def room_for(n: int, k: int) -> Room:
    """Scratch for programs of n equations in k unknowns."""
    vectors = {key: np.zeros(n) for key in ("scales", "centre", "along")}
    matrices = {"program": np.zeros((4, k)), "H": np.zeros((n, n)), "work": np.zeros((2, k))}
    return Room(np.float64, **vectors, **matrices, interior=interior_scratch(k))


@kernel(entry=True)
def share_loads(handle, C, b, low, high, power, muscles, lam, y, missing, held):
    """Fill y, lam, missing = b - C y and held (do the equations hold?) for every frame, for Python.

    The first `muscles` unknowns are activations. The multipliers of each frame start from those of the one before.
    """
    room = open_room(handle, y)
    program = room.program
    for row in range(C.shape[0]):
        for k in range(y.shape[1]):
            program[0, k], program[1, k], program[2, k], program[3, k] = 0.0, 2.0, low[row, k], high[row, k]
        for i in range(b.shape[1]):
            lam[row, i] = lam[row - 1, i] if row > 0 and held[row - 1] else 0.0
        held[row] = solve_nearest(C[row], b[row], program, lam[row], y[row], missing[row], room)
        if power != 2.0 and muscles > 0 and held[row]:
            solve_interior(C[row], b[row], power, muscles, lam[row], y[row], missing[row], room, room.interior)
            errors_of(C[row], b[row], room.scales, y[row], missing[row])
