"""Exact partials of inverse dynamics, tau(q, qdot, qddot): M, D = d tau/d qdot and K = d tau/d q, O(n depth).

Let the frame of dof j's link, and all beyond it, be carried along by s_j. Seen in that carried frame a change of q_j
leaves inertias alone, and changes every twist and acceleration beyond j by

    dV = u_j,                  u_j = ad(V) s_j + Sdot_j
    dA = c_j + ad(u_j) V,      c_j = ad(A_p) s_j + ad(V_p) u_j + ad(V) (u_j - ad(V_p) s_j) + d(S qddot + Sdot qdot)/dq_j

(V the twist of j's own link, V_p and A_p of its parent), and a change of qdot_j by dV = s_j, dA = 2 u_j + ad(s_j) V.
(u_j holds the slope of S already: S belongs to coordinates, so d(S qdot)/dq_j = Sdot_j + ad(S qdot) S_j.) A body's
wrench I A - ad(V)^T I V then changes by I dA + B dV, where

    B u = (X u_w; 2 u_w x p),     X = -2 [w](tr(A)/2 - A) - 2 [c][v]      (p momentum, c first moment, A inertia)

reads only the angular part of u, so that what a subtree adds up to is its composite inertia, one 3x3 matrix X and one
vector p. Row k and column k of M, D and K come from three wrenches carried from k to the root.
"""

from functools import cache

import numpy as np
from numba.core import types

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..joints.base import MOST_DOFS, Joint
from ..joints.dispatch import KINDS, SPHERICAL_EXP, link_motion
from ..joints.records import dof_dtype, records
from ..model import Model
from ..model.workspace import open_tree
from ..spatial.algebra import (
    add,
    add33,
    add_scaled,
    cross,
    dot,
    load3,
    load6,
    load33,
    mul,
    mul_T,
    scale,
    store3,
    store6,
    store33,
    sub,
)
from ..spatial.se3 import ad_twist
from ..spatial.so3 import angle_coefficients, angle_curvatures, angle_slopes, dexp_bias_slope, dexp_slope
from .inertias import all_finite, finite_diagonal, rigid_times, shifted_inertia, subtract_wrenches, world_inertia
from .rnea import rnea_outward

STEP = 1e-30  # size of complex steps: no difference is taken, so it can be tiny without loss


@cache
def subtree_dtype(scalar: type) -> np.dtype:
    """Record of all that a link carries: mass, first moment, inertia, X, momentum p. World axes, the link's origin."""
    return np.dtype(
        [
            ("m", scalar),
            ("c", scalar, (3,)),
            ("A", scalar, (6,)),
            ("X", scalar, (3, 3)),
            ("p", scalar, (3,)),
        ],
        align=True,
    )


@cache
def slope_dtype(scalar: type) -> np.dtype:
    """Record of what a change of one degree of freedom does: u and c, and dS[k] = d S_k/d q_j of its own link."""
    return np.dtype(
        [
            ("u_w", scalar, (3,)),
            ("u_v", scalar, (3,)),
            ("c_w", scalar, (3,)),
            ("c_v", scalar, (3,)),
            ("dS", scalar, (MOST_DOFS, 6)),
        ],
        align=True,
    )


class Partials(Bundle):
    """Scratch of `rnea_partials`."""

    constant = fields.plain(bool)  # by link: S does not depend on q
    carried = fields.scratch(subtree_dtype)
    slopes = fields.scratch(slope_dtype)
    dofs = fields.plain(dof_dtype(np.complex128))
    q = fields.plain(np.complex128)
    qdot = fields.plain(np.complex128)


open_partials = opener(Partials)


def partials_scratch(model: Model, scalar: type = np.float64) -> Partials:
    """Scratch that `rnea_partials` needs beside the tree's."""
    n, kinds = model.joint_dofs, model.links["kind"]
    constant = np.array([joint.partials is Joint.partials for joint in KINDS])  # by kind
    if not (constant[kinds] | (kinds == SPHERICAL_EXP)).all():
        joint_slopes.demand()
    return Partials(
        scalar,
        constant=constant[kinds],
        carried=records(len(model.links), subtree_dtype(scalar)),
        slopes=records(n, slope_dtype(scalar)),
        dofs=records(n, dof_dtype(np.complex128)),
        q=np.zeros(n, np.complex128),
        qdot=np.zeros(n, np.complex128),
    )


