"""optimise: the start, torques, excitations or numbers of a model that do a task best."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..model import Model
from ..simulate import simulate
from ..spatial.brief import brief
from ..trajectory import Trajectory
from .parameters import Parameter
from .problem import Problem
from .rollout import Unfinished
from .tasks.base import Task

if TYPE_CHECKING:
    from ..scenes import Scene

METHODS = ("l-bfgs-b", "gauss-newton")
Bounds = Mapping[str, tuple[float | np.ndarray | None, float | np.ndarray | None]]
Progress = bool | Callable[[int, float], None]


@brief
@dataclass(eq=False)
class Optimum:
    """What was found: values by name, what the task makes of them, and the way there."""

    values: dict[str, np.ndarray]
    value: float
    history: list[float]  # the task's value after each iteration, the start first
    ended: str  # "converged", or why it stopped
    runs: int  # that were simulated
    problem: Problem = field(repr=False)

    @property
    def converged(self) -> bool:
        """Did it come to an end by itself?"""
        return self.ended == "converged"

    @property
    def model(self) -> Model:
        """The model, with the numbers that were found."""
        return self.problem.start.model

    def trajectory(self) -> Trajectory:
        """The run with these values."""
        problem = self.problem
        start, grid = problem.start.given, problem.plan.grid
        return simulate(
            self.model,
            state=start,
            tau=problem.plan.torques.given,
            excitation=problem.excitation,
            integrator=problem.plan.integrator.name,
            h=float(grid[1] - grid[0]),
            duration=float(grid[-1] - grid[0]),
            events=problem.events,
        )

    def plot(self, path: str | None = None):
        """A figure of the history; saved if a path is given."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.add_subplot(xlabel="iteration", ylabel="value of the task", yscale="log")
        axes.plot(np.maximum(self.history, np.finfo(float).tiny))
        axes.grid(alpha=0.3)
        if path is not None:
            figure.savefig(path)
        return figure


def optimise(
    what: "Scene | Model",
    task: Task,
    wrt: Sequence[str | Parameter],
    *,
    bounds: Bounds | None = None,
    method: str = "l-bfgs-b",
    iterations: int = 200,
    tolerance: float = 1e-9,
    progress: Progress = False,
    **run,
) -> Optimum:
    """Find the values of `wrt` with which a run does a task best, from those given, by exact derivatives.

    wrt and the run's arguments (q, qdot, state, tau, excitation, activation, integrator, h, duration, events) are those
    of `value_and_grad`. bounds: by name, (low, high), numbers or arrays, None for no bound. method: "l-bfgs-b", for any
    number of unknowns, or "gauss-newton" (a trust region of SciPy's least_squares), which needs few iterations where
    misses are few and end near zero. It ends when an iteration gains less than `tolerance` of the value. progress:
    True prints a line for each iteration, a function is given (iteration, value). Ctrl-C keeps the best so far.
    """
    if method not in METHODS:
        raise ValueError(f"optimise: the method is {' or '.join(map(repr, METHODS))}, not {method!r}")
    if not isinstance(iterations, (int, np.integer)) or iterations < 1:
        raise ValueError(f"optimise: iterations must be a whole number of at least 1, and is {iterations!r}")
    search = _Search(Problem(what, wrt, **run), task, bounds or {}, progress)
    ended = "interrupted, the best so far is kept"
    with suppress(KeyboardInterrupt):
        ended = (_by_gradient if method == "l-bfgs-b" else _by_least_squares)(search, iterations, tolerance)
    best = search.problem.at(search.values(search.best))
    return Optimum(search.values(search.best), search.lowest, search.history, ended, search.runs, best)


