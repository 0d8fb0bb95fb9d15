"""Generalized forces of actuators at a control of 1: columns that static optimisation multiplies by controls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..forces.actuator import Actuator
from ..forces.apply import evaluate, offset_of
from ..forces.dispatch import follow_law
from ..forces.pack import with_forces
from ..model import Model
from ..model.elements import Law
from ..muscles.packed import no_muscles
from ..reduction.border import joint_motion
from ..spatial.algebra import add, cross, dot, load3
from ..spatial.checks import check_numbers
from .system import open_system, system_of


@kernel
def add_column(e, first, tree, forces, column):
    """column += generalized forces of an element. Needs: poses of the links, forces on the element's points."""
    element, links, work, dofs = forces.elements[e], tree.links, tree.work, tree.dofs
    for p in range(first, first + element.count):
        f = load3(forces.points[p].f)
        n = cross(offset_of(forces.nodes[p], work), f)
        if element.turns:
            n = add(n, load3(forces.points[p].n))
        i = forces.nodes[p].link
        while i > 0:
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                column[k] += dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), f)
            n = add(n, cross(load3(work[i].r), f))
            i = links[i].parent


@kernel(entry=True)
def columns_at(handle, q, still, law_columns, element_columns, columns):
    """columns[i, :, j]: generalized forces at q[i] of the laws and elements that belong to column j."""
    system = open_system(handle, q)
    tree, forces = system.tree, system.forces
    for i in range(q.shape[0]):
        move_all(tree, q[i], still)
        for j in range(forces.laws.shape[0]):
            law = forces.laws[j]
            force, _ = follow_law(law.kind, forces.params, law.at, 0.0, q[i, law.dof], still[law.dof])
            columns[i, law.dof, law_columns[j]] += force
        for j in range(forces.elements.shape[0]):
            evaluate(0.0, forces.elements[j], forces.nodes, forces.params, tree.work, forces.points)
            add_column(j, forces.elements[j].first, tree, forces, columns[i, :, element_columns[j]])


def actuator_columns(model: Model, q: np.ndarray, actuators: Sequence[Actuator] | Mapping[str, Actuator]) -> np.ndarray:
    """A with f = A a, generalized forces [N m or N] per unit of each control a. (ndof, n), or (frames, ndof, n)

    q: (ndof,), or (frames, ndof). The actuators need not belong to the model. Each has one column, a BodyActuator six.
    """
    named = dict(actuators) if isinstance(actuators, Mapping) else {f"actuator {i}": x for i, x in enumerate(actuators)}
    for name, actuator in named.items():
        if not isinstance(actuator, Actuator):
            raise TypeError(f"actuator_columns: {name!r} must be an mm.forces.Actuator, and is {actuator!r}")
    q = check_numbers(q, "q", (None,) if np.ndim(q) == 1 else (None, model.ndof)).astype(float)
    if model.reduction is not None:
        motions = [joint_motion(model, frame) for frame in np.atleast_2d(q)]
        columns = actuator_columns(model.whole, np.array([motion.q for motion in motions]), actuators)
        folded = np.array([motion.J.T @ A for motion, A in zip(motions, columns, strict=True)])
        return folded if q.ndim == 2 else folded[0]
    frames = np.ascontiguousarray(np.atleast_2d(q))
    units = {f"{name} {i}" if x.inputs > 1 else name: x.unit(i) for name, x in named.items() for i in range(x.inputs)}
    driven = with_forces(replace(model, muscles=no_muscles()), units)
    parts = [(j, isinstance(part, Law)) for j, unit in enumerate(units.values()) for part in unit.parts(model)]
    owners = [np.array([j for j, law in parts if law == wanted], np.int64) for wanted in (True, False)]
    columns = np.zeros((len(frames), model.ndof, len(units)))
    columns_at(system_of(driven.workspace).handle, frames, np.zeros(model.ndof), *owners, columns)
    return columns if q.ndim == 2 else columns[0]