@kernel(on_demand=types.none)
def joint_slopes(link, R, params, q, qdot, qddot, scratch):
    """Slopes of a joint turned by R: d(S qddot + Sdot qdot)/dq_j into c, and d S_k/dq_j into dS, by complex steps."""
    slopes, dofs, q_c, qdot_c = scratch.slopes, scratch.dofs, scratch.q, scratch.qdot
    for k in range(link.dof, link.dof + link.ndof):
        q_c[k], qdot_c[k] = q[k], qdot[k]
    o = R[0][0] * 0.0
    for j in range(link.dof, link.dof + link.ndof):
        slope = slopes[j]
        q_c[j] += 1j * STEP
        link_motion(link, params, q_c, qdot_c, dofs)
        q_c[j] = q_c[j].real
        total_w, total_v = (o, o, o), (o, o, o)
        for i in range(link.ndof):
            k = link.dof + i
            column = dofs[k]
            s_w, s_v = imaginary(column.s_w), imaginary(column.s_v)
            store3(slope.dS[i, :3], mul(R, s_w))
            store3(slope.dS[i, 3:], mul(R, s_v))
            total_w = add_scaled(add_scaled(total_w, qddot[k], s_w), qdot[k], imaginary(column.sdot_w))
            total_v = add_scaled(add_scaled(total_v, qddot[k], s_v), qdot[k], imaginary(column.sdot_v))
        store3(slope.c_w, mul(R, total_w))
        store3(slope.c_v, mul(R, total_v))


@kernel(inline=False)
def ball_slopes(link, R, q, qdot, qddot, slopes):
    """Slopes of a joint on a rotation vector into c and dS, written out: the most frequent joint whose S changes."""
    o, dof, sign = R[0][0] * 0.0, link.dof, 1.0 - 2.0 * link.inverted
    one, none = o + 1.0, (o, o, o)
    axes = ((one, o, o), (o, one, o), (o, o, one))
    u, rate = scale(sign, load3(q[dof : dof + 3])), load3(qdot[dof : dof + 3])
    gain, x = load3(qddot[dof : dof + 3]), dot(u, u)
    a, b, c = angle_coefficients(x)
    db, dc = angle_slopes(x, a, b, c)
    ddb, ddc = angle_curvatures(x, b, c, db, dc)
    for j in range(3):
        slope = slopes[dof + j]
        for k in range(3):
            store3(slope.dS[k, :3], mul(R, dexp_slope(u, axes[k], axes[j], (b, c, db, dc))))
        own = dexp_slope(u, gain, axes[j], (b, c, db, dc))
        bias = dexp_bias_slope(u, rate, axes[j], (c, db, dc, ddb, ddc))
        store3(slope.c_w, mul(R, add_scaled(own, sign, bias)))
        store3(slope.c_v, none)


@kernel
def place_joint_slopes(link, R, params, q, qdot, qddot, scratch):
    """Slopes of a joint whose S changes, into c and dS of its degrees of freedom."""
    if link.kind == SPHERICAL_EXP:
        ball_slopes(link, R, q, qdot, qddot, scratch.slopes)
    else:
        joint_slopes(link, R, params, q, qdot, qddot, scratch)


@kernel
def imaginary(a):
    """Imaginary part of a vector over the complex step: the derivative."""
    return (a[0].imag / STEP, a[1].imag / STEP, a[2].imag / STEP)


@kernel
def sum2(a, b):
    """Sum of two twists."""
    return add(a[0], b[0]), add(a[1], b[1])


