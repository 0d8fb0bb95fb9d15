"""Symplectic Euler in (q, p), p = M(q) qdot: energy stays near its start for ever, in steps of first order.

    p1 = p + h (dT/dq(q, v) + f(t, q, v)),   p1 = M(q) v,   q1 = q + h v,   qdot1 = M(q1)^-1 p1

The first two are solved for v by Newton's method, for T depends on q wherever the mass matrix does; its matrix is
M - h (N^T + df/dv) with N = d(M v)/dq, which is K of the tree at rest under the acceleration v (that of muscles is left
out of N: their tension counts as weight, and Newton's method needs a step more). Semi-implicit Euler in (q, qdot),
which solves for nothing, is cheaper and drifts. States of muscles take an implicit step each, their paths going on at
the old speed.
"""

import numpy as np

from .._jit import kernel
from ..algorithms import cholesky, lu
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.momenta import momenta
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..dynamics.muscle_momenta import add_momenta, prepare_momenta, solve_muscled
from ..dynamics.muscled import add_residual, add_tensions, place_muscled
from ..dynamics.reduced import fold_inertia, place_reduced
from ..forces.apply import sum_forces
from ..forces.stiffness import add_stiffness
from ..reduction.fold import fold, fold_matrix
from ..reduction.unfold import FIRST, SECOND, unfold
from .base import (
    FAILED,
    ITERATIONS,
    MATRICES,
    OK,
    RESIDUAL,
    FixedStep,
    begin_step,
    close_stage,
    open_stage,
    update_torques,
)

MOST_ITERATIONS = 30
CONVERGED, STALLED = 1e-14, 1e-9  # change of v, relative to v


@kernel
def weigh_joints(t, q, qdot, still, system, pulls, weight):
    """What gravity does at rest, and tensions at the speed that the run has, over the joints."""
    tree, muscles = system.tree, system.muscles
    rnea_outward(tree, tree.gravity, q, still, still)
    pass_wrench(tree.links, tree.work, tree.dofs, weight)
    if muscles.active:
        add_residual(t, q, still, still, tree, muscles, False, weight)
        for k in range(q.shape[0]):
            pulls[k] = 0.0
        add_tensions(t, q, qdot, tree, muscles, pulls)
        for k in range(q.shape[0]):
            weight[k] -= pulls[k]


@kernel(inline=False)
def weigh(t, q, still, run, weight):
    """What gravity does at rest, and tensions at the speed that the run has."""
    system, reduction = run.system, run.system.reduction
    if reduction.active != 0:
        unfold(q, run.qdot, run.qdot, FIRST, reduction)
        weigh_joints(t, reduction.q, reduction.qdot, reduction.zeros, system, reduction.f, reduction.r)
        fold(reduction, reduction.r, weight)
    else:
        weigh_joints(t, q, run.qdot, still, system, run.scratch[6], weight)


@kernel
def fill_joint_inertia(q, v, still, gravity, system, linear, M, D, K):
    """M, and N = K of the tree at rest under the acceleration v, over the joints."""
    rnea_outward(system.tree, gravity, q, still, v)
    rnea_partials(system.tree, q, still, v, linear.partials, M, D, K)
    if system.muscles.massive:
        prepare_momenta(system.tree, system.muscles, M)


@kernel(inline=False)
def fill_inertia(q, v, still, run):
    """M, and N = K of the tree at rest under the acceleration v.

    Needs: the muscles' inertia, as `weigh` has left it; of a reduction, `momenta_of`.
    """
    system, matrices = run.system, run.matrices
    M, D, K = matrices.M, matrices.D, matrices.K
    if system.reduction.active != 0:
        reduction = system.reduction
        at, v_at = reduction.q, reduction.qdot
        fill_joint_inertia(
            at, v_at, reduction.zeros, still, system, matrices.linear, reduction.M, reduction.D, reduction.K
        )
        fold_inertia(reduction, M, D, K)
    else:
        fill_joint_inertia(q, v, still, still, system, matrices.linear, M, D, K)


@kernel(inline=False)
def form_matrix(t, h, q, v, run):
    """M - h (N^T + df/dv) into H.

    Needs: `fill_inertia`; poses of the links, and their twists at v.
    """
    system, matrices = run.system, run.matrices
    tree, linear = system.tree, matrices.linear
    M, D, K, H = matrices.M, matrices.D, matrices.K, matrices.H
    if system.reduction.active != 0:
        reduction, slopes = system.reduction, linear.partials.slopes
        reduction.D[:, :] = 0.0
        at = reduction.q, reduction.qdot
        add_stiffness(
            t, at[0], at[1], tree, system.forces, slopes, linear.stiffness, 1.0, True, reduction.D, reduction.K
        )
        fold_matrix(reduction.D, reduction, D)
    else:
        D[:, :] = 0.0
        add_stiffness(t, q, v, tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, True, D, H)
    for i in range(q.shape[0]):
        for j in range(q.shape[0]):
            H[i, j] = M[i, j] - h * (K[j, i] + D[i, j])


