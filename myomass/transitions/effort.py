"""The spacetime energy P of a curve and its exact gradient (report 003; Rose et al. 1996).

    P = integral of sum w_i tau_i^2 dt
    dP/dc = 2 integral of sum w_i tau_i (dtau_i/dq B + dtau_i/dqdot dB/dt + dtau_i/dqddot d2B/dt2) dt

by Gauss or Simpson quadrature. The products tau^T d tau/d(q, qdot, qddot) come from the adjoint recursion, so that the
gradient costs a few evaluations of P however many coefficients there are.

A body can bear: the wrench that a free-floating tree needs of its root's joint acts on that body instead, and the
torques of the other joints are those of a supported figure. Then lam = 2 w tau is completed by the motion of the whole
tree that leaves the bearing body at rest; there the wrench does no work, and its own slope drops out.
"""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_adjoint import lead_links, rnea_adjoint
from ..dynamics.physics import fill_linear, fill_residual
from ..dynamics.system import open_linear, open_system
from ..model.workspace import open_tree
from ..spatial.algebra import add, add_scaled, cross, dot, load3, load33, mul, neg, store3, sub


@kernel
def follow(coefficients, first, B, vectors):
    """Fill q, qdot and qddot of a node, vectors[0], [1] and [2], from its four coefficients."""
    for k in range(coefficients.shape[1]):
        for d in range(3):
            total = B[d, 0] * coefficients[first, k]
            for i in range(1, 4):
                total += B[d, i] * coefficients[first + i, k]
            vectors[d, k] = total


@kernel
def rest_on(link, tree):
    """Let the tree rest on a link: subtract the sum of all links' wrenches from the wrench of that link.

    Needs: poses and own wrenches of the links (`rnea_outward`).
    """
    links, work = tree.links, tree.work
    x, o = load3(work[link].x), work[link].x[0] * 0.0
    n, f = (o, o, o), (o, o, o)
    for i in range(1, links.shape[0]):
        force = load3(work[i].f)
        n = add(n, add(load3(work[i].n), cross(sub(load3(work[i].x), x), force)))
        f = add(f, force)
    store3(work[link].n, sub(load3(work[link].n), n))
    store3(work[link].f, sub(load3(work[link].f), f))


class Nodes(NamedTuple):
    """The nodes of a quadrature along a curve."""

    times: np.ndarray  # [s]
    first: np.ndarray  # the first of the four coefficients that each depends on
    B: np.ndarray  # their weights for q, qdot and qddot, (nodes, 3, 4)
    share: np.ndarray  # weight of each in the integral
    bearing: np.ndarray  # link on which the tree rests; 0: none


class SlopeScratch(NamedTuple):
    """Scratch of the gradient."""

    adjoint: np.ndarray  # records of adjoint_dtype
    matrices: np.ndarray  # M, D and K, where forces act
    products: np.ndarray  # lam^T times the partials along q, qdot and qddot


@kernel
def node_torques(t, bearing, system, with_forces, vectors):
    """Fill vectors[3] with the torques of a node; vectors[4] must be zero. with_forces: do forces or muscles act?

    Needs: q, qdot and qddot of the node (`follow`). Leaves: the tree in that state, as `rnea` does.
    """
    q, qdot, qddot, tau = vectors[0], vectors[1], vectors[2], vectors[3]
    tree = system.tree
    if with_forces:
        fill_residual(t, q, qdot, qddot, vectors[4], system.no_wrenches, system, tau)
        return
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    if bearing > 0:
        rest_on(bearing, tree)
    pass_wrench(tree.links, tree.work, tree.dofs, tau)


@kernel
def weighted_square(weights, tau):
    """sum w_i tau_i^2"""
    total = tau[0] * 0.0
    for k in range(tau.shape[0]):
        total += weights[k] * tau[k] * tau[k]
    return total


@kernel(entry=True)
def effort_along(handle, with_forces, nodes, coefficients, weights, vectors):
    """P of a curve, for Python."""
    system = open_system(handle, weights)
    total = coefficients.dtype.type(0)
    for r in range(nodes.times.shape[0]):
        follow(coefficients, nodes.first[r], nodes.B[r], vectors)
        node_torques(nodes.times[r], nodes.bearing[r], system, with_forces, vectors)
        total += nodes.share[r] * weighted_square(weights, vectors[3])
    return total


@kernel(entry=True)
def torques_along(handle, with_forces, nodes, coefficients, vectors, tau):
    """Fill tau[r], the torques at every node, for Python."""
    system = open_system(handle, coefficients)
    for r in range(nodes.times.shape[0]):
        follow(coefficients, nodes.first[r], nodes.B[r], vectors)
        node_torques(nodes.times[r], nodes.bearing[r], system, with_forces, vectors)
        for k in range(tau.shape[1]):
            tau[r, k] = vectors[3, k]


