"""Products lam^T d tau/dq, lam^T d tau/dqdot and lam^T d tau/dqddot of inverse dynamics, O(n): its adjoint.

Let lam move the tree: every link by the twist L = L_p + S lam, as qdot moves it by V. Then lam . tau is the sum of
L . F over the links' own wrenches F, and with the carried frames of rnea_partials.py, its u_j, c_j, X and p,

    lam^T d tau/dqddot_j = s_j . H
    lam^T d tau/dqdot_j  = 2 u_j . H + s_w . G                H = sum of I L,   G = sum of X^T L_w + 2 p x L_v
    lam^T d tau/dq_j     = l_j . F + c_j . H + u_w . G        l_j = ad(L_p) s_j + (d S/d q_j) lam

with H, G and F summed over all that j carries; G is a free vector. No matrix is formed.
"""

from functools import cache

import numpy as np

from .._jit import kernel
from ..model.workspace import open_tree
from ..spatial.algebra import add, add_scaled, cross, dot, load3, mul_sym, scale, store3, sub
from ..spatial.se3 import ad_twist
from .inertias import all_finite, rigid_times, world_inertia
from .rnea import rnea
from .rnea_partials import link_slopes, open_partials, pair, shift_wrench, sum2


@cache
def adjoint_dtype(scalar: type) -> np.dtype:
    """Record of a link: its twist L under lam, and the sums H and G. World axes, about the link's origin."""
    return np.dtype([(name, scalar, (3,)) for name in ("L_w", "L_v", "H_n", "H_f", "G")], align=True)


@kernel
def lead_links(tree, lam, adjoint):
    """Fill L of every link; adjoint[0], that of the world, is given.

    Needs: poses and columns of the links.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    for i in range(1, links.shape[0]):
        link, parent = links[i], adjoint[links[i].parent]
        L_w = load3(parent.L_w)
        L_v = add(load3(parent.L_v), cross(L_w, load3(work[i].r)))
        for k in range(link.dof, link.dof + link.ndof):
            L_w = add_scaled(L_w, lam[k], load3(dofs[k].s_w))
            L_v = add_scaled(L_v, lam[k], load3(dofs[k].s_v))
        store3(adjoint[i].L_w, L_w)
        store3(adjoint[i].L_v, L_v)


@kernel
def place_sums(link, here, own):
    """Start H and G of a link with those of its own inertia.

    Needs: pose, twist and L of the link.
    """
    m, c, A = world_inertia(link, here)
    L_w, L_v, w, v = load3(own.L_w), load3(own.L_v), load3(here.w), load3(here.v)
    n, f = rigid_times(m, c, A, L_w, L_v)
    p, turned = add_scaled(cross(w, c), m, v), cross(w, L_w)
    half = 0.5 * (A[0] + A[3] + A[5])
    G = sub(add_scaled(cross(p, L_v), half, turned), add(mul_sym(A, turned), cross(v, cross(c, L_w))))
    store3(own.H_n, n)
    store3(own.H_f, f)
    store3(own.G, scale(2.0, G))


@kernel
def fill_products(link, here, own, lam, dofs, constant, slopes, products):
    """Fill the three products of a link's degrees of freedom.

    Needs: the link's sums H and G, the wrench F that it passes on, u and c of its degrees of freedom.
    """
    H, G = (load3(own.H_n), load3(own.H_f)), load3(own.G)
    F = load3(here.n), load3(here.f)
    L_w, L_v = load3(own.L_w), load3(own.L_v)
    for k in range(link.dof, link.dof + link.ndof):
        L_w = add_scaled(L_w, -lam[k], load3(dofs[k].s_w))
        L_v = add_scaled(L_v, -lam[k], load3(dofs[k].s_v))
    for j in range(link.dof, link.dof + link.ndof):
        s_w, s_v, slope = load3(dofs[j].s_w), load3(dofs[j].s_v), slopes[j]
        u_w, u_v = load3(slope.u_w), load3(slope.u_v)
        led = ad_twist(L_w, L_v, s_w, s_v)
        if not constant:
            for i in range(link.ndof):
                dS, by = slope.dS[i], lam[link.dof + i]
                led = sum2(led, (scale(by, load3(dS[:3])), scale(by, load3(dS[3:]))))
        products[0, j] = pair(F, led[0], led[1]) + pair(H, load3(slope.c_w), load3(slope.c_v)) + dot(u_w, G)
        products[1, j] = 2.0 * pair(H, u_w, u_v) + dot(s_w, G)
        products[2, j] = pair(H, s_w, s_v)


@kernel(inline=False)
def rnea_adjoint(tree, q, qdot, qddot, lam, scratch, adjoint, products):
    """products[0], [1], [2]: lam^T times the partials of tau along q, qdot and qddot.

    adjoint[0] holds the twist of the world under lam: zero, unless lam moves the tree as a whole too.

    Needs: poses, twists and accelerations of the links, and the wrench that each passes on (`rnea`).
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    lead_links(tree, lam, adjoint)
    for i in range(1, links.shape[0]):
        link_slopes(i, links, params, work, dofs, q, qdot, qddot, scratch)
        place_sums(links[i], work[i], adjoint[i])
    for i in range(links.shape[0] - 1, 0, -1):
        link, here, own = links[i], work[i], adjoint[i]
        fill_products(link, here, own, lam, dofs, scratch.constant[i], scratch.slopes, products)
        if link.parent > 0:
            parent = adjoint[link.parent]
            n, f = shift_wrench((load3(own.H_n), load3(own.H_f)), load3(here.r))
            store3(parent.H_n, add(load3(parent.H_n), n))
            store3(parent.H_f, add(load3(parent.H_f), f))
            store3(parent.G, add(load3(parent.G), load3(own.G)))


@kernel(entry=True)
def solve_rnea_adjoint(handle, q, qdot, qddot, lam, wrenches, partials, adjoint, products):
    """Fill the products under given wrenches on bodies, for Python: True if they are finite.

    products[3] is scratch for tau.
    """
    tree = open_tree(handle, q)
    rnea(tree, tree.gravity, q, qdot, qddot, wrenches, products[3])
    rnea_adjoint(tree, q, qdot, qddot, lam, open_partials(partials, q), adjoint, products)
    return all_finite(products[0]) and all_finite(products[1]) and all_finite(products[2])
