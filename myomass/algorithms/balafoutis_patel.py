"""Inverse dynamics after Balafoutis and Patel, with tensors of angular acceleration (report 003, corrected).

All in link axes. A turns them into the parent's, s is the link's origin in the parent, c the first moment of mass:

    w  = A^T w_p + S_w qdot                          Omega = [wdot] + [w][w]
    wdot = A^T wdot_p + (A^T w_p) x S_w qdot + S_w qddot + Sdot_w qdot
    a  = A^T (a_p + Omega_p s) + (w + A^T w_p) x S_v qdot + S_v qddot + Sdot_v qdot           a = -A_0^T g at the root
    f  = m a + Omega c + sum of A f over children,     eta = dual(Omega J - (Omega J)^T) + c x a + sum (A eta + s x A f)
    tau = S_w . eta + S_v . f

J = tr(I)/2 - I is Euler's inertia tensor, here about the link's origin, which saves the detour over the centre of mass
and asks no link for one. The report knows single axes; a joint of several is a chain of them with massless links
between, and what is left of such a chain are the columns S of the whole joint, its own coordinates and Sdot.
"""

from .._jit import kernel
from ..joints.dispatch import REVOLUTE, link_motion
from ..model.workspace import open_tree
from ..spatial.algebra import (
    add,
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
    store33,
    sub,
    turn_z,
)
from ..spatial.se3 import compose
from ..spatial.trig import cos_sin
from .inertias import all_finite


@kernel
def acceleration_tensor(w, wdot):
    """Omega = [wdot] + [w][w], which takes a link's vector to its acceleration."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-yy - zz, xy - wdot[2], xz + wdot[1]),
        (xy + wdot[2], -xx - zz, yz - wdot[0]),
        (xz - wdot[1], yz + wdot[0], -xx - yy),
    )


@kernel
def tensor_moment(Omega, inertia):
    """dual(Omega J - (Omega J)^T), J = tr(I)/2 - I: the moment behind an angular acceleration tensor."""
    half = 0.5 * (inertia[0] + inertia[3] + inertia[5])
    xx, xy, xz, yy, yz, zz = inertia
    x, y, z = (half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz)  # rows of J
    a, b, c = Omega
    return (dot(c, y) - dot(b, z), dot(a, z) - dot(c, x), dot(b, x) - dot(a, y))


@kernel
def joint_rates(link, o, qdot, qddot, dofs):
    """(S_w qdot, S_v qdot, angular and linear part of S qddot + Sdot qdot) of a link's joint; o is a typed zero."""
    w, v, bias_w, bias_v = (o, o, o), (o, o, o), (o, o, o), (o, o, o)
    for k in range(link.dof, link.dof + link.ndof):
        s_w, s_v = load3(dofs[k].s_w), load3(dofs[k].s_v)
        w, v = add_scaled(w, qdot[k], s_w), add_scaled(v, qdot[k], s_v)
        bias_w = add_scaled(add_scaled(bias_w, qddot[k], s_w), qdot[k], load3(dofs[k].sdot_w))
        bias_v = add_scaled(add_scaled(bias_v, qddot[k], s_v), qdot[k], load3(dofs[k].sdot_v))
    return w, v, bias_w, bias_v


@kernel
def spin_hinge(link, here, parent, q, qdot, qddot, column):
    """Frame, angular velocity and acceleration of a link that turns about its z axis, and its origin's acceleration."""
    sign = 1.0 - 2.0 * link.inverted
    c, s = cos_sin(sign * q[link.dof])
    rate, gain = sign * qdot[link.dof], sign * qddot[link.dof]
    A, r = turn_z(load33(link.R0), c, s), load3(link.p0)
    w, wdot = mul_T(A, load3(parent.w)), mul_T(A, load3(parent.a_w))
    a = mul_T(A, add(load3(parent.a_v), mul(load33(parent.B), r)))
    store3(column.s_w, (gain * 0.0, gain * 0.0, sign + gain * 0.0))
    store33(here.R, A)
    store3(here.r, r)
    return (w[0], w[1], w[2] + rate), (wdot[0] + w[1] * rate, wdot[1] - w[0] * rate, wdot[2] + gain), a


