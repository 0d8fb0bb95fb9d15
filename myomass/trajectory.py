"""Trajectory: what a run gives. Rows of t, q and qdot, energies, poses and twists on demand, and a file for them."""

from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from .algorithms.kinematics import bodies_along
from .dynamics.given import all_loads
from .dynamics.kernels import energies_along
from .integrators.events import Occurrence
from .integrators.stepper import private_system
from .model import Model, State
from .model.model import from_arrays, to_arrays

if TYPE_CHECKING:
    from .viewer.page import Page

ROWS = ("t", "q", "qdot", "charts")
DERIVED = ("kinetic", "potential", "poses")


@dataclass(eq=False, repr=False)
class Trajectory:
    """A motion: times, coordinates, rates and charts, and on demand energies, poses and twists."""

    model: Model
    t: np.ndarray  # [s], (rows,)
    q: np.ndarray  # (rows, ndof)
    qdot: np.ndarray  # (rows, ndof)
    charts: np.ndarray  # charts of the Euler joints, (rows, number of them)
    integrator: str
    ended: str = "completed"  # or why the run stopped early
    steps: dict[str, int] = field(default_factory=dict)  # how many were accepted, and rejected where that can be
    events: list[Occurrence] = field(default_factory=list)  # what happened, in order
    multipliers: np.ndarray | None = None  # of constraints [N or N m], (rows, model.ties.names), from contact steppers

    def __repr__(self) -> str:
        span = f"{len(self.t)} rows from {self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no rows"
        return f"Trajectory({self.model.name!r}, {self.integrator}, {span}, {self.ended})"

    @cached_property
    def _energies(self) -> np.ndarray:
        T_V = np.empty((2, len(self.t)))
        system = private_system(self.model)
        loads = all_loads(self.model, np.float64)
        energies_along(system, loads, self.model.chart_slots, self.charts, self.t, self.q, self.qdot, T_V[0], T_V[1])
        return T_V

    @cached_property
    def _bodies(self) -> tuple[np.ndarray, np.ndarray]:
        rows, n, system = len(self.t), self.model.nbodies, private_system(self.model)
        E, phi = np.empty((rows, n, 4, 4)), np.empty((rows, n, 6))
        bodies_along(system, self.model.chart_slots, self.charts, self.q, self.qdot, E, phi)
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

    @property
    def energy_exchanged(self) -> float:
        """The largest of: kinetic energy, its range, and that of the potential energy [J]."""
        if not len(self.t):
            raise ValueError(f"the run has no rows ({self.ended})")
        return float(max(np.ptp(self.kinetic), np.ptp(self.potential), self.kinetic.max()))

    @property
    def energy_drift(self) -> float:
        """Largest departure of T + V from its start, relative to the energy exchanged; torques' work counts."""
        exchanged, total = self.energy_exchanged, self.kinetic + self.potential
        with np.errstate(all="ignore"):  # a run that blew up has energies beyond all numbers
            return float(np.abs(total - total[0]).max() / exchanged) if exchanged > 0 else 0.0

    @property
    def state(self) -> State:
        """The last state, to go on from: simulate(model, state=trajectory.state)."""
        if not len(self.t):
            raise ValueError(f"the run has no rows ({self.ended})")
        return State(float(self.t[-1]), self.q[-1].copy(), self.qdot[-1].copy(), self.charts[-1].copy())

    def save(self, path: str | Path) -> Path:
        """Write t, q, qdot, charts, kinetic, potential and poses, and the model itself, to an .npz file."""
        path = Path(path)
        if path.suffix != ".npz":
            raise ValueError(f"a trajectory is saved as .npz, and the file is {path.name!r}")
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
        arrays = {key: getattr(self, key) for key in (*ROWS, *DERIVED)}
        arrays |= {f"model_{key}": values for key, values in to_arrays(self.model).items()}
        arrays |= {"integrator": np.array(self.integrator), "ended": np.array(self.ended)}
        arrays |= {f"steps_{key}": np.array(count) for key, count in self.steps.items()}
        arrays |= {f"events_{f.name}": np.array([getattr(x, f.name) for x in self.events]) for f in fields(Occurrence)}
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
            columns = [arrays[f"events_{f.name}"].tolist() for f in fields(Occurrence)[:2]]
            columns += [list(arrays[f"events_{f.name}"]) for f in fields(Occurrence)[2:]]
            events = [Occurrence(*values) for values in zip(*columns, strict=True)]
            ending = str(arrays["integrator"]), str(arrays["ended"]), steps, events
            return cls(model, *rows, *ending, arrays.get("multipliers"))
        except (KeyError, ValueError, TypeError, OSError, EOFError, BadZipFile) as error:
            raise ValueError(f"{path} is no trajectory that save() wrote ({error})") from None

    def view(self, **options) -> "Page":
        """Watch the run in a browser: play, scrub, plot, pose. Options as of `mm.view`; needs `myomass[view]`."""
        return _viewer("page").view(self, **options)

    def save_html(self, path: str | Path) -> Path:
        """Write one file that plays the run in any browser, without a server or network; needs `myomass[view]`."""
        return _viewer("recording").save_html(self, path)

    def save_image(self, path: str | Path, t: float | None = None, **options) -> Path:
        """Write a picture of the run at a time [s] (the last row) as .png; options as of `viewer.stills.still`."""
        return _viewer("stills").save_image(self, path, t, **options)

    def save_video(self, path: str | Path, **options) -> Path:
        """Write the run as .mp4; options as of `viewer.video.save_video`; needs `myomass[video]`."""
        return _viewer("video").save_video(self, path, **options)

    def _repr_html_(self) -> str | None:
        """In a notebook: a still and the energies."""
        return _viewer("notebook").as_html(self)

    def joined(self, later: "Trajectory") -> "Trajectory":
        """This run and the one that was continued from its end, as one."""
        if not isinstance(later, Trajectory):
            raise TypeError(f"joined: give a trajectory, not {later!r}")
        if later.model.names != self.model.names or not np.array_equal(later.model.dof_starts, self.model.dof_starts):
            raise ValueError("joined: the later trajectory is of another model")
        if not len(later.t) or not len(self.t) or later.t[0] != self.t[-1]:
            raise ValueError("joined: the later trajectory must start where this one ends")
        rows = (np.concatenate([getattr(self, key), getattr(later, key)[1:]]) for key in ROWS)
        steps = {key: self.steps.get(key, 0) + later.steps.get(key, 0) for key in self.steps | later.steps}
        both = self.multipliers is not None and later.multipliers is not None
        multipliers = np.concatenate([self.multipliers, later.multipliers[1:]]) if both else None
        return Trajectory(
            self.model, *rows, later.integrator, later.ended, steps, self.events + later.events, multipliers
        )


def _viewer(module: str) -> ModuleType:
    """A module of the viewer, a layer above this one: it is loaded only when a run is to be seen."""
    return import_module(f"{__package__}.viewer.{module}")
