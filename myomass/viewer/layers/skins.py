"""Soft bodies as smooth surfaces that ride in their meshes, in one colour or in those of their strain."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from ...model import Model
from ...render import Mesh, Placement, crease_origins
from ..moment import Moment
from ..palette import flesh_colour, strain_colours
from ..placing import UPRIGHT
from .base import Layer, Measures, Part

if TYPE_CHECKING:
    from ...deformables.packed import PackedSoftBody

CREASE = 1.0  # faces that meet at a larger angle at rest meet at an edge [rad]
CLEAR = 0.3  # opacity of a surface that is seen through


@dataclass(frozen=True, eq=False)
class Skin(Part):
    """The surface of a soft body, whose shape changes: its vertices are `weights` times the nodes. (k, n)"""

    weights: csr_array | None = None
    body: "PackedSoftBody | None" = None

    def vertices(self, moment: Moment) -> np.ndarray:
        """Places of the vertices at a moment [m]. (k, 3)"""
        return self.weights @ moment.nodes(self.body.name)

    def node_shares(self, moment: Moment, most: float) -> np.ndarray:
        """Strain of the nodes at a moment as a share of the strain `most`. (n,)"""
        return self.body.node_strain(moment.nodes(self.body.name)) / most


class Skins(Layer):
    """Surfaces of soft bodies, smooth but for edges that are sharp at rest."""

    name = "soft bodies"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        self.strain: float | None = None  # that has the last colour of strain; None: bodies have their own colours
        for i, body in enumerate(model.soft_bodies.values()):
            origins, faces = crease_origins(Mesh(body.vertices, body.faces), CREASE)
            mesh, colour = Mesh(body.vertices[origins], faces), flesh_colour(body.colour)[None]
            self.parts.append(Skin(f"surface {i}", mesh, colour, weights=csr_array(body.weights)[origins], body=body))

    def look(self, strain: float | None, xray: bool) -> None:
        """Colour by strain, up to the largest that is told apart; let what is inside be seen."""
        self.strain = strain
        self.parts = [replace(part, opacity=CLEAR if xray else 1.0) for part in self.parts]

    def place(self, moment: Moment) -> list[Placement]:
        """Each surface once, where its vertices are."""
        here = Placement(np.zeros((1, 3)), UPRIGHT[None], np.ones((1, 3)))
        return [here] * len(self.parts)

    def meshes(self, moment: Moment) -> list[Mesh]:
        """The surfaces in their shapes of the moment."""
        return [part.mesh.moved(part.vertices(moment)) for part in self.parts]

    def colours(self, moment: Moment) -> list[np.ndarray]:
        """One colour each (1, 3), or those of the strain at the vertices (1, k, 3)."""
        if self.strain is None:
            return super().colours(moment)
        shares = [part.weights @ part.node_shares(moment, self.strain) for part in self.parts]
        return [strain_colours(share)[None] for share in shares]

    def largest_strain(self, moment: Moment) -> float:
        """Largest size of Green's strain at the nodes of all bodies."""
        return max(float(part.body.node_strain(moment.nodes(part.body.name)).max()) for part in self.parts)