@kernel(inline=False)
def spin_any(link, params, q, qdot, qddot, here, parent, dofs):
    """Frame, angular velocity and acceleration of a link of any joint, and its origin's acceleration."""
    R_q, p_q = link_motion(link, params, q, qdot, dofs)
    A, r = compose(load33(link.R0), load3(link.p0), R_q, p_q)
    turn, shift, bias_w, bias_v = joint_rates(link, A[0][0] * 0.0, qdot, qddot, dofs)
    w_p = mul_T(A, load3(parent.w))
    w, wdot = add(w_p, turn), add(mul_T(A, load3(parent.a_w)), add(cross(w_p, turn), bias_w))
    a = mul_T(A, add(load3(parent.a_v), mul(load33(parent.B), r)))
    store33(here.R, A)
    store3(here.r, r)
    return w, wdot, add(a, add(cross(add(w, w_p), shift), bias_v))


@kernel
def spin_link(i, links, params, q, qdot, qddot, work, dofs):
    """Frame, w, wdot, a and Omega of link i from its parent's, and the force and moment of its own inertia.

    Needs: w, wdot, a and Omega of the parent. Leaves: those of the link, and its own f and eta.
    """
    link, here, parent = links[i], work[i], work[links[i].parent]
    if link.kind == REVOLUTE:
        w, wdot, a = spin_hinge(link, here, parent, q, qdot, qddot, dofs[link.dof])
    else:
        w, wdot, a = spin_any(link, params, q, qdot, qddot, here, parent, dofs)
    Omega = acceleration_tensor(w, wdot)
    f, eta = own_force(link, Omega, a)
    store3(here.w, w)
    store3(here.a_w, wdot)
    store3(here.a_v, a)
    store33(here.B, Omega)
    store3(here.f, f)
    store3(here.n, eta)


@kernel
def own_force(link, Omega, a):
    """(f, eta) of a link's own inertia: m a + Omega c and dual(Omega J - (Omega J)^T) + c x a."""
    c = load3(link.moment)
    return add(scale(link.mass, a), mul(Omega, c)), add(tensor_moment(Omega, load6(link.inertia)), cross(c, a))


@kernel
def subtract_local_wrenches(bodies, wrenches, work):
    """Subtract given wrenches on bodies, (moment, force) in body frames, from eta and f of their links.

    Needs: f and eta of the links' own inertia.
    """
    for i in range(wrenches.shape[0]):
        body, here = bodies[i], work[bodies[i].link]
        R = load33(body.R_lb)
        force = mul(R, load3(wrenches[i, 3:]))
        moment = add(mul(R, load3(wrenches[i, :3])), cross(load3(body.p_lb), force))
        store3(here.n, sub(load3(here.n), moment))
        store3(here.f, sub(load3(here.f), force))


@kernel
def inwards(here, f, eta):
    """(A f, A eta + s x A f): force and moment as the parent has them."""
    A = load33(here.R)
    f = mul(A, f)
    return f, add(mul(A, eta), cross(load3(here.r), f))


@kernel
def spin_outwards(tree, gravity, q, qdot, qddot):
    """The recursion from the root to the leaves, under a given gravity.

    Leaves: of every link in its work record, under the names of the other recursions: A as R, s as r, wdot as a_w, a as
    a_v, Omega as B, its own eta as n, its own f.
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    o = gravity[0] * 0.0
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    store33(work[0].B, ((o, o, o), (o, o, o), (o, o, o)))
    for i in range(1, links.shape[0]):
        spin_link(i, links, params, q, qdot, qddot, work, dofs)


@kernel
def balafoutis_patel(tree, gravity, q, qdot, qddot, wrenches, tau):
    """Fill tau by both recursions, outwards and back.

    Leaves: what `spin_outwards` does, but in f and eta what each link's joint carries.
    """
    links, bodies, work, dofs = tree.links, tree.bodies, tree.work, tree.dofs
    spin_outwards(tree, gravity, q, qdot, qddot)
    subtract_local_wrenches(bodies, wrenches, work)
    for i in range(links.shape[0] - 1, 0, -1):
        link, f, eta = links[i], load3(work[i].f), load3(work[i].n)
        for k in range(link.dof, link.dof + link.ndof):
            tau[k] = dot(load3(dofs[k].s_w), eta) + dot(load3(dofs[k].s_v), f)
        if link.parent > 0:
            parent = work[link.parent]
            f, eta = inwards(work[i], f, eta)
            store3(parent.f, add(load3(parent.f), f))
            store3(parent.n, add(load3(parent.n), eta))


@kernel(entry=True)
def solve_balafoutis_patel(handle, gravity, q, qdot, qddot, wrenches, tau):
    """Fill tau by the Balafoutis-Patel recursion, for Python: True if the input and tau are finite."""
    tree = open_tree(handle, q)
    balafoutis_patel(tree, gravity, q, qdot, qddot, wrenches, tau)
    return all_finite(q) and all_finite(qdot) and all_finite(tau)
