"""Muscles as tubes along their paths, their mass points, and the surfaces that they wrap.

Those with an actuator have the colour of their activation.
"""

from dataclasses import replace

import numpy as np

from ...joints.records import records
from ...model import Model
from ...muscles import muscle_lengths, muscle_paths, muscle_points
from ...muscles.packed import lump_dtype, mass_between
from ...muscles.spec import Solid
from ...muscles.wrapping.dispatch import SURFACES
from ...render import Mesh, Placement, unit_cylinder, unit_sphere
from ..moment import Moment
from ..palette import MUSCLE, MUSCLE_MASS, SURFACE, TENDON, activation_colours, repeated, rgb
from ..placing import at_frames, at_points, between, together
from ..tubes import tube
from .base import SIDES, Layer, Measures, Part

SAMPLES = 33  # places along a path, besides its corners
DENSITY = 1060.0  # of muscle [kg/m^3]
THINNEST, THICKEST = 0.006, 0.03  # radius of a tube, of the mechanism's size
BEAD = 1.18  # radius of the heaviest mass point, of its tube's
BEAD_SHADE = 0.75  # of the tube's colour of activation
TENDON_WIDTH = 0.45  # radius of a tendon, of the belly's


class Tubes(Layer):
    """Tubes as thick as their mass at the density of muscle, within bounds; bare tendon is thinner and pale."""

    name = "muscles"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        table = model.muscles.table
        if not len(table):
            return
        self.most = int(table["points"].max()) * 5 + SAMPLES  # corners at most, and samples
        self.fractions = np.linspace(0.0, 1.0, SAMPLES)
        pieces, bends = len(table) * (self.most - 1), len(table) * self.most
        self.fixed = repeated(MUSCLE, len(table))  # colours of those without an actuator
        self.parts = [
            Part("tubes", unit_cylinder(SIDES), repeated(MUSCLE, pieces)),
            Part("bends", unit_sphere(SIDES), repeated(MUSCLE, bends)),
            Part("tendons", unit_cylinder(SIDES), repeated(TENDON, pieces)),
        ]

    def place(self, moment: Moment) -> list[Placement]:
        """Placements along the solved paths; a muscle whose path was not found is not drawn."""
        if not self.parts:
            return []
        tubes, bends, tendons = [], [], []
        for muscle, (x, fractions) in zip(self.model.muscles.table, self._curves(moment), strict=True):
            length = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
            radius = tube_radius(muscle, length, self.measures.size)
            middle = 0.5 * (fractions[:-1] + fractions[1:])
            start, end = mass_between(muscle, length)
            belly = (middle >= start) & (middle <= end)
            tubes.append(between(x[:-1], x[1:], np.where(belly, radius, 0.0)))
            tendons.append(between(x[:-1], x[1:], np.where(belly, 0.0, TENDON_WIDTH * radius)))
            inside = (fractions >= start) & (fractions <= end)
            bends.append(at_points(x, np.where(inside, radius, 0.0)))
        return [together(tubes), together(bends), together(tendons)]

    def colours(self, moment: Moment) -> list[np.ndarray]:
        """Those of activations, where muscles have them."""
        if not len(self.model.muscles.hills) or not self.parts:
            return super().colours(moment)
        own = own_colours(self.model, moment, self.fixed)
        return [np.repeat(own, self.most - 1, axis=0), np.repeat(own, self.most, axis=0), self.parts[2].colours]

    def _curves(self, moment: Moment) -> list[tuple[np.ndarray, np.ndarray]]:
        """Places along each path and their fractions of its length, filled up to a fixed number. [(n, 3), (n,)]"""
        try:
            sampled, paths = muscle_points(sampled_model(moment.model), moment.q), muscle_paths(moment.model, moment.q)
        except (FloatingPointError, ValueError):
            unknown = np.full((self.most, 3), np.nan), np.linspace(0, 1, self.most)
            return [unknown] * len(self.model.muscles)
        return [self._merged(*pair) for pair in zip(sampled, paths, strict=True)]

    def _merged(self, samples: np.ndarray, path) -> tuple[np.ndarray, np.ndarray]:
        """Samples and corners of one path in order."""
        steps, wrapped = np.linalg.norm(np.diff(path.corners, axis=0), axis=1), path.wrapped[path.wrapped > 0]
        if path.on_surface.sum() == len(wrapped):
            steps[path.on_surface] = wrapped
        at = np.concatenate([[0.0], np.cumsum(steps)])
        at /= at[-1] if at[-1] > 0 else 1.0
        fractions = np.concatenate([self.fractions, at, np.ones(self.most - len(at) - SAMPLES)])
        places = np.concatenate([samples, path.corners, np.tile(path.corners[-1], (self.most - len(at) - SAMPLES, 1))])
        order = np.argsort(fractions, kind="stable")
        return places[order], fractions[order]


def own_colours(model: Model, moment: Moment, fixed: np.ndarray, shade: float = 1.0) -> np.ndarray:
    """Fixed colours of muscles, but of those with an actuator the colours of their activations. (muscles, 3) uint8"""
    hills, own = model.muscles.hills, fixed.copy()
    own[hills["muscle"]] = np.round(shade * activation_colours(moment.z[hills["activation"]]))
    return own


