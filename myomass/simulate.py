"""simulate: a scene or a model run through time, and the Trajectory it gives."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .algorithms.energy import energies_along
from .algorithms.forward import forward_dynamics
from .algorithms.kinematics import bodies_along
from .integrators import FIXED_STEP
from .integrators.base import SCRATCH_ROWS
from .integrators.rollout import rollout
from .model import Model, State, Workspace
from .model.border import check_finite, check_vector

if TYPE_CHECKING:
    from .scenes import Scene

BARE_MODEL = {"q": None, "qdot": None, "integrator": "symplectic", "duration": 1.0, "h": 1e-3}
LINK_STEPS_PER_CALL = 500_000  # link evaluations between two looks at the keyboard: about a tenth of a second


def private_system(model: Model) -> tuple:
    """The arrays of a model with parameters (charts change) and scratch of their own."""
    return Workspace(replace(model, params=model.params.copy()), np.float64).system


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
) -> Trajectory:
    """Run a scene (which brings its state, duration, step and integrator) or a model from (q, qdot) under torques tau.

    integrator: "symplectic" or "rk4"; duration and step h in s. The last step is shortened to end at the duration.
    Ctrl-C ends the run and keeps what was computed; so does a motion that is no longer finite, with a warning.
    """
    given = {"q": q, "qdot": qdot, "integrator": integrator, "duration": duration, "h": h}
    if isinstance(what, Model):
        model, run = what, dict(BARE_MODEL)
    else:
        model, run = what.model, {key: getattr(what, key) for key in given}
    run.update({key: value for key, value in given.items() if value is not None})
    if run["integrator"] not in FIXED_STEP:
        raise ValueError(f"there is no integrator {run['integrator']!r}; there are: {', '.join(FIXED_STEP)}")
    times = _grid(_seconds("duration", run["duration"]), _seconds("h", run["h"]))
    tau = check_vector(model, "tau", tau).astype(float)
    check_finite(tau=tau)
    state = model.state(run["q"], run["qdot"])
    forward_dynamics(model, state.q, state.qdot, tau)  # says so if no acceleration can be found
    return _run(model, state, tau, run["integrator"], times)


def _seconds(what: str, value: float) -> float:
    """A positive finite time [s]."""
    if not isinstance(value, (int, float, np.floating, np.integer)) or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a positive number of seconds, and is {value!r}")
    return float(value)


def _grid(duration: float, h: float) -> np.ndarray:
    """0, h, 2h, ... and the duration itself."""
    steps = int(np.ceil(duration / h * (1 - 1e-12)))
    times = h * np.arange(steps + 1)
    times[-1] = duration
    return times


def _run(model: Model, state: State, tau: np.ndarray, integrator: str, times: np.ndarray) -> Trajectory:
    rows, n, slots = len(times), model.ndof, model.chart_slots
    q, qdot, charts = np.empty((rows, n)), np.empty((rows, n)), np.empty((rows, len(slots)))
    q[0], qdot[0], charts[0] = state.q, state.qdot, state.charts
    system, forces = private_system(model), (tau, np.zeros(n, bool), np.zeros((0, 6)))
    scratch, method = np.empty((2 + SCRATCH_ROWS, n)), list(FIXED_STEP).index(integrator)
    run = (method, system, forces, scratch, times, model.charted, slots)
    chunk = max(1, LINK_STEPS_PER_CALL // len(model.links))
    done, ended = 0, "completed"
    try:
        while done < rows - 1:
            last = min(done + chunk, rows - 1)
            reached = rollout(*run, done, last, q, qdot, charts)
            done = reached
            if reached < last:
                ended = f"the motion is not finite after {times[reached]:.6g} s; try a smaller step h"
                warnings.warn(f"model {model.name!r}: {ended}", RuntimeWarning, stacklevel=3)
                break
    except KeyboardInterrupt:
        ended = "interrupted"
    kept = slice(0, done + 1)
    return Trajectory(model, times[kept], q[kept], qdot[kept], charts[kept], integrator, ended)
