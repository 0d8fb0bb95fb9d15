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

MET = 1e-9  # error of an equation, in parts of its terms, with which an answer that is not the optimum may be kept


class Room(Bundle):
    """Scratch for the programs of n equations in k unknowns."""

    program = fields.plain(np.float64, 2)  # g, h, low, high, (4, k)
    scales = fields.plain(np.float64)  # of the equations, (n,)
    centre = fields.plain(np.float64)
    along = fields.plain(np.float64)
    H = fields.plain(np.float64, 2)  # (n, n)
    work = fields.plain(np.float64, 2)  # (2, k)
    start = fields.plain(np.float64)  # (k,)
    dual = fields.plain(np.float64)  # multipliers of power 2, (n,)
    interior = Interior


open_room = opener(Room)


def room_for(n: int, k: int) -> Room:
    """Scratch for programs of n equations in k unknowns."""
    vectors = {key: np.zeros(n) for key in ("scales", "centre", "along", "dual")}
    matrices = {"program": np.zeros((4, k)), "H": np.zeros((n, n)), "work": np.zeros((2, k))}
    return Room(np.float64, **vectors, **matrices, start=np.zeros(k), interior=interior_scratch(k))


@kernel
def cost_of(y, power, muscles):
    """The sum of powers of activations and squares of controls."""
    total = 0.0
    for k in range(y.shape[0]):
        total += y[k] ** power if k < muscles else y[k] * y[k]
    return total


@kernel
def change_power(C, b, power, muscles, lam, y, missing, room):
    """Go on from the answer y of power 2 to that of another one; where that is not found, the cheaper one is kept.

    Returns whether it was found. Needs: bounds in the program.
    """
    start = room.start
    for k in range(y.shape[0]):
        start[k] = y[k]
    found = solve_interior(C, b, power, muscles, lam, y, missing, room, room.interior)
    errors_of(C, b, room.scales, y, missing)
    met = True
    for i in range(b.shape[0]):
        size = abs(b[i])
        for k in range(y.shape[0]):
            size += abs(C[i, k] * y[k])
        met = met and abs(missing[i]) <= MET * size  # False for nan
    if not found and not (met and cost_of(y, power, muscles) < cost_of(start, power, muscles)):
        for k in range(y.shape[0]):
            y[k] = start[k]
        for i in range(b.shape[0]):
            lam[i] = room.dual[i]
        errors_of(C, b, room.scales, y, missing)
    return found


@kernel(entry=True)
def share_loads(handle, C, b, low, high, power, muscles, lam, y, missing, held):
    """Fill y, lam, missing = b - C y and held (do the equations hold?) for every frame, for Python.

    The first `muscles` unknowns are activations. The multipliers of each frame start from those of the one before, and
    if that does not meet its equations once more from zero. Returns in how many frames, though the equations hold, the
    optimum was not found.
    """
    room, lost = open_room(handle, y), 0
    program, dual = room.program, room.dual
    for i in range(b.shape[1]):
        dual[i] = 0.0
    for row in range(C.shape[0]):
        for k in range(y.shape[1]):
            program[0, k], program[1, k], program[2, k], program[3, k] = 0.0, 2.0, low[row, k], high[row, k]
        for attempt in range(2):
            for i in range(b.shape[1]):
                lam[row, i] = dual[i] if attempt == 0 else 0.0
            held[row] = solve_nearest(C[row], b[row], program, lam[row], y[row], missing[row], room)
            if held[row]:
                break
        for i in range(b.shape[1]):
            dual[i] = lam[row, i] if held[row] else 0.0
        other = power != 2.0 and muscles > 0 and held[row]
        if other and not change_power(C[row], b[row], power, muscles, lam[row], y[row], missing[row], room):
            lost += 1
    return lost
