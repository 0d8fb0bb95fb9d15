"""Derivatives of the forces of soft bodies by coordinates and rates, sparse between nodes.

With K = -df/dx and D = -df/dv between all nodes, and of a node a that rides J = dx_a/dq and V = dv_a/dq at held rates,
the residual's derivatives are between free nodes K and D themselves, and beyond

    free and joints:    K_ia J_a + D_ia V_a,    D_ia J_a
    joints and free:    J_a^T K_ai,             J_a^T D_ai
    joints:             J_a^T (K_ab J_b + D_ab V_b) - (dJ_a^T/dq) f_a,    J_a^T D_ab J_b

A combination m M + d D + k K of them is formed at once: that is all that an implicit step needs.
"""

from numba.core import types

from .._jit import kernel
from ..algorithms.rnea_partials import STEP
from ..forces.ground import formula as ground
from ..forces.stiffness import JDOT, J, fill_columns, turn_levers
from ..spatial.algebra import dot, load3, store3
from .acting import fill_node_forces, place_nodes, touch
from .elements import add_elastic_stiffness, add_viscous_damping, add_viscous_stiffness


@kernel
def add_touch_slopes(c, soft, linear):
    """Add K and D of one vertex at its plane, by complex steps.

    Needs: `place_nodes`.
    """
    weights, at = soft.weights[c], soft.touching[c, 1]
    slots, point, moved = soft.elements.slots[soft.touching[c, 0]], soft.points[0], linear.moved[0]
    touch(c, soft, point)
    if dot(load3(soft.planes[at : at + 3]), load3(point.x)) >= soft.planes[at + 3]:
        return
    for b in range(6):
        for a in range(3):
            moved.x[a], moved.v[a] = point.x[a] + 0j, point.v[a] + 0j
        if b < 3:
            moved.x[b] += 1j * STEP
        else:
            moved.v[b - 3] += 1j * STEP
        ground(soft.planes, at, linear.moved)
        data, column = (linear.K, 3 * b) if b < 3 else (linear.D, 3 * (b - 3))
        for i in range(4):
            for j in range(4):
                share = -weights[i] * weights[j] * soft.areas[c] / STEP
                for a in range(3):
                    data[slots[i, j] + column + a] += share * moved.f[a].imag


@kernel(unit=True)
def fill_node_slopes(soft, linear):
    """K and D between all nodes.

    Needs: `place_nodes`.
    """
    elements, K, D, A = soft.elements, linear.K, linear.D, linear.slope
    K[:] = 0.0
    D[:] = 0.0
    add_elastic_stiffness(elements, soft.x, A, K)
    add_viscous_stiffness(elements, soft.x, soft.v, A, K)
    add_viscous_damping(elements, soft.x, A, D)
    for i in range(soft.drag.shape[0]):
        for a in range(3):
            D[9 * soft.diagonal[i] + 4 * a] += soft.drag[i]
    for c in range(soft.touching.shape[0]):
        add_touch_slopes(c, soft, linear)


@kernel
def fill_rider(r, tree, soft, linear, maximal):
    """J and V of a node that rides, for every degree of freedom between its link and the root.

    V is left out if `maximal`. Needs: `place_nodes`, poses and twists of the links.
    """
    links, work, dofs, point, node = tree.links, tree.work, tree.dofs, soft.points[0], soft.riders[r]
    a = soft.dofs.shape[0] + r
    store3(point.x, load3(soft.x[a]))
    store3(point.v, load3(soft.v[a]))
    store3(point.w, load3(work[node.link].w))
    store3(point.f, load3(soft.f[a]))
    fill_columns(0, point, node.link, links, work, dofs, linear.column)
    i = node.link
    while i > 0:
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            for b in range(3):
                linear.J[r, k, b] = linear.column[0, k, J + b]
                linear.J[r, k, 3 + b] = 0.0 if maximal else linear.column[0, k, JDOT + b]
        i = links[i].parent


@kernel
def add_moved(s, by, factor, r, links, soft, linear, into, row):
    """into[row : row + 3, k] += H J_k + factor D V_k, with block s of H and D, of the node r that rides."""
    o, i = 9 * s, soft.riders[r].link
    while i > 0:
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            own = linear.J[r, k]
            for b in range(3):
                total = 0.0
                for a in range(3):
                    total += linear.H[o + 3 * a + b] * own[a]
                    total += factor * linear.D[o + 3 * a + b] * own[3 + a]
                into[row + b, k] += by * total
        i = links[i].parent


@kernel
def add_pulled(s, r, links, soft, linear, column):
    """B[k, column : column + 3] += J_k^T H with block s of H, of the node r that rides."""
    o, i = 9 * s, soft.riders[r].link
    while i > 0:
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            own = linear.J[r, k]
            for b in range(3):
                total = 0.0
                for a in range(3):
                    total += own[a] * linear.H[o + 3 * b + a]
                linear.B[k, column + b] += total
        i = links[i].parent


