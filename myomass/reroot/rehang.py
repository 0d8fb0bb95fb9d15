"""A model hung from another of its bodies, with all that acts on it. The tree itself is made by relink.py."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..constraints.pack import Constraints
from ..forces.pack import Forces
from ..joints import Free3D, Joint, SphericalExp
from ..joints.chain import fill_link
from ..joints.dispatch import KINDS
from ..joints.links import demand_links
from ..joints.records import dof_dtype, link_dtype, records
from ..model.elements import FRICTION
from ..model.workspace import work_dtype
from ..muscles.hill.reflex import source_dofs
from ..muscles.pack import respanned
from .relink import BODY_OF, DOF_MAP, LINK_MAP, PARENTS, ROWS

if TYPE_CHECKING:
    from ..model.model import Model
    from ..muscles.packed import Muscles

CUT = "reroot: {} on the joint between {!r} and the world, which is cut; remove it from the model first"

E_PJ, E_LJ, Q, Q0 = range(4)  # frames of a new joint: in the world, in its body's link, its motion now, and at q = 0


class TopJoint:
    """A joint to the world as links of its own, record 0 being the world, with scratch to evaluate them."""

    def __init__(self, joint: Joint):
        parts, E_after = joint.links()
        self.joint, self.ndof = joint, joint.ndof
        self.links, given = records(len(parts) + 1, link_dtype(np.float64)), []
        self.links["R0"][0] = np.eye(3)
        for i, part in enumerate(parts, start=1):
            fill_link(self.links[i], part, sum(map(len, given)), 0)
            self.links[i]["parent"] = i - 1
            given.append(part.joint.parameters())
        self.params = np.concatenate([*given, [0.0]])
        self.ends = np.array([parts[0].E_before, E_after])  # before the first motion, after the last, (2, 4, 4)
        self.work = records(len(parts) + 1, work_dtype(np.float64))
        self.dofs = records(self.ndof, dof_dtype(np.float64))
        self.work["R"][0] = np.eye(3)
        self.frames = np.tile(np.eye(4), (4, 1, 1))
        self.frames[Q0] = joint.Q(np.zeros(self.ndof))
        self.floating = isinstance(joint, Free3D)
        self.free = self.floating and joint.order == "TR" and type(joint.joints[1]) is SphericalExp
        demand_links(self.links["kind"][1:].tolist())
        self.switching = any(KINDS[kind].charts > 1 for kind in self.links["kind"][1:])
        self.scratch = np.zeros((2 * self.ndof + 1, 6))
        self.packed = self.links, self.params, self.work, self.dofs, self.scratch, self.ends


@lru_cache(maxsize=64)
def top_joint(joint: Joint) -> TopJoint:
    """The packed joint, made once for each object, since packing costs more than re-rooting."""
    return TopJoint(joint)


class Maps(NamedTuple):
    """Where the parts of a tree are after re-rooting."""

    rows: np.ndarray  # whole numbers, as relink.py lists them
    shifts: np.ndarray  # how each body's link frame has moved, R above p, the world's last, (nbodies + 1, 4, 3)
    bodies: np.ndarray  # records of the bodies, in the new tree

    def attached(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(link, R, p): where records fixed to old links are now, R and p the shift of that link's frame."""
        body = self.rows[BODY_OF, table["link"]]
        return np.where(body < 0, 0, self.bodies["link"][body]), self.shifts[body, :3], self.shifts[body, 3]

    def moved(self, table: np.ndarray) -> np.ndarray:
        """The records with "p" (and "R", if they have one) in their links' new frames."""
        table = table.copy()
        link, R, p = self.attached(table)
        table["link"], table["p"] = link, np.einsum("nji,nj->ni", R, table["p"] - p)
        if "R" in table.dtype.names:
            table["R"] = np.einsum("nji,njk->nik", R, table["R"])
        return table


def carry_over(model: "Model", old: "Model", maps: Maps) -> "Model":
    """The re-hung model with the forces, constraints and muscles of the old one, which keep their meaning."""
    forces = _moved_forces(old, maps) if old.forces else old.forces
    constraints = _moved_constraints(old, maps) if len(old.constraints) else old.constraints
    model = replace(model, forces=forces, constraints=constraints)
    return replace(model, muscles=respanned(model, _moved_muscles(old, maps))) if len(old.muscles) else model


