"""Models of tests/fixtures read from their .osim files, with what tests/opensim_fixtures.py kept of OpenSim's numbers.

Locked coordinates are eliminated. Surfaces are left out: of arm26, whose paths OpenSim wraps approximately, a test says
which there are, where they lie in a path and on which side.
"""

import json
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import myomass as mm

FIXTURES = Path(__file__).parent / "fixtures"
FILES = {
    "tug_of_war_thelen": "osim/tug_of_war.osim",
    "tug_of_war_millard": "osim/tug_of_war_millard.osim",
    "gait10dof18musc": "opensim_gait10dof18musc.osim",
    "leg6dof9musc": "osim/leg6dof9musc.osim",
    "arm26": "osim/arm26.osim",
}
TOLD = {"activation": "activation", "fiber_length": "fibre_length", "tendon_force": "tension"}  # names in a report


def load(name):
    return json.loads((FIXTURES / f"opensim_{name}.json").read_text())


@dataclass
class Built:
    """A model and how it is read: the fixture's coordinates that it has, in its order."""

    model: object
    coordinates: list


class Maker:
    """Makes the model of a fixture, with some coordinates locked at their defaults, which are eliminated unless told.

    surfaces: by muscle and surface, between which points of the path it lies (0: the first two), and on which side.
    """

    def __init__(self, name, locked=(), surfaces=None, *, forces=True, eliminate=True):
        self.name, self.locked, self.surfaces = name, set(locked), surfaces or {}
        self.options = {"forces": forces, "eliminate": eliminate}
        self.fixture = load(name)

    @cached_property
    def built(self):
        """The model."""
        tree = ET.parse(FIXTURES / FILES[self.name])
        for coordinate in tree.iter("Coordinate"):
            if coordinate.get("name") in self.locked:
                coordinate.find("locked").text = "true"
        for objects in tree.iter("objects"):
            for wrap in objects.findall("PathWrap"):
                objects.remove(wrap)
        with tempfile.TemporaryDirectory() as folder:
            tree.write(path := Path(folder) / f"{self.name}.osim")
            spec = mm.io.read_osim(path, **self.options)
        for name, muscle in spec.muscles.items():
            self._wrap(spec, muscle, self.surfaces.get(name, {}))
        return Built(spec.compile(), list(spec.coordinates))

    def _wrap(self, spec, muscle, surfaces):
        """Lay surfaces into a muscle's path."""
        if surfaces:
            muscle.wrap = [None] * (len(muscle.points) - 1)
        for surface, (piece, side) in surfaces.items():
            known = self.fixture["surfaces"][surface]
            frame = spec.frames[known["body"]]
            place = mm.translation(*known["translation"]) @ turn(known["xyz_body_rotation"])
            given = {"body": frame.body, "E_bs": frame.pose @ place, "side": side}
            if known["class"] == "WrapCylinder":
                muscle.wrap[piece] = mm.wrap.Cylinder(**given, radius=known["radius"][0])
            else:
                muscle.wrap[piece] = mm.wrap.Ellipsoid(**given, radii=known["dimensions"])


def turn(angles):
    """Body-fixed x-y-z angles as a pose."""
    return mm.rotation((1, 0, 0), angles[0]) @ mm.rotation((0, 1, 0), angles[1]) @ mm.rotation((0, 0, 1), angles[2])


def excitations(run):
    """Excitations of a stored run, amplitude sin(omega t + phase) + offset, as motions by muscle."""
    span = run["time"][0], run["time"][-1]
    return {
        name: mm.Motion.of(lambda t, a=a, w=w, p=p, o=o: a * np.sin(w * t + p) + o, *span)
        for name, a, w, p, o in run["excitations"]
    }


def follow(maker, run, rows=slice(None), **options):
    """(trajectory, by quantity the largest deviation of each column from a stored run, in parts of the column's range).

    It starts from the first of the rows given, and they are compared. The range is that of the whole stored run.
    """
    names = list(maker.fixture["coordinates"])
    whole = {key: np.array(run[key]) for key in ("time", "q", "u", *TOLD)}
    stored = {key: x[rows] for key, x in whole.items()}
    built = maker.built
    columns = [names.index(coordinate) for coordinate in built.coordinates]
    for kept in (whole, stored):
        kept |= {key: kept[key][:, columns] for key in "qu"}
    q, u, a, fibre = (stored[key][0] for key in ("q", "u", "activation", "fiber_length"))
    start = built.model.state(q, u, stored["time"][0], z=np.column_stack([a, fibre]).ravel())
    given = {"excitation": excitations(run), "times": stored["time"]}
    motion = mm.simulate(built.model, state=start, **given, **options)
    found = {
        key: np.concatenate([getattr(piece.muscles, name) for piece in motion.pieces]) for key, name in TOLD.items()
    }
    found |= {"q": motion.q, "u": motion.qdot}
    moves = {key: np.ptp(whole[key], axis=0) for key in found}
    moves = {key: np.where(x > 0, x, 1.0) for key, x in moves.items()}  # of locked coordinates it is zero
    return motion, {key: np.abs(x - stored[key]).max(0) / moves[key] for key, x in found.items()}
