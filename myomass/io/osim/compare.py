"""How far OpenSim's wrapped paths are from ours, which are exact geodesics: asked of OpenSim itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from ...muscles import moment_arms, muscle_lengths
from ...muscles.wrapping.sphere import Sphere
from ...spatial.brief import brief, counted

if TYPE_CHECKING:
    from ...model.model import Model
    from ...model.spec import Spec

FAR = 1e-9  # [m], below which two lengths are the same
SPAN = {"rad": np.pi, "m": 1.0, "1": 1.0}  # on both sides of the default, where the file names no range


@brief
@dataclass(frozen=True, eq=False)
class PathDifferences:
    """OpenSim's lengths and moment arms less ours, of every path that has a surface to wrap over.

    At the default pose, and where they differ most in poses drawn from the ranges of the coordinates (uniformly). Poses
    in which OpenSim's path has no length are counted apart.
    """

    names: tuple[str, ...]
    at_default: np.ndarray  # of lengths [m], (paths,)
    largest: np.ndarray  # of lengths in size [m], (paths,)
    arms: np.ndarray  # of moment arms in size [m], 0 where couplings hold coordinates together, (paths,)
    poses: np.ndarray  # where the lengths differ most, (paths, ndof)
    lengths: np.ndarray  # ours at the default pose [m], (paths,)
    lost: np.ndarray  # number of poses in which OpenSim's path has no length, (paths,)

    def sentences(self) -> list[str]:
        """A sentence for each path that differs."""
        told = []
        for i, name in enumerate(self.names):
            if self.largest[i] <= FAR and not self.lost[i]:
                continue
            arms = f", and its moment arms by up to {1e3 * self.arms[i]:.3g} mm" if self.arms[i] > FAR else ""
            lost = f"; in {self.lost[i]} of the poses it has no length" if self.lost[i] else ""
            told.append(
                f"path {name!r}, {1e3 * self.lengths[i]:.4g} mm long: OpenSim's length differs from the geodesic's by "
                f"{1e3 * self.at_default[i]:.3f} mm at the default pose, by up to {1e3 * self.largest[i]:.3g} mm over "
                f"the ranges of the coordinates{arms}{lost}"
            )
        return told


def told_unasked(spec: "Spec") -> list[str]:
    """A sentence on paths over surfaces other than spheres, if there are any: how to hear what OpenSim has for them."""
    count = sum(any(not isinstance(one, Sphere) for one in muscle.surfaces()) for muscle in spec.muscles.values())
    if not count:
        return []
    return [
        f"{counted(count, 'path')} over cylinders, ellipsoids or tori: exact geodesics here, which OpenSim's are "
        "not; read_osim(..., compare=True) or myomass inspect --compare tells by how much they differ"
    ]


def compare_wraps(path: str | Path, spec: "Spec | None" = None, *, samples: int = 30, seed: int = 0) -> PathDifferences:
    """How far OpenSim's paths over surfaces of an .osim file are from geodesics, at `samples` random poses.

    spec: the file as it was read, if it was (None: it is read here). OpenSim itself is asked, so its package must be
    installed: pip install opensim.
    """
    from . import read_osim

    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 0:
        raise ValueError(f"compare_wraps: samples is a whole number, 0 for the default pose alone, and is {samples!r}")
    spec = spec or read_osim(path, forces=False)
    model = spec.compile(massless=True)
    names = [name for name, muscle in spec.muscles.items() if muscle.surfaces()]
    mine = [model.muscle(name) for name in names]
    with _quiet() as opensim:
        theirs = _Theirs(opensim, path, model, names)
        rng, rows = np.random.default_rng(seed), []
        for k in range(samples + 1):
            q = theirs.place(model.q() if k == 0 else _drawn(model, rng))
            apart = theirs.lengths() - muscle_lengths(model, q)[mine]
            arms = theirs.arms() - moment_arms(model, q)[mine]
            rows.append((apart, np.abs(arms[:, theirs.free]).max(axis=1, initial=0.0), q))
    apart, arms, poses = (np.array(column) for column in zip(*rows, strict=True))
    lost = ~np.isfinite(apart)
    apart, arms = np.where(lost, 0.0, apart), np.where(lost | ~np.isfinite(arms), 0.0, arms)
    most = np.abs(apart)
    return PathDifferences(
        names=tuple(names),
        at_default=apart[0],
        largest=most.max(axis=0),
        arms=arms.max(axis=0),
        poses=poses[most.argmax(axis=0)],
        lengths=muscle_lengths(model, poses[0])[mine],
        lost=lost.sum(axis=0),
    )


def _drawn(model: "Model", rng: np.random.Generator) -> np.ndarray:
    """Coordinates drawn from their ranges; locked ones keep their defaults. (ndof,)"""
    q = model.q()
    for k, (one, unit) in enumerate(zip(model.coordinate_specs, model.coordinate_units, strict=True)):
        low, high = one.range or (q[k] - SPAN[unit], q[k] + SPAN[unit])
        low, high = max(low, q[k] - SPAN[unit]), min(high, q[k] + SPAN[unit])
        if not one.locked and low < high:
            q[k] = rng.uniform(low, high)
    return q


@contextmanager
def _quiet() -> Iterator[ModuleType]:
    """OpenSim's package, with its log switched off meanwhile."""
    try:
        import opensim
    except ImportError:
        raise ImportError("wraps are compared with OpenSim itself: pip install opensim") from None
    level = opensim.Logger.getLevelString()
    opensim.Logger.setLevelString("Off")
    try:
        yield opensim
    finally:
        opensim.Logger.setLevelString(level)


class _Theirs:
    """The model of the file in OpenSim."""

    def __init__(self, opensim: ModuleType, path: str | Path, model: "Model", names: list[str]):
        self.model = opensim.Model(str(path))
        self.state = self.model.initSystem()
        listed = self.model.getCoordinateSet()
        self.coordinates = [listed.get(name) for name in model.coordinates]
        coupled = self.model.getConstraintSet().getSize() > 0  # then its arms have what goes through others
        self.free = np.array([not coupled and not c.isConstrained(self.state) for c in self.coordinates], bool)
        forces = self.model.getForceSet()
        self.paths = [_path_of(opensim, forces.get(name)) for name in names]

    def place(self, q: np.ndarray) -> np.ndarray:
        """Go to a pose, couplings put right; returns its coordinates. (ndof,)"""
        for c, value in zip(self.coordinates, q, strict=True):
            if not c.getLocked(self.state):
                c.setValue(self.state, float(value), False)
        self.model.assemble(self.state)
        self.model.realizePosition(self.state)
        return np.array([c.getValue(self.state) for c in self.coordinates])

    def lengths(self) -> np.ndarray:
        """[m], (paths,)"""
        return np.array([path.getLength(self.state) for path in self.paths])

    def arms(self) -> np.ndarray:
        """Moment arms by coordinates that nothing holds, zero by others. (paths, ndof)"""
        found = np.zeros((len(self.paths), len(self.coordinates)))
        for i, path in enumerate(self.paths):
            for k in self.free.nonzero()[0]:
                found[i, k] = path.computeMomentArm(self.state, self.coordinates[k])
        return found


def _path_of(opensim: ModuleType, force: object) -> object:
    """The path of a muscle or another force along a path."""
    for kind in (opensim.PathActuator, opensim.PathSpring, opensim.Ligament, opensim.Blankevoort1991Ligament):
        found = kind.safeDownCast(force)
        if found is not None:
            return found.getGeometryPath()
    raise TypeError(f"the force {force.getName()!r} of OpenSim's model has no path")
