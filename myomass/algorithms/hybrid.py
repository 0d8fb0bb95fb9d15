"""Recursive hybrid dynamics: accelerations where torques are given, torques where accelerations are (Alg. 6).

With all torques given it is forward dynamics by the articulated-body algorithm (ABA).

Kim and Pollard 2011, in world axes about each link's own origin. A joint's columns of S are eliminated one at a time,
last to first, each as a joint of one degree of freedom; so no small matrix is factorised, any joint is served by the
same lines, and any single degree of freedom may be prescribed:

    U = M s,  d = 1/(s^T U),  u = tau - s^T B,   M <- M - d U U^T,   B <- B + d u U          (torque given)
    B <- B + M s qddot                                                                       (acceleration given)
"""

from .._jit import kernel
from ..joints.links import move_link
from ..model.workspace import open_tree
from ..spatial.algebra import (
    add,
    add6,
    add33,
    add_scaled,
    cross,
    dot,
    downdate,
    downdate_sym,
    hat_sym,
    load3,
    load6,
    load33,
    store3,
    store6,
    store33,
)
from .inertias import (
    place_composite,
    rigid_times,
    times,
    velocity_wrench,
    world_inertia,
)


@kernel
def place_inertia(link, here):
    """Start M with the link's own inertia and B with -ad(V)^T M V."""
    m, c, A = world_inertia(link, here)
    o = A[0] * 0.0
    n, f = velocity_wrench(m, c, A, load3(here.w), load3(here.v))
    store3(here.n, n)
    store3(here.f, f)
    store6(here.A, A)
    store33(here.B, ((o, -c[2], c[1]), (c[2], o, -c[0]), (-c[1], c[0], o)))
    store6(here.C, (m, o, o, m, o, m))


@kernel
def load_inertia(here):
    """M = (A, B, C), the inertia kept in a link's work record."""
    return load6(here.A), load33(here.B), load6(here.C)


@kernel
def shifted(M, r):
    """M about a point that lies -r from its own: [A + [r]B^T - N[r], N; N^T, C] with N = B + [r]C."""
    A, B, C = M
    N = add33(B, hat_sym(r, C))
    b0, b1, b2 = cross(r, B[0]), cross(r, B[1]), cross(r, B[2])
    n0, n1, n2 = cross(r, N[0]), cross(r, N[1]), cross(r, N[2])
    A = (
        A[0] + b0[0] + n0[0],
        A[1] + b1[0] + n0[1],
        A[2] + b2[0] + n0[2],
        A[3] + b1[1] + n1[1],
        A[4] + b2[1] + n1[2],
        A[5] + b2[2] + n2[2],
    )
    return A, N, C


@kernel
def eliminate(column, tau, M, n, f):
    """(M, n, f) after one column whose torque is given; U, 1/(s^T U) and u stay in its record for `forward`."""
    s_w, s_v = load3(column.s_w), load3(column.s_v)
    U_w, U_v = times(M, s_w, s_v)
    d = 1.0 / (dot(s_w, U_w) + dot(s_v, U_v))
    u = tau - dot(s_w, n) - dot(s_v, f)
    store3(column.U_w, U_w)
    store3(column.U_v, U_v)
    column.Dinv = d
    column.u = u
    M = downdate_sym(M[0], d, U_w), downdate(M[1], d, U_w, U_v), downdate_sym(M[2], d, U_v)
    return M, add_scaled(n, d * u, U_w), add_scaled(f, d * u, U_v)


@kernel
def backward(i, links, work, dofs, tau, qddot, prescribed):
    """Eliminate the columns of link i and add what is left of M and B to its parent (Alg. 6, lines 7-16)."""
    link, here = links[i], work[i]
    M, n, f = load_inertia(here), load3(here.n), load3(here.f)
    for k in range(link.dof + link.ndof - 1, link.dof - 1, -1):
        if prescribed[k]:
            n_k, f_k = times(M, load3(dofs[k].s_w), load3(dofs[k].s_v))
            n, f = add_scaled(n, qddot[k], n_k), add_scaled(f, qddot[k], f_k)
        else:
            M, n, f = eliminate(dofs[k], tau[k], M, n, f)
    if link.parent == 0:
        return
    parent, r = work[link.parent], load3(here.r)
    n_eta, f_eta = times(M, load3(here.eta_w), load3(here.eta_v))
    n, f = add(n, n_eta), add(f, f_eta)
    A, B, C = shifted(M, r)
    store6(parent.A, add6(load6(parent.A), A))
    store33(parent.B, add33(load33(parent.B), B))
    store6(parent.C, add6(load6(parent.C), C))
    store3(parent.n, add(load3(parent.n), add(n, cross(r, f))))
    store3(parent.f, add(load3(parent.f), f))


