"""What a layer is: parts, each a solid in many copies, and the places of the copies at a moment.

A new layer is its own file with one subclass, and one line in layers/__init__.py.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...model import Model
from ...render import Mesh, Placement
from ..moment import Moment

SIDES = 14  # sides of small round things, few because triangles are slow without a graphics card


@dataclass(frozen=True, eq=False)
class Part:
    """Copies of one solid: how many and in which colours, with an opacity for all."""

    name: str
    mesh: Mesh
    colours: np.ndarray  # (copies, 3) uint8
    opacity: float = 1.0


@dataclass(frozen=True)
class Measures:
    """Size and weight of the mechanism, by which markers are scaled."""

    size: float  # of the whole mechanism [m]
    weight: float  # of the whole mechanism [N]: forces are drawn against it


def up_of(model: Model) -> np.ndarray:
    """Unit vector against gravity; z without gravity."""
    strength = np.linalg.norm(model.gravity)
    return -model.gravity / strength if strength > 0 else np.array([0.0, 0.0, 1.0])


class Layer:
    """One kind of thing to see. A subclass fills `parts` and says where their copies are."""

    name: ClassVar[str]
    shown: ClassVar[bool] = True  # is it shown at first?

    def __init__(self, model: Model, measures: Measures):
        self.model, self.measures = model, measures
        self.parts: list[Part] = []

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the copies of each part at a moment."""
        raise NotImplementedError

    def meshes(self, moment: Moment) -> list[Mesh]:
        """The solid of each part at a moment; always the same, unless a layer says otherwise."""
        return [part.mesh for part in self.parts]

    def colours(self, moment: Moment) -> list[np.ndarray]:
        """Colours of the copies of each part at a moment; those of the parts, unless a layer says otherwise."""
        return [part.colours for part in self.parts]
