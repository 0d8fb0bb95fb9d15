"""Quadratic programs of rows that say >= or lie between bounds, by daqp (docs/decisions/0004).

In whitened coordinates every one of them is a nearest point: min |y|^2/2 with lower <= B y <= upper, y = B^T lam. Where
rows depend on each other, as the corners of a box on the floor, lam is not unique: every row is given a trace of
compliance of its own, which shares forces out evenly, and lets rows that cannot all hold be met in the sense of least
squares.
"""

import daqp
import numpy as np

from .._jit import kernel

EQUAL = 5  # how daqp marks an equality
SOLVED = 1  # daqp's exit flags from here on are good
UNBOUNDED = 1e30
COMPLIANCE = 1e-5  # square root of the compliance given to a row of unit length
TOLERANCE = 1e-11  # of the largest number in a program
MOST_ADDED = 20  # times that rows are added which an answer would violate
VIOLATION, TINY = 1e-12, 1e-15  # of a row, relative and absolute, that counts as rounding
NOTHING = 1e-200  # a speed below this counts as zero: what is left after many steps at a stop
LOUD = 1e6  # from here on, relative to what is expected, multipliers say that rows cannot all hold


@kernel(entry=True)
def pose_program(B, lower, unilateral, used, wide, low, high, scale, sense):
    """Fill a program's arrays: the rows used, scaled to unit length, with their compliance and bounds.

    Returns the largest bound, by which all bounds are divided.
    """
    size, n, i = 0.0, B.shape[1], 0
    for r in range(B.shape[0]):
        if used[r]:
            size = max(size, abs(lower[r]))
    size = size if size > NOTHING else 1.0
    for r in range(B.shape[0]):
        if not used[r]:
            continue
        norm = 0.0
        for k in range(n):
            norm += B[r, k] * B[r, k]
        scale[i] = 1.0 / np.sqrt(norm) if norm > 0.0 else 1.0
        for k in range(n):
            wide[i, k] = B[r, k] * scale[i]
        for k in range(scale.shape[0]):
            wide[i, n + k] = COMPLIANCE if k == i else 0.0
        low[i] = lower[r] * scale[i] / size
        high[i] = UNBOUNDED if unilateral[r] else low[i]
        sense[i] = 0 if unilateral[r] else EQUAL
        i += 1
    return size


@kernel(entry=True)
def read_program(size, x, duals, scale, B, lower, unilateral, used, lam, y):
    """Fill lam and y from a program's answer x; returns (violated rows, largest compliance used).

    Inequality rows that the program left out and its answer violates are counted and marked as used.
    """
    n, i, more, loud = B.shape[1], 0, 0, 0.0
    for k in range(n, x.shape[0]):
        loud = max(loud, abs(x[k]))
    for k in range(n):
        y[k] = x[k] * size
    for r in range(B.shape[0]):
        lam[r] = 0.0
        if used[r]:
            lam[r] = -duals[i] * scale[i] * size
            i += 1
    for r in range(B.shape[0]):
        if unilateral[r] and not used[r]:
            reached = 0.0
            for k in range(n):
                reached += B[r, k] * y[k]
            if lower[r] - reached > VIOLATION * abs(lower[r]) + TINY:
                used[r] = True
                more += 1
    return more, loud


class Program:
    """The quadratic programs of one model: which rows are inequalities, and buffers for each number of rows."""

    def __init__(self, n: int, unilateral: np.ndarray):
        self.n, self.unilateral, self.buffers = n, unilateral, {}
        self.soft = 0  # how many programs had rows that cannot all hold

    def _buffers(self, m: int) -> tuple[np.ndarray, ...]:
        """(identity, zero, wide, low, high, scale, sense): arrays for a program of m rows."""
        if m not in self.buffers:
            width = self.n + m
            arrays = np.eye(width), np.zeros(width), np.zeros((m, width)), *np.zeros((3, m)), np.zeros(m, np.int32)
            self.buffers[m] = arrays
        return self.buffers[m]

    def solve(self, B: np.ndarray, lower: np.ndarray, used: np.ndarray, lam: np.ndarray, y: np.ndarray) -> None:
        """Fill lam and y, the y nearest to zero that meets the rows used and all inequality rows.

        Inequality rows that an answer violates are added to `used`, and the program is solved again.
        """
        for _ in range(MOST_ADDED):
            m = int(np.count_nonzero(used))
            if not m or not self.n:
                lam[:], y[:] = 0.0, 0.0
                return
            identity, zero, wide, low, high, scale, sense = self._buffers(m)
            size = pose_program(B, lower, self.unilateral, used, wide, low, high, scale, sense)
            x, _, flag, info = daqp.solve(identity, zero, wide, high, low, sense, primal_tol=TOLERANCE)
            if flag < SOLVED:
                lam[:], y[:] = 0.0, np.nan
                return
            more, loud = read_program(size, x, info["lam"], scale, B, lower, self.unilateral, used, lam, y)
            self.soft += loud > COMPLIANCE * LOUD
            if not more:
                return