@kernel
def forward(i, links, work, dofs, tau, qddot, prescribed):
    """Acceleration of link i, and its unknown qddot or tau (Alg. 6, lines 18-28).

    Needs: the link's columns as `backward` left them, and the parent's acceleration.
    """
    link, here, parent = links[i], work[i], work[links[i].parent]
    a_w = load3(parent.a_w)
    a_v = add(add(load3(parent.a_v), cross(a_w, load3(here.r))), load3(here.eta_v))
    a_w = add(a_w, load3(here.eta_w))
    driven = False
    for k in range(link.dof, link.dof + link.ndof):
        column = dofs[k]
        if prescribed[k]:
            driven = True
        else:
            qddot[k] = column.Dinv * (column.u - dot(load3(column.U_w), a_w) - dot(load3(column.U_v), a_v))
        a_w = add_scaled(a_w, qddot[k], load3(column.s_w))
        a_v = add_scaled(a_v, qddot[k], load3(column.s_v))
    store3(here.a_w, a_w)
    store3(here.a_v, a_v)
    if driven:
        n, f = times(load_inertia(here), a_w, a_v)
        n, f = add(n, load3(here.n)), add(f, load3(here.f))
        for k in range(link.dof, link.dof + link.ndof):
            if prescribed[k]:
                tau[k] = dot(n, load3(dofs[k].s_w)) + dot(f, load3(dofs[k].s_v))


@kernel
def hybrid_outward(tree, q, qdot):
    """Pose, twist, inertia and velocity wrench of every link (Alg. 6, lines 1-6).

    Leaves: poses and twists of the links, their own inertia M and wrench B = (n, f).
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        place_inertia(links[i], work[i])


@kernel
def eliminate_all(tree, tau, qddot, prescribed):
    """Eliminate all columns from the leaves inwards.

    Needs: `hybrid_outward`, with applied wrenches taken off (n, f). Leaves: the pivots of M_r in the dofs' records.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    for i in range(links.shape[0] - 1, 0, -1):
        backward(i, links, work, dofs, tau, qddot, prescribed)


@kernel
def hybrid_inward(tree, gravity, tau, qddot, prescribed):
    """Eliminate from the leaves inwards, then solve outwards for the unknown qddot and tau.

    Needs: `hybrid_outward`, with applied wrenches taken off (n, f). Leaves: accelerations of the links, less gravity.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    eliminate_all(tree, tau, qddot, prescribed)
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, links.shape[0]):
        forward(i, links, work, dofs, tau, qddot, prescribed)


@kernel
def square(column):
    """|s|^2, the squared length of a column of S."""
    s_w, s_v = load3(column.s_w), load3(column.s_v)
    return dot(s_w, s_w) + dot(s_v, s_v)


@kernel
def singular_dof(links, work, dofs, prescribed, rounding):
    """First degree of freedom whose pivot s^T M s is rounding against the inertia it carries, -1 if there is none.

    The pivots are those of M_r's LDL^T factorisation, the carried (composite) inertia gives M_r's diagonal. A column
    counts as well where it vanishes and others of its joint do not: a rotation vector at 2 pi.

    Needs: poses of the links, and the pivots (`eliminate_all`). Leaves: composite inertias of the links.
    """
    place_composite(links, work)
    for i in range(1, links.shape[0]):
        here = work[i]
        longest = 0.0
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            longest = max(longest, abs(square(dofs[k])))
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            s_w, s_v = load3(dofs[k].s_w), load3(dofs[k].s_v)
            n, f = rigid_times(here.C[0], load3(here.n), load6(here.A), s_w, s_v)
            carried = dot(s_w, n) + dot(s_v, f)
            regular = abs(carried * dofs[k].Dinv) * rounding < 1.0 and abs(square(dofs[k])) > rounding * longest
            if not (regular or prescribed[k]):
                return k
    return -1


@kernel(entry=True)
def solve_mass(handle, q, still, f, none_prescribed, x):
    """x = M^-1 f of the tree, for Python; `still` is a vector of at least three zeros."""
    tree = open_tree(handle, q)
    hybrid_outward(tree, q, still)
    hybrid_inward(tree, still, f, x, none_prescribed)
