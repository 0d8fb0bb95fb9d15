"""Reverse of the symplectic step (integrators/symplectic.py).

    F = M(q0) v0 + h (dT/dq(q0, v) + f(q0, v) - w(q0, v0)) - M(q0) v = 0     found for v
    q1 = q0 + h v,   M(q1) v1 = M(q0) v

With mu = M(q1)^-1 v1_bar and lambda = -(dF/dv)^-T v_bar the bars of the start are the derivatives of

    lambda . F + mu . (M(q0) v - M(q1) v1)

by q0 and v0. N(b) = d(M b)/dq comes with the tree's partials at rest; the second derivative of the kinetic energy T
along lambda is a difference of fourth order of its slopes.
"""

from collections.abc import Callable

import numpy as np

from .._jit import kernel
from ..algorithms import cholesky, lu
from ..algorithms.kinematics import move_all
from ..algorithms.mass import fill_mass
from ..algorithms.momenta import momenta
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..dynamics.muscle_momenta import add_momenta
from ..dynamics.muscled import add_residual
from ..dynamics.physics import add_acting_slopes
from ..forces.apply import sum_forces
from ..forces.stiffness import add_stiffness
from .stages import Scratch, open_scratch, times_transposed

ALONG = 1e-3  # [rad or m], of the differences along lambda
AGREE = 1e-6  # differences of two orders do, where nothing jumps
NODES = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
STENCIL = np.array(NODES)


@kernel
def add_kinetic_slope(t, q, qdot, scratch, slope):
    """slope += dT/dq of tree and muscles."""
    matrices, muscles = scratch.matrices, scratch.system.muscles
    p, own = scratch.vectors[0], scratch.vectors[1]
    momenta(scratch.system.tree, q, qdot, p, own)
    if muscles.massive:
        add_momenta(t, q, qdot, muscles, matrices.linear, p, own)
    for k in range(q.shape[0]):
        slope[k] += own[k]


@kernel(entry=True)
def kinetic_slope(handle, t, q, qdot, slope):
    """dT/dq of tree and muscles, for Python."""
    slope[:] = 0.0
    add_kinetic_slope(t, q, qdot, open_scratch(handle, q), slope)


@kernel(entry=True)
def slopes_at_rest(handle, t, q, qddot, M, K):
    """M, and K of weight and inertia at rest under qddot, without forces, for Python."""
    scratch = open_scratch(handle, q)
    system, matrices = scratch.system, scratch.matrices
    still = system.no_torques
    rnea_outward(system.tree, system.tree.gravity, q, still, qddot)
    rnea_partials(system.tree, q, still, qddot, matrices.linear.partials, M, matrices.D, K)
    if system.muscles.massive:
        add_acting_slopes(t, q, still, qddot, system, matrices.linear, False, M, matrices.D, K)


@kernel(entry=True)
def slopes_of_forces(handle, t, q, v, D, K):
    """df/dqdot and df/dq of all forces but tensions, for Python."""
    scratch = open_scratch(handle, q)
    system, matrices, linear = scratch.system, scratch.matrices, scratch.matrices.linear
    tree = system.tree
    rnea_outward(tree, tree.gravity, q, v, v)
    rnea_partials(tree, q, v, v, linear.partials, matrices.M, D, K)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, v, tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, False, D, K)


@kernel
def inverse_at_rest(t, q, qddot, scratch, r):
    """r = M qddot and the weight of tree and muscles."""
    system = scratch.system
    tree, still = system.tree, system.no_torques
    rnea_outward(tree, tree.gravity, q, still, qddot)
    pass_wrench(tree.links, tree.work, tree.dofs, r)
    if system.muscles.active:
        add_residual(t, q, still, qddot, tree, system.muscles, False, r)