@kernel
def joint_momenta(t, q, v, run, p, slope):
    """p = M(q) v and slope = dT/dq of tree and muscles, over the joints."""
    momenta(run.system.tree, q, v, p, slope)
    if run.system.muscles.massive:
        add_momenta(t, q, v, run.system.muscles, run.matrices.linear, p, slope)


@kernel(inline=False)
def momenta_of(t, q, v, run, p, slope):
    """p = M(q) v and slope = dT/dq of tree and muscles."""
    reduction = run.system.reduction
    if reduction.active == 0:
        joint_momenta(t, q, v, run, p, slope)
        return
    unfold(q, v, v, SECOND, reduction)
    joint_momenta(t, reduction.q, reduction.qdot, run, reduction.p, reduction.r)
    fold(reduction, reduction.p, p)
    fold(reduction, reduction.r, slope)
    for i in range(reduction.p.shape[0]):
        for s in range(reduction.starts[i], reduction.starts[i + 1]):
            k = reduction.columns[s]
            slope[k] += reduction.Jdot[i, k] * reduction.p[i]


@kernel(inline=False)
def forces_of(t, q, v, run, f):
    """Forces and torques at (t, q, v).

    Needs: of a reduction, `momenta_of` at the same place.
    """
    system, reduction = run.system, run.system.reduction
    if reduction.active == 0:
        sum_forces(t, q, v, run.tau, system.tree, system.forces, f)
        return
    sum_forces(t, reduction.q, reduction.qdot, reduction.zeros, system.tree, system.forces, reduction.r)
    fold(reduction, reduction.r, f)
    for k in range(f.shape[0]):
        f[k] += run.tau[k]


@kernel
def step(t, h, run):
    """One Newton matrix a step; iterate for v until it no longer changes, then carry the momentum to the new place."""
    q, qdot, system, scratch = run.q, run.qdot, run.system, run.scratch
    p, slope, f, v, p_v = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    weight, change, still = scratch[5], scratch[7], run.matrices.change
    n = q.shape[0]
    for k in range(still.shape[0]):
        still[k] = 0.0
    for k in range(n):
        v[k] = qdot[k]
    begin_step(t, run)
    update_torques(t, q, qdot, run)
    open_stage(t + h, 1.0 / h, h, run.z, run)
    weigh(t, q, still, run, weight)
    if system.reduction.active != 0:
        momenta_of(t, q, v, run, p, slope)
    fill_inertia(q, v, still, run)
    momenta_of(t, q, v, run, p, slope)
    form_matrix(t, h, q, v, run)
    for k in range(n):
        p_v[k] = p[k]
    run.memory[MATRICES] += 1.0
    if not lu.factorise(run.matrices.H, 0, run.matrices.order):
        return FAILED
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        run.memory[ITERATIONS] += 1.0
        forces_of(t, q, v, run, f)
        for k in range(n):
            f[k] = p[k] + h * (slope[k] + f[k] - weight[k]) - p_v[k]
        lu.solve(run.matrices.H, run.matrices.order, f, change)
        moved = size = 0.0
        for k in range(n):
            v[k] += change[k]
            moved, size = max(moved, abs(change[k])), max(size, abs(v[k]))
        run.memory[RESIDUAL] = moved / max(size, 1e-300)
        momenta_of(t, q, v, run, p_v, slope)
        if moved <= CONVERGED * size or (moved >= 0.5 * before and moved <= STALLED * size):
            break
        before = moved
    else:
        return FAILED
    for k in range(n):
        q[k] += h * v[k]
    close_stage(run)
    solve_momenta(t, q, still, run, p_v, qdot)
    return OK


@kernel(inline=False)
def solve_momenta(t, q, still, run, p, qdot):
    """qdot = M(q)^-1 p."""
    system = run.system
    if system.reduction.active != 0:
        place_reduced(t, q, still, system)
        for k in range(q.shape[0]):
            qdot[k] = p[k]
        cholesky.solve(system.reduction.L, qdot)
    elif system.muscles.massive:
        place_muscled(t, q, still, system.tree, system.muscles, system.none_prescribed)
        for k in range(q.shape[0]):
            qdot[k] = p[k]
        solve_muscled(system.muscles, qdot)
    else:
        hybrid_outward(system.tree, q, still)
        hybrid_inward(system.tree, still, p, qdot, system.none_prescribed)


SYMPLECTIC = FixedStep(
    "symplectic",
    order=1,
    step=step,
    implicit=True,
    holds="",
    states=True,
    no_solution="the symplectic step from {t:.6g} s does not converge; try a smaller step",
)
