"""Reverse differentiation of one solve of the equations of rollout: the kernels that all methods share.

An implicit stage solves r(t, q, qdot, qddot) = tau for qdot, with q = q_hat + qdot/alpha, qddot = alpha (qdot - v_hat).
Where a bar is the derivative of the task, H = alpha M + D + K/alpha and

    lambda = -H^-T (qdot_bar + q_bar/alpha + alpha qddot_bar)

    q_hat_bar = q_bar + K^T lambda,   v_hat_bar = -alpha (qddot_bar + M^T lambda),   tau_bar = -lambda

An explicit evaluation solves the same for qddot:

    lambda = -M^-1 qddot_bar,   q_bar += K^T lambda,   qdot_bar += D^T lambda,   tau_bar = -lambda

and any number p of the model gets p_bar = lambda . dr/dp from either. Bars come in several rows at once, one for each
quantity that is differentiated: they share the matrices.
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms import cholesky, lu
from ..deformables.solve import SoftSolver
from ..dynamics.equations import accelerate, fill_linear, fill_residual
from ..dynamics.system import System, linear_of, system_of
from ..integrators.base import Matrices
from ..integrators.newton import form_matrix
from ..model.workspace import Workspace

LAMBDA, Q, V = 0, 1, 2  # rows of what a stage gives back
A = 2  # the third of the bars that go in: of q, qdot and qddot


class Scratch(Bundle):
    """A model, and room for the matrices of a stage."""

    system = System
    matrices = Matrices
    spare = fields.plain(np.float64, 3)  # three more matrices
    vectors = fields.plain(np.float64, 2)  # six rows of one number per degree of freedom
    weightless = fields.plain(np.float64)  # no gravity, (3,)
    rows = fields.plain(np.float64, 2)  # of constraints: G, and below it two numbers for each of them


open_scratch = opener(Scratch)


def scratch_of(space: Workspace) -> Scratch:
    """Scratch of a stage, for the model of a workspace."""
    n = space.model.ndof
    square = {key: np.zeros((n, n)) for key in "MDKH"}
    rest = {"order": np.zeros((2, n), np.int64), "defect": np.zeros(n), "change": np.zeros(max(n, 1))}
    matrices = Matrices(np.float64, linear=linear_of(space), **square, **rest, soft=SoftSolver.empty(np.float64))
    spare = {"spare": np.zeros((3, n, n)), "vectors": np.zeros((6, n)), "weightless": np.zeros(3)}
    count = len(space.model.constraints)
    spare["rows"] = np.zeros((count + 2, n + count))
    return Scratch(np.float64, system=system_of(space), matrices=matrices, **spare)


@kernel
def times_transposed(A, x, y):
    """y += A^T x."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            y[j] += A[i, j] * x[i]


@kernel(entry=True)
def reverse_implicit(handle, t, alpha, q, qdot, qddot, bars, found):
    """lambda, q_hat_bar and v_hat_bar into found, from bars of q, qdot, qddot; False if H is singular.

    bars, found: (rows, 3, ndof); bars are left as they are.
    """
    scratch = open_scratch(handle, q)
    system, matrices = scratch.system, scratch.matrices
    M, D, K, H, order, rhs = matrices.M, matrices.D, matrices.K, matrices.H, matrices.order, matrices.defect
    fill_linear(t, q, qdot, qddot, system, matrices.linear, M, D, K)
    form_matrix(alpha, M, D, K, H)
    if not lu.factorise(H, 0, order):
        return False
    for row in range(bars.shape[0]):
        given, out = bars[row], found[row]
        for k in range(q.shape[0]):
            rhs[k] = -(given[1, k] + given[0, k] / alpha + alpha * given[A, k])
            out[Q, k], out[V, k] = given[0, k], given[A, k]
        lu.solve_transposed(H, order, rhs, out[LAMBDA])
        times_transposed(K, out[LAMBDA], out[Q])
        times_transposed(M, out[LAMBDA], out[V])
        for k in range(q.shape[0]):
            out[V, k] *= -alpha
    return True


@kernel(entry=True)
def reverse_explicit(handle, t, q, qdot, qddot, bars, found):
    """lambda, K^T lambda and D^T lambda into found, from bars of qddot; False if M is singular.

    bars: (rows, ndof), found: (rows, 3, ndof).
    """
    scratch = open_scratch(handle, q)
    matrices = scratch.matrices
    M, D, K, H = matrices.M, matrices.D, matrices.K, matrices.H
    fill_linear(t, q, qdot, qddot, scratch.system, matrices.linear, M, D, K)
    for i in range(M.shape[0]):
        for j in range(M.shape[0]):
            H[i, j] = M[i, j]
    cholesky.factorise(H)
    for row in range(bars.shape[0]):
        out = found[row]
        for k in range(q.shape[0]):
            if not H[k, k] > 0.0:
                return False
            out[LAMBDA, k] = -bars[row, k]
            out[Q, k] = out[V, k] = 0.0
        cholesky.solve(H, out[LAMBDA])
        times_transposed(K, out[LAMBDA], out[Q])
        times_transposed(D, out[LAMBDA], out[V])
    return True


@kernel
def hold_states(z, system):
    """Give the muscles these states."""
    drive = system.muscles.drive
    drive.stage[0] = 0.0
    for k in range(z.shape[0]):
        drive.z[k] = z[k]
        drive.zdot[k] = 0.0  # from where fibre velocities are searched


@kernel(entry=True)
def accelerate_at(handle, t, q, qdot, tau, qddot):
    """qddot under everything that acts, for Python."""
    accelerate(t, q, qdot, tau, open_scratch(handle, q).system, qddot)


@kernel(entry=True)
def weigh_residuals(handle, t, q, qdot, qddot, lam, products):
    """lam . r(t, q, qdot, qddot) without joint torques, at some stages, into products. (stages, quantities)

    t: (stages,), q, qdot, qddot: (stages, ndof), lam: (stages, quantities, ndof)
    """
    scratch = open_scratch(handle, q)
    system, r = scratch.system, scratch.matrices.defect
    for s in range(t.shape[0]):
        fill_residual(t[s], q[s], qdot[s], qddot[s], system.no_torques, system.no_wrenches, system, r)
        for row in range(lam.shape[1]):
            total = 0.0
            for k in range(r.shape[0]):
                total += lam[s, row, k] * r[k]
            products[s, row] = total


@kernel(entry=True)
def accelerate_with_states(handle, t, q, qdot, tau, z, qddot, zdot):
    """qddot and the rates of the muscles' states under everything that acts, for Python."""
    system = open_scratch(handle, q).system
    hold_states(z, system)
    accelerate(t, q, qdot, tau, system, qddot)
    for k in range(z.shape[0]):
        zdot[k] = system.muscles.drive.zdot[k]


@kernel(entry=True)
def weigh_with_states(handle, t, q, qdot, qddot, z, lam, y, products):
    """lam . r + y . zdot at some stages, into products, as `weigh_residuals`; z: (stages, nz), y: as lam, but nz."""
    scratch = open_scratch(handle, q)
    system, r = scratch.system, scratch.matrices.defect
    for s in range(t.shape[0]):
        hold_states(z[s], system)
        fill_residual(t[s], q[s], qdot[s], qddot[s], system.no_torques, system.no_wrenches, system, r)
        for row in range(lam.shape[1]):
            total = 0.0
            for k in range(r.shape[0]):
                total += lam[s, row, k] * r[k]
            for k in range(z.shape[1]):
                total += y[s, row, k] * system.muscles.drive.zdot[k]
            products[s, row] = total
