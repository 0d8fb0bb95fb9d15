"""Closed contacts, forces that act at points, and planes of contact other than the ground."""

import numpy as np

from ...constraints.kinds import contacts, formulas_of
from ...forces.dispatch import drawn_elements
from ...model import Model
from ...render import Placement, unit_box, unit_cone, unit_cylinder, unit_sphere
from ..moment import Moment
from ..palette import CONTACT, FORCE, PLATE, repeated
from ..placing import at_frames, at_points, between, together
from .base import SIDES, Layer, Measures, Part, up_of

CLOSED = 2e-3  # gap that counts as closed, of the mechanism's size
DOT, SHAFT, HEAD = 0.014, 0.005, 0.015  # radii, of the mechanism's size
LONGEST = 0.6  # longest arrow, of the mechanism's size; a force of the mechanism's weight is half as long
NOTHING = 1e-6  # part of the weight below which no arrow is drawn


class Contacts(Layer):
    """A dot wherever bodies touch."""

    name = "contacts"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        self.ground = _nodes(model, "ground")
        count = len(self.ground) + contacts(model).sum()
        if count:
            self.parts.append(Part("contacts", unit_sphere(SIDES), repeated(CONTACT, count)))

    def place(self, moment: Moment) -> list[Placement]:
        """Placements at closed gaps, and where the penalty ground pushes."""
        if not self.parts:
            return []
        contacts, pushed = moment.contacts, moment.held.forces[self.ground].any(axis=1)
        radius = DOT * self.measures.size
        hard = at_points(contacts.places, radius * (contacts.gaps < CLOSED * self.measures.size))
        return [together([hard, at_points(moment.held.places[self.ground], radius * pushed)])]


class Forces(Layer):
    """Arrows: point forces, the push of the ground and of compliant contacts, and contact forces with friction, where a
    run has kept them.
    """

    name = "forces"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        self.points = _nodes(model, "ground", "arrow", "push")
        self.gaps = int(contacts(model).sum())
        count = len(self.points) + self.gaps
        if count:
            self.parts.append(Part("shafts", unit_cylinder(SIDES), repeated(FORCE, count)))
            self.parts.append(Part("heads", unit_cone(), repeated(FORCE, count)))

    def place(self, moment: Moment) -> list[Placement]:
        """Arrows from the points on which the forces act."""
        if not self.parts:
            return []
        contacts = moment.contacts
        x = np.concatenate([moment.held.places[self.points], contacts.places])
        f = np.concatenate([moment.held.forces[self.points], self._contact_forces(moment)])
        size, strength = self.measures.size, np.linalg.norm(f, axis=1)
        acts = strength > NOTHING * self.measures.weight
        length = np.where(acts, LONGEST * size * strength / (strength + self.measures.weight), 0.0)
        along = f / np.where(acts, strength, 1.0)[:, None]
        head = np.minimum(3 * HEAD * size, 0.6 * length)
        tip, neck = x + length[:, None] * along, x + (length - head)[:, None] * along
        width = np.minimum(1.0, length / (0.12 * size))
        return [between(x, neck, SHAFT * size * width), between(neck, tip, HEAD * size * width)]

    def _contact_forces(self, moment: Moment) -> np.ndarray:
        """Contact forces on the first body of each pair, in the world [N]. (contacts, 3)"""
        if moment.multipliers is None:
            return np.zeros((self.gaps, 3))
        return moment.contacts.forces(moment.multipliers)


class Plates(Layer):
    """Planes of contact on moving bodies, and planes of the world other than the ground."""

    name = "plates"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        self.ends = plane_ends(model)[1]
        planes = [E for E in touched_planes(model) if not E[:3, 2] @ up_of(model) > 0.5]
        self.planes = np.array(planes).reshape(-1, 4, 4)
        count = len(self.ends) + len(self.planes)
        if count:
            self.parts.append(Part("plates", unit_box(), repeated(PLATE, count), opacity=0.5))

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the planes on their links."""
        if not self.parts:
            return []
        size = self.measures.size
        E = np.concatenate([moment.at(self.ends["link"], self.ends["R"], self.ends["p"]), self.planes])
        E[:, :3, 3] -= 0.002 * size * E[:, :3, 2]
        return [at_frames(E, np.tile((size, size, 0.004 * size), (len(E), 1)))]


def plane_ends(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(the ground: at most one end, all others) of the planes of contacts, as records of ends."""
    found = model.constraints.ends[1::2][np.array([formula.plane for formula in formulas_of(model)], bool)]
    _, first = np.unique(
        np.round(np.c_[found["link"], found["p"], found["R"].reshape(-1, 9)], 9), axis=0, return_index=True
    )
    found = found[np.sort(first)]
    level = (found["link"] == 0) & (found["R"][:, :, 2] @ up_of(model) > 0.5) if len(found) else np.zeros(0, bool)
    ground = np.zeros(len(found), bool)
    ground[np.flatnonzero(level)[:1]] = True
    return found[ground], found[~ground]


def touched_planes(model: Model) -> list[np.ndarray]:
    """Frames of the planes that soft bodies touch, each once. [(4, 4)]"""
    planes = [touch.plane for body in model.soft_bodies.values() for touch in body.touches]
    return list({np.round(plane, 9).tobytes(): plane for plane in planes}.values())


def _nodes(model: Model, *words: str) -> np.ndarray:
    """Points of all forces that are drawn as these words say, of a push the first; indices into model.forces.nodes."""
    ours = drawn_elements(model, *words)
    counts = np.where(np.isin(ours["first"], drawn_elements(model, "push")["first"]), 1, ours["count"])
    return np.array(
        [i for e, count in zip(ours, counts, strict=True) for i in range(e["first"], e["first"] + count)], int
    )
