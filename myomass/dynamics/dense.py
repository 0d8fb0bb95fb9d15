"""Accelerations by the dense form, J^T M_m J qddot = f, of a whole model. Compiled when "redmax" is first asked for."""

from numba.core import types

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.kinematics import move_all
from ..algorithms.redmax import reduce_system
from ..forces.apply import sum_forces
from ..model import Model
from ..reduction.fold import apply_matrix, fold, fold_matrix, spread_rates
from ..reduction.unfold import FIRST, unfold
from .constrained import bind_dense
from .muscled import accelerate_links, add_muscled_mass, subtract_bias


@kernel(inline=False)
def reduce_all(t, q, qdot, tau, wrenches, system, dense, f_r):
    """M_r, its lower triangle, and f_r of tree, forces and muscles, over the joints.

    Leaves: poses and twists of the links.
    """
    tree, muscles = system.tree, system.muscles
    move_all(tree, q, qdot)
    sum_forces(t, q, qdot, tau, tree, system.forces, dense.f)
    if muscles.active:
        subtract_bias(t, q, qdot, tree, muscles, dense.f)
    reduce_system(tree, q, qdot, dense.f, wrenches, dense, f_r)
    if muscles.massive:
        add_muscled_mass(tree, muscles, dense.M)


@kernel(on_demand=types.none)
def accelerate_reduced_dense(t, q, qdot, tau, wrenches, system, dense, qddot):
    """Fill qddot of a reduced model under everything that acts, equality rows included.

    Leaves: Cholesky's factor of M_R in the reduction's scratch.
    """
    reduction = system.reduction
    L, r = reduction.L, reduction.r
    for k in range(q.shape[0]):
        reduction.given[k] = q[k] * 0.0
    unfold(q, qdot, reduction.given, FIRST, reduction)
    reduce_all(t, reduction.q, reduction.qdot, reduction.zeros, wrenches, system, dense, r)
    for i in range(r.shape[0]):
        for j in range(i):
            dense.M[j, i] = dense.M[i, j]
    apply_matrix(dense.M, reduction.qddot, reduction.f)
    for i in range(r.shape[0]):
        r[i] -= reduction.f[i]
    fold_matrix(dense.M, reduction, L)
    cholesky.factorise(L)
    fold(reduction, r, qddot)
    for k in range(q.shape[0]):
        qddot[k] += tau[k]
    cholesky.solve(L, qddot)
    if system.constraints.count > 0:
        spread_rates(reduction, qddot, r)
        for i in range(r.shape[0]):
            reduction.qddot[i] += r[i]
        accelerate_links(system.tree, system.tree.gravity, reduction.qddot)
        bind_dense(t, q, qdot, system, L, qddot)


@kernel(on_demand=types.none)
def accelerate_dense(t, q, qdot, tau, wrenches, system, dense, qddot):
    """Fill qddot under everything that acts, equality rows included.

    Leaves: Cholesky's factor of M_r in the dense scratch.
    """
    if system.reduction.active != 0:
        accelerate_reduced_dense(t, q, qdot, tau, wrenches, system, dense, qddot)
        return
    reduce_all(t, q, qdot, tau, wrenches, system, dense, qddot)
    cholesky.factorise(dense.M)
    cholesky.solve(dense.M, qddot)
    if system.constraints.count > 0:
        accelerate_links(system.tree, system.tree.gravity, qddot)
        bind_dense(t, q, qdot, system, dense.M, qddot)


def demand_dense(model: Model, scalar: type) -> None:
    """Have the dense form at hand for a model, in a number type."""
    accelerate_dense.demand(scalar)
    if model.reduction is not None:
        accelerate_reduced_dense.demand(scalar)
