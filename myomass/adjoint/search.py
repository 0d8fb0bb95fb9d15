"""The search for the best values: unknowns, what was seen of the task, and SciPy's two methods.

Values with which there is no run, or no model, are too far: the search comes back from them. L-BFGS-B is told of a
parabola there that begins as the task does where it stands and is lowest after a fifth of the way, Gauss-Newton of
misses that are no numbers, at which it shrinks its region.
"""

from collections.abc import Callable, Mapping

import numpy as np

from .problem import Problem
from .rollout import Rollout, Unfinished
from .tasks.base import Task

Bounds = Mapping[str, tuple[float | np.ndarray | None, float | np.ndarray | None]]
Told = Callable[[int, float], None]
TOO_FAR = (Unfinished, ValueError, ArithmeticError)  # what is raised of values that cannot be
TRIALS = 20  # runs in one iteration
FLAT = 1e-6  # a slope is, relative to that at the start


class Stop(Exception):
    """Ends a search; says why."""


class Search:
    """Unknowns in units of their own size, what was seen of the task, and the best of it."""

    def __init__(self, problem: Problem, task: Task, bounds: Bounds, told: Told):
        self.problem, self.task, self.tell = problem, task, told
        start = problem.values
        self.start = {name: np.array(start[name], float) for name in problem.names}
        sizes = {name: np.abs(x).max(initial=0.0) or 1.0 for name, x in self.start.items()}
        self.scale = np.concatenate([np.full(x.size, sizes[name]) for name, x in self.start.items()])
        low, high = (end / self.scale for end in _ends(bounds, self.start))
        self.all = np.clip(np.concatenate([x.ravel() for x in self.start.values()]) / self.scale, low, high)
        self.free = low < high  # the others are held where their bounds meet
        if not self.free.any():
            raise ValueError("optimise: bounds leave nothing free")
        self.low, self.high, self.x0 = low[self.free], high[self.free], self.all[self.free]
        self.runs, self.lowest, self.best, self.history = 0, np.inf, self.x0, []
        self.steepness = 0.0  # of the value, at the start
        self.refused = self.refused_before = ""  # why values were too far, in this iteration and in the one before

    def values(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Unknowns by name, with those that are held."""
        whole, found, at = self.all.copy(), {}, 0
        whole[self.free] = x
        for name, start in self.start.items():
            own = slice(at, at + start.size)
            found[name] = (whole[own] * self.scale[own]).reshape(start.shape)
            at += start.size
        return found

    def gathered(self, slopes: dict[str, np.ndarray], count: int) -> np.ndarray:
        """Derivatives by the unknowns, from those by name. (count, unknowns)"""
        slopes = np.concatenate([slopes[name].reshape(count, -1) for name in self.start], axis=1)
        return (slopes * self.scale)[:, self.free]

    def tried(self, x: np.ndarray, look: Callable[[Problem], tuple]) -> tuple | None:
        """What is seen with some values, the task's value first; None where they are too far."""
        try:
            found = look(self.problem.at(self.values(x)))
            if not np.isfinite(found[0]):
                raise ValueError(f"the task's value is {found[0]}")
        except TOO_FAR as error:
            if not self.runs:  # those that were given
                raise
            self.refused, self.runs = str(error), self.runs + 1
            return None
        self.runs += 1
        if found[0] < self.lowest:
            self.lowest, self.best = found[0], x.copy()
        return found

    def told(self) -> None:
        """Remember an iteration, and tell of it."""
        self.history.append(self.lowest)
        self.refused, self.refused_before = "", self.refused
        self.tell(len(self.history) - 1, self.lowest)

    def came_to_an_end(self, x: np.ndarray, slopes: np.ndarray) -> str:
        """How a search ended of which its method says that it converged. slopes: of the value, there"""
        edge, inside = self.refused or self.refused_before, (x > self.low) & (x < self.high)
        steep = np.linalg.norm(slopes[inside]) > FLAT * self.steepness
        return f"stopped at the edge of what can be run: {edge}" if edge and steep else "converged"

    def gave_up(self, message: str) -> str:
        """How a search ended that did not converge."""
        if "ABNORMAL" in message.upper():  # of L-BFGS-B
            message = "nothing lower was found along the last direction"
        edge = self.refused or self.refused_before
        return f"stopped: {message.lower().rstrip('.')}" + (f"; beyond, {edge}" if edge else "")


def _ends(bounds: Bounds, start: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of all unknowns, infinite where there are none."""
    if not isinstance(bounds, Mapping):
        raise TypeError(f"optimise: bounds are (low, high) by name, as {{'tau': (-5, 5)}}, not {bounds!r}")
    for name in bounds:
        if name not in start:
            raise ValueError(f"optimise: bounds are given for {name!r}, which wrt does not name")
    ends = []
    for which, none in ((0, -np.inf), (1, np.inf)):
        parts = []
        for name, x in start.items():
            try:
                low, high = bounds.get(name, (None, None))
                end = np.array((low, high)[which], dtype=object)
                end = np.where(np.equal(end, None), none, end).astype(float)
                if np.isnan(end).any():
                    raise ValueError
                parts.append(np.broadcast_to(end, x.shape).ravel())
            except (TypeError, ValueError):
                told = f"(low, high), numbers, arrays of shape {x.shape} or None"
                raise ValueError(f"optimise: bounds of {name!r} are {told}, not {bounds[name]!r}") from None
        ends.append(np.concatenate(parts))
    if not (ends[0] <= ends[1]).all():
        raise ValueError("optimise: a lower bound is above its upper one")
    return ends[0], ends[1]


def by_gradient(search: Search, iterations: int, tolerance: float) -> str:
    """L-BFGS-B; why it ended."""
    from scipy.optimize import minimize  # slow to load

    here = latest = None  # (x, value, slopes) where the search stands, and of the last run

    def merit(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal here, latest
        found = search.tried(x, lambda problem: problem.value_and_grad(search.task))
        if found is None:
            at, value, slopes = here
            down = abs(slopes @ (x - at))
            return value + 1.5 * down, -4.0 * slopes
        latest = x.copy(), found[0], search.gathered(found[1], 1)[0]
        if here is None:
            here, search.steepness = latest, np.linalg.norm(latest[2])
            search.told()
        return latest[1:]

    def stepped(x: np.ndarray) -> None:
        nonlocal here
        here = latest if np.array_equal(latest[0], x) else here
        search.told()

    options = {"maxiter": iterations, "ftol": tolerance, "gtol": 1e-14, "maxcor": 20, "maxfun": TRIALS * iterations}
    bounds = list(zip(search.low, search.high, strict=True))
    given = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": options, "callback": stepped}
    done = minimize(merit, search.x0, **given)
    if done.success:
        return search.came_to_an_end(here[0], here[2])
    return _enough(iterations) if len(search.history) > iterations else search.gave_up(str(done.message))


def by_least_squares(search: Search, iterations: int, tolerance: float) -> str:
    """Gauss-Newton; why it ended."""
    from scipy.optimize import least_squares  # slow to load

    latest: tuple[np.ndarray, Problem, Rollout] | None = None
    count = 0

    def look(problem: Problem) -> tuple:
        rollout = problem.rollout()
        found = problem.misses(search.task, rollout)
        return float(found @ found), found, problem, rollout

    def misses(x: np.ndarray) -> np.ndarray:
        nonlocal latest, count
        seen = search.tried(x, look)
        if seen is None:
            return np.full(count, np.nan)
        found = seen[1]
        if latest is not None and len(found) != count:
            told = f"the task has {len(found)} misses there, and had {count}; method='l-bfgs-b' does not mind"
            raise Stop(search.gave_up(told))
        latest, count = (x.copy(), *seen[2:]), len(found)
        if not count:
            search.told()
            raise Stop("converged")
        return found

    def jacobian(x: np.ndarray) -> np.ndarray:
        search.told()
        if len(search.history) > iterations:
            raise Stop(_enough(iterations))
        at, problem, rollout = latest
        if not np.array_equal(at, x):  # SciPy came back to an earlier one
            problem = search.problem.at(search.values(x))
            rollout, search.runs = problem.rollout(), search.runs + 1
        try:
            found, slopes = problem.misses_and_jacobian(search.task, rollout)
        except TOO_FAR as error:
            if len(search.history) == 1:
                raise
            raise Stop(search.gave_up(str(error))) from None
        slopes = search.gathered(slopes, len(found))
        if len(search.history) == 1:
            search.steepness = np.linalg.norm(found @ slopes)
        return slopes

    inside = np.clip(search.x0, np.nextafter(search.low, np.inf), np.nextafter(search.high, -np.inf))
    ftol = tolerance if tolerance > np.finfo(float).eps else None
    given = {"ftol": ftol, "xtol": 1e-12, "gtol": 1e-14, "max_nfev": TRIALS * iterations}
    try:
        done = least_squares(misses, inside, jacobian, (search.low, search.high), **given)
    except Stop as stop:
        return str(stop)
    return search.came_to_an_end(done.x, done.grad) if done.status > 0 else search.gave_up(str(done.message))


def _enough(iterations: int) -> str:
    return f"stopped after {iterations} iterations"
