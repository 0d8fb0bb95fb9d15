"""Drawing: all layers of a run, the camera that sees it whole, and the ground under it."""

from functools import cached_property

import numpy as np

from ..forces import Ground as PenaltyGround
from ..model import Model
from ..render import Camera, Ground, Instances
from .frames import Frames
from .layers import LAYERS, Bodies, Layer, Measures, Skins
from .layers.base import up_of
from .layers.contacts import plane_ends, touched_planes
from .look import Look, rounded_up
from .moment import Moment

LOOKS = 40  # instants of a run that are looked at, so as to see it whole
FIELD_OF_VIEW = 0.6  # [rad], vertical
MARGIN, ROOM = 1.18, 1.7  # round a run, and round a pose that others may follow
PLAIN = Look()
GHOST = 0.22  # opacity of earlier poses
CELLS = (0.1, 0.2, 0.5, 1.0)  # of the ground's grid, times powers of ten [m]


class Drawing:
    """All that is drawn of a run: layers with their parts, ground and camera."""

    def __init__(self, frames: Frames, look: Look = PLAIN):
        self.frames, self.model = frames, frames.trajectory.model
        spheres = [_spheres(moment) for moment in frames.each(frames.times(fps=1e9, most=LOOKS))]
        self.centres, self.radii = (np.concatenate(column) for column in zip(*spheres, strict=True))
        self.size = _extent(*spheres[0])
        self.up = up_of(self.model)
        mass = float(self.model.bodies["mass"].sum()) + _free_mass(self.model)
        weight = float(mass * np.linalg.norm(self.model.gravity))
        made = [kind(self.model, Measures(self.size, weight or mass or 1.0)) for kind in LAYERS]
        self.layers: list[Layer] = [layer for layer in made if layer.parts]
        self.look(look)

    def look(self, look: Look) -> None:
        """Show soft bodies in another way."""
        self.wanted = look
        strain = look.strain
        if strain is not False:
            strain = self.largest_strain if strain is True else float(strain)
        for layer in self.layers:
            if isinstance(layer, Skins):
                layer.look(None if strain is False else strain, look.xray)

    @cached_property
    def largest_strain(self) -> float:
        """End of a scale for all strains of soft bodies in the run."""
        moments = list(self.frames.each(self.frames.times(fps=1e9, most=LOOKS)))
        skins = [layer for layer in self.layers if isinstance(layer, Skins)]
        return rounded_up(max((skin.largest_strain(moment) for skin in skins for moment in moments), default=0.0))

    @property
    def strain(self) -> float | None:
        """The strain of the last colour; None where soft bodies have their own colours."""
        return next((layer.strain for layer in self.layers if isinstance(layer, Skins)), None)

    def things(self, moment: Moment, hidden: frozenset[str] = frozenset()) -> list[Instances]:
        """Everything at a moment for the renderer, but layers that are hidden or not shown at first."""
        found = []
        for layer in self.layers:
            if layer.shown and layer.name not in hidden:
                solids = layer.meshes(moment), layer.place(moment), layer.colours(moment)
                shown = zip(*solids, (part.opacity for part in layer.parts), strict=True)
                found += [Instances(*solid) for solid in shown]
        return found

    def ghosts(self, moment: Moment, hidden: frozenset[str] = frozenset()) -> list[Instances]:
        """Bodies and soft bodies at a moment, pale; those inside of soft bodies only where they are seen through."""
        found = []
        for layer in self.layers:
            if isinstance(layer, Bodies | Skins) and layer.name not in hidden:
                bare = isinstance(layer, Bodies) and not self.wanted.xray
                places = layer.place_bare(moment) if bare else layer.place(moment)
                solids = zip(layer.meshes(moment), places, layer.colours(moment), strict=True)
                found += [Instances(*solid, GHOST) for solid in solids]
        return found

    @property
    def ground(self) -> Ground:
        """The plane of contact with the world if there is one, else one just below everything."""
        E = _ground_frame(self.model)
        if E is None:
            E = np.eye(4)
            E[:3, :3] = _frame_with_z(self.up)
            lowest = (self.centres @ self.up - self.radii).min()
            centre = self.centres.mean(axis=0)
            E[:3, 3] = centre + (lowest - 0.04 * self.size - centre @ self.up) * self.up
        whole = _extent(self.centres, self.radii)
        wanted = whole / 12
        power = 10.0 ** np.floor(np.log10(wanted / CELLS[0]))
        cell = min((power * c for c in CELLS), key=lambda c: abs(np.log(c / wanted)))
        beside = (self.centres.mean(axis=0) - E[:3, 3]) @ E[:3, :2]
        E[:3, 3] += E[:3, :2] @ (5 * cell * np.round(beside / (5 * cell)))  # its lines stay
        return Ground(E, float(cell), float(2.5 * whole))

    def camera(self, aspect: float = 16 / 9) -> Camera:
        """A camera that sees the whole run: across the plane of its motion, a little from above and from the side."""
        up, across = self.up, self._across()
        side = np.cross(up, across)
        back = across + 0.42 * side + 0.30 * up
        back /= np.linalg.norm(back)
        right = np.cross(up, back)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(back, right), back])
        places = self.centres @ axes.T
        tangent = np.tan(FIELD_OF_VIEW / 2) * np.array([aspect, 1.0])
        low, high = ((places - s * self.radii[:, None])[:, :2] for s in (1, -1))
        middle = 0.5 * (low.min(axis=0) + high.max(axis=0))
        margin = MARGIN if self.frames.end > self.frames.start else ROOM
        reach = np.maximum(high - middle, middle - low) * margin / tangent
        distance = (places[:, 2] + reach.max(axis=1) + self.radii).max()
        depth = float(np.median(places[:, 2]))
        distance = max(distance, depth + 0.5 * self.size)  # all of it may be one point
        target = np.array([*middle, depth]) @ axes
        return Camera(target + (distance - depth) * back, target, up, FIELD_OF_VIEW)

    def _across(self) -> np.ndarray:
        """Level direction, a unit vector, in which the run reaches least: where to look from."""
        spread = self.centres - self.centres.mean(axis=0)
        spread = spread - np.outer(spread @ self.up, self.up)
        frame = _frame_with_z(self.up)
        flat = spread @ frame[:, :2]
        size = np.linalg.norm(flat, axis=1).max()
        values, vectors = np.linalg.eigh(flat.T @ flat)
        if values[1] < 1e-8 * size * size * len(flat) or values[0] > 0.7 * values[1]:
            across = -frame[:, 1]  # no direction stands out
        else:
            across = frame[:, :2] @ vectors[:, 0]
        return -across if across @ frame[:, 1] > 1e-9 else across