@kernel
def link_slopes(i, links, params, work, dofs, q, qdot, qddot, scratch):
    """Fill u and c of the degrees of freedom of link i.

    Needs: poses, twists and accelerations of the link and its parent.
    """
    slopes = scratch.slopes
    link, here, parent = links[i], work[i], work[links[i].parent]
    r, w_p, a_p = load3(here.r), load3(parent.w), load3(parent.a_w)
    v_p, acc_p = add(load3(parent.v), cross(w_p, r)), add(load3(parent.a_v), cross(a_p, r))
    w, v = load3(here.w), load3(here.v)
    if not scratch.constant[i]:
        place_joint_slopes(link, load33(here.R), params, q, qdot, qddot, scratch)
    for j in range(link.dof, link.dof + link.ndof):
        slope, s_w, s_v = slopes[j], load3(dofs[j].s_w), load3(dofs[j].s_v)
        u = ad_twist(w, v, s_w, s_v)
        c = ad_twist(a_p, acc_p, s_w, s_v)
        if not scratch.constant[i]:
            u = sum2(u, (load3(dofs[j].sdot_w), load3(dofs[j].sdot_v)))
            swept = ad_twist(w_p, v_p, s_w, s_v)
            own = ad_twist(w, v, sub(u[0], swept[0]), sub(u[1], swept[1]))
            c = sum2(c, sum2(own, (load3(slope.c_w), load3(slope.c_v))))
        c = sum2(c, ad_twist(w_p, v_p, u[0], u[1]))
        store3(slope.u_w, u[0])
        store3(slope.u_v, u[1])
        store3(slope.c_w, c[0])
        store3(slope.c_v, c[1])


@kernel
def place_subtree(link, here, carried):
    """Start a link's sums with its own inertia, X and momentum.

    Needs: pose and twist of the link.
    """
    m, c, A = world_inertia(link, here)
    w, v = load3(here.w), load3(here.v)
    half = 0.5 * (A[0] + A[3] + A[5])
    S = (half - A[0], -A[1], -A[2], half - A[3], -A[4], half - A[5])
    cv, rows = dot(c, v), ((S[0], S[1], S[2]), (S[1], S[3], S[4]), (S[2], S[4], S[5]))
    x = (cross(w, rows[0]), cross(w, rows[1]), cross(w, rows[2]))  # columns of [w] S
    X = (
        (-2.0 * (x[0][0] + v[0] * c[0] - cv), -2.0 * (x[1][0] + v[0] * c[1]), -2.0 * (x[2][0] + v[0] * c[2])),
        (-2.0 * (x[0][1] + v[1] * c[0]), -2.0 * (x[1][1] + v[1] * c[1] - cv), -2.0 * (x[2][1] + v[1] * c[2])),
        (-2.0 * (x[0][2] + v[2] * c[0]), -2.0 * (x[1][2] + v[2] * c[1]), -2.0 * (x[2][2] + v[2] * c[2] - cv)),
    )
    carried.m = m
    store3(carried.c, c)
    store6(carried.A, A)
    store33(carried.X, X)
    store3(carried.p, rigid_times(m, c, A, w, v)[1])


@kernel
def carry_subtree(r, child, parent):
    """Add a link's sums to its parent's, whose origin is at -r: X there is X - 2 [r][p]."""
    m, p = child.m, load3(child.p)
    c, A = shifted_inertia(m, load3(child.c), load6(child.A), r)
    rp = dot(r, p)
    shift = (
        (2.0 * (rp - p[0] * r[0]), -2.0 * p[0] * r[1], -2.0 * p[0] * r[2]),
        (-2.0 * p[1] * r[0], 2.0 * (rp - p[1] * r[1]), -2.0 * p[1] * r[2]),
        (-2.0 * p[2] * r[0], -2.0 * p[2] * r[1], 2.0 * (rp - p[2] * r[2])),
    )
    parent.m += m
    store3(parent.c, add(load3(parent.c), c))
    for i in range(6):
        parent.A[i] += A[i]
    store33(parent.X, add33(load33(parent.X), add33(load33(child.X), shift)))
    store3(parent.p, add(load3(parent.p), p))


@kernel
def pair(a, w, v):
    """a . (w, v), the power of a wrench a = (n, f) along a twist."""
    return dot(a[0], w) + dot(a[1], v)


@kernel
def shift_wrench(a, r):
    """A wrench (n, f) taken about a point at -r: (n + r x f, f)."""
    return add(a[0], cross(r, a[1])), a[1]


