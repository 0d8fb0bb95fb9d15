"""simulate: a scene or a model run through time, and the Trajectory it gives."""

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .algorithms.charts import reparameterise
from .dynamics import energies_along, forward_dynamics, load_arrays
from .algorithms.kinematics import bodies_along
from .integrators import FIXED_STEP
from .integrators.drive import ADAPTIVE, Rows, Tolerance, private_system, run_adaptive, run_fixed
from .model import Model, State
from .model.border import check_finite, check_vector
from .spatial.checks import check_numbers

if TYPE_CHECKING:
    from .scenes import Scene

BARE_MODEL = {"q": None, "qdot": None, "integrator": "recursive", "duration": 1.0, "h": 1e-3}
RTOL, ATOL = 1e-4, 1e-6  # defaults of the adaptive integrators
FINEST_RTOL = 1e-14
INTEGRATORS = (*ADAPTIVE, *FIXED_STEP)
MOST_GIGABYTES = 64.0  # of rows, before a run of fixed steps is refused


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

    def __repr__(self) -> str:
        span = f"{len(self.t)} rows from {self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no rows"
        return f"Trajectory({self.model.name!r}, {self.integrator}, {span}, {self.ended})"

    @cached_property
    def _energies(self) -> np.ndarray:
        T_V = np.empty((2, len(self.t)))
        system = private_system(self.model)
        loads = load_arrays(self.model, np.float64)
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
    def energy_drift(self) -> float:
        """Largest departure of T + V from its start, relative to the energy exchanged; torques' work counts."""
        total = self.kinetic + self.potential
        exchanged = max(np.ptp(self.kinetic), np.ptp(self.potential), self.kinetic.max())
        return float(np.abs(total - total[0]).max() / exchanged) if exchanged > 0 else 0.0

    @property
    def state(self) -> State:
        """The last state, to go on from: simulate(model, state=trajectory.state)."""
        if not len(self.t):
            raise ValueError(f"the run has no rows ({self.ended})")
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
    state: State | None = None,
    tau: np.ndarray | None = None,
    integrator: str | None = None,
    duration: float | None = None,
    h: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    times: np.ndarray | None = None,
) -> Trajectory:
    """Run a scene, or a model from (q, qdot) (zeros) or from a `state`, under constant torques tau (none).

    A scene brings its start, duration, step and integrator; a model takes "recursive" for 1 s if nothing is said.
    integrator: "recursive" or "redmax" (adaptive Dormand-Prince 5(4) on the recursive or the dense form, tolerances
    rtol 1e-4 and atol 1e-6 in the state's units, h the longest step), "rk4" or "symplectic" (fixed step h, 1 ms, the
    last one shortened to end at the duration). Times in s. Rows are the steps, or the given rising `times`: by dense
    output of the adaptive integrators; the others shorten their steps to land on them. `state=trajectory.state` goes on
    from there.
    Ctrl-C ends the run and keeps what was computed; so does a motion that is no longer finite, with a warning.
    """
    given = {"q": q, "qdot": qdot, "integrator": integrator, "duration": duration, "h": h}
    model, run = _defaults(what, list(given))
    run.update({key: value for key, value in given.items() if value is not None})
    if run["integrator"] not in INTEGRATORS:
        raise ValueError(f"there is no integrator {run['integrator']!r}; there are: {', '.join(INTEGRATORS)}")
    if run["integrator"] in FIXED_STEP and (rtol is not None or atol is not None):
        raise ValueError(f"rtol and atol belong to {' and '.join(ADAPTIVE)}; {run['integrator']!r} has the step h")
    if state is not None and (q is not None or qdot is not None):
        raise ValueError("simulate: give a state, or q and qdot, not both")
    model, start = _start(model, state, run["q"], run["qdot"])
    tau = check_vector(model, "tau", tau)
    if np.iscomplexobj(tau):
        raise ValueError("simulate: tau must be real")
    check_finite(tau=tau)
    _check_regular(model, start, tau)
    duration, h_run = _positive("duration", run["duration"], "seconds"), _positive("h", run["h"], "seconds")
    times = _check_times(times, start.t, duration if given["duration"] is not None else np.inf)
    tolerance = Tolerance(
        _positive("rtol", RTOL if rtol is None else rtol), _positive("atol", ATOL if atol is None else atol), h_run
    )
    if tolerance.rtol < FINEST_RTOL:
        raise ValueError(f"rtol must be at least {FINEST_RTOL:g}: rounding allows no less")
    if h is None:  # then the longest step is ode45's
        tolerance = replace(tolerance, longest=0.1 * (duration if times is None else times[-1] - start.t))
    span = (start.t + duration, np.zeros(0)) if times is None else (times[-1], times)
    arguments = (model, start, tau.astype(float), run["integrator"], span)
    rows = _run_fixed(*arguments, h_run) if run["integrator"] in FIXED_STEP else run_adaptive(*arguments, tolerance)
    if rows.ended not in ("completed", "interrupted"):
        warnings.warn(f"model {model.name!r}: {rows.ended}", RuntimeWarning, stacklevel=2)
    return Trajectory(model, rows.t, rows.q, rows.qdot, rows.charts, run["integrator"], rows.ended, rows.steps)


