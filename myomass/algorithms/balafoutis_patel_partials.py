"""Partials of Balafoutis-Patel torques with respect to q, qdot and qddot, in the report's structure (003, corrected).

One degree of freedom j at a time: the partials of w, wdot and a start at j's own link, run outwards over what it
carries, and the partials of f and eta come back in to the root.

    start, of q_j       A changes by A [s_w], so A^T x by -s_w x A^T x, and s by A s_v
    start, of qdot_j    s_j itself for w;       of qddot_j    s_j for wdot and a
    outwards            dw = A^T dw_p,   dwdot = A^T dwdot_p + dw x S_w qdot,   dOmega = [dwdot] + [dw][w] + [w][dw]
                        da = A^T (da_p + dOmega_p s) + 2 dw x S_v qdot
    inwards             as f and eta; q_j turns A where its link hands them on, to A (df + s_w x f) and
                        A (deta + s_w x eta + s_v x f)

The recursion of rnea_partials.py gives the same in O(n depth) with a few vectors per pair; this one has a few per link
and is the one to read beside the report.
"""

from functools import cache

import numpy as np

from .._jit import kernel
from ..model.workspace import open_tree
from ..spatial.algebra import add, add_scaled, cross, dot, load3, load33, mul, mul_T, scale, store3, sub
from .balafoutis_patel import balafoutis_patel, inwards, joint_rates, own_force
from .inertias import all_finite, finite_diagonal
from .rnea_partials import open_partials, place_joint_slopes


@cache
def partial_dtype(scalar: type) -> np.dtype:
    """Partials of a link's w, wdot, a, f and eta along one variable; `carried`: does that variable move the link?"""
    vectors = [(name, scalar, (3,)) for name in ("w", "wdot", "a", "f", "eta")]
    return np.dtype([("carried", "i8"), *vectors], align=True)


@kernel
def tensor_slope(w, dw, dwdot):
    """dOmega = [dwdot] + [dw][w] + [w][dw]; the two products are w dw^T + dw w^T - 2 (w . dw)."""
    xx, yy, zz = 2.0 * w[0] * dw[0], 2.0 * w[1] * dw[1], 2.0 * w[2] * dw[2]
    xy, xz, yz = w[0] * dw[1] + w[1] * dw[0], w[0] * dw[2] + w[2] * dw[0], w[1] * dw[2] + w[2] * dw[1]
    return (
        (-yy - zz, xy - dwdot[2], xz + dwdot[1]),
        (xy + dwdot[2], -xx - zz, yz - dwdot[0]),
        (xz - dwdot[1], yz + dwdot[0], -xx - yy),
    )


@kernel
def no_slopes(o):
    """Zeros in the form that `own_slopes` returns, for a joint whose S is constant; o is a typed zero."""
    return (o, o, o), (o, o, o), (o, o, o), (o, o, o)


@kernel
def own_slopes(slope, link, qdot):
    """d(S qdot)/dq_j with S alone changing, and d(S qddot + Sdot qdot)/dq_j, of j's own joint."""
    o = slope.c_w[0] * 0.0
    turn, shift = (o, o, o), (o, o, o)
    for i in range(link.ndof):
        dS, rate = slope.dS[i], qdot[link.dof + i]
        turn, shift = add_scaled(turn, rate, load3(dS[:3])), add_scaled(shift, rate, load3(dS[3:]))
    return turn, shift, load3(slope.c_w), load3(slope.c_v)


@kernel(inline=False)
def starts(column, link, here, parent, slopes, qdot, qddot, dofs):
    """(dw, dwdot, da) of a link along q, qdot and qddot of one of its own columns."""
    A, o = load33(here.R), here.w[0] * 0.0
    turn, shift, _, _ = joint_rates(link, o, qdot, qddot, dofs)
    dturn, dshift, bias_w, bias_v = slopes
    s_w, s_v = load3(column.s_w), load3(column.s_v)
    w_p, wdot_p = sub(load3(here.w), turn), mul_T(A, load3(parent.a_w))
    Omega_p = load33(parent.B)
    a_p = mul_T(A, add(load3(parent.a_v), mul(Omega_p, load3(here.r))))
    dw = cross(w_p, s_w)
    dwdot = add(cross(wdot_p, s_w), add(cross(dw, turn), add(cross(w_p, dturn), bias_w)))
    da = add(cross(a_p, s_w), add(mul_T(A, mul(Omega_p, mul(A, s_v))), bias_v))
    da = add(da, add(cross(add_scaled(dturn, 2.0, dw), shift), cross(add_scaled(turn, 2.0, w_p), dshift)))
    rate_wdot = add(dw, add(load3(column.sdot_w), dturn))
    rate_a = add(cross(add_scaled(turn, 2.0, w_p), s_v), cross(s_w, shift))
    rate_a = add(rate_a, add(load3(column.sdot_v), dshift))
    return (add(dw, dturn), dwdot, da), (s_w, rate_wdot, rate_a), ((o, o, o), s_w, s_v)


