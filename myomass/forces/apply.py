"""All forces of a model at once: on the links' wrenches and the joints' torques, and their energy.

The links' poses and twists must stand in `system` already. `forces` = (laws, elements, nodes, params, points, total,
free, ...): the model's arrays, scratch for a record per point and the sum of torques, and that no dof is prescribed.
What follows (dynamics/given.py) is not for forces.
"""

import numpy as np

from .._jit import kernel
from ..algorithms.rnea import pass_wrench
from ..joints.records import records
from ..model import Model
from ..spatial.algebra import add, cross, load3, load33, mul, store3, sub
from .base import point_dtype
from .dispatch import follow_formula, follow_law


def force_arrays(model: Model, scalar: type) -> tuple[np.ndarray, ...]:
    """`forces` for kernels, with scratch of their own."""
    forces = model.forces
    points = records(len(forces.nodes), point_dtype(scalar))
    total, free = np.zeros(model.ndof, scalar), np.zeros(model.ndof, bool)
    return forces.laws, forces.elements, forces.nodes, forces.params, points, total, free


@kernel
def offset_of(node, work):
    """The point's place from the origin of its link, in world axes."""
    return mul(load33(work[node.link].R), load3(node.p))


@kernel
def place_points(first, count, nodes, work, points):
    """x, v and w of an element's points."""
    for i in range(first, first + count):
        here, point = work[nodes[i].link], points[i]
        offset, w = offset_of(nodes[i], work), load3(here.w)
        store3(point.x, add(load3(here.x), offset))
        store3(point.v, add(load3(here.v), cross(w, offset)))
        store3(point.w, w)


@kernel
def evaluate(element, nodes, params, work, points):
    """Energy of an element; the forces on its points stand in their records."""
    place_points(element.first, element.count, nodes, work, points)
    return follow_formula(element.kind, params, element.at, points[element.first : element.first + element.count])


@kernel(inline=False)
def add_forces(t, q, qdot, tau, system, forces):
    """total = tau + laws on the coordinates; forces on points are taken off the links' wrenches n, f."""
    laws, elements, nodes, params, points, total = forces[:6]
    work = system[4]
    for k in range(total.shape[0]):
        total[k] = tau[k]
    for i in range(laws.shape[0]):
        law = laws[i]
        force, _ = follow_law(law.kind, params, law.at, t, q[law.dof], qdot[law.dof])
        total[law.dof] += force
    for i in range(elements.shape[0]):
        element = elements[i]
        evaluate(element, nodes, params, work, points)
        for j in range(element.first, element.first + element.count):
            here, f = work[nodes[j].link], load3(points[j].f)
            moment = cross(offset_of(nodes[j], work), f)
            if element.turns:
                moment = add(moment, load3(points[j].n))
            store3(here.n, sub(load3(here.n), moment))
            store3(here.f, sub(load3(here.f), f))


@kernel
def clear_wrenches(work):
    """No wrench on any link."""
    still = load3(work[0].w)
    for i in range(work.shape[0]):
        store3(work[i].n, still)
        store3(work[i].f, still)


@kernel
def sum_forces(t, q, qdot, tau, system, forces, f):
    """f = tau + generalized forces of everything but gravity; clears and uses the links' wrenches."""
    links, _, _, _, work, dofs = system
    clear_wrenches(work)
    add_forces(t, q, qdot, tau, system, forces)
    pass_wrench(links, work, dofs, f)
    for k in range(f.shape[0]):
        f[k] = forces[5][k] - f[k]


@kernel
def potential(t, q, qdot, system, forces):
    """Energy stored in all forces but gravity [J]."""
    laws, elements, nodes, params, points = forces[:5]
    V = system[4][0].w[0]
    for i in range(laws.shape[0]):
        law = laws[i]
        V += follow_law(law.kind, params, law.at, t, q[law.dof], qdot[law.dof])[1]
    for i in range(elements.shape[0]):
        V += evaluate(elements[i], nodes, params, system[4], points)
    return V
