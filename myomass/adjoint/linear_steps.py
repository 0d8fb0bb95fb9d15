"""Reverse of steps that solve for the new rates at once: linearly implicit and semi-implicit Euler (integrators/).

    E = h r(t, q0, v0, (v1 - v0)/h) - h (A v1 - D v0) - G^T l = 0,   e(q0, v0, v1) = 0,   q1 = q0 + h v1

A = D + h K of stiff forces and tensions in linearly implicit Euler, under constraints the even part of it, and none in
semi-implicit Euler; e are the speeds of rows (step_rows.py). With

    H = M - h A,   [H -G^T; G 0]^T (lambda, nu) = -(v1_bar + h q1_bar, 0)

the bars of the start are the derivatives of lambda . E + nu . e. How D and K of stiff forces change is a difference of
fourth order for each coordinate, shorter where they jump; how D of tensions does, one of their slopes along v1 - v0.
"""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..dynamics.muscled import add_residual, add_slopes
from ..dynamics.physics import fill_residual, fill_whole_mass
from ..forces.apply import add_forces
from ..forces.stiffness import add_stiffness
from ..muscles.tension import answers_to_rates
from .momenta import AGREE, STENCIL, slope_along
from .pulls import close_pulls, open_pulls, slopes_of_pulls
from .stages import open_scratch
from .step_rows import Rows
from .tensions import fill_but_tensions

STEPS = 1e-4, 1e-6, 1e-8  # [rad or m, and per second] of the differences, one after another where two orders disagree
CENTRAL = np.array([0.0, -0.5, 0.5, 0.0])  # weights of the second order, as those of STENCIL
ROUNDING = 1e-14  # of what is subtracted


@kernel
def stiffness_here(t, h, q, qdot, even, scratch, D, A):
    """D and A = D + h K of stiff forces; the even part of A if so."""
    system, linear, K, n = scratch.system, scratch.matrices.linear, scratch.spare[0], q.shape[0]
    D[:, :] = 0.0
    K[:, :] = 0.0
    move_all(system.tree, q, qdot)
    add_stiffness(t, q, qdot, system.tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, True, D, K)
    for i in range(n):
        for j in range(n):
            A[i, j] = D[i, j] + h * K[i, j]
    for i in range(n if even else 0):
        for j in range(i):
            A[i, j] = 0.5 * (A[i, j] + A[j, i])
            A[j, i] = A[i, j]


@kernel(entry=True)
def begin(handle, t, h, q, qdot, z, tau, r, M):
    """The residual at rest of accelerations, and M, for Python."""
    system = open_scratch(handle, q).system
    open_pulls(h, h, z, system)
    fill_residual(t, q, qdot, system.no_torques, tau, system.no_wrenches, system, r)
    close_pulls(system)
    fill_whole_mass(t, q, qdot, system.no_torques, system, M)


@kernel(entry=True)
def fill_stiffness(handle, t, h, q, qdot, even, D, A):
    """D and A of stiff forces, for Python."""
    stiffness_here(t, h, q, qdot, even, open_scratch(handle, q), D, A)


@kernel(entry=True)
def fill_slopes(handle, t, q, qdot, qddot, M, D, K):
    """M, D and K of the residual but for tensions, for Python."""
    fill_but_tensions(t, q, qdot, qddot, open_scratch(handle, q), M, D, K)


@kernel
def fill_inertial(t, q, qdot, qddot, system, r):
    """The residual without torques and tensions."""
    tree = system.tree
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    add_forces(t, q, qdot, system.no_torques, tree, system.forces)
    pass_wrench(tree.links, tree.work, tree.dofs, r)
    if system.muscles.active:
        add_residual(t, q, qdot, qddot, tree, system.muscles, False, r)
    for k in range(r.shape[0]):
        r[k] -= system.forces.total[k]


@kernel
def add_stiff_forces(v0, v, D, A, factor, force):
    """force += factor (A v - D v0)."""
    for i in range(v.shape[0]):
        for j in range(v.shape[0]):
            force[i] += factor * (A[i, j] * v[j] - D[i, j] * v0[j])


@kernel(inline=False)
def change_along(moved, k, t, h, q, qdot, even, v, scratch, change):
    """change = d(A v - D v0)/d moved[k], moved being q or qdot: by steps over which slopes of contacts do not jump.

    Needs: v0 in vectors[3].
    """
    D, A, force, v0 = scratch.matrices.D, scratch.matrices.K, scratch.matrices.defect, scratch.vectors[3]
    fourth, second, n, start, least = scratch.vectors[0], scratch.vectors[1], q.shape[0], moved[k], np.inf
    for step in STEPS:
        fourth[:] = 0.0
        second[:] = 0.0
        largest = 0.0
        for node in range(STENCIL.shape[0]):
            moved[k] = start + STENCIL[node, 0] * step
            stiffness_here(t, h, q, qdot, even, scratch, D, A)
            force[:] = 0.0
            add_stiff_forces(v0, v, D, A, 1.0 / step, force)
            for i in range(n):
                largest = max(largest, abs(force[i]))
                fourth[i] += STENCIL[node, 1] * force[i]
                second[i] += CENTRAL[node] * force[i]
        moved[k] = start
        apart = size = 0.0
        for i in range(n):
            apart, size = max(apart, abs(fourth[i] - second[i])), max(size, abs(fourth[i]))
        if apart < least:
            least = apart
            for i in range(n):
                change[i] = fourth[i]
        if apart <= max(AGREE * size, ROUNDING * largest):
            return


