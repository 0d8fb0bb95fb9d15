"""Moment: one instant of a motion, with what is drawn of it computed when it is asked for."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..deformables.places import nodes_along
from ..dynamics import contact_points
from ..dynamics.seen import ContactPoints, ForcePoints, links_and_points
from ..model import Model


@dataclass(frozen=True, eq=False)
class Moment:
    """A model (in the charts of this instant), its state, and multipliers of its constraints where they are known."""

    model: Model
    t: float
    q: np.ndarray
    qdot: np.ndarray
    z: np.ndarray  # states of muscles
    multipliers: np.ndarray | None = None

    @cached_property
    def _seen(self) -> tuple[np.ndarray, ForcePoints]:
        return links_and_points(self.model, self.q, self.qdot)

    @property
    def links(self) -> np.ndarray:
        """E_wl of all links. (nlinks, 4, 4)"""
        return self._seen[0]

    @property
    def held(self) -> ForcePoints:
        """Points of springs, cables and other forces."""
        return self._seen[1]

    @cached_property
    def bodies(self) -> np.ndarray:
        """E_wb of all bodies. (nbodies, 4, 4)"""
        E = np.tile(np.eye(4), (self.model.nbodies, 1, 1))
        E[:, :3, :3], E[:, :3, 3] = self.model.bodies["R_lb"], self.model.bodies["p_lb"]
        return self.links[self.model.bodies["link"]] @ E

    @cached_property
    def contacts(self) -> ContactPoints:
        """Nearest points of all pairs that may touch."""
        return contact_points(self.model, self.q)

    def nodes(self, name: str) -> np.ndarray:
        """Places of the nodes of a soft body [m]. (n, 3)"""
        return nodes_along(self.model, name, self.q[None], self.bodies[None])[0]

    def at(self, links: np.ndarray, R: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Frames that are fixed to links, in the world. (n, 4, 4)"""
        E = np.tile(np.eye(4), (len(links), 1, 1))
        E[:, :3, :3], E[:, :3, 3] = R, p
        return self.links[links] @ E
