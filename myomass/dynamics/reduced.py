"""The physics in reduced coordinates: that of the joints, unfolded to and folded back (dissertation Eq. 4.83-4.86).

    r_R = J^T r(q, J Qdot, J Qddot + Jdot Qdot),   M_R = J^T M J

    D_R = J^T (D J + 2 M Jdot),   K_R = J^T (K J + D Jdot + M dqddot/dQ) + sum of r_i d^2 q_i/dQ^2

M_R is dense, and factorised as L L^T. Each of these is compiled when a model first has a reduction.
"""

from numba.core import types

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.kinematics import move_all
from ..algorithms.rnea import rnea_outward
from ..constraints.rows import add_row, row_along
from ..constraints.solve import spread_dense
from ..joints.dispatch import reparameterise
from ..reduction.fold import fold, fold_matrix, fold_rows, multiply, spread_rates
from ..reduction.unfold import FIRST, SECOND, fold_bending, unfold
from . import physics
from .muscled import accelerate_links

REAL = (types.float64,)  # the number type in which rows are solved


@kernel(inline=False)
def factorise_without(prescribed, L):
    """L of M_R, which it overwrites, without what is prescribed."""
    for k in range(L.shape[0]):
        if prescribed[k]:
            L[k, :] = 0.0
            L[:, k] = 0.0
            L[k, k] = 1.0
    cholesky.factorise(L)


@kernel(on_demand=types.none)
def accelerate_reduced(t, q, qdot, tau, wrenches, system, prescribed, qddot):
    """Fill qddot where it is not prescribed.

    Leaves: L, the motion of the joints, and poses, twists and accelerations of the links.
    """
    reduction = system.reduction
    given, r, L = reduction.given, reduction.r, reduction.L
    for k in range(q.shape[0]):
        given[k] = qddot[k] if prescribed[k] else q[k] * 0.0
    unfold(q, qdot, given, FIRST, reduction)
    at = reduction.q, reduction.qdot, reduction.qddot
    physics.fill_residual(t, at[0], at[1], at[2], reduction.zeros, wrenches, system, r)
    physics.fill_whole_mass(t, at[0], at[1], at[2], system, reduction.M)
    fold_matrix(reduction.M, reduction, L)
    factorise_without(prescribed, L)
    fold(reduction, r, qddot)
    for k in range(q.shape[0]):
        qddot[k] = q[k] * 0.0 if prescribed[k] else tau[k] - qddot[k]
    cholesky.solve(L, qddot)
    spread_rates(reduction, qddot, r)
    for i in range(r.shape[0]):
        reduction.qddot[i] += r[i]
    for k in range(q.shape[0]):
        qddot[k] += given[k]
    accelerate_links(system.tree, system.tree.gravity, reduction.qddot)


@kernel(on_demand=types.none)
def place_reduced(t, q, qdot, system):
    """The motion of the joints without accelerations of Q, poses and twists of the links, and L."""
    reduction = system.reduction
    for k in range(q.shape[0]):
        reduction.given[k] = q[k] * 0.0
    unfold(q, qdot, reduction.given, FIRST, reduction)
    rnea_outward(system.tree, system.tree.gravity, reduction.q, reduction.qdot, reduction.qddot)
    physics.fill_whole_mass(t, reduction.q, reduction.qdot, reduction.qddot, system, reduction.M)
    fold_matrix(reduction.M, reduction, reduction.L)
    factorise_without(system.none_prescribed, reduction.L)


@kernel(on_demand=types.none)
def move_reduced(q, qdot, qddot, system):
    """The motion of the joints, and poses and twists of the links."""
    reduction = system.reduction
    unfold(q, qdot, qddot, FIRST, reduction)
    move_all(system.tree, reduction.q, reduction.qdot)


@kernel(on_demand=types.int64)
def weak_reduced_pivot(system, prescribed, rounding):
    """First coordinate whose pivot in L is rounding against its inertia, REGULAR if there is none.

    Needs: L.
    """
    return cholesky.weak_pivot(system.reduction.L, False, prescribed, rounding)


@kernel(on_demand=types.none)
def fill_reduced_residual(t, q, qdot, qddot, tau, wrenches, system, r):
    """r_R.

    Leaves: the motion of the joints, poses, twists and accelerations of the links.
    """
    reduction = system.reduction
    unfold(q, qdot, qddot, FIRST, reduction)
    at = reduction.q, reduction.qdot, reduction.qddot
    physics.fill_residual(t, at[0], at[1], at[2], reduction.zeros, wrenches, system, reduction.r)
    fold(reduction, reduction.r, r)
    for k in range(r.shape[0]):
        r[k] -= tau[k]


@kernel(on_demand=types.none)
def fill_reduced_mass(t, system, M):
    """M_R.

    Needs: the motion of the joints; poses, twists and accelerations of the links.
    """
    reduction = system.reduction
    physics.fill_whole_mass(t, reduction.q, reduction.qdot, reduction.qddot, system, reduction.M)
    fold_matrix(reduction.M, reduction, M)


@kernel
def fold_linear(r, reduction, M, D, K):
    """M_R, D_R and K_R from M, D and K of the joints, which the reduction keeps, and r.

    Needs: `unfold` of second order. The joints' M, D and K are used up.
    """
    Jdot, slope, W = reduction.Jdot, reduction.slope, reduction.W
    fold_bending(r, reduction)
    fold_matrix(reduction.K, reduction, K)
    multiply(reduction.D, Jdot, reduction, W)
    fold_rows(reduction, W, D)
    add_to(D, 1.0, K)
    multiply(reduction.M, slope, reduction, W)
    fold_rows(reduction, W, D)
    add_to(D, 1.0, K)
    add_to(reduction.S, 1.0, K)
    fold_matrix(reduction.D, reduction, D)
    multiply(reduction.M, Jdot, reduction, W)
    fold_rows(reduction, W, M)
    add_to(M, 2.0, D)
    fold_matrix(reduction.M, reduction, M)