@kernel(entry=True)
def changes_of_stiffness(handle, t, h, q, qdot, even, v, slopes):
    """Derivatives of A v - D v0 of stiff forces by q (first) and qdot, for Python. slopes: (2, ndof, ndof)"""
    scratch = open_scratch(handle, q)
    v0, change = scratch.vectors[3], scratch.vectors[2]
    for k in range(q.shape[0]):
        v0[k] = qdot[k]
    for which in range(2):
        moved = qdot if which else q
        for k in range(q.shape[0]):
            change_along(moved, k, t, h, q, qdot, even, v, scratch, change)
            for i in range(q.shape[0]):
                slopes[which, i, k] = change[i]


@kernel(entry=True)
def weigh_linear_steps(handle, t, h, stiff, even, q0, v0, z0, v1, lam, products):
    """lam . (E + G^T l) of some steps, without torques and pulls, into products. (steps, quantities)"""
    scratch = open_scratch(handle, t)
    system, matrices, n = scratch.system, scratch.matrices, v1.shape[1]
    D, A, K, r, qddot = matrices.D, matrices.K, scratch.spare[0], matrices.defect, scratch.vectors[3]
    for s in range(t.shape[0]):
        for k in range(n):
            qddot[k] = (v1[s, k] - v0[s, k]) / h[s]
        fill_inertial(t[s], q0[s], v0[s], qddot, system, r)
        if stiff[s]:
            stiffness_here(t[s], h[s], q0[s], v0[s], even[s], scratch, D, A)
            add_stiff_forces(v0[s], v1[s], D, A, -1.0, r)
            if answers_to_rates(system.muscles):
                D[:, :] = 0.0
                open_pulls(h[s], h[s], z0[s], system)
                add_slopes(t[s], q0[s], v0[s], qddot, system.muscles, matrices.linear, True, True, D, K)
                close_pulls(system)
                add_stiff_forces(v0[s], v1[s], D, D, -1.0, r)
        for row in range(lam.shape[1]):
            products[s, row] = 0.0
            for k in range(n):
                products[s, row] += h[s] * lam[s, row, k] * r[k]


class Start(NamedTuple):
    """What a step begins with. t: when its forces act, and the time of rows; stiff: is it linearly implicit?"""

    t: tuple[float, float]
    h: float
    stiff: bool
    q: np.ndarray
    qdot: np.ndarray
    z: np.ndarray
    tau: np.ndarray


class LinearStep:
    """A step, solved once more, and its matrices."""

    def __init__(self, sweep, start: Start, v: np.ndarray):
        self.sweep, self.start, self.v = sweep, start, v
        handle, model = sweep.scratch.handle, sweep.rollout.model
        n, (t, h, q, qdot) = model.ndof, (start.t[0], start.h, start.q, start.qdot)
        self.even = start.stiff and model.constraints.count > 0
        self.pulls = slopes_of_pulls(sweep, t, h, h, (q, qdot, start.z))
        self.D, self.A = np.zeros((2, n, n))
        if start.stiff:
            fill_stiffness(handle, t, h, q, qdot, self.even, self.D, self.A)
            self.D += self.pulls[:n, n : 2 * n]
            self.A += self.pulls[:n, n : 2 * n]
        self.rows = None
        if model.constraints.count:
            r, M = np.empty(n), np.empty((n, n))
            begin(handle, t, h, q, qdot, start.z, start.tau, r, M)
            self.rows = Rows(sweep.scratch, sweep.strands.ties, (start.t[1], h, q, qdot))
            self.v = self.rows.solve(M - h * self.A, (M - h * self.D) @ qdot - h * r)
        self.M, self.D_r, self.K_r = np.empty((3, n, n))
        fill_slopes(handle, t, q, qdot, (self.v - qdot) / h, self.M, self.D_r, self.K_r)

    def multipliers(self, v_bar: np.ndarray) -> np.ndarray:
        """lambda, from all that depends on v1. (quantities, ndof); those of rows keep their nu."""
        H = self.M - self.start.h * self.A
        return -np.linalg.solve(H.T, v_bar.T).T if self.rows is None else self.rows.solve_transposed(H, -v_bar)

    def bars(self, lam: np.ndarray) -> np.ndarray:
        """Bars of q0, qdot0, z0 and what excites, side by side."""
        h, n = self.start.h, len(self.v)
        found = -h * lam @ self.pulls[:n]
        found[:, :n] += h * lam @ self.K_r
        found[:, n : 2 * n] += lam @ (h * (self.D_r + self.D) - self.M)
        if self.start.stiff:
            found[:, : 2 * n] -= h * lam @ self._changes_of_stiffness()
            found -= h * lam @ self._changes_of_tensions()
        if self.rows is not None:
            found[:, : 2 * n] += self.rows.bars(lam)
        return found

    def _changes_of_stiffness(self) -> np.ndarray:
        """Derivatives of what stiff forces add to E/h, by q0 and v0. (ndof, 2 ndof)"""
        scratch, n, start = self.sweep.scratch, len(self.v), self.start
        slopes = np.zeros((2, n, n))
        if scratch.system.forces.elements.shape[0] or scratch.system.forces.laws.shape[0]:
            given = start.t[0], start.h, start.q.copy(), start.qdot.copy(), self.even, self.v
            changes_of_stiffness(scratch.handle, *given, slopes)
        return np.concatenate(slopes, axis=1)

    def _changes_of_tensions(self) -> np.ndarray:
        """Derivatives of D (v1 - v0) of tensions: how their slopes change along it."""
        (t, _), h, _, q, qdot, z, _ = self.start
        n, change = len(q), self.v - qdot
        look = lambda share: slopes_of_pulls(self.sweep, t, h, h, (q, qdot + share * change, z))[:n]  # noqa: E731
        size = np.abs(change).max(initial=0.0) if self.sweep.answering else 0.0
        return slope_along(look, size)
