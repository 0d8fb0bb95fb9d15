"""simulate: a scene or a model run through time, and the Trajectory it gives."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .algorithms.energy import energies_along
from .algorithms.forward import forward_dynamics
from .algorithms.kinematics import bodies_along
from .integrators import FIXED_STEP
from .integrators.drive import ADAPTIVE, Rows, Tolerance, private_system, run_adaptive, run_fixed
from .model import Model, State
from .model.border import check_finite, check_vector
from .spatial.checks import check_numbers

if TYPE_CHECKING:
    from .scenes import Scene

BARE_MODEL = {"q": None, "qdot": None, "integrator": "symplectic", "duration": 1.0, "h": 1e-3}
RTOL, ATOL = 1e-4, 1e-6  # defaults of the adaptive integrators
INTEGRATORS = (*ADAPTIVE, *FIXED_STEP)


@dataclass(eq=False)
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

    @cached_property
    def _energies(self) -> np.ndarray:
        T_V = np.empty((2, len(self.t)))
        system = private_system(self.model)
        energies_along(system, self.model.chart_slots, self.charts, self.q, self.qdot, T_V[0], T_V[1])
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
    def energy_drift(self) -> float:
        """Largest departure of the total energy from its start, relative to the energy that was exchanged."""
        total = self.kinetic + self.potential
        exchanged = max(np.ptp(self.kinetic), np.ptp(self.potential), self.kinetic.max())
        return float(np.abs(total - total[0]).max() / exchanged) if exchanged > 0 else 0.0

    @property
    def state(self) -> State:
        """The last state, to go on from."""
        return State(float(self.t[-1]), self.q[-1].copy(), self.qdot[-1].copy(), self.charts[-1].copy())

    def save(self, path: str | Path) -> Path:
        """Write t, q, qdot, charts, kinetic, potential and poses to an .npz file."""
        path = Path(path)
        if path.suffix != ".npz":
            raise ValueError(f"a trajectory is saved as .npz, and the file is {path.name!r}")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
        arrays = {key: getattr(self, key) for key in ("t", "q", "qdot", "charts", "kinetic", "potential", "poses")}
        np.savez_compressed(path, **arrays)
        return path


def simulate(
    what: "Scene | Model",
    *,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    tau: np.ndarray | None = None,
    integrator: str | None = None,
    duration: float | None = None,
    h: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    times: np.ndarray | None = None,
) -> Trajectory:
    """Run a scene (which brings its state, duration, step and integrator) or a model from (q, qdot) under torques tau.

    integrator: "recursive" or "redmax" (adaptive Dormand-Prince 5(4) on the recursive or the dense form, tolerances
    rtol and atol in the state's units, h the longest step), "symplectic" or "rk4" (fixed step h, the last one shortened
    to end at the duration). Times in s. Rows are the steps, or the given `times`, from 0 on and rising: by dense output
    of the adaptive integrators; the others shorten their steps to land on them.
    Ctrl-C ends the run and keeps what was computed; so does a motion that is no longer finite, with a warning.
    """
    given = {"q": q, "qdot": qdot, "integrator": integrator, "duration": duration, "h": h}
    if isinstance(what, Model):
        model, run = what, dict(BARE_MODEL)
    else:
        model, run = what.model, {key: getattr(what, key) for key in given}
    run.update({key: value for key, value in given.items() if value is not None})
    if run["integrator"] not in INTEGRATORS:
        raise ValueError(f"there is no integrator {run['integrator']!r}; there are: {', '.join(INTEGRATORS)}")
    duration, h_run = _positive("duration", run["duration"], "seconds"), _positive("h", run["h"], "seconds")
    times = _check_times(times, duration if given["duration"] is not None or times is None else None)
    tau = check_vector(model, "tau", tau).astype(float)
    check_finite(tau=tau)
    state = model.state(run["q"], run["qdot"])
    forward_dynamics(model, state.q, state.qdot, tau)  # says so if no acceleration can be found
    if run["integrator"] in FIXED_STEP:
        if rtol is not None or atol is not None:
            raise ValueError(f"rtol and atol belong to {' and '.join(ADAPTIVE)}; {run['integrator']!r} has the step h")
        rows = _run_fixed(model, state, tau, run["integrator"], (duration, h_run, times))
    else:
        end = duration if times is None else times[-1]
        longest = h_run if h is not None else 0.1 * end
        tolerance = Tolerance(_positive("rtol", rtol or RTOL), _positive("atol", atol or ATOL), longest)
        span = (end, np.zeros(0) if times is None else times)
        rows = run_adaptive(model, state, tau, run["integrator"], span, tolerance)
    if rows.ended not in ("completed", "interrupted"):
        warnings.warn(f"model {model.name!r}: {rows.ended}", RuntimeWarning, stacklevel=2)
    return Trajectory(model, rows.t, rows.q, rows.qdot, rows.charts, run["integrator"], rows.ended, rows.steps)


def _positive(what: str, value: float, unit: str = "") -> float:
    """A positive finite number."""
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a positive number{' of ' + unit if unit else ''}, and is {value!r}")
    return float(value)


def _check_times(times: np.ndarray | None, end: float | None) -> np.ndarray | None:
    """Output times: rising, from 0 on, not beyond the duration where one is given."""
    if times is None:
        return None
    times = check_numbers(times, "times", (None,)).astype(float)
    if not len(times) or times[0] < 0 or (np.diff(times) <= 0).any() or (end is not None and times[-1] > end):
        raise ValueError("times must rise from 0 or later, and end by the duration where one is given")
    return times


def _run_fixed(
    model: Model, state: State, tau: np.ndarray, integrator: str, grid: tuple[float, float, np.ndarray | None]
) -> Rows:
    """Steps of length h, or a little shorter so as to land on the wanted times. grid = (duration, h, times)"""
    duration, h, times = grid
    if times is None:
        return run_fixed(model, state, tau, integrator, _grid(duration, h))
    stops = np.concatenate([[0.0], times[times > 0]])
    counts = np.ceil(np.diff(stops) / h * (1 - 1e-12)).astype(int)
    pieces = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(stops, stops[1:], counts, strict=False)]
    rows = run_fixed(model, state, tau, integrator, np.concatenate([[0.0], *pieces]))
    wanted = np.cumsum([0, *counts])[len(stops) - len(times) :]
    return rows.choose(wanted)


def _grid(duration: float, h: float) -> np.ndarray:
    """0, h, 2h, ... and the duration itself."""
    steps = int(np.ceil(duration / h * (1 - 1e-12)))
    times = h * np.arange(steps + 1)
    times[-1] = duration
    return times