def _new_dofs(old: "Model", maps: Maps, dofs: np.ndarray, what: str) -> np.ndarray:
    """The degrees of freedom after re-rooting; -1 stays. Raises a ValueError if one of them is gone."""
    new = np.where(dofs < 0, -1, maps.rows[DOF_MAP, dofs])
    gone = dofs[(dofs >= 0) & (new < 0)]
    if len(gone):
        body = old.names[int(np.searchsorted(old.dof_starts, gone[0], side="right")) - 1]
        raise ValueError(CUT.format(what, body))
    return new


def _moved_forces(old: "Model", maps: Maps) -> Forces:
    laws = old.forces.laws.copy()
    laws["dof"] = _new_dofs(old, maps, laws["dof"], "a force (spring, limit or torque) acts")
    return replace(old.forces, laws=laws, nodes=maps.moved(old.forces.nodes))


def _moved_constraints(old: "Model", maps: Maps) -> Constraints:
    old_ends, on_dof = old.constraints.ends, old.constraints.ends["dof"] >= 0
    ends = maps.moved(old_ends)
    ends["dof"] = _new_dofs(old, maps, old_ends["dof"], "a constraint acts")
    ends["link"] = np.where(on_dof, maps.rows[LINK_MAP, old_ends["link"]], ends["link"])
    for key in ("R", "p"):
        ends[key][on_dof] = old_ends[key][on_dof]
    for i in np.flatnonzero(
        (old.constraints.table["count"] == 3) & (old.constraints.levels[old.constraints.table["row"]] == FRICTION)
    ):
        _turn_ball_friction(old, maps, ends[2 * i : 2 * i + 2], old_ends[2 * i : 2 * i + 2])
    return replace(old.constraints, ends=ends)


def _turn_ball_friction(old: "Model", maps: Maps, ends: np.ndarray, old_ends: np.ndarray) -> None:
    """Swap the ends of a ball joint's friction if the joint is inverted: the first end hangs by the joint."""
    child, parent = (int(body) for body in maps.rows[BODY_OF, old_ends["link"]])
    if old.parents[child] != parent or maps.rows[PARENTS, child] == parent:
        return
    if parent < 0:
        raise ValueError(CUT.format("there is friction", old.names[child]))
    ends[:] = ends[::-1].copy()


def _moved_muscles(old: "Model", maps: Maps) -> "Muscles":
    muscles = old.muscles
    points, pieces = maps.moved(muscles.points), maps.moved(muscles.pieces)
    points["dof"] = _new_dofs(old, maps, muscles.points["dof"], "a muscle has a point that moves with a coordinate")
    gates = _new_dofs(old, maps, muscles.points["gate"], "a muscle has a conditional point")
    points["gate"] = np.where(muscles.points["gate"] < 0, muscles.points["gate"], gates)
    empty = muscles.pieces["kind"] < 0
    pieces[empty] = muscles.pieces[empty]
    reflexes, dofs = muscles.reflexes.copy(), source_dofs(muscles.reflexes)
    moved = _new_dofs(old, maps, dofs, "a reflex answers to a coordinate")
    reflexes["source"] = np.where(dofs < 0, reflexes["source"], moved)
    return replace(muscles, points=points, pieces=pieces, reflexes=reflexes)


def relink_arrays(old: "Model", top: TopJoint, cut: tuple[int, int]) -> tuple[tuple, np.ndarray, np.ndarray]:
    """(made, rows, shifts) for `relink` to fill, without the links and parameters of the joint that is cut."""
    n, nb, links = len(old.links) - cut[0] + len(top.links) - 1, old.nbodies, len(old.links)
    params = np.zeros(len(old.params) - cut[1] + len(top.params) - 1)
    made = records(n, link_dtype(np.float64)), old.bodies.copy(), params
    return made, np.empty((ROWS, max(links, nb + 1, old.ndof, 3)), np.int64), np.empty((nb + 1, 4, 3))