def tube_radius(muscle: np.ndarray, length: float, size: float) -> float:
    """Radius of a muscle's belly, of even thickness, within bounds that can be seen [m]."""
    if not length > 0 or muscle["mass"] <= 0:
        return THINNEST * size
    start, end = mass_between(muscle, length)
    share = max(end - start, 0.05)
    even = np.sqrt(muscle["mass"] / (DENSITY * np.pi * length * share))
    return float(np.clip(even, THINNEST * size, THICKEST * size))


def sampled_model(model: Model) -> Model:
    """The model with even samples along each path in the place of its mass points, kept with the model."""
    if "_sampled" not in model.__dict__:
        muscles = model.muscles
        table, lumps = muscles.table.copy(), records(SAMPLES * len(muscles), lump_dtype(np.float64))
        table["proximal"] = table["distal"] = 0.0
        table["lump"], table["lumps"] = SAMPLES * np.arange(len(muscles)), SAMPLES
        lumps["alpha"] = np.tile(np.linspace(0.0, 1.0, SAMPLES), len(muscles))
        model.__dict__["_sampled"] = replace(model, muscles=replace(muscles, table=table, lumps=lumps))
    return model.__dict__["_sampled"]


class MassPoints(Layer):
    """Mass points as beads on the tubes, the heavier the larger."""

    name = "mass points"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        table, masses = model.muscles.table, model.muscles.lumps["mass"]
        masses = np.where(np.repeat(table["continuous"], table["lumps"]), 0.0, masses)  # no mass points
        if len(masses) and masses.max() > 0:
            heaviest = np.repeat([masses[m["lump"] :][: m["lumps"]].max(initial=1e-300) for m in table], table["lumps"])
            self.sizes = np.where(masses > 0, BEAD * np.maximum(np.cbrt(masses / heaviest), 0.85), 0.0)
            self.fixed = repeated(MUSCLE_MASS, len(table))
            self.parts.append(Part("mass points", unit_sphere(SIDES), repeated(MUSCLE_MASS, len(masses))))

    def colours(self, moment: Moment) -> list[np.ndarray]:
        """Darker than those of activations, where muscles have them."""
        if not len(self.model.muscles.hills) or not self.parts:
            return super().colours(moment)
        own = own_colours(self.model, moment, self.fixed, BEAD_SHADE)
        return [np.repeat(own, self.model.muscles.table["lumps"], axis=0)]

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the mass points on the paths."""
        if not self.parts:
            return []
        table = self.model.muscles.table
        try:
            places = np.concatenate(muscle_points(moment.model, moment.q))
            lengths = muscle_lengths(moment.model, moment.q)
        except (FloatingPointError, ValueError):
            return [at_points(np.full((len(self.sizes), 3), np.nan), self.sizes)]
        radii = [tube_radius(m, length, self.measures.size) for m, length in zip(table, lengths, strict=True)]
        return [at_points(places, self.sizes * np.repeat(radii, table["lumps"]))]


class Surfaces(Layer):
    """Wrapping surfaces, translucent; endless cylinders are cut to a part of the mechanism's size."""

    name = "surfaces"

    def __init__(self, model: Model, measures: Measures):
        super().__init__(model, measures)
        pieces = model.muscles.pieces[model.muscles.pieces["kind"] >= 0]
        copies: dict[int, tuple[Mesh, list]] = {}
        for piece in pieces:
            kind, numbers = SURFACES[piece["kind"]], model.muscles.params[piece["at"] + 4 :]
            for mesh, E, size in _meshes(kind.solids(numbers), measures.size):
                frame = np.eye(4)
                frame[:3, :3], frame[:3, 3] = piece["R"], piece["p"]
                copies.setdefault(id(mesh), (mesh, []))[1].append((piece["link"], frame @ E, size))
        self.copies = []
        for mesh, own in copies.values():
            links, frames, sizes = (np.array(column) for column in zip(*own, strict=True))
            self.copies.append((links, frames, sizes))
            self.parts.append(Part(f"surfaces {len(self.parts)}", mesh, np.tile(rgb(SURFACE), (len(own), 1)), 0.45))

    def place(self, moment: Moment) -> list[Placement]:
        """Placements of the surfaces on their links."""
        return [at_frames(moment.links[links] @ frames, sizes) for links, frames, sizes in self.copies]


def _meshes(solids: list[Solid], size: float) -> list[tuple[Mesh, np.ndarray, tuple]]:
    """(mesh, pose in the surface's frame, stretch) of solids; endless cylinders get a part of the mechanism's size."""
    made = []
    for word, E, numbers in solids:
        if word == "ball":
            made.append((unit_sphere(), E, numbers))
        elif word == "ring":
            made.append((ring(*numbers), E, (1.0, 1.0, 1.0)))
        else:
            r, length = numbers
            made.append((unit_cylinder(), E, (r, r, max(0.25 * size, 2.5 * r) if np.isinf(length) else length)))
    return made


def ring(radius: float, thick: float, around: int = 36, sides: int = 16) -> Mesh:
    """The mesh of a torus about z."""
    u, v = 2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(sides) / sides
    out = radius + thick * np.cos(v)
    rings = [np.stack([out * np.cos(a), out * np.sin(a), -thick * np.sin(v)], axis=1) for a in u]
    return tube(np.array(rings), closed=True)
