"""Muscle analysis: what the muscles do along a recorded motion.

    r = -dl/dq,        power of a muscle on the skeleton -T dl/dt = fibre -F v + tendon

with the fibre's force F = active + passive + damping, its velocity v and the tension T.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Model
from ..model.spec import UnknownName, known_names
from ..muscles.columns import ENDINGS, muscle_columns
from ..recordings import Table
from ..recordings.table import called
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .free_coordinates import free_coordinates
from .motion_rows import MotionRows, motion_rows
from .muscle_paths import hills_with, muscle_paths_along, settle_along
from .table_rows import rows_along

if TYPE_CHECKING:
    from ..trajectory import Trajectory
    from .kinematics import Kinematics

FIBRES = {  # a field of the analysis -> the column of an equilibrium
    "fibre_lengths": "fibre",
    "fibre_velocities": "velocity",
    "pennation": "pennation",
    "tendon_lengths": "tendon",
    "tensions": "tension",
    "active_forces": "active",
    "passive_forces": "passive",
    "damping_forces": "damping",
}
TABLES = ("lengths", "speeds", "activations", *FIBRES, "power", "fibre_power", "tendon_power")
Activations = "float | Sequence[float] | Mapping[str, float] | np.ndarray | Table | None"


@brief
@dataclass(frozen=True, eq=False)
class MuscleAnalysis:
    """What muscles do along a motion: arrays of (rows, muscles).

    Without activations all from `activations` on is None. Muscles without an mm.Hill actuator have NaN there.
    """

    t: np.ndarray  # [s], (rows,)
    muscles: tuple[str, ...]
    coordinates: tuple[str, ...]  # that the moment arms are about
    lengths: np.ndarray  # of the paths [m]
    speeds: np.ndarray  # their rates [m/s]
    arms: np.ndarray  # -dl/dq [m or 1], (rows, muscles, coordinates)
    activations: np.ndarray | None = None
    fibre_lengths: np.ndarray | None = None  # [m]
    fibre_velocities: np.ndarray | None = None  # positive while it lengthens [m/s]
    pennation: np.ndarray | None = None  # [rad]
    tendon_lengths: np.ndarray | None = None  # [m]
    tensions: np.ndarray | None = None  # of the tendons [N]
    active_forces: np.ndarray | None = None  # along the fibre [N], as are the next two
    passive_forces: np.ndarray | None = None
    damping_forces: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.t)

    @property
    def power(self) -> np.ndarray:
        """Of each muscle on the skeleton, -T dl/dt [W]."""
        return -self._forces("tensions") * self.speeds

    @property
    def fibre_power(self) -> np.ndarray:
        """Of each whole fibre on tendon and skeleton [W]."""
        forces = sum(self._forces(name) for name in ("active_forces", "passive_forces", "damping_forces"))
        return -forces * self.fibre_velocities

    @property
    def tendon_power(self) -> np.ndarray:
        """Of each tendon, as it recoils [W]."""
        return self.power - self.fibre_power

    def table(self, what: str = "lengths") -> Table:
        """One of the arrays as a table of muscles, such as "lengths" or "tensions"; of arms see `arms_of`."""
        if what not in TABLES:
            raise ValueError(f"a table of a muscle analysis is one of {', '.join(TABLES)}, not {what!r}")
        return Table(self.t, self._forces(what), self.muscles)

    def arms_of(self, coordinate: str) -> Table:
        """Moment arms of all muscles about a coordinate [m], a table."""
        if coordinate not in self.coordinates:
            raise UnknownName(f"the analysis has no moment arms about {coordinate!r}; {known_names(self.coordinates)}")
        return Table(self.t, self.arms[:, :, self.coordinates.index(coordinate)], self.muscles)

    def _forces(self, name: str) -> np.ndarray:
        values = getattr(self, name)
        if values is None:
            raise ValueError(f"there are no {name} without activations: give them to mm.analyses.muscle_analysis")
        return values


def muscle_analysis(
    model: Model,
    motion: "Kinematics | Trajectory",
    activations: Activations = None,
    *,
    coordinates: Sequence[str] | None = None,
    couplings: bool = False,
    tendon: str | None = None,
) -> MuscleAnalysis:
    """Lengths, speeds and moment arms of all muscles along a motion, and at activations their fibres and forces.

    coordinates: that moment arms are about (None: all). couplings: moment arms are about the free coordinates, which
    take coupled ones along: r_i - sum of f' dl/dq_d; locked and coupled ones are left out. activations: of muscles with
    an mm.Hill actuator, one number, one for each, by name, rows of them, or a table over the motion's time, linear in
    between; an elastic tendon is then in equilibrium with its fibre, which takes its share of the path's speed. tendon:
    "rigid" or "elastic" in place of each muscle's own.
    """
    rows = motion_rows(model, motion, "muscle analysis")
    if not len(model.muscles):
        raise ValueError(f"model {model.name!r} has no muscles to analyse")
    if isinstance(coordinates, str):
        coordinates = [coordinates]
    if couplings:
        lengths, speeds, arms = muscle_paths_along(model, rows, np.arange(model.ndof))
        free = free_coordinates(model, rows)
        names = [model.coordinates[k] for k in free.free]
        arms = free.folded(arms)
        if coordinates is not None:
            arms = arms[:, :, [_free_column(model, name, names) for name in coordinates]]
            names = list(coordinates)
    else:
        names = list(model.coordinates if coordinates is None else coordinates)
        which = np.array([model.coordinate(name) for name in names], int)
        lengths, speeds, arms = muscle_paths_along(model, rows, which)
    found = MuscleAnalysis(rows.t, tuple(model.muscles.names), tuple(names), lengths, speeds, arms)
    return found if activations is None else _with_forces(model, found, activations, tendon)


def _free_column(model: Model, name: str, free: list[str]) -> int:
    model.coordinate(name)
    if name not in free:
        raise ValueError(f"coordinate {name!r} is locked or follows another one; {known_names(free)}")
    return free.index(name)


def _with_forces(model: Model, found: MuscleAnalysis, activations: Any, tendon: str | None) -> MuscleAnalysis:
    """The analysis with fibres and forces at activations."""
    hills = hills_with(model, tendon)
    if not len(hills):
        raise ValueError(f"model {model.name!r} has no muscle with an mm.Hill actuator, so that none has an activation")
    which = hills["muscle"]
    names = [model.muscles.names[i] for i in which]
    a = activation_rows(activations, MotionRows(found.t, *[None] * 4), names)
    settled, _ = settle_along(model, hills, a, found.lengths[:, which], found.speeds[:, which])
    columns = {"activations": np.clip(a, hills["least"], 1.0)} | {key: settled[own] for key, own in FIBRES.items()}
    spread = {}
    for key, values in columns.items():
        spread[key] = np.full(found.lengths.shape, np.nan)
        spread[key][:, which] = values
    told = {key: getattr(found, key) for key in ("t", "muscles", "coordinates", "lengths", "speeds", "arms")}
    return MuscleAnalysis(**told, **spread)


def activation_rows(given: Any, motion: MotionRows, names: list[str]) -> np.ndarray:
    """Activations of the muscles `names` at the rows of a motion, checked. (rows, muscles)"""
    rows, count = len(motion.t), len(names)
    if isinstance(given, Table):
        found = muscle_columns(names, given.names, ENDINGS["activation"], called(given))
        missing = next((name for name in names if name not in found), None)
        if missing is not None:
            raise UnknownName(
                f"activations: {called(given)} has no column for muscle {missing!r}; {known_names(given.names)}"
            )
        columns = given.with_values(given.t, given.values[:, [found[name] for name in names]], names)
        given = rows_along(columns, motion.t, "activations")
    elif isinstance(given, Mapping):
        odd = next((name for name in given if name not in names), None)
        missing = next((name for name in names if name not in given), None)
        if odd is not None:
            raise UnknownName(f"activations: there is no muscle {odd!r} with states; {known_names(names)}")
        if missing is not None:
            raise ValueError(f"activations: {missing!r} has none; give one to each of the {count} muscles with states")
        given = [given[name] for name in names]
    shape = (rows, count) if np.ndim(given) == 2 else (count,) if np.ndim(given) == 1 else ()
    values = check_numbers(given, "activations", shape)
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"activations are between 0 and 1, and one is {values[(values < 0) | (values > 1)][0]:g}")
    return np.ascontiguousarray(np.broadcast_to(values, (rows, count)).astype(float))
