"""The kernels that evaluate all forces of a model: wrenches on the links, torques on the joints, and energy."""

import numpy as np
from numba.core import types

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms.rnea import pass_wrench
from ..joints.records import records
from ..model import Model
from ..spatial.algebra import add, cross, load3, load33, mul, store3, sub
from .base import point_dtype
from .dispatch import demand_forces, follow_formula, follow_law
from .pack import element_dtype, law_dtype, node_dtype


class ForceArrays(Bundle):
    """The forces of a model with scratch: what kernels take as `forces`."""

    laws = fields.plain(law_dtype())
    elements = fields.plain(element_dtype())
    nodes = fields.records(node_dtype)
    params = fields.reals()
    points = fields.scratch(point_dtype)  # a record per node
    total = fields.numbers()  # torques and laws together, (ndof,)


def force_arrays(model: Model, scalar: type) -> ForceArrays:
    """The forces of a model as kernels take them, with scratch of their own."""
    forces = model.forces
    demand_forces(set(forces.laws["kind"].tolist()), set(forces.elements["kind"].tolist()))
    if forces:
        add_laws_and_elements.demand(scalar)
    packed = {key: getattr(forces, key) for key in ("laws", "elements", "nodes", "params")}
    points, total = records(len(forces.nodes), point_dtype(scalar)), np.zeros(model.whole.ndof, scalar)
    return ForceArrays(scalar, **packed, points=points, total=total)


@kernel
def offset_of(node, work):
    """Vector from the origin of a node's link to the node, in world axes [m].

    Needs: poses of the links.
    """
    return mul(load33(work[node.link].R), load3(node.p))


@kernel
def place_points(t, first, count, nodes, work, points):
    """Fill x, v, w and t of an element's points.

    Needs: poses and twists of the links.
    """
    for i in range(first, first + count):
        here, point = work[nodes[i].link], points[i]
        offset, w = offset_of(nodes[i], work), load3(here.w)
        store3(point.x, add(load3(here.x), offset))
        store3(point.v, add(load3(here.v), cross(w, offset)))
        store3(point.w, w)
        point.t = t


@kernel
def evaluate(t, element, nodes, params, work, points):
    """Energy of an element [J].

    Needs: poses and twists of the links. Leaves: x, v, w and the force f (and moment n) of each of its points.
    """
    place_points(t, element.first, element.count, nodes, work, points)
    return follow_formula(element.kind, params, element.at, points[element.first : element.first + element.count])


@kernel(on_demand=types.none)
def add_laws_and_elements(t, q, qdot, tree, forces):
    """Add laws to the torques of coordinates, and subtract forces on points from the links' wrenches.

    Needs: poses, twists and wrenches of the links, and total.
    """
    laws, elements, nodes, params = forces.laws, forces.elements, forces.nodes, forces.params
    points, total, work = forces.points, forces.total, tree.work
    for i in range(laws.shape[0]):
        law = laws[i]
        force, _ = follow_law(law.kind, params, law.at, t, q[law.dof], qdot[law.dof])
        total[law.dof] += force
    for i in range(elements.shape[0]):
        element = elements[i]
        evaluate(t, element, nodes, params, work, points)
        for j in range(element.first, element.first + element.count):
            here, f = work[nodes[j].link], load3(points[j].f)
            moment = cross(offset_of(nodes[j], work), f)
            if element.turns:
                moment = add(moment, load3(points[j].n))
            store3(here.n, sub(load3(here.n), moment))
            store3(here.f, sub(load3(here.f), f))


@kernel
def add_forces(t, q, qdot, tau, tree, forces):
    """total = tau + laws on the coordinates; forces on points are subtracted from the links' wrenches (n, f).

    Needs: poses, twists and wrenches of the links.
    """
    for k in range(tau.shape[0]):
        forces.total[k] = tau[k]
    if forces.laws.shape[0] > 0 or forces.elements.shape[0] > 0:
        add_laws_and_elements(t, q, qdot, tree, forces)


@kernel
def clear_wrenches(work):
    """Set the wrenches (n, f) of all links to zero."""
    still = load3(work[0].w)
    for i in range(work.shape[0]):
        store3(work[i].n, still)
        store3(work[i].f, still)


@kernel
def sum_forces(t, q, qdot, tau, tree, forces, f):
    """f = tau + generalized forces of everything but gravity. (ndof,)

    Needs: poses and twists of the links. Leaves: their wrenches (n, f) overwritten.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    clear_wrenches(work)
    add_forces(t, q, qdot, tau, tree, forces)
    pass_wrench(links, work, dofs, f)
    for k in range(f.shape[0]):
        f[k] = forces.total[k] - f[k]


@kernel
def potential(t, q, qdot, tree, forces):
    """Energy stored in all forces but gravity [J].

    Needs: poses and twists of the links.
    """
    laws, elements, nodes, params, points = forces.laws, forces.elements, forces.nodes, forces.params, forces.points
    V = tree.work[0].w[0]
    for i in range(laws.shape[0]):
        law = laws[i]
        V += follow_law(law.kind, params, law.at, t, q[law.dof], qdot[law.dof])[1]
    for i in range(elements.shape[0]):
        V += evaluate(t, elements[i], nodes, params, tree.work, points)
    return V