@kernel(entry=True)
def weigh_steps(handle, t, h, q0, v0, v, q1, v1, lam, mu, products):
    """lam . F + mu . (M(q0) v - M(q1) v1) of steps, without torques and tensions, into products. (steps, quantities)"""
    scratch = open_scratch(handle, v)
    system, matrices = scratch.system, scratch.matrices
    r, weight, at_end, n = matrices.defect, scratch.vectors[3], scratch.vectors[2], v.shape[1]
    for s in range(t.shape[0]):
        products[s, :] = 0.0
        inverse_at_rest(t[s], q1[s], v1[s], scratch, r)
        inverse_at_rest(t[s], q1[s], system.no_torques, scratch, at_end)
        weigh(mu[s], r, at_end, -1.0, products[s])
        inverse_at_rest(t[s], q0[s], system.no_torques, scratch, weight)
        inverse_at_rest(t[s], q0[s], v[s], scratch, r)
        weigh(mu[s], r, weight, 1.0, products[s])
        weigh(lam[s], r, weight, -1.0, products[s])
        inverse_at_rest(t[s], q0[s], v0[s], scratch, r)
        weigh(lam[s], r, weight, 1.0, products[s])
        move_all(system.tree, q0[s], v[s])
        sum_forces(t[s], q0[s], v[s], system.no_torques, system.tree, system.forces, r)
        weigh(lam[s], r, weight, h[s], products[s])
        for k in range(n):
            r[k] = 0.0
            weight[k] = 0.0
        add_kinetic_slope(t[s], q0[s], v[s], scratch, r)
        weigh(lam[s], r, weight, h[s], products[s])


@kernel
def weigh(weights, a, b, factor, sums):
    """sums += factor weights . (a - b), for each row of weights."""
    for row in range(weights.shape[0]):
        for k in range(a.shape[0]):
            sums[row] += factor * weights[row, k] * (a[k] - b[k])


@kernel
def mixed_slope(tree, q, a, b, room, slope):
    """slope = d(a . M(q) b)/dq, from the kinetic energies of a + b, a and b; a is scaled to b's size meanwhile."""
    size_a = size_b = 0.0
    for k in range(q.shape[0]):
        size_a, size_b = max(size_a, abs(a[k])), max(size_b, abs(b[k]))
        slope[k] = 0.0
    if size_a == 0.0 or size_b == 0.0:
        return
    scale = size_b / size_a
    moved, p, own = room[0], room[1], room[2]
    for part in range(3):
        for k in range(q.shape[0]):
            moved[k] = (b[k] if part != 1 else 0.0) + (scale * a[k] if part != 2 else 0.0)
        momenta(tree, q, moved, p, own)
        for k in range(q.shape[0]):
            slope[k] += (own[k] if part == 0 else -own[k]) / scale


@kernel
def add_second_slope(tree, q, v, along, factor, room, slope):
    """slope += factor d2T/dq2 along a direction."""
    size = 0.0
    for k in range(q.shape[0]):
        size = max(size, abs(along[k]))
    if size == 0.0:
        return
    moved, p, own = room[0], room[1], room[2]
    for node in range(STENCIL.shape[0]):
        for k in range(q.shape[0]):
            moved[k] = q[k] + STENCIL[node, 0] * ALONG / size * along[k]
        momenta(tree, moved, v, p, own)
        for k in range(q.shape[0]):
            slope[k] += factor * STENCIL[node, 1] * size / ALONG * own[k]


@kernel(entry=True)
def reverse_bare_step(handle, t, h, q0, v0, q1, v1, bars, found):
    """(lambda, mu, bars of q0, bars of v0) into found, from bars of (q1, v1), muscles without mass; False if singular.

    bars: (quantities, 2, ndof), found: (quantities, 4, ndof)
    """
    scratch = open_scratch(handle, q0)
    system, matrices, room, v = scratch.system, scratch.matrices, scratch.vectors, scratch.vectors[5]
    tree, still, linear, n = system.tree, system.no_torques, matrices.linear, q0.shape[0]
    M, D, K, H, order, rhs = matrices.M, matrices.D, matrices.K, matrices.H, matrices.order, matrices.defect
    N, D_f, K_f = scratch.spare[0], scratch.spare[1], scratch.spare[2]
    momenta(tree, q1, v1, room[0], room[1])
    fill_mass(tree, H)
    cholesky.factorise(H)
    for row in range(bars.shape[0]):
        mu = found[row, 1]
        for k in range(n):
            if not H[k, k] > 0.0:
                return False
            mu[k] = bars[row, 1, k]
        cholesky.solve(H, mu)
        mixed_slope(tree, q1, mu, v1, room, found[row, 2])
        for k in range(n):
            found[row, 2, k] = bars[row, 0, k] - found[row, 2, k]
    for k in range(n):
        v[k] = (q1[k] - q0[k]) / h
    rnea_outward(tree, tree.gravity, q0, v, v)
    rnea_partials(tree, q0, v, v, linear.partials, M, D_f, K_f)
    D_f[:, :] = 0.0
    K_f[:, :] = 0.0
    add_stiffness(t, q0, v, tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, False, D_f, K_f)
    rnea_outward(tree, tree.gravity, q0, still, still)
    rnea_partials(tree, q0, still, still, linear.partials, M, D, K)
    rnea_outward(tree, scratch.weightless, q0, still, v)
    rnea_partials(tree, q0, still, v, linear.partials, M, D, N)
    for i in range(n):
        for j in range(n):
            H[i, j] = h * (N[j, i] + D_f[i, j]) - M[i, j]
            K[i, j] = h * (K_f[i, j] - K[i, j]) - N[i, j]
    if not lu.factorise(H, 0, order):
        return False
    for row in range(bars.shape[0]):
        lam, mu, q_bar, v_bar, slope = found[row, 0], found[row, 1], found[row, 2], found[row, 3], room[3]
        for k in range(n):
            rhs[k] = -h * q_bar[k]
            for j in range(n):
                rhs[k] -= M[j, k] * mu[j]
            v_bar[k] = 0.0
        lu.solve_transposed(H, order, rhs, lam)
        times_transposed(N, mu, q_bar)
        times_transposed(K, lam, q_bar)
        mixed_slope(tree, q0, lam, v0, room, slope)
        add_second_slope(tree, q0, v, lam, h, room, slope)
        for k in range(n):
            q_bar[k] += slope[k]
        times_transposed(M, lam, v_bar)
    return True


