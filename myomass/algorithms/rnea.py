"""Inverse dynamics by the recursive Newton-Euler algorithm, and the forces of gravity and motion that come from it.

V_l, Vdot_l outwards;   F_l = M Vdot_l - ad(V_l)^T M V_l - F_ext + sum over children of Ad^T F_c;   tau = S^T F_l
"""

from .._jit import kernel
from ..joints.links import move_link
from ..spatial.algebra import add, add_scaled, cross, dot, load3, store3
from .inertias import rigid_times, subtract_wrenches, velocity_wrench, world_inertia


@kernel
def accelerate(link, here, parent, qddot, dofs):
    """Vdot of a link: its parent's, shifted to the link's origin, + eta + S qddot.

    Needs: pose, columns and bias of the link, acceleration of its parent.
    """
    a_w = load3(parent.a_w)
    a_v = add(add(load3(parent.a_v), cross(a_w, load3(here.r))), load3(here.eta_v))
    a_w = add(a_w, load3(here.eta_w))
    for k in range(link.dof, link.dof + link.ndof):
        a_w = add_scaled(a_w, qddot[k], load3(dofs[k].s_w))
        a_v = add_scaled(a_v, qddot[k], load3(dofs[k].s_v))
    store3(here.a_w, a_w)
    store3(here.a_v, a_v)


@kernel
def place_wrench(link, here):
    """F = M Vdot - ad(V)^T M V, the wrench of the link's own inertia, into (n, f).

    Needs: pose, twist and acceleration of the link.
    """
    m, c, A = world_inertia(link, here)
    n, f = rigid_times(m, c, A, load3(here.a_w), load3(here.a_v))
    n_v, f_v = velocity_wrench(m, c, A, load3(here.w), load3(here.v))
    store3(here.n, add(n, n_v))
    store3(here.f, add(f, f_v))


@kernel
def pass_wrench(links, work, dofs, tau):
    """tau = S^T F from the leaves inwards, each link's wrench added to its parent's (Alg. 3).

    Needs: columns and wrenches (n, f) of the links. Leaves: in (n, f) what each link's joint carries.
    """
    for i in range(links.shape[0] - 1, 0, -1):
        link, here = links[i], work[i]
        n, f = load3(here.n), load3(here.f)
        for k in range(link.dof, link.dof + link.ndof):
            tau[k] = dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), f)
        if link.parent == 0:
            continue
        parent = work[link.parent]
        store3(parent.n, add(load3(parent.n), add(n, cross(load3(here.r), f))))
        store3(parent.f, add(load3(parent.f), f))


@kernel(unit=True)
def rnea_outward(tree, gravity, q, qdot, qddot):
    """Twist, acceleration and own wrench of every link under a given gravity.

    Leaves: poses, twists and accelerations (less gravity) of the links, the wrenches (n, f) of their own inertia.
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        accelerate(links[i], work[i], work[links[i].parent], qddot, dofs)
        place_wrench(links[i], work[i])


@kernel
def rnea(tree, gravity, q, qdot, qddot, wrenches, tau):
    """Fill tau by the recursive Newton-Euler algorithm under a given gravity.

    Leaves: poses, twists and accelerations of the links; in (n, f) what each link's joint carries.
    """
    links, bodies, work, dofs = tree.links, tree.bodies, tree.work, tree.dofs
    rnea_outward(tree, gravity, q, qdot, qddot)
    subtract_wrenches(bodies, wrenches, work)
    pass_wrench(links, work, dofs, tau)