@kernel
def fill_dof(i, k, links, work, dofs, carried, slopes, M, D, K):
    """Fill row and column k, of link i, in M, D and K.

    Needs: the sums of the subtrees, u and c of all degrees of freedom.
    """
    own, slope = carried[i], slopes[k]
    c, A, X, p = load3(own.c), load6(own.A), load33(own.X), load3(own.p)
    n, f = load3(work[i].n), load3(work[i].f)
    s_w, s_v, u_w = load3(dofs[k].s_w), load3(dofs[k].s_v), load3(slope.u_w)
    g = rigid_times(own.m, c, A, s_w, s_v)
    y = add(mul_T(X, s_w), scale(2.0, cross(p, s_v)))
    z = rigid_times(own.m, c, A, load3(slope.c_w), load3(slope.c_v))
    z = sum2(z, (add(mul(X, u_w), add(cross(s_w, n), cross(s_v, f))), add(scale(2.0, cross(u_w, p)), cross(s_w, f))))
    d = rigid_times(own.m, c, A, scale(2.0, u_w), scale(2.0, load3(slope.u_v)))
    d = sum2(d, (mul(X, s_w), scale(2.0, cross(s_w, p))))
    m = k - links[i].dof
    for j in range(links[i].dof, links[i].dof + links[i].ndof):
        other, dS = slopes[j], slopes[j].dS[m]
        M[k, j] = pair(g, load3(dofs[j].s_w), load3(dofs[j].s_v))
        D[k, j] = 2.0 * pair(g, load3(other.u_w), load3(other.u_v)) + dot(y, load3(dofs[j].s_w))
        K[k, j] = pair(g, load3(other.c_w), load3(other.c_v)) + dot(y, load3(other.u_w))
        K[k, j] += pair((n, f), load3(dS[:3]), load3(dS[3:]))
    while links[i].parent > 0:
        r = load3(work[i].r)
        g, z, d = shift_wrench(g, r), shift_wrench(z, r), shift_wrench(d, r)
        i = links[i].parent
        for j in range(links[i].dof, links[i].dof + links[i].ndof):
            other, t_w, t_v = slopes[j], load3(dofs[j].s_w), load3(dofs[j].s_v)
            M[k, j] = pair(g, t_w, t_v)
            M[j, k] = M[k, j]
            D[k, j] = 2.0 * pair(g, load3(other.u_w), load3(other.u_v)) + dot(y, t_w)
            K[k, j] = pair(g, load3(other.c_w), load3(other.c_v)) + dot(y, load3(other.u_w))
            D[j, k] = pair(d, t_w, t_v)
            K[j, k] = pair(z, t_w, t_v)


@kernel(unit=True)
def rnea_partials(tree, q, qdot, qddot, scratch, M, D, K):
    """Fill M, D and K of the tree. (ndof, ndof) each

    Needs: poses, twists, accelerations and own wrenches (`rnea_outward`). Leaves: in (n, f) what each joint carries.
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    carried, slopes = scratch.carried, scratch.slopes
    M[:, :] = 0.0
    D[:, :] = 0.0
    K[:, :] = 0.0
    for i in range(1, links.shape[0]):
        link_slopes(i, links, params, work, dofs, q, qdot, qddot, scratch)
        place_subtree(links[i], work[i], carried[i])
    for i in range(links.shape[0] - 1, 0, -1):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            fill_dof(i, k, links, work, dofs, carried, slopes, M, D, K)
        if links[i].parent > 0:
            here, parent, r = work[i], work[links[i].parent], load3(work[i].r)
            carry_subtree(r, carried[i], carried[links[i].parent])
            n, f = shift_wrench((load3(here.n), load3(here.f)), r)
            store3(parent.n, add(load3(parent.n), n))
            store3(parent.f, add(load3(parent.f), f))


@kernel(entry=True)
def solve_rnea_partials(handle, q, qdot, qddot, wrenches, partials, M, D, K):
    """Partials of the torques of the tree under given wrenches on bodies, for Python: True if they are finite.

    A wrench given in its body's frame turns with the body, as the body's own wrench does: it is part of that.
    """
    tree = open_tree(handle, q)
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    subtract_wrenches(tree.bodies, wrenches, tree.work)
    rnea_partials(tree, q, qdot, qddot, open_partials(partials, q), M, D, K)
    return all_finite(q) and all_finite(qdot) and all_finite(qddot) and finite_diagonal(K)