def _spheres(moment: Moment) -> tuple[np.ndarray, np.ndarray]:
    """Spheres that hold all that is drawn at a moment: (centres (n, 3), radii (n,))."""
    model, centres, radii = moment.model, [], []
    for E, shapes in zip(moment.bodies, model.shapes, strict=True):
        for shape in shapes:
            for centre, radius in _balls(shape):
                F = E @ shape.frame
                centres.append(F[:3, :3] @ centre + F[:3, 3])
                radii.append(radius)
    links = moment.links[1:, :3, 3] if len(moment.links) > 1 else moment.links[:, :3, 3]
    hooks, wrapped = model.muscles.points, model.muscles.pieces[model.muscles.pieces["kind"] >= 0]
    on_muscles = [moment.at(own["link"], own["R"], own["p"])[:, :3, 3] for own in (hooks, wrapped)]
    thick = model.muscles.params[wrapped["at"] + 4]  # radius, or the first of several
    nodes = [moment.nodes(name) for name in model.soft_bodies]
    others = np.concatenate([links, moment.held.places, *nodes, *on_muscles])
    own = [np.zeros(len(others) - len(thick)), thick]
    return np.concatenate([np.array(centres).reshape(-1, 3), others]), np.concatenate([radii, *own])


def _balls(shape) -> list[tuple[np.ndarray, float]]:
    """A shape's corners, or its ends with their radii, in the shape's frame."""
    if shape.kind == "mesh":
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
        return [(np.where(corner, high, low), 0.0) for corner in np.ndindex(2, 2, 2)]
    size = np.array(shape.size)
    if shape.kind == "cuboid":
        return [(size * (np.array(corner) - 0.5), 0.0) for corner in np.ndindex(2, 2, 2)]
    if shape.kind in ("cylinder", "capsule"):
        return [(np.array([0, 0, end * size[2]]), float(size[0])) for end in (-0.5, 0.5)]
    return [(np.zeros(3), float(size.max()))]


def _extent(centres: np.ndarray, radii: np.ndarray) -> float:
    """Largest side of the box round spheres [m]."""
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    return float((high - low).max()) or 1.0


def _frame_with_z(up: np.ndarray) -> np.ndarray:
    """Level axes: columns x, y, up; x near the world's own where that is level. (3, 3)"""
    x = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = x - (x @ up) * up
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(up, x), up], axis=1)


def _ground_frame(model: Model) -> np.ndarray | None:
    """A frame with z out of the ground that bodies can touch, if there is one."""
    E, planes = np.eye(4), plane_ends(model)[0]
    if len(planes):
        E[:3, :3], E[:3, 3] = planes[0]["R"], planes[0]["p"]
        return E
    elements = model.forces.elements[model.forces.elements["kind"] == PenaltyGround.kind]
    for element in elements:
        normal, height = np.split(model.forces.params[element["at"] : element["at"] + 4], [3])
        if normal @ up_of(model) > 0.5:  # no wall or ceiling
            E[:3, :3], E[:3, 3] = _frame_with_z(normal), height * normal
            return E
    for plane in touched_planes(model):
        if plane[:3, 2] @ up_of(model) > 0.5:
            return plane
    return None


def _free_mass(model: Model) -> float:
    """Mass of nodes of soft bodies that ride on no body [kg]."""
    return float(sum(body.soft.node_masses[body.links < 0].sum() for body in model.soft_bodies.values()))
