"""The reaching arm by exact derivatives, and without any: processor time, runs, and what the task is left with.

    python benchmarks/reaching.py [--rounds 3] [--budget 1000]

The scene reaching-arm, whose hand must be at a target after a second, by four torques that stay: both methods of
`mm.optimise`, and SciPy's Nelder-Mead, Powell and differential evolution on the same value of the same run, from no
torque at all (differential evolution: from anywhere within 20 N m). Those without derivatives may take a budget of runs
and know torques in tens of N m. "close": when the task's value was first below 1, at which the hand is within a
centimetre of the target. A run of optimise goes forwards, and mostly backwards too. Last the reach that comes to rest,
by four torques for each of a hundred steps, from those that stay; without derivatives nobody tries that.
"""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import differential_evolution, minimize

import myomass as mm

CLOSE = 1.0  # of the task's value
SIZE, MOST = 10.0, 2.0  # in what those without derivatives know torques [N m], and the largest in that
FAILED = 1e5  # the value of a run that does not come to its end
REACH = mm.tasks.Reach("hand", target=(0.35, 0.10, 0.0))
AT_REST = 1e4 * REACH + 10.0 * mm.tasks.Rest() + 1e-3 * mm.tasks.Effort()


class Spent(Exception):
    """The budget is spent."""


class Watch:
    """Counts runs, and remembers the best and when it came close."""

    def __init__(self):
        self.runs, self.best, self.close, self.began = 0, np.inf, np.inf, time.process_time()

    def note(self, value: float) -> None:
        self.best = min(self.best, value)
        if value < CLOSE and self.close == np.inf:
            self.close = self.seconds

    @property
    def seconds(self) -> float:
        return time.process_time() - self.began


class Done(NamedTuple):
    seconds: float
    close: float  # [s]
    runs: int
    value: float
    ended: str


def by_derivatives(scene: mm.scenes.Scene, method: str, start: np.ndarray, task: mm.tasks.Task, **options) -> Done:
    """One run of `mm.optimise`."""
    watch = Watch()
    best = mm.optimise(
        scene, task, ["tau"], tau=start, method=method, progress=lambda _, value: watch.note(value), **options
    )
    return Done(watch.seconds, watch.close, best.runs, best.value, best.ended)


def without(scene: mm.scenes.Scene, search: Callable, budget: int) -> Done:
    """One of SciPy's that needs values alone."""
    watch = Watch()

    def value(x: np.ndarray) -> float:
        if watch.runs == budget:
            raise Spent
        watch.runs += 1
        try:
            found = mm.value_and_grad(scene, scene.task, [], tau=SIZE * x)[0]
        except mm.adjoint.Unfinished:
            found = FAILED
        watch.note(found)
        return found

    try:
        search(value)
        ended = "converged"
    except Spent:
        ended = f"stopped after {budget} runs"
    return Done(watch.seconds, watch.close, watch.runs, watch.best, ended)


def nelder_mead(value: Callable) -> None:
    minimize(value, np.zeros(4), method="Nelder-Mead", options={"initial_simplex": 0.1 * np.eye(5, 4), "maxfev": 10**6})


def powell(value: Callable) -> None:
    minimize(value, np.zeros(4), method="Powell", options={"maxfev": 10**6})


def evolution(value: Callable) -> None:
    differential_evolution(value, [(-MOST, MOST)] * 4, seed=0, polish=False, maxiter=10**5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=1000, help="of runs, for those without derivatives")
    options = parser.parse_args()
    scene, nothing = mm.scenes.load("reaching-arm"), np.zeros(4)
    mm.value_and_grad(scene, scene.task, "tau", tau=nothing)  # compiles
    ways = {
        "gauss-newton": lambda: by_derivatives(scene, "gauss-newton", nothing, scene.task),
        "l-bfgs-b": lambda: by_derivatives(scene, "l-bfgs-b", nothing, scene.task),
        "Nelder-Mead": lambda: without(scene, nelder_mead, options.budget),
        "Powell": lambda: without(scene, powell, options.budget),
        "evolution": lambda: without(scene, evolution, options.budget),
    }
    took: dict[str, list[Done]] = {name: [] for name in ways}
    for _ in range(options.rounds):
        for name, way in ways.items():
            took[name].append(way())
    best = mm.optimise(scene, scene.task, ["tau"], tau=nothing, method="gauss-newton")
    start = np.tile(best.values["tau"], (round(scene.duration / scene.h), 1))
    took["at rest"] = [by_derivatives(scene, "l-bfgs-b", start, AT_REST, tolerance=1e-6)]
    print(f"{'':14s}{'s':>8s}{'close s':>9s}{'runs':>7s}{'value':>10s}")
    for name, rounds in took.items():
        seconds, close = (np.median([getattr(done, what) for done in rounds]) for what in ("seconds", "close"))
        done = rounds[0]
        when = f"{close:9.2f}" if np.isfinite(close) else f"{'never':>9s}"
        print(f"{name:14s}{seconds:8.2f}{when}{done.runs:7d}{done.value:10.3g}  {done.ended}")


if __name__ == "__main__":
    main()
