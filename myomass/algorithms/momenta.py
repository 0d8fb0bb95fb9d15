"""Generalized momenta p = M qdot and the slope dT/dq of the kinetic energy, O(n), without forming M.

p_k = s_k . P and dT/dq_k = u_k . P, where P is the momentum of all that k carries and u_k = ad(V) s_k + Sdot_k the
change of its twist, seen in a frame that q_k carries along (rnea_partials.py).
"""

from .._jit import kernel
from ..joints.links import move_link
from ..spatial.algebra import add, cross, dot, load3, store3
from ..spatial.se3 import ad_twist
from .inertias import rigid_times, world_inertia


@kernel(inline=False)
def momenta(tree, q, qdot, p, slope):
    """Fill p = M qdot and slope = dT/dq. (ndof,) each

    Leaves: poses and twists of the links; the momenta of all that each link carries as its wrench (n, f).
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        m, c, A = world_inertia(links[i], work[i])
        n, f = rigid_times(m, c, A, load3(work[i].w), load3(work[i].v))
        store3(work[i].n, n)
        store3(work[i].f, f)
    for i in range(links.shape[0] - 1, 0, -1):
        link, here, parent = links[i], work[i], work[links[i].parent]
        w, v, n, f = load3(here.w), load3(here.v), load3(here.n), load3(here.f)
        for k in range(link.dof, link.dof + link.ndof):
            column = dofs[k]
            s_w, s_v = load3(column.s_w), load3(column.s_v)
            u_w, u_v = ad_twist(w, v, s_w, s_v)
            p[k] = dot(s_w, n) + dot(s_v, f)
            slope[k] = dot(add(u_w, load3(column.sdot_w)), n) + dot(add(u_v, load3(column.sdot_v)), f)
        if link.parent > 0:
            store3(parent.n, add(load3(parent.n), add(n, cross(load3(here.r), f))))
            store3(parent.f, add(load3(parent.f), f))
