"""Reverse of linearly implicit Euler (integrators/euler.py).

    E = M (v1 - v0) - h D (v1 - v0) - h^2 K v1 + h r(q0, v0, 0) = 0,   q1 = q0 + h v1

D and K are the slopes of stiff forces alone. With lambda = -H^-T v1_bar, H = M - h D - h^2 K, the bars of the start are
the derivatives of lambda . E by q0 and v0. How D and K change is a difference of fourth order, for each coordinate.
"""

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..dynamics.physics import fill_linear, fill_residual
from ..forces.stiffness import add_stiffness
from .momenta import STENCIL, at_rest, inverse_at_rest, weigh
from .stages import Scratch, open_scratch

STEP = 1e-3  # [rad or m, and per second] of the differences


@kernel
def stiffness_here(t, q, qdot, scratch, D, K):
    """D and K of stiff forces."""
    system, linear = scratch.system, scratch.matrices.linear
    D[:, :] = 0.0
    K[:, :] = 0.0
    move_all(system.tree, q, qdot)
    add_stiffness(t, q, qdot, system.tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, True, D, K)


@kernel(entry=True)
def slopes_of_step(handle, t, q, qdot, stiff_D, stiff_K, M, D, K):
    """D and K of stiff forces, and M, D and K of the residual at rest of accelerations, for Python."""
    scratch = open_scratch(handle, q)
    stiffness_here(t, q, qdot, scratch, stiff_D, stiff_K)
    fill_linear(t, q, qdot, scratch.system.no_torques, scratch.system, scratch.matrices.linear, M, D, K)


@kernel
def stiff_forces(t, q, qdot, change, v, h, scratch, force):
    """force = D (v1 - v0) + h K v1, with change = v1 - v0 and v = v1."""
    D, K = scratch.matrices.D, scratch.matrices.K
    stiffness_here(t, q, qdot, scratch, D, K)
    for i in range(q.shape[0]):
        total = 0.0
        for j in range(q.shape[0]):
            total += D[i, j] * change[j] + h * K[i, j] * v[j]
        force[i] = total


@kernel(entry=True)
def changes_of_stiffness(handle, t, q, qdot, change, v, h, step, nodes, slopes):
    """Derivatives of D (v1 - v0) + h K v1 by q (first) and qdot, for Python. slopes: (2, ndof, ndof)"""
    scratch = open_scratch(handle, q)
    force = scratch.matrices.defect
    for which in range(2):
        moved = qdot if which else q
        for k in range(q.shape[0]):
            start = moved[k]
            for node in range(nodes.shape[0]):
                moved[k] = start + nodes[node, 0] * step
                stiff_forces(t, q, qdot, change, v, h, scratch, force)
                for i in range(q.shape[0]):
                    slopes[which, i, k] += nodes[node, 1] / step * force[i]
            moved[k] = start


@kernel(entry=True)
def weigh_linear_steps(handle, t, h, q0, v0, v1, lam, products):
    """lam . E of some steps, without torques, into products. (steps, quantities)"""
    scratch = open_scratch(handle, v1)
    system, matrices = scratch.system, scratch.matrices
    r, other, change, n = matrices.defect, scratch.vectors[2], scratch.vectors[3], v1.shape[1]
    for s in range(t.shape[0]):
        products[s, :] = 0.0
        for k in range(n):
            change[k] = v1[s, k] - v0[s, k]
        inverse_at_rest(t[s], q0[s], change, scratch, r)
        inverse_at_rest(t[s], q0[s], system.no_torques, scratch, other)
        weigh(lam[s], r, other, 1.0, products[s])
        fill_residual(t[s], q0[s], v0[s], system.no_torques, system.no_torques, system.no_wrenches, system, r)
        stiff_forces(t[s], q0[s], v0[s], change, v1[s], h[s], scratch, other)
        weigh(lam[s], r, other, h[s], products[s])


def reverse_step(scratch: Scratch, t: float, h: float, start: tuple, v1: np.ndarray, bars: tuple) -> tuple:
    """(lambda, bars of q0, bars of v0), from bars of q1 and v1: (quantities, ndof) each. t: the end of the step."""
    (q0, v0), (q_bar, v_bar), n = start, bars, len(v1)
    D_f, K_f, M, D, K = np.empty((5, n, n))
    slopes_of_step(scratch.handle, t, q0, v0, D_f, K_f, M, D, K)
    lam = -np.linalg.solve((M - h * (D_f + h * K_f)).T, (v_bar + h * q_bar).T).T
    N = at_rest(scratch, t, q0, v1 - v0)[1] - at_rest(scratch, t, q0, np.zeros(n))[1]
    by_q, by_v = N + h * K, h * D - M + h * D_f
    if scratch.system.forces.elements.shape[0] or scratch.system.forces.laws.shape[0]:
        slopes = np.zeros((2, n, n))
        given = q0.copy(), v0.copy(), v1 - v0, v1, h, STEP, STENCIL
        changes_of_stiffness(scratch.handle, t, *given, slopes)
        by_q, by_v = by_q - h * slopes[0], by_v - h * slopes[1]
    return lam, q_bar + lam @ by_q, lam @ by_v