@kernel
def add_to(A, factor, out):
    """out += factor A."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] += factor * A[i, j]


@kernel(on_demand=types.none)
def fill_reduced_linear(t, q, qdot, qddot, system, linear, M, D, K):
    """M_R, D_R and K_R, the derivatives of r_R.

    Leaves: the motion of the joints; poses, twists, accelerations and wrenches of the links.
    """
    reduction = system.reduction
    unfold(q, qdot, qddot, SECOND, reduction)
    at = reduction.q, reduction.qdot, reduction.qddot
    physics.fill_residual(t, at[0], at[1], at[2], reduction.zeros, system.no_wrenches, system, reduction.r)
    physics.fill_linear(t, at[0], at[1], at[2], system, linear, reduction.M, reduction.D, reduction.K)
    fold_linear(reduction.r, reduction, M, D, K)


@kernel(on_demand=types.none)
def sum_reduced_energies(t, q, qdot, system, energies):
    """energies = (T, V) of bodies, springs and muscles."""
    reduction = system.reduction
    unfold(q, qdot, qdot, FIRST, reduction)
    physics.sum_energies(t, reduction.q, reduction.qdot, system, energies)


@kernel(on_demand=types.int64)
def rechart_reduced(charted, tree, reduction, q, qdot, q_before, qdot_before):
    """Move the charted joints, which have coordinates of their own, to better charts; how many were moved."""
    passed, rows = reduction.passed, q_before.shape[0]
    own = reduction.q, reduction.qdot, reduction.r, reduction.f
    for i in range(passed.shape[0]):
        k = passed[i]
        if k >= 0:
            own[0][i], own[1][i] = q[k], qdot[k]
        if k >= 0 and rows > 0:
            own[2][i], own[3][i] = q_before[k], qdot_before[k]
    count = passed.shape[0] if rows > 0 else 0
    moved = reparameterise(tree.links, charted, tree.params, own[0], own[1], own[2][:count], own[3][:count])
    for i in range(passed.shape[0] if moved > 0 else 0):
        k = passed[i]
        if k >= 0:
            q[k], qdot[k] = own[0][i], own[1][i]
        if k >= 0 and rows > 0:
            q_before[k], qdot_before[k] = own[2][i], own[3][i]
    return moved


@kernel(on_demand=types.none)
def fold_inertia(reduction, M, D, K):
    """M_R, and N_R = J^T (N J + M Jdot) + sum of p_i d^2 q_i/dQ^2, the slope of J^T M J v.

    Needs: the motion of the joints to second order, and their momenta.
    """
    fold_bending(reduction.p, reduction)
    fold_matrix(reduction.K, reduction, K)
    multiply(reduction.M, reduction.Jdot, reduction, reduction.W)
    fold_rows(reduction, reduction.W, D)
    for i in range(K.shape[0]):
        for j in range(K.shape[0]):
            K[i, j] += D[i, j] + reduction.S[i, j]
    fold_matrix(reduction.M, reduction, M)


# --- rows of constraints ----------------------------------------------------------------------------------------------


@kernel(on_demand=types.none, numbers=REAL)
def add_reduced_row(row, tree, reduction, factor, out):
    """out += factor G_R^T of one row, G_R = G J.

    Needs: J; poses and columns of the links, `evaluate_rows`.
    """
    f = reduction.f
    f[:] = 0.0
    add_row(row, tree.links, tree.work, tree.dofs, factor, f)
    starts, columns = reduction.starts, reduction.columns
    for i in range(f.shape[0]):
        for s in range(starts[i], starts[i + 1]):
            out[columns[s]] += reduction.J[i, columns[s]] * f[i]


@kernel(on_demand=types.float64, numbers=REAL)
def reduced_row_along(row, tree, reduction, x):
    """G_R x of one row.

    Needs: as `add_reduced_row`.
    """
    spread_rates(reduction, x, reduction.f)
    return row_along(row, tree.links, tree.work, tree.dofs, reduction.f)


@kernel(on_demand=types.none, numbers=REAL)
def whiten_reduced(row, tree, reduction, prescribed, out):
    """out = L^-1 G_R^T of one row.

    Needs: L, and as `add_reduced_row`.
    """
    L = reduction.L
    out[:] = 0.0
    add_reduced_row(row, tree, reduction, 1.0, out)
    for i in range(out.shape[0]):
        total = 0.0 if prescribed[i] else out[i]
        for k in range(i):
            total -= L[i, k] * out[k]
        out[i] = total / L[i, i]


@kernel(on_demand=types.none, numbers=REAL)
def spread_reduced(reduction, y, x):
    """x = L^-T y; x may be y itself.

    Needs: L.
    """
    spread_dense(reduction.L, y, x)


ON_DEMAND = (
    accelerate_reduced,
    place_reduced,
    move_reduced,
    weak_reduced_pivot,
    fill_reduced_residual,
    fill_reduced_mass,
    fill_reduced_linear,
    sum_reduced_energies,
    rechart_reduced,
    fold_inertia,
)
OF_ROWS = (add_reduced_row, reduced_row_along, whiten_reduced, spread_reduced)


def demand_reduced(scalar: type) -> None:
    """Have the physics in reduced coordinates at hand, in a number type."""
    for part in ON_DEMAND:
        part.demand(scalar)
