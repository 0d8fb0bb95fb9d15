"""Joints: a pin for a hinge, a block for a slider, a ball for what turns about several axes; closed loops too."""

import numpy as np

from ...constraints.kinds import formulas_of
from ...joints.dispatch import KINDS
from ...model import Model
from ...render import Placement, unit_box, unit_cylinder, unit_sphere
from ..moment import Moment
from ..palette import JOINT, repeated
from ..placing import at_frames, at_points
from .base import SIDES, Layer, Measures, Part

SHIFTS = {3, 4, 5}  # components of a twist that move a body away
LARGEST = 0.05  # half width of a joint, of the mechanism's size
WIDTH = 0.3  # half width of a joint, of the body's own thickness


class Joints(Layer):
    """Each joint at the frame of its link, which for a hinge or slider has z along its axis."""

    name = "joints"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        thickness, floating = self._thickness(), self._floating()
        self.copies: dict[str, tuple[list, list]] = {"pins": ([], []), "sliders": ([], []), "balls": ([], [])}
        for link, record in enumerate(model.links):
            kind = f"{KINDS[record['kind']].solid}s" if link else ""
            if kind not in self.copies or link in floating:
                continue
            r = WIDTH * thickness[link]
            size = {"pins": (r, r, 4.2 * r), "sliders": (1.6 * r, 1.6 * r, 4.2 * r), "balls": (1.4 * r,) * 3}[kind]
            self.copies[kind][0].append(link)
            self.copies[kind][1].append(size)
        for name, mesh in (("pins", unit_cylinder(SIDES)), ("sliders", unit_box()), ("balls", unit_sphere(SIDES))):
            if self.copies[name][0]:
                self.parts.append(Part(name, mesh, repeated(JOINT, len(self.copies[name][0]))))
        closing = np.array([formula.closes for formula in formulas_of(model)], bool)
        self.closed = model.constraints.ends[::2][closing & (model.constraints.ends["dof"][::2] < 0)]
        if len(self.closed):
            self.radii = 1.3 * WIDTH * np.array([thickness[link] for link in self.closed["link"]])
            self.parts.append(Part("loops", unit_sphere(SIDES), repeated(JOINT, len(self.closed))))

    def _floating(self) -> set[int]:
        """Links of joints that hold their body to nothing: those with translations in two or three directions."""
        links, own, floating = self.model.links, set(self.model.bodies["link"].tolist()) | {0}, set()
        for link in self.model.bodies["link"]:
            chain = [int(link)]
            while int(links["parent"][chain[-1]]) not in own:
                chain.append(int(links["parent"][chain[-1]]))
            if any(len(SHIFTS.intersection(KINDS[links["kind"][i]].free or ())) > 1 for i in chain):
                floating.update(chain)
        return floating

    def _thickness(self) -> np.ndarray:
        """Thickness of the body on each link, within bounds that can be seen [m]. (nlinks,)"""
        most = LARGEST * self.measures.size / WIDTH
        thickness = np.full(len(self.model.links), 0.3 * most)
        for body, shapes in enumerate(self.model.shapes):
            own = [_least_width(shape) for shape in shapes]
            own = [width for width in own if width > 0]
            if own:
                thickness[self.model.bodies["link"][body]] = np.clip(min(own), 0.05 * most, most)
        return thickness

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the joints on their links."""
        found = [
            at_frames(moment.links[np.array(links)], np.array(sizes)) for links, sizes in self.copies.values() if links
        ]
        if len(self.closed):
            E = moment.at(self.closed["link"], self.closed["R"], self.closed["p"])
            found.append(at_points(E[:, :3, 3], self.radii))
        return found


def _least_width(shape) -> float:
    """Smallest width of a shape [m]."""
    if shape.kind == "mesh":
        return float(np.ptp(shape.vertices, axis=0).min())
    return float(min(shape.size) if shape.kind == "cuboid" else 2 * min(shape.size[:2]))
