"""Quadratic programs of rows that say >= or lie between bounds, by daqp (docs/decisions/0004).

In whitened coordinates every one of them is a nearest point: min |y|^2/2 with lower <= B y <= upper, y = B^T lam. Where
rows depend on each other, as the corners of a box on the floor, lam is not unique: every row is given a trace of
compliance of its own, which shares forces out evenly, and lets rows that cannot all hold be met in the sense of least
squares.
"""

import daqp
import numpy as np

EQUAL = 5  # daqp's word for a row
SOLVED = 1  # daqp's exit flags from here on are good
UNBOUNDED = 1e30
COMPLIANCE = 1e-5  # square root of a row's own part in its response
TOLERANCE = 1e-11  # of the largest number in a program
LOUD = 1e3  # multipliers of rows that cannot all hold, relative to those that the numbers would let one expect


class Program:
    """The nearest points of one model."""

    def __init__(self, n: int):
        self.n, self.identities = n, {}
        self.soft = 0  # how many programs had rows that cannot all hold

    def solve(self, B: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(lam, y) of the nearest y. (rows,), (n,)"""
        m = len(B)
        if not m or not self.n:
            return np.zeros(m), np.zeros(self.n)
        identity, zero = self.identities.setdefault(m, (np.eye(self.n + m), np.zeros(self.n + m)))
        size = np.abs(lower).max()
        if size == 0.0:
            size = 1.0
        norms = np.sqrt(np.einsum("ij,ij->i", B, B))
        scale = 1.0 / np.where(norms > 0.0, norms, 1.0)
        wide = np.zeros((m, self.n + m))
        wide[:, : self.n] = B * scale[:, None]
        wide[:, self.n :].flat[:: m + 1] = COMPLIANCE
        low, high = lower * (scale / size), np.where(upper < UNBOUNDED, upper * (scale / size), UNBOUNDED)
        sense = np.where(lower == upper, EQUAL, 0).astype(np.int32)
        x, _, flag, info = daqp.solve(identity, zero, wide, high, low, sense, primal_tol=TOLERANCE)
        if flag < SOLVED:
            return np.zeros(m), np.full(self.n, np.nan)
        self.soft += bool(np.abs(x[self.n :]).max() > COMPLIANCE * LOUD)
        return -info["lam"] * (scale * size), x[: self.n] * size