def _defaults(what: "Scene | Model", keys: list[str]) -> tuple[Model, dict]:
    """The model, and what a scene (or nobody) says about the run."""
    if isinstance(what, Model):
        if what.dtype != np.float64:
            raise ValueError(f"simulate runs in float64, and the model is {what.dtype}; give it as it was compiled")
        return what, dict(BARE_MODEL)
    if not isinstance(getattr(what, "model", None), Model):
        raise TypeError(f"simulate: give a model (spec.compile()) or a scene (mm.scenes.load(0)), not {what!r}")
    return what.model, {key: getattr(what, key) for key in keys}


def _start(model: Model, state: State | None, q: np.ndarray | None, qdot: np.ndarray | None) -> tuple[Model, State]:
    """The state to start from, and the model in that state's charts."""
    if state is None:
        return model, model.state(q, qdot)
    if not isinstance(state, State):
        raise TypeError(
            f"simulate: the state must be a State, as trajectory.state or model.state(q, qdot), not {state!r}"
        )
    model = model.with_charts(state.charts)
    return model, model.state(state.q, state.qdot, state.t)


def _check_regular(model: Model, start: State, tau: np.ndarray) -> None:
    """A sentence if no acceleration can be found at the start, in the charts in which the run will begin."""
    if len(model.charted):
        start = reparameterise(model, start)
        model = model.with_charts(start.charts)
    forward_dynamics(model, start.q, start.qdot, tau)


def _positive(what: str, value: float, unit: str = "") -> float:
    """A positive finite number."""
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a positive number{' of ' + unit if unit else ''}, and is {value!r}")
    return float(value)


def _check_times(times: np.ndarray | None, start: float, duration: float) -> np.ndarray | None:
    """Output times: rising, from the start on, not beyond the duration."""
    if times is None:
        return None
    times = check_numbers(times, "times", (None,)).astype(float)
    if not len(times) or times[0] < start or (np.diff(times) <= 0).any() or not start < times[-1] <= start + duration:
        raise ValueError("times must rise from the start on, and end by the duration where one is given")
    return times


def _run_fixed(
    model: Model, state: State, tau: np.ndarray, integrator: str, span: tuple[float, np.ndarray], h: float
) -> Rows:
    """Steps of length h, or a little shorter so as to land on the wanted times. span = (end, wanted times)"""
    end, wanted = span
    stops = np.concatenate([[state.t], wanted[wanted > state.t]]) if len(wanted) else np.array([state.t, end])
    counts = np.ceil(np.diff(stops) / h * (1 - 1e-12))
    gigabytes = 16e-9 * counts.sum() * (model.ndof + 1)
    if gigabytes > MOST_GIGABYTES:
        raise ValueError(
            f"{counts.sum():.3g} steps would fill {gigabytes:.3g} GB; take a larger h or a shorter duration"
        )
    if not len(wanted):
        return run_fixed(model, state, tau, integrator, _grid(state.t, end, h))
    counts = counts.astype(int)
    pieces = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(stops, stops[1:], counts, strict=False)]
    rows = run_fixed(model, state, tau, integrator, np.concatenate([stops[:1], *pieces]))
    return rows.choose(np.cumsum([0, *counts])[len(stops) - len(wanted) :])


def _grid(start: float, end: float, h: float) -> np.ndarray:
    """start, start + h, start + 2h, ... and the end itself."""
    steps = int(np.ceil((end - start) / h * (1 - 1e-12)))
    times = start + h * np.arange(steps + 1)
    times[-1] = end
    return times
