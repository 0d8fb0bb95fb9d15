"""Bodies as the solids they were made from, and their frames."""

import numpy as np

from ...model import Model
from ...render import Mesh, Placement, crease_split, unit_box, unit_cylinder, unit_sphere
from ..moment import Moment
from ..palette import AXES, body_colours, repeated
from ..placing import HIDDEN, at_frames
from .base import SIDES, Layer, Measures, Part

POINT = 0.02  # radius of a point mass, of the mechanism's size
THINNER = 1.5e-3  # by which neighbours are drawn smaller: faces in one plane would flicker
AXIS = 0.08  # length of an axis, of the mechanism's size


class Bodies(Layer):
    """Bodies drawn as cuboids, ellipsoids, cylinders, capsules, meshes and point masses."""

    name = "bodies"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        copies: dict[int, list] = {}  # by mesh: (body, frame, size, colour)
        meshes: dict[int, tuple[str, Mesh]] = {}
        for body, shapes in enumerate(model.shapes):
            for shape in shapes:
                for name, mesh, shift, size in _solids(shape, POINT * measures.size):
                    frame = shape.frame.copy()
                    frame[:3, 3] += shift * frame[:3, 2]
                    meshes[id(mesh)] = name, mesh
                    size = (1.0 - THINNER * (body % 4)) * np.array(size)
                    copies.setdefault(id(mesh), []).append((body, frame, size, shape.colour))
        self.copies = []
        for key, own in copies.items():
            bodies, frames, sizes, colours = zip(*own, strict=True)
            self.copies.append((np.array(bodies), np.array(frames), np.array(sizes)))
            name, mesh = meshes[key]
            self.parts.append(Part(f"{name} {len(self.parts)}", mesh, body_colours(colours, bodies, model.nbodies)))

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the solids on their bodies."""
        return [at_frames(moment.bodies[bodies] @ frames, sizes) for bodies, frames, sizes in self.copies]

    def place_bare(self, moment: Moment) -> list[Placement]:
        """The same without those that a soft body covers."""
        links = [body.links for body in self.model.soft_bodies.values()]
        covered = np.isin(self.model.bodies["link"], np.concatenate([*links, np.zeros(0, int)]))
        bare = [np.where(covered[bodies], HIDDEN, 1.0)[:, None] for bodies, _, _ in self.copies]
        return [at._replace(scales=at.scales * seen) for at, seen in zip(self.place(moment), bare, strict=True)]


def _solids(shape, point: float) -> list[tuple[str, Mesh, float, tuple]]:
    """(name, mesh, shift along z, size) of the unit solids that a shape consists of."""
    x, _, z = shape.size
    if shape.kind == "cuboid":
        return [("cuboids", unit_box(), 0.0, shape.size)]
    if shape.kind == "ellipsoid":
        return [("balls", unit_sphere(), 0.0, shape.size)]
    if shape.kind == "cylinder":
        return [("cylinders", unit_cylinder(), 0.0, shape.size)]
    if shape.kind == "capsule":
        ends = [("balls", unit_sphere(), end * z, (x, x, x)) for end in (-0.5, 0.5)]
        return [("cylinders", unit_cylinder(), 0.0, shape.size), *ends]
    if shape.kind == "point":
        return [("balls", unit_sphere(), 0.0, (point, point, point))]
    return [("mesh", crease_split(shape.vertices, shape.faces), 0.0, shape.size)]


class Axes(Layer):
    """Frames of the bodies: centres of mass and principal axes, x red, y green, z blue."""

    name = "axes"
    shown = False

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        length = AXIS * measures.size
        self.size = np.array([0.06 * length, 0.06 * length, length])
        self.frames = []
        for k in range(3):
            E = np.eye(4)
            E[:3, :3] = np.roll(np.eye(3), 2 - k, axis=1)  # z points along axis k
            E[:3, 3] = 0.5 * length * E[:3, 2]
            self.frames.append(E)
            self.parts.append(Part("xyz"[k], unit_cylinder(SIDES), repeated(AXES[k], model.nbodies)))

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the axes on their bodies."""
        sizes = np.tile(self.size, (self.model.nbodies, 1))
        return [at_frames(moment.bodies @ E, sizes) for E in self.frames]