class _Search:
    """Unknowns in units of their own size, what was seen of the task, and the best of it."""

    def __init__(self, problem: Problem, task: Task, bounds: Bounds, progress: Progress):
        if not problem.names:
            raise ValueError("optimise: wrt names nothing that could be changed")
        problem.check(task)
        self.problem, self.task, self.progress = problem, task, progress
        start = problem.values
        self.start = {name: np.array(start[name], float) for name in problem.names}
        sizes = {name: np.abs(x).max(initial=0.0) or 1.0 for name, x in self.start.items()}
        self.scale = np.concatenate([np.full(x.size, sizes[name]) for name, x in self.start.items()])
        self.low, self.high = self._bounds(bounds)
        self.x0 = np.concatenate([x.ravel() for x in self.start.values()]) / self.scale
        self.x0 = np.clip(self.x0, self.low, self.high)
        self.runs, self.lowest, self.best, self.history = 0, np.inf, self.x0, []

    def _bounds(self, bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
        for name in bounds:
            if name not in self.start:
                raise ValueError(f"optimise: bounds are given for {name!r}, which wrt does not name")
        ends = []
        for which, none in ((0, -np.inf), (1, np.inf)):
            parts = []
            for name, x in self.start.items():
                try:
                    low, high = bounds.get(name, (None, None))
                    end = np.array((low, high)[which], float)  # None becomes NaN
                    parts.append(np.broadcast_to(np.where(np.isnan(end), none, end), x.shape).ravel())
                except (TypeError, ValueError):
                    told = f"(low, high), numbers, arrays of shape {x.shape} or None"
                    raise ValueError(f"optimise: bounds of {name!r} are {told}, not {bounds[name]!r}") from None
            ends.append(np.concatenate(parts) / self.scale)
        if not (ends[0] < ends[1]).all():
            raise ValueError("optimise: a lower bound is not below its upper one")
        return ends[0], ends[1]

    def values(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Unknowns by name."""
        found, at = {}, 0
        for name, start in self.start.items():
            own = slice(at, at + start.size)
            found[name] = (x[own] * self.scale[own]).reshape(start.shape)
            at += start.size
        return found

    def gathered(self, slopes: dict[str, np.ndarray], count: int) -> np.ndarray:
        """Derivatives by the unknowns, from those by name. (count, unknowns)"""
        return np.concatenate([slopes[name].reshape(count, -1) for name in self.start], axis=1) * self.scale

    def note(self, x: np.ndarray, value: float) -> None:
        """Remember a run."""
        self.runs += 1
        if value < self.lowest:
            self.lowest, self.best = value, x.copy()

    def told(self) -> None:
        """Remember an iteration, and tell of it."""
        self.history.append(self.lowest)
        if callable(self.progress):
            self.progress(len(self.history) - 1, self.lowest)
        elif self.progress:
            print(f"{len(self.history) - 1:5d}  {self.lowest:.6g}", file=sys.stderr)


def _by_gradient(search: _Search, iterations: int, tolerance: float) -> str:
    from scipy.optimize import minimize  # slow to load

    def merit(x: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            value, slopes = search.problem.at(search.values(x)).value_and_grad(search.task)
        except Unfinished:
            if not search.history:
                raise
            search.runs += 1
            return 1e3 * (1.0 + search.history[0]), np.zeros(len(x))  # too far: the line search comes back
        search.note(x, value)
        if not search.history:
            search.told()
        return value, search.gathered(slopes, 1)[0]

    options = {"maxiter": iterations, "ftol": tolerance, "gtol": 1e-14, "maxcor": 20, "maxfun": 20 * iterations}
    bounds = list(zip(search.low, search.high, strict=True))
    done = minimize(
        merit, search.x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options, callback=lambda x: search.told()
    )
    return "converged" if done.success else _why(str(done.message), search, iterations)


def _by_least_squares(search: _Search, iterations: int, tolerance: float) -> str:
    from scipy.optimize import least_squares  # slow to load

    def misses(x: np.ndarray) -> np.ndarray:
        try:
            found = search.problem.at(search.values(x)).misses(search.task)
        except Unfinished:
            if not search.history:
                raise
            search.runs += 1
            return np.full(search.count, np.sqrt(1e3 * (1.0 + search.history[0]) / search.count))
        search.count = len(found)
        search.note(x, float(found @ found))
        return found

    def jacobian(x: np.ndarray) -> np.ndarray:
        found, slopes = search.problem.at(search.values(x)).misses_and_jacobian(search.task)
        search.told()
        return search.gathered(slopes, len(found))

    inside = np.clip(search.x0, np.nextafter(search.low, np.inf), np.nextafter(search.high, -np.inf))
    done = least_squares(
        misses, inside, jacobian, (search.low, search.high), ftol=tolerance, xtol=1e-12, gtol=1e-14, max_nfev=iterations
    )
    return "converged" if done.status > 0 else _why(str(done.message), search, iterations)


def _why(message: str, search: _Search, iterations: int) -> str:
    if len(search.history) > iterations:
        return f"stopped after {iterations} iterations"
    return f"stopped: {message.lower()}"
