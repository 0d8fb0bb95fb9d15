"""Constraints of steps that solve for the new rates at once: their equality rows, and how they change.

    e = G v1 + rate + h/2 (d(G v + rate)/dt - drift) = 0,   or of rows of accelerations   G (v1 - v0) + h drift = 0

at the old place and the new time (integrators/velocity.py). How G^T l and e change with q and qdot are differences of
fourth order; the multipliers l come from what is left of E, by least squares.
"""

import numpy as np

from .._jit import kernel
from ..algorithms.rnea import rnea_outward
from ..constraints.rows import add_row, evaluate_rows, row_acceleration
from ..constraints.solve import choose_rows
from ..model.elements import ACCELERATION
from .momenta import STENCIL
from .rows import STEP
from .stages import Scratch, open_scratch
from .tied import Ties, solve_step, solve_step_transposed


@kernel
def look_at_rows(t, h, q, qdot, v, scratch, speeds, G):
    """Speeds e of the equality rows, and G; returns how many there are."""
    system = scratch.system
    tree, constraints, still = system.tree, system.constraints, system.no_torques
    chosen = constraints.solver.chosen
    rnea_outward(tree, tree.gravity, q, qdot, still)
    evaluate_rows(t, q, qdot, tree, constraints)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, chosen)
    for i in range(count):
        row = constraints.rows[chosen[i]]
        for k in range(q.shape[0]):
            G[i, k] = 0.0
        add_row(row, tree.links, tree.work, tree.dofs, 1.0, G[i])
        speeds[i] = row.rate + 0.5 * h * (row_acceleration(row, tree.work, still) - row.drift)
        of_change = constraints.levels[chosen[i]] == ACCELERATION
        if of_change:
            speeds[i] = h * row.drift
        for k in range(q.shape[0]):
            speeds[i] += G[i, k] * (v[k] - qdot[k] if of_change else v[k])
    return count


@kernel(entry=True)
def rows_of_step(handle, t, h, q, qdot, v, speeds, G):
    """How many equality rows there are; their speeds and G, for Python."""
    return look_at_rows(t, h, q, qdot, v, open_scratch(handle, q), speeds, G)


@kernel(entry=True)
def slopes_of_step_rows(handle, t, h, q, qdot, v, lam, speeds, G, forces, slopes):
    """Derivatives of G^T lam by q, and of speeds by q and qdot (side by side), for Python; speeds and G are scratch."""
    scratch = open_scratch(handle, q)
    n, count = q.shape[0], lam.shape[0]
    for column in range(2 * n):
        moved, k = (q, column) if column < n else (qdot, column - n)
        start = moved[k]
        for node in range(STENCIL.shape[0]):
            moved[k] = start + STENCIL[node, 0] * STEP
            weight = STENCIL[node, 1] / STEP
            look_at_rows(t, h, q, qdot, v, scratch, speeds, G)
            for i in range(count):
                slopes[i, column] += weight * speeds[i]
                for j in range(n if column < n else 0):
                    forces[j, k] += weight * lam[i] * G[i, j]
        moved[k] = start


@kernel(entry=True)
def weigh_step_rows(handle, t, h, q, qdot, v, multipliers, lam, nu, products):
    """nu . e - lam . G^T l of some steps, into products. (steps, quantities)"""
    scratch = open_scratch(handle, t)
    count, n = multipliers.shape[1], q.shape[1]
    G, speeds = scratch.rows[:count, :n], scratch.rows[count, :count]
    for s in range(t.shape[0]):
        look_at_rows(t[s], h[s], q[s], qdot[s], v[s], scratch, speeds, G)
        for row in range(lam.shape[1]):
            products[s, row] = 0.0
            for i in range(count):
                products[s, row] += nu[s, row, i] * speeds[i]
                for k in range(n):
                    products[s, row] -= lam[s, row, k] * G[i, k] * multipliers[s, i]


class Rows:
    """The equality rows of a step, and what they do to it."""

    def __init__(self, scratch: Scratch, ties: Ties, given: tuple[float, float, np.ndarray, np.ndarray]):
        n, most = len(given[2]), len(scratch.system.constraints.levels)
        self.scratch, self.ties, self.given, G, rest = scratch, ties, given, np.zeros((most, n)), np.zeros(most)
        count = rows_of_step(scratch.handle, *self.given, np.zeros(n), rest, G)
        self.G, self.rest = G[:count], rest[:count]  # e where v1 = 0

    def solve(self, H: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        """v1 of H v1 - G^T l = rhs, e = 0; l is kept."""
        self.v, self.multipliers = np.empty(len(H)), np.empty(len(self.G))
        if not solve_step(self.ties.handle, H, self.G, rhs, self.rest, self.v, self.multipliers):
            raise np.linalg.LinAlgError
        return self.v

    def solve_transposed(self, H: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        """lambda of [H -G^T; G 0]^T (lambda, nu) = (rhs, 0); nu is kept. rhs: (quantities, ndof)"""
        lam, self.nu = np.empty(rhs.shape), np.empty((len(rhs), len(self.G)))
        if not solve_step_transposed(self.ties.handle, H, self.G, rhs, lam, self.nu):
            raise np.linalg.LinAlgError
        return lam

    def bars(self, lam: np.ndarray) -> np.ndarray:
        """Bars of q and qdot, side by side."""
        (t, h, q, qdot), (count, n) = self.given, self.G.shape
        forces, slopes = np.zeros((n, n)), np.zeros((count, 2 * n))
        room = np.zeros(count), np.zeros((count, n))
        copies = t, h, q.copy(), qdot.copy(), self.v, self.multipliers
        slopes_of_step_rows(self.scratch.handle, *copies, *room, forces, slopes)
        found = self.nu @ slopes
        found[:, :n] -= lam @ forces
        return found
