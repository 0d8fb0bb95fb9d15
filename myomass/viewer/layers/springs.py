"""Springs as coils and cables as cords, between the points that they hold."""

from functools import cache

import numpy as np

from ...forces.dispatch import drawn_elements
from ...model import Model
from ...render import Mesh, Placement, unit_cylinder
from ..moment import Moment
from ..palette import CABLE, SPRING, repeated
from ..placing import between
from ..tubes import tube
from .base import SIDES, Layer, Measures, Part

COIL, CORD = 0.016, 0.006  # radii, of the mechanism's size
TURNS, WIRE = 9, 0.2  # of a coil; radius of its wire, of its own


class _Lines(Layer):
    """Pieces between neighbouring points of the forces that are drawn as this class says."""

    word: str
    radius: float
    colour: str

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        ours = drawn_elements(model, self.word)
        ends = [i for e in ours for i in range(e["first"], e["first"] + e["count"] - 1)]
        self.first = np.array(ends, int)
        if ends:
            self.parts.append(Part(self.name, self.mesh(), repeated(self.colour, len(ends))))

    def mesh(self) -> Mesh:
        """The mesh of one piece, along z."""
        return unit_cylinder(SIDES)

    def place(self, moment: Moment) -> list[Placement]:
        """Placements along the lines."""
        x = moment.held.places
        return [between(x[self.first], x[self.first + 1], self.radius * self.measures.size)] if self.parts else []


class Springs(_Lines):
    """Springs between points, drawn as coils."""

    name = "springs"
    word = "spring"
    radius, colour = COIL, SPRING

    def mesh(self) -> Mesh:
        """The mesh of a coil."""
        return unit_coil()


class Cables(_Lines):
    """Cables through points, drawn as cords."""

    name = "cables"
    word = "cable"
    radius, colour = CORD, CABLE


@cache
def unit_coil() -> Mesh:
    """A wire wound on the unit cylinder, with straight ends on its axis."""
    around, sides = np.linspace(0, 2 * np.pi * TURNS, 12 * TURNS + 1), 5
    height = np.linspace(-0.4, 0.4, len(around))
    wound = np.stack([np.cos(around), np.sin(around), height], axis=1)
    line = np.concatenate([[(0, 0, -0.5), (0, 0, -0.42)], wound, [(0, 0, 0.42), (0, 0, 0.5)]])
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    out = np.cross(along, (0.0, 0.0, 1.0))
    out[np.linalg.norm(out, axis=1) < 1e-6] = (1.0, 0.0, 0.0)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    over = np.cross(along, out)
    turn = 2 * np.pi * np.arange(sides) / sides
    ring = np.cos(turn)[:, None] * out[:, None] + np.sin(turn)[:, None] * over[:, None]
    ring *= WIRE * np.array([1.0, 1.0, 0.12])  # z is stretched with the coil's length
    return tube(line[:, None] + ring)
