"""Trajectory: what a run gives. Rows of t, q and qdot, energies, poses and twists on demand, and a file for them."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from zipfile import BadZipFile

import numpy as np

from .algorithms.kinematics import bodies_along
from .archive import from_arrays, pack_models, same_mechanism, to_arrays, unpack_models
from .deformables.places import nodes_along
from .dynamics.mass import energies_along
from .dynamics.system import system_of
from .model import Model, State
from .model.workspace import charts_restored
from .muscles.hill.report import MuscleReport, report_of
from .reduction.border import joint_rows
from .run.events import Occurrence, events_from_arrays, events_to_arrays
from .run.recorder import Switches, multipliers_together, one_below_the_other, tidy_switches
from .spatial.brief import brief, counted

if TYPE_CHECKING:
    from .deformables.packed import PackedSoftBody
    from .viewer.page import Page

ROWS = ("t", "q", "qdot", "charts")
STATES = ("z", "excitation")  # of muscles
DERIVED = ("kinetic", "potential", "poses")


@brief
class EnergyBalance(NamedTuple):
    """Where the energy of a run went [J], and how well its balance closes. (rows,) each

    Work of muscles' contractile elements and heat of their fibres' damping, from the report's integrals: they close as
    well as rows are many. Dampers, contact, drives, joint torques and changing tensions are not counted;
    an event that changes z counts as if it came a row earlier.
    """

    total: np.ndarray  # T + V - work + heat
    work: np.ndarray  # since the first row, or since the model changed
    heat: np.ndarray
    drift: float  # largest departure of the total from its start, relative to the energy exchanged


@dataclass(eq=False, repr=False)
class Trajectory:
    """A motion: times, coordinates, rates and charts, and on demand energies, poses and twists.

    A run may go over from one model to another of the same bodies: `switches` says from which row on. Rows are as wide
    as the widest model asks for; those of others are filled with NaN on the right. `pieces` have no such filling.
    """

    model: Model
    t: np.ndarray  # [s], (rows,)
    q: np.ndarray  # (rows, ndof)
    qdot: np.ndarray  # (rows, ndof)
    charts: np.ndarray  # charts of the Euler joints, (rows, number of them)
    integrator: str
    ended: str = "completed"  # or why the run stopped early
    steps: dict[str, int] = field(default_factory=dict)  # how many were accepted, and rejected where that can be
    events: list[Occurrence] = field(default_factory=list)  # what happened, in order
    multipliers: np.ndarray | None = (
        None  # of constraints [N or N m], (rows, model.constraints.names), from contact steppers
    )
    switches: Switches = ()  # (row from which another model holds, that model), in order
    z: np.ndarray | None = None  # states of muscles, named by model.z_names, (rows, nz)
    excitation: np.ndarray | None = None  # of the muscles with states, before their reflexes, (rows, number of them)
    _viewer: ClassVar[Callable[[str], ModuleType]]  # its modules by name; set by the package above, myomass.viewer

    def __post_init__(self) -> None:
        if self.z is None:
            self.z = np.zeros((len(self.t), 0))
        if self.excitation is None:
            self.excitation = np.zeros((len(self.t), len(self.model.muscles.hills)))

    def __repr__(self) -> str:
        span = f"{counted(len(self.t), 'row')} from {self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no rows"
        models = f" of {len(self._by_model)} models" if self.switches else ""
        return f"Trajectory({self.model.name!r}, {self.integrator}, {span}{models}, {self.ended})"

    def __getitem__(self, name: str) -> np.ndarray:
        """A coordinate by its name, its rate as "NAME.speed", or a state of a muscle as model.z_names has it.

        NaN where a model of the run lacks it. (rows,)
        """
        if not isinstance(name, str):
            raise TypeError(f"a run's columns are asked for by a coordinate's name, not by {name!r}")
        columns = [(rows, *self._column_of(name, model)) for model, rows in self._spans]
        if all(column is None for _, column, _ in columns):
            self.model.coordinate(name.removesuffix(".speed"))  # says which there are
        found = np.full(len(self.t), np.nan)
        for rows, column, number in columns:
            if column is not None:
                found[rows] = column[rows, number]
        return found

    def _column_of(self, name: str, model: Model) -> tuple[np.ndarray | None, int]:
        """(q, qdot or z, the column in it) of what has a name in a model; None where nothing has."""
        if name in model.coordinates:
            return self.q, model.coordinate(name)
        coordinate = name.removesuffix(".speed")
        if name != coordinate and coordinate in model.coordinates:
            return self.qdot, model.coordinate(coordinate)
        return (self.z, model.z_names.index(name)) if name in model.z_names else (None, -1)

    @property
    def last_model(self) -> Model:
        """The model of the last row."""
        return self.switches[-1][1] if self.switches else self.model

    def model_at(self, row: int) -> Model:
        """The model that holds at a row (the charts of its Euler joints are in `charts`)."""
        count = len(self.t)
        if not isinstance(row, (int, np.integer)) or not -count <= row < count:
            raise IndexError(f"the run has {counted(count, 'row')}, and no row {row!r}")
        following = bisect_right(self._switch_rows, row % count)
        return self.switches[following - 1][1] if following else self.model

    @cached_property
    def _switch_rows(self) -> list[int]:
        return [row for row, _ in self.switches]

    @cached_property
    def _spans(self) -> list[tuple[Model, slice]]:
        """(model, its rows), consecutive; all of them if the model never changes."""
        models, starts = [self.model, *(model for _, model in self.switches)], [0, *self._switch_rows]
        spans = [(m, slice(a, b)) for m, a, b in zip(models, starts, [*starts[1:], len(self.t)], strict=True)]
        return [(m, span) for m, span in spans if span.start < span.stop] or [(self.last_model, slice(0, 0))]

    @cached_property
    def _by_model(self) -> list[tuple[Model, np.ndarray | slice]]:
        """(model, all its rows), each model once."""
        if not self.switches:
            return [(self.model, slice(None))]
        found: dict[int, tuple[Model, list[np.ndarray]]] = {}
        for model, span in self._spans:
            found.setdefault(id(model), (model, []))[1].append(np.arange(span.start, span.stop))
        return [(model, np.concatenate(rows)) for model, rows in found.values()]

    @cached_property
    def pieces(self) -> list["Trajectory"]:
        """The rows of each model as runs of their own, consecutive; they share this run's arrays, events and steps."""
        return [self._piece(model, span) for model, span in self._spans] if self.switches else [self]

    def _piece(self, model: Model, rows: slice | np.ndarray) -> "Trajectory":
        n, slots, lam = model.ndof, len(model.chart_slots), self.multipliers
        lam = None if lam is None or not model.constraints.needs_program else lam[rows, : len(model.constraints)]
        arrays = self.t[rows], self.q[rows, :n], self.qdot[rows, :n], self.charts[rows, :slots]
        excitation, count = self.excitation[rows], len(model.muscles.hills)
        if excitation.shape[1] < count:  # given for the muscles of another model: none
            excitation = np.zeros((len(excitation), count))
        states = {"z": self.z[rows, : model.nz], "excitation": excitation[:, :count]}
        return Trajectory(model, *arrays, self.integrator, self.ended, self.steps, self.events, lam, **states)

    def _along(self, rows: slice | np.ndarray, model: Model) -> list[np.ndarray]:
        """t, q, qdot, charts and z of rows of one model, for kernels."""
        piece = self._piece(model, rows)
        return [np.ascontiguousarray(getattr(piece, key)) for key in (*ROWS, "z")]

    @cached_property
    def _energies(self) -> np.ndarray:
        T_V = np.empty((2, len(self.t)))
        for model, rows in self._by_model:
            t, q, qdot, charts, z = self._along(rows, model)
            found = np.empty((len(t), 2))
            with charts_restored(model.workspace) as space:
                energies_along(system_of(space).handle, model.chart_slots, charts, t, q, qdot, z, found)
            T_V[:, rows] = found.T
        return T_V

    @cached_property
    def _bodies(self) -> tuple[np.ndarray, np.ndarray]:
        count, n = len(self.t), self.model.nbodies
        E, phi = np.empty((count, n, 4, 4)), np.empty((count, n, 6))
        for model, rows in self._by_model:
            _, q, qdot, charts, _ = self._along(rows, model)
            some = (E, phi) if len(self._by_model) == 1 else (np.empty((len(q), n, 4, 4)), np.empty((len(q), n, 6)))
            with charts_restored(model.workspace) as space:
                bodies_along(space.tree.handle, model.chart_slots, charts, *joint_rows(model, q, qdot), *some)
            E[rows], phi[rows] = some
        return E, phi

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy [J]. (rows,)"""
        return self._energies[0]

    @property
    def potential(self) -> np.ndarray:
        """Potential energy [J]. (rows,)"""
        return self._energies[1]

    @property
    def poses(self) -> np.ndarray:
        """E_wb of all bodies. (rows, nbodies, 4, 4)"""
        return self._bodies[0]

    @property
    def twists(self) -> np.ndarray:
        """Twists of all bodies in their own frames. (rows, nbodies, 6)"""
        return self._bodies[1]

    def nodes(self, name: str) -> np.ndarray:
        """Places of the nodes of a soft body [m]. (rows, n, 3)"""
        return self._of_soft_body(name, lambda part, x: x)

    def surface(self, name: str) -> np.ndarray:
        """Places of the vertices of a soft body's surface [m]. (rows, k, 3)"""
        return self._of_soft_body(name, lambda part, x: part.weights @ x)

    def surface_strain(self, name: str) -> np.ndarray:
        """Size of Green's strain, sqrt(E:E), at the vertices of a soft body's surface. (rows, k)"""
        return self._of_soft_body(name, lambda part, x: part.strain(x))

    def _of_soft_body(self, name: str, quantity: "Callable[[PackedSoftBody, np.ndarray], np.ndarray]") -> np.ndarray:
        """A quantity of a soft body and the places of its nodes, for every row. (rows, ...)"""
        first = self.model.soft_body(name)
        found = np.empty((len(self.t), *quantity(first, first.soft.rest).shape))
        for piece, (model, rows) in zip(self.pieces, self._spans, strict=True):
            part, x = model.soft_body(name), nodes_along(model, name, piece.q, piece.poses)
            for row, own in zip(range(rows.start, rows.stop), x, strict=True):
                values = quantity(part, own)
                if values.shape != found.shape[1:]:
                    raise ValueError(f"the run's models have different meshes of {name!r}: ask each of its `pieces`")
                found[row] = values
        return found

    def _one_model(self, what: str) -> None:
        if self.switches:
            raise ValueError(f"the run has several models: ask each of its `pieces` for its {what}")

    @cached_property
    def muscles(self) -> MuscleReport:
        """What the muscles with states did in every row: lengths, forces, powers, work. (rows, muscles) each"""
        self._one_model("muscles")
        return report_of(self.model, self._along(slice(None), self.model), self.excitation)

    @property
    def energy_exchanged(self) -> float:
        """The largest of: kinetic energy, its range, and that of the potential energy [J]."""
        if not len(self.t):
            raise ValueError(f"the run has no rows ({self.ended})")
        return float(max(np.ptp(self.kinetic), np.ptp(self.potential), self.kinetic.max()))

    @property
    def energy_drift(self) -> float:
        """Largest departure of T + V from its start, relative to the energy exchanged; torques' work counts.

        Where the model changes (a foot strikes, a knee locks) a new start counts.
        """
        exchanged, total = self.energy_exchanged, self.kinetic + self.potential
        with np.errstate(all="ignore"):  # energies of a run that blew up may overflow
            off = [np.abs(total[rows] - total[rows.start or 0]).max() for _, rows in self._spans]
            return float(max(off) / exchanged) if exchanged > 0 else 0.0

    @cached_property
    def energy_balance(self) -> "EnergyBalance":
        """T + V - work + heat of muscles over the rows, which stays where nothing else gives or takes energy."""
        work, heat = np.zeros((2, len(self.t)))
        for piece, (_, rows) in zip(self.pieces, self._spans, strict=True):
            if len(piece.model.muscles.hills) and len(piece.t):
                work[rows], heat[rows] = piece.muscles.work.sum(axis=1), piece.muscles.heat.sum(axis=1)
        total = self.kinetic + self.potential - work + heat
        exchanged = max(self.energy_exchanged, np.ptp(work), np.ptp(heat))
        off = max(np.abs(total[rows] - total[rows.start or 0]).max() for _, rows in self._spans)
        return EnergyBalance(total, work, heat, float(off / exchanged) if exchanged > 0 else 0.0)

    @property
    def state(self) -> State:
        """The last state, to go on from: simulate(model, state=trajectory.state)."""
        if not len(self.t):
            raise ValueError(f"the run has no rows ({self.ended})")
        last = self._piece(self.last_model, slice(-1, None))
        q, qdot, charts, z = (getattr(last, key)[0].copy() for key in (*ROWS[1:], "z"))
        return State(float(last.t[0]), q, qdot, charts, z=z)

    def save(self, path: str | Path) -> Path:
        """Write t, q, qdot, charts, z, kinetic, potential and poses, and the model or models, to an .npz file."""
        path = Path(path)
        if path.suffix != ".npz":
            raise ValueError(f"a trajectory is saved as .npz, and the file is {path.name!r}")
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
        arrays = {key: getattr(self, key) for key in (*ROWS, *STATES, *DERIVED)}
        arrays |= {f"model_{key}": values for key, values in to_arrays(self.model).items()}
        arrays |= {"integrator": np.array(self.integrator), "ended": np.array(self.ended)}
        arrays |= {f"steps_{key}": np.array(count) for key, count in self.steps.items()}
        arrays |= events_to_arrays(self.events) | _switches_to_arrays(self)
        if self.multipliers is not None:
            arrays["multipliers"] = self.multipliers
        np.savez_compressed(path, **arrays)
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Trajectory":
        """The trajectory of a file that `save` wrote, with its model."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        try:
            with np.load(path) as file:
                arrays = dict(file)
            model = from_arrays({key[6:]: x for key, x in arrays.items() if key.startswith("model_")})
            steps = {key[6:]: int(x) for key, x in arrays.items() if key.startswith("steps_")}
            rows = (arrays[key] for key in ROWS)
            ending = str(arrays["integrator"]), str(arrays["ended"]), steps, events_from_arrays(arrays)
            more = arrays.get("multipliers"), _switches_from_arrays(model, arrays), *map(arrays.get, STATES)
            return cls(model, *rows, *ending, *more)
        except (KeyError, ValueError, TypeError, OSError, EOFError, BadZipFile) as error:
            raise ValueError(f"{path} is no trajectory that save() wrote ({error})") from None

    def view(self, **options) -> "Page":
        """Watch the run in a browser: play, scrub, plot, pose. Options as of `mm.view`; needs `myomass[view]`."""
        return Trajectory._viewer("page").view(self, **options)

    def save_html(self, path: str | Path, **options) -> Path:
        """Write one file that plays the run in any browser, without a server or network; needs `myomass[view]`.

        Options as of `viewer.recording.save_html`.
        """
        return Trajectory._viewer("recording").save_html(self, path, **options)

    def save_image(self, path: str | Path, t: float | None = None, **options) -> Path:
        """Write a picture of the run at a time [s] (the last row) as .png; options as of `viewer.stills.still`."""
        return Trajectory._viewer("stills").save_image(self, path, t, **options)

    def save_video(self, path: str | Path, **options) -> Path:
        """Write the run as .mp4; options as of `viewer.video.save_video`; needs `myomass[video]`."""
        return Trajectory._viewer("video").save_video(self, path, **options)

    def _repr_html_(self) -> str | None:
        """HTML for a notebook: a still and the energies."""
        return Trajectory._viewer("notebook").as_html(self)

    def joined(self, later: "Trajectory") -> "Trajectory":
        """This run and the one that was continued from its end, as one; the latter may be of another model."""
        if not isinstance(later, Trajectory):
            raise TypeError(f"joined: give a trajectory, not {later!r}")
        if later.model.numbering != self.model.numbering:
            raise ValueError("joined: the later trajectory is of another model, with other bodies")
        if not len(later.t) or not len(self.t) or later.t[0] != self.t[-1]:
            raise ValueError("joined: the later trajectory must start where this one ends")
        goes_on = [] if same_mechanism(later.model_at(0), self.last_model) else [(1, later.model_at(0))]
        found = [*self.switches, *((len(self.t) + row - 1, m) for row, m in [*goes_on, *later.switches] if row)]
        rows = [one_below_the_other([getattr(self, key), getattr(later, key)[1:]]) for key in (*ROWS[1:], *STATES)]
        steps = {key: self.steps.get(key, 0) + later.steps.get(key, 0) for key in self.steps | later.steps}
        lam, t = _joined_multipliers(self, later), np.concatenate([self.t, later.t[1:]])
        ending = later.integrator, later.ended, steps, self.events + later.events, lam
        switches, (*rows, z, excitation) = tidy_switches(self.model, found, len(t)), rows
        return Trajectory(self.model, t, *rows, *ending, switches, z, excitation)


def _joined_multipliers(run: Trajectory, later: Trajectory) -> np.ndarray | None:
    """Multipliers of both runs, NaN for a model that has none; None if one of them did not keep its own."""
    if any(x.multipliers is None and any(m.constraints.needs_program for m, _ in x._by_model) for x in (run, later)):
        return None
    more = None if later.multipliers is None else later.multipliers[1:]
    return multipliers_together([(len(run.t), run.multipliers), (len(later.t) - 1, more)])


def _switches_to_arrays(run: Trajectory) -> dict[str, np.ndarray]:
    """Rows of the switches and the models there, each model once, for a file; nothing if there are none."""
    if not run.switches:
        return {}
    distinct = {id(model): model for model in (run.model, *(model for _, model in run.switches))}
    places = {key: place for place, key in enumerate(distinct)}
    arrays = {"switch_rows": np.array([row for row, _ in run.switches])}
    arrays["switch_models"] = np.array([places[id(model)] for _, model in run.switches])
    return arrays | {f"models_{key}": x for key, x in pack_models(list(distinct.values())[1:]).items()}


def _switches_from_arrays(model: Model, arrays: dict[str, np.ndarray]) -> Switches:
    """The switches of `_switches_to_arrays`, of a run whose first model is given."""
    if "switch_rows" not in arrays:
        return ()
    packed = {key[7:]: x for key, x in arrays.items() if key.startswith("models_")}
    models = [model, *unpack_models(packed)]
    rows, which = arrays["switch_rows"].tolist(), arrays["switch_models"].tolist()
    return tuple((row, models[i]) for row, i in zip(rows, which, strict=True))
