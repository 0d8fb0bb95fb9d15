"""What the Newton solvers of implicit stages share: the stage's place, and how residuals are measured."""

import numpy as np

from .._jit import kernel
from ..spatial.algebra import dot, load3

TOLERANCE, STALLED, NOISE = 1e-12, 1e-8, 1e-3  # see newton.py
ROUNDING = 8 * 2.220446049250313e-16


@kernel
def follow(alpha, qdot, q_hat, v_hat, q, qddot):
    """q and qddot that belong to qdot in this stage."""
    for k in range(q.shape[0]):
        q[k] = q_hat[k] + qdot[k] / alpha
        qddot[k] = alpha * (qdot[k] - v_hat[k])


@kernel
def size_of(r, M):
    """|r| in the metric of M's diagonal."""
    total = 0.0
    for k in range(r.shape[0]):
        total += r[k] * r[k] / M[k, k]
    return np.sqrt(total)


@kernel
def own_force(k, here, dofs):
    """What the tree's own forces do along degree of freedom k of a link."""
    return dot(load3(dofs[k].s_w), load3(here.n)) + dot(load3(dofs[k].s_v), load3(here.f))


@kernel
def squares(own, r, moving, M):
    """Sum of the squares of forces in balance, their own, the applied ones, and momentum over the step."""
    applied = own - r
    return (own * own + applied * applied + moving * moving) / M


@kernel
def balance(alpha, qdot, r, system, M):
    """Size of what is in balance.

    Needs: the wrenches of the tree's own forces, as `fill_linear` has left them.
    """
    if system.reduction.active != 0:
        return np.sqrt(reduced_balance(alpha, qdot, r, system.tree, system.reduction, M))
    links, work, dofs = system.tree.links, system.tree.work, system.tree.dofs
    total = 0.0
    for i in range(1, links.shape[0]):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            own = own_force(k, work[i], dofs)
            total += squares(own, r[k], alpha * M[k, k] * qdot[k], M[k, k])
    return np.sqrt(total)


@kernel(inline=False)
def reduced_balance(alpha, qdot, r, tree, reduction, M):
    """Its square in reduced coordinates."""
    links, work, dofs, own = tree.links, tree.work, tree.dofs, reduction.f
    for i in range(1, links.shape[0]):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            own[k] = own_force(k, work[i], dofs)
    total = 0.0
    for m in range(r.shape[0]):
        folded = 0.0
        for k in range(own.shape[0]):
            folded += reduction.J[k, m] * own[k]
        total += squares(folded, r[m], alpha * M[m, m] * qdot[m], M[m, m])
    return total


@kernel
def noise(alpha, q, qdot, M, K):
    """What rounding of alpha M qdot and of K q leaves in a residual; angles and lengths count as 1 at least."""
    total = 0.0
    for k in range(q.shape[0]):
        sum_k = alpha * M[k, k] * abs(qdot[k])
        for j in range(q.shape[0]):
            sum_k += abs(K[k, j]) * max(abs(q[j]), 1.0)
        total += sum_k * sum_k / M[k, k]
    return ROUNDING * np.sqrt(total)
