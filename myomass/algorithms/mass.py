"""M_r, the reduced mass matrix of the tree by composite bodies, O(n depth)."""

from .._jit import kernel
from ..spatial.algebra import add, cross, dot, load3, load6
from .inertias import place_composite, rigid_times


@kernel
def fill_column(i, k, links, work, dofs, M):
    """Row and column k, of link i, in M: the composite's wrench under s_k, felt by every joint further in.

    Needs: poses and composite inertias of the links.
    """
    here = work[i]
    n, f = rigid_times(here.C[0], load3(here.n), load6(here.A), load3(dofs[k].s_w), load3(dofs[k].s_v))
    while i > 0:
        link = links[i]
        for j in range(link.dof, link.dof + link.ndof):
            M[j, k] = dot(load3(dofs[j].s_w), n) + dot(load3(dofs[j].s_v), f)
            M[k, j] = M[j, k]
        n = add(n, cross(load3(work[i].r), f))
        i = link.parent


@kernel
def fill_columns(tree, M):
    """Fill M from composite inertias, zeros where two joints have no common chain to the root.

    Needs: poses and composite inertias of the links.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    M[:, :] = 0.0
    for i in range(1, links.shape[0]):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            fill_column(i, k, links, work, dofs, M)


@kernel
def fill_mass(tree, M):
    """Fill M_r, the mass matrix of the tree. (ndof, ndof)

    Needs: poses of the links. Leaves: their composite inertias.
    """
    place_composite(tree.links, tree.work)
    fill_columns(tree, M)