def second_slope(scratch: Scratch, t: float, q: np.ndarray, v: np.ndarray, along: np.ndarray) -> np.ndarray:
    """d2T/dq2 along a direction. (ndof,)"""

    def look(share: float) -> np.ndarray:
        slope = np.empty(len(q))
        kinetic_slope(scratch.handle, t, q + share * along, v, slope)
        return slope

    return slope_along(look, np.abs(along).max(initial=0.0))


def slope_along(look: Callable[[float], np.ndarray], size: float) -> np.ndarray:
    """Derivative at 0 of a function of a share of a direction of this size, by steps over which it has no kink.

    It has some where muscles touch a surface or become slack: differences of two orders disagree there.
    """
    if size == 0.0:
        return np.zeros_like(look(0.0))
    found, least = 0.0, np.inf
    for step in (ALONG, 1e-1 * ALONG, 1e-2 * ALONG):
        seen = np.array([look(steps * step / size) for steps, _ in NODES])
        fourth = size / step * np.tensordot(STENCIL[:, 1], seen, axes=1)
        apart = np.abs(fourth - 0.5 * size / step * (seen[2] - seen[1])).max(initial=0.0)
        if apart < least:
            found, least = fourth, apart
        if least <= AGREE * np.abs(found).max(initial=0.0):
            break
    return found


def at_rest(scratch: Scratch, t: float, q: np.ndarray, qddot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M, and K of weight and inertia. (ndof, ndof) each"""
    M, K = np.empty((2, len(q), len(q)))
    slopes_at_rest(scratch.handle, t, q, qddot, M, K)
    return M, K


def reverse_step(scratch: Scratch, t: float, h: float, start: tuple, end: tuple, bars: tuple) -> tuple[np.ndarray, ...]:
    """(lambda, mu, v, bars of q0, bars of v0), from bars of the end: (quantities, ndof) each but v.

    start, end, bars: (q, qdot) of each. What tensions add to the bars of the start is left out.
    """
    (q0, v0), (q1, v1), (q_bar, v_bar) = start, end, bars
    if not scratch.system.muscles.massive:
        found = np.empty((len(q_bar), 4, len(q0)))
        if not reverse_bare_step(scratch.handle, t, h, *start, *end, np.stack(bars, axis=1), found):
            raise np.linalg.LinAlgError
        return found[:, 0], found[:, 1], (q1 - q0) / h, found[:, 2], found[:, 3]
    v, still = (q1 - q0) / h, np.zeros(len(q0))
    M1, K1 = at_rest(scratch, t, q1, v1)
    mu = np.linalg.solve(M1, v_bar.T).T
    q_bar = q_bar - mu @ (K1 - at_rest(scratch, t, q1, still)[1])
    M, weight = at_rest(scratch, t, q0, still)
    N, N0 = (at_rest(scratch, t, q0, rate)[1] - weight for rate in (v, v0))
    D, K = np.empty((2, len(q0), len(q0)))
    slopes_of_forces(scratch.handle, t, q0, v, D, K)
    J = h * (N.T + D) - M
    lam = -np.linalg.solve(J.T, (h * q_bar + mu @ M).T).T
    curved = np.array([second_slope(scratch, t, q0, v, row) for row in lam])
    q0_bar = q_bar + mu @ N + lam @ (N0 - N + h * (K - weight)) + h * curved
    return lam, mu, v, q0_bar, lam @ M