@kernel
def hold_bearing(bearing, tree, lam, adjoint):
    """Fill adjoint[0], the motion of the world under lam that leaves the bearing link at rest; zero without one.

    Needs: poses and columns of the links.
    """
    o = lam[0] * 0.0
    store3(adjoint[0].L_w, (o, o, o))
    store3(adjoint[0].L_v, (o, o, o))
    if bearing > 0:
        lead_links(tree, lam, adjoint)
        L_w, L_v = load3(adjoint[bearing].L_w), load3(adjoint[bearing].L_v)
        store3(adjoint[0].L_w, neg(L_w))
        store3(adjoint[0].L_v, sub(cross(L_w, load3(tree.work[bearing].x)), L_v))


@kernel
def node_products(t, bearing, system, with_forces, vectors, linear, scratch):
    """Fill products: lam^T times the partials of tau along q, qdot and qddot, lam = vectors[4].

    Needs: `node_torques` of the same node.
    """
    q, qdot, qddot, lam, products = vectors[0], vectors[1], vectors[2], vectors[4], scratch.products
    if not with_forces:
        hold_bearing(bearing, system.tree, lam, scratch.adjoint)
        rnea_adjoint(system.tree, q, qdot, qddot, lam, linear.partials, scratch.adjoint, products)
        return
    matrices = scratch.matrices
    fill_linear(t, q, qdot, qddot, system, linear, matrices[0], matrices[1], matrices[2])
    for d in range(3):
        for j in range(q.shape[0]):
            total = q[j] * 0.0
            for i in range(q.shape[0]):
                total += lam[i] * matrices[2 - d, i, j]
            products[d, j] = total


@kernel(entry=True)
def effort_slope(handle, linear_handle, with_forces, nodes, coefficients, weights, vectors, scratch, slope):
    """P of a curve, with slope = dP/dc, for Python."""
    system, linear, B = open_system(handle, weights), open_linear(linear_handle, weights), nodes.B
    slope[:, :] = 0.0
    total = coefficients.dtype.type(0)
    for r in range(nodes.times.shape[0]):
        first, share, products = nodes.first[r], nodes.share[r], scratch.products
        follow(coefficients, first, B[r], vectors)
        vectors[4, :] = 0.0
        node_torques(nodes.times[r], nodes.bearing[r], system, with_forces, vectors)
        total += share * weighted_square(weights, vectors[3])
        for k in range(weights.shape[0]):
            vectors[4, k] = 2.0 * share * weights[k] * vectors[3, k]
        node_products(nodes.times[r], nodes.bearing[r], system, with_forces, vectors, linear, scratch)
        for i in range(4):
            for k in range(weights.shape[0]):
                change = B[r, 0, i] * products[0, k] + B[r, 1, i] * products[1, k] + B[r, 2, i] * products[2, k]
                slope[first + i, k] += change
    return total


@kernel
def place_pin(pin, at, tree, nodes, coefficients, vectors):
    """World place of a pin's point [m]. The tree is moved to the pin's node, unless `at` says that it is there."""
    first, B = nodes
    if pin.node != at:
        follow(coefficients, first[pin.node], B[pin.node], vectors)
        move_all(tree, vectors[0], vectors[4])
    here = tree.work[pin.link]
    return add(load3(here.x), mul(load33(here.R), load3(pin.x)))


@kernel(entry=True)
def points_along(handle, nodes, pins, coefficients, vectors, gaps):
    """Fill gaps[p] = place less target of each pin, for Python; nodes = (first, B), pin = (node, link, x, target)."""
    tree = open_tree(handle, coefficients)
    at = -1
    for p in range(pins.shape[0]):
        pin = pins[p]
        store3(gaps[p], sub(place_pin(pin, at, tree, nodes, coefficients, vectors), load3(pin.target)))
        at = pin.node


@kernel(entry=True)
def pull_points(handle, nodes, pins, coefficients, vectors, pulls, slope):
    """Add to slope B J^T pull, the generalized force of pulls[p] on every pin along the coefficients, for Python."""
    tree = open_tree(handle, coefficients)
    links, work, dofs = tree.links, tree.work, tree.dofs
    first, B = nodes
    at = -1
    for p in range(pins.shape[0]):
        pin = pins[p]
        x, force, i = place_pin(pin, at, tree, nodes, coefficients, vectors), load3(pulls[p]), pin.link
        at = pin.node
        while i > 0:
            lever = sub(x, load3(work[i].x))
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                pull = dot(force, add_scaled(cross(load3(dofs[k].s_w), lever), 1.0, load3(dofs[k].s_v)))
                for c in range(4):
                    slope[first[at] + c, k] += B[at, 0, c] * pull
            i = links[i].parent