@kernel
def couple_joints(k_part, r, tree, soft, linear, slopes, maximal):
    """Add to T what a node that rides and its neighbours that ride do between joints."""
    links, free, a, Y, T = tree.links, soft.dofs.shape[0], soft.dofs.shape[0] + r, linear.Y, linear.T
    Y[:, :] = 0.0
    for s in range(soft.starts[a], soft.starts[a + 1]):
        if soft.columns[s] >= free:
            add_moved(s, 1.0, k_part, soft.columns[s] - free, links, soft, linear, Y, 0)
    i = soft.riders[r].link
    while i > 0:
        for j in range(links[i].dof, links[i].dof + links[i].ndof):
            own = linear.J[r, j]
            for k in range(T.shape[0]):
                T[j, k] += own[0] * Y[0, k] + own[1] * Y[1, k] + own[2] * Y[2, k]
        i = links[i].parent
    if k_part != 0.0:
        fill_rider(r, tree, soft, linear, maximal)
        node, work = soft.riders[r], tree.work
        turn_levers(linear.bare[0], 0, node, soft.points[0], links, work, slopes, linear.column, -k_part, maximal, T)


@kernel(unit=True)
def combine(m_part, d_part, k_part, tree, soft, linear, slopes, maximal):
    """H, C, B and T of m_part M + d_part D + k_part K.

    Needs: `fill_node_slopes`, `fill_node_forces`, poses and twists of the links and, unless `maximal`, the slopes of S.
    """
    K, D, H, free, links = linear.K, linear.D, linear.H, soft.dofs.shape[0], tree.links
    for i in range(H.shape[0]):
        H[i] = d_part * D[i] + k_part * K[i]
    for i in range(free):
        for s in range(soft.starts[i], soft.starts[i + 1]):
            for a in range(3):
                H[9 * s + 4 * a] += m_part * soft.shares[s]
    linear.C[:, :] = 0.0
    linear.B[:, :] = 0.0
    linear.T[:, :] = 0.0
    if d_part == 0.0 and k_part == 0.0:
        return
    for r in range(soft.riders.shape[0]):
        if soft.riders[r].link > 0:
            fill_rider(r, tree, soft, linear, maximal)
    for r in range(soft.riders.shape[0]):
        if soft.riders[r].link > 0:
            couple_joints(k_part, r, tree, soft, linear, slopes, maximal)
    for c in range(linear.coupled.shape[0]):
        i = linear.coupled[c]
        for s in range(soft.starts[i], soft.starts[i + 1]):
            if soft.columns[s] >= free:
                add_moved(s, 1.0, k_part, soft.columns[s] - free, links, soft, linear, linear.C, 3 * c)
                add_pulled(mirrored(s, i, soft), soft.columns[s] - free, links, soft, linear, 3 * c)


@kernel
def mirrored(s, i, soft):
    """The block across the diagonal from block s of row i."""
    low, high = soft.starts[soft.columns[s]], soft.starts[soft.columns[s] + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if soft.columns[middle] <= i:
            low = middle
        else:
            high = middle
    return low


@kernel
def spread_dense(soft, linear, into):
    """Add H, C, B and T to a matrix over all degrees of freedom."""
    dofs, free = soft.dofs, soft.dofs.shape[0]
    for i in range(free):
        for s in range(soft.starts[i], soft.starts[i + 1]):
            j = soft.columns[s]
            if j < free:
                for a in range(3):
                    for b in range(3):
                        into[dofs[i] + a, dofs[j] + b] += linear.H[9 * s + 3 * b + a]
    for c in range(linear.coupled.shape[0]):
        at = dofs[linear.coupled[c]]
        for a in range(3):
            for k in range(soft.first):
                into[at + a, k] += linear.C[3 * c + a, k]
                into[k, at + a] += linear.B[k, 3 * c + a]
    for j in range(soft.first):
        for k in range(soft.first):
            into[j, k] += linear.T[j, k]


@kernel(on_demand=types.none)
def add_soft_linear(q, qdot, tree, soft, linear, slopes, sign, M, D, K):
    """M, D and K += those of soft bodies over all degrees of freedom, D and K times a sign.

    Needs: poses and twists of the links, the slopes of S.
    """
    place_nodes(q, qdot, tree, soft)
    fill_node_forces(soft)
    fill_node_slopes(soft, linear)
    combine(1.0, 0.0, 0.0, tree, soft, linear, slopes, False)
    spread_dense(soft, linear, M)
    combine(0.0, sign, 0.0, tree, soft, linear, slopes, False)
    spread_dense(soft, linear, D)
    combine(0.0, 0.0, sign, tree, soft, linear, slopes, False)
    spread_dense(soft, linear, K)


@kernel(on_demand=types.none)
def add_soft_mass(soft, M):
    """M += the mass of free nodes."""
    for i in range(soft.dofs.shape[0]):
        for s in range(soft.starts[i], soft.starts[i + 1]):
            if soft.columns[s] < soft.dofs.shape[0]:
                for a in range(3):
                    M[soft.dofs[i] + a, soft.dofs[soft.columns[s]] + a] += soft.shares[s]