@kernel
def partials_outwards(first, start, tree, qdot, parts):
    """Partials of w, wdot and a of every link that the link `first` carries, and of its own f and eta."""
    links, work, dofs = tree.links, tree.work, tree.dofs
    for i in range(links.shape[0]):
        parts[i].carried = 0
    for i in range(first, links.shape[0]):
        link, here, part, inner = links[i], work[i], parts[i], parts[links[i].parent]
        dw, dwdot, da = start
        if i != first:
            if not inner.carried:
                continue
            A, parent = load33(here.R), work[link.parent]
            turn, shift, _, _ = joint_rates(link, here.w[0] * 0.0, qdot, qdot, dofs)
            dOmega = tensor_slope(load3(parent.w), load3(inner.w), load3(inner.wdot))
            dw = mul_T(A, load3(inner.w))
            dwdot = add(mul_T(A, load3(inner.wdot)), cross(dw, turn))
            da = mul_T(A, add(load3(inner.a), mul(dOmega, load3(here.r))))
            da = add(da, scale(2.0, cross(dw, shift)))
        f, eta = own_force(link, tensor_slope(load3(here.w), dw, dwdot), da)
        part.carried = 1
        store3(part.w, dw)
        store3(part.wdot, dwdot)
        store3(part.a, da)
        store3(part.f, f)
        store3(part.eta, eta)


@kernel
def fill_rows(link, dofs, f, eta, column):
    """d tau = S_w . d eta + S_v . d f of a link's degrees of freedom."""
    for k in range(link.dof, link.dof + link.ndof):
        column[k] = dot(load3(dofs[k].s_w), eta) + dot(load3(dofs[k].s_v), f)


@kernel(inline=False)
def fill_column(first, start, turn, tree, qdot, parts, column):
    """One column of partials; `turn` is (s_w, s_v) where the link's frame moves with the variable, zero elsewhere."""
    links, work, dofs = tree.links, tree.work, tree.dofs
    partials_outwards(first, start, tree, qdot, parts)
    for i in range(links.shape[0] - 1, first, -1):
        part = parts[i]
        if part.carried:
            inner = parts[links[i].parent]
            fill_rows(links[i], dofs, load3(part.f), load3(part.eta), column)
            f, eta = inwards(work[i], load3(part.f), load3(part.eta))
            store3(inner.f, add(load3(inner.f), f))
            store3(inner.eta, add(load3(inner.eta), eta))
    f, eta = load3(parts[first].f), load3(parts[first].eta)
    fill_rows(links[first], dofs, f, eta, column)
    s_w, s_v = turn
    eta = add(eta, add(cross(s_w, load3(work[first].n)), cross(s_v, load3(work[first].f))))
    f = add(f, cross(s_w, load3(work[first].f)))
    i = first
    while links[i].parent > 0:
        f, eta = inwards(work[i], f, eta)
        i = links[i].parent
        fill_rows(links[i], dofs, f, eta, column)


@kernel(entry=True)
def solve_tensor_partials(handle, q, qdot, qddot, wrenches, partials, parts, tau, M, D, K):
    """Fill tau and the transposes of M, D and K, one row per variable, for Python: True if they are finite."""
    tree = open_tree(handle, q)
    links, params, gravity, work, dofs = tree.links, tree.params, tree.gravity, tree.work, tree.dofs
    scratch = open_partials(partials, q)
    slopes, o = scratch.slopes, gravity[0] * 0.0
    axes = ((o + 1.0, o, o), (o, o + 1.0, o), (o, o, o + 1.0))
    balafoutis_patel(tree, gravity, q, qdot, qddot, wrenches, tau)
    M[:, :] = 0.0
    D[:, :] = 0.0
    K[:, :] = 0.0
    for i in range(1, links.shape[0]):
        link, here, parent = links[i], work[i], work[links[i].parent]
        if not scratch.constant[i]:
            place_joint_slopes(link, axes, params, q, qdot, qddot, scratch)
        for j in range(link.dof, link.dof + link.ndof):
            own = no_slopes(o) if scratch.constant[i] else own_slopes(slopes[j], link, qdot)
            of_q, of_qdot, of_qddot = starts(dofs[j], link, here, parent, own, qdot, qddot, dofs)
            still = of_qddot[0], of_qddot[0]
            fill_column(i, of_q, (load3(dofs[j].s_w), load3(dofs[j].s_v)), tree, qdot, parts, K[j])
            fill_column(i, of_qdot, still, tree, qdot, parts, D[j])
            fill_column(i, of_qddot, still, tree, qdot, parts, M[j])
            for k in range(link.ndof):
                dS = slopes[j].dS[k]
                K[j, link.dof + k] += dot(load3(dS[:3]), load3(here.n)) + dot(load3(dS[3:]), load3(here.f))
    return all_finite(tau) and finite_diagonal(K)
