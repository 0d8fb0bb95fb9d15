"""optimise: the start, torques, excitations or numbers of a model that do a task best."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..model import Model
from ..simulate import simulate
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from ..trajectory import Trajectory
from .parameters import Parameter
from .problem import Problem
from .search import Bounds, Search, Told, by_gradient, by_least_squares
from .tasks.base import Task

if TYPE_CHECKING:
    from ..scenes import Scene

METHODS = {"l-bfgs-b": by_gradient, "gauss-newton": by_least_squares}
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
        return simulate(
            self.model,
            state=problem.start.given,
            tau=problem.plan.torques.given,
            excitation=problem.excitation,
            integrator=problem.plan.integrator.name,
            events=problem.events,
            **problem.steps,
        )

    def plot(self, path: str | None = None):
        """A figure of the history; saved if a path is given."""
        from matplotlib.figure import Figure

        figure, values = Figure(figsize=(6, 4), layout="constrained"), np.array(self.history)
        axes = figure.add_subplot(xlabel="iteration", ylabel="value of the task")
        axes.plot(values, marker=".")
        if (values > 0).any():  # a value of zero is off the picture
            axes.set_yscale("log", nonpositive="mask")
        axes.xaxis.get_major_locator().set_params(integer=True)
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

    wrt and the run's arguments (q, qdot, state, tau, excitation, activation, integrator, h, duration, events,
    checkpoint_every) are those of `value_and_grad`. bounds: by name, (low, high), numbers or arrays, None for no bound;
    what starts outside of them is moved onto them, and held where they are equal. method: "l-bfgs-b", for any number of
    unknowns, or "gauss-newton" (a trust region of SciPy's least_squares), which needs few iterations where misses are
    few and end near zero. It ends when an iteration gains less than `tolerance` of the value. Values with which there
    is no model, or no run to its end, are too far, and the search comes back from them. progress: True prints a line
    for each iteration, a function is given (iteration, value). Ctrl-C keeps the best so far.
    """
    if method not in METHODS:
        raise ValueError(f"optimise: the method is {' or '.join(map(repr, METHODS))}, not {method!r}")
    if isinstance(iterations, bool) or not isinstance(iterations, (int, np.integer)) or iterations < 1:
        raise ValueError(f"optimise: iterations must be a whole number of at least 1, and is {iterations!r}")
    if not check_numbers(tolerance, "optimise: tolerance", ()) >= 0.0:
        raise ValueError(f"optimise: tolerance must not be negative, and is {tolerance!r}")
    problem = Problem(what, wrt, **run)
    if not problem.names:
        raise ValueError("optimise: wrt names nothing that could be changed")
    problem.check(task)
    search = Search(problem, task, {} if bounds is None else bounds, _teller(progress))
    ended = "interrupted, the best so far is kept"
    try:
        ended = METHODS[method](search, int(iterations), float(tolerance))
    except KeyboardInterrupt:
        if not search.runs:
            raise
    values = search.values(search.best)
    return Optimum(values, search.lowest, search.history, ended, search.runs, problem.at(values))


def _teller(progress: Progress) -> Told:
    """What is called with the number of an iteration and the task's value."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise TypeError(f"optimise: progress is True, False or a function of (iteration, value), not {progress!r}")
    if not progress:
        return lambda iteration, value: None
    return lambda iteration, value: print(f"{iteration:5d}  {value:.6g}", file=sys.stderr)
