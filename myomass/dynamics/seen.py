"""What can be pointed at in a state: the frames of links, the points that forces hold on to, and contacts."""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..constraints.kinds import formulas_of
from ..forces.apply import evaluate
from ..model import Model
from ..reduction.border import in_joints
from ..spatial.algebra import load3, load33, store3, store33
from ..spatial.brief import brief
from .system import open_system, real_inputs, system_of


@brief
class ForcePoints(NamedTuple):
    """The points of springs, cables, point forces and penalty ground, in the order of model.forces.nodes."""

    places: np.ndarray  # in the world [m], (n, 3)
    forces: np.ndarray  # on the bodies there, in world axes [N], (n, 3)


@brief
class ContactPoints(NamedTuple):
    """Where the pairs that may touch are nearest to each other, whether they do or not."""

    rows: np.ndarray  # row of each gap in model.constraints.names, (n,)
    places: np.ndarray  # on the surface of the first of the pair, in the world [m], (n, 3)
    normals: np.ndarray  # from the second to the first: where a force on the first points, (n, 3)
    tangents: np.ndarray  # the two directions that friction is counted along, (n, 2, 3)
    gaps: np.ndarray  # negative where they overlap [m], (n,)
    friction: np.ndarray  # do two rows of friction follow the gap's? (n,)

    def forces(self, multipliers: np.ndarray) -> np.ndarray:
        """On the first of each pair, in world axes, from a row of `Trajectory.multipliers` [N]. (n, 3)"""
        found = multipliers[self.rows, None] * self.normals
        for k in range(2):
            rubbed = self.rows[self.friction] + 1 + k
            found[self.friction] += multipliers[rubbed, None] * self.tangents[self.friction, k]
        return found


@kernel(entry=True)
def seen_at(handle, q, qdot, R, x, places, felt):
    """Frames of all links, places of all points and the forces on them, for Python."""
    system = open_system(handle, q)
    tree, forces = system.tree, system.forces
    move_all(tree, q, qdot)
    for i in range(tree.work.shape[0]):
        store33(R[i], load33(tree.work[i].R))
        store3(x[i], load3(tree.work[i].x))
    for i in range(forces.elements.shape[0]):
        evaluate(0.0, forces.elements[i], forces.nodes, forces.params, tree.work, forces.points)
    for j in range(forces.nodes.shape[0]):
        store3(places[j], load3(forces.points[j].x))
        store3(felt[j], load3(forces.points[j].f))


def links_and_points(model: Model, q: np.ndarray, qdot: np.ndarray | None) -> tuple[np.ndarray, ForcePoints]:
    """(E_wl, frames of all links after their motion, the world first; points that forces hold on to)."""
    model, q, qdot = in_joints(model, q, qdot)
    space, (q, qdot) = real_inputs(model, "q qdot", q, qdot)
    E, n = np.tile(np.eye(4), (len(model.links), 1, 1)), len(model.forces.nodes)
    R, x, places, forces = np.empty((len(E), 3, 3)), np.empty((len(E), 3)), np.empty((n, 3)), np.zeros((n, 3))
    seen_at(system_of(space).handle, q, qdot, R, x, places, forces)
    E[:, :3, :3], E[:, :3, 3] = R, x
    return E, ForcePoints(places, forces)


def force_points(model: Model, q: np.ndarray, qdot: np.ndarray | None = None) -> ForcePoints:
    """Points that springs, cables, point forces and penalty ground hold on to, and what they do there [m, N]."""
    return links_and_points(model, q, qdot)[1]


def contact_points(model: Model, q: np.ndarray) -> ContactPoints:
    """Nearest points, normals and gaps of all contacts [m]; their forces are in `Trajectory.multipliers`."""
    E, ends = links_and_points(model, q, None)[0], model.constraints.ends
    found = [], [], [], [], [], []
    for i, (part, formula) in enumerate(zip(model.constraints.table, formulas_of(model), strict=True)):
        if formula.touch is None:
            continue
        places = (
            (E[end["link"], :3, :3] @ end["p"] + E[end["link"], :3, 3], E[end["link"], :3, :3] @ end["R"])
            for end in ends[2 * i : 2 * i + 2]
        )
        values = int(part["row"]), *formula.touch(model.constraints.params[part["at"] :], *places), part["count"] == 3
        for column, value in zip(found, values, strict=True):
            column.append(value)
    shapes = (0,), (0, 3), (0, 3), (0, 2, 3), (0,), (0,)
    types = int, float, float, float, float, bool
    columns = zip(found, shapes, types, strict=True)
    return ContactPoints(
        *(np.array(column, dtype) if column else np.zeros(shape, dtype) for column, shape, dtype in columns)
    )
