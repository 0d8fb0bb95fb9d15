"""Limit cycles along a parameter: branches, the values at which the period doubles, and what comes after.

x*(p): Newton from the secant of the last two;    period doubling where a multiplier passes -1: det(I + D(p)) = 0
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .limit_cycle import LimitCycle, check_values, search
from .return_map import ReturnMap

MakeMap = Callable[[float], ReturnMap]
MOST_ITERATIONS = 15  # of Newton's method, from one value to the next
MOST_HALVINGS = 8  # of the way to the next value


@brief
class Branch(NamedTuple):
    """Limit cycles at values of a parameter, as far as they were found."""

    values: np.ndarray
    cycles: list[LimitCycle]
    message: str

    @property
    def multipliers(self) -> np.ndarray:
        """Multipliers of all cycles, the largest first. (values, multipliers)"""
        return np.array([cycle.multipliers for cycle in self.cycles])

    @property
    def periods(self) -> np.ndarray:
        """Periods of all cycles [s]. (values,)"""
        return np.array([cycle.period for cycle in self.cycles])


@brief
class Doubling(NamedTuple):
    """Where the cycle that comes back after one turn gives way to one that takes two."""

    value: float
    cycle: LimitCycle
    direction: np.ndarray  # along which neighbours jump from side to side, of length one, (2n,)


@brief
class Diagram(NamedTuple):
    """Where a map stays in the long run, at values of a parameter; NaN where it failed."""

    values: np.ndarray
    x: np.ndarray  # starts of strides, (values, strides, 2n)
    periods: np.ndarray  # of each of these strides [s], (values, strides)
    failures: list[str | None]


class _Trail:
    """Cycles found so far, from which the next one is guessed."""

    def __init__(self, make_map: MakeMap, periods: int, tolerance: float) -> None:
        self.make_map, self.periods, self.tolerance, self.found = make_map, periods, tolerance, []

    def starts(self, value: float) -> np.ndarray:
        """Guess of the starts of the strides at a value, by the secant of the two nearest cycles. (periods, 2n)"""
        near = sorted(self.found, key=lambda pair: abs(pair[0] - value))[:2]
        X = [_starts(cycle) for _, cycle in near]
        if len(near) < 2 or near[0][0] == near[1][0]:
            return X[0]
        return X[0] + (value - near[0][0]) / (near[1][0] - near[0][0]) * (X[1] - X[0])

    def at(self, value: float, guess: np.ndarray | None = None) -> LimitCycle:
        """The cycle at a value; it is kept if it was found."""
        guess = self.starts(value) if guess is None else guess
        cycle = search(self.make_map(value), guess, self.periods, self.tolerance, MOST_ITERATIONS)
        if cycle.converged:
            self.found.append((value, cycle))
        return cycle

    def reach(self, value: float) -> str | None:
        """Go to a value from the last one, in smaller steps where a whole one fails; returns why it failed."""
        goals, halvings = [value], 0
        while goals:
            try:
                cycle = self.at(goals[-1])
                missed = None if cycle.converged else cycle.message
            except ValueError as wrong:
                missed = str(wrong)
            if missed is None:
                goals.pop()
                continue
            halvings += 1
            if halvings > MOST_HALVINGS:
                return f"the cycle is lost at {goals[-1]:.6g}, after {self.found[-1][0]:.6g}: {missed}"
            goals.append(0.5 * (self.found[-1][0] + goals[-1]))
        return None


def _starts(cycle: LimitCycle) -> np.ndarray:
    return np.array([cycle.x, *(stride.x for stride in cycle.events[:-1])])


def follow_cycle(
    make_map: MakeMap, values: Sequence[float], guess: np.ndarray, *, periods: int = 1, tolerance: float = 1e-12
) -> Branch:
    """The limit cycle of make_map(value) at each value in turn, stable or not, from a guess at the first one.

    Where it is lost (a fold of the branch, a gait that ends) a warning says so, and the branch ends there.
    """
    values = check_values(values, "follow_cycle")
    trail = _Trail(make_map, periods, tolerance)
    first = trail.at(values[0], guess)
    if not first.converged:
        raise ValueError(f"follow_cycle: at the first value {values[0]:g} {first.message}: give a better guess")
    cycles, message = [first], "the cycle was found at all values"
    for value in values[1:]:
        lost = trail.reach(value)
        if lost:
            message = lost
            warnings.warn(f"follow_cycle: {lost}", RuntimeWarning, stacklevel=2)
            break
        cycles.append(trail.found[-1][1])
    return Branch(values[: len(cycles)], cycles, message)


def period_doubling(
    make_map: MakeMap,
    bracket: tuple[float, float],
    guess: np.ndarray,
    *,
    periods: int = 1,
    tolerance: float = 1e-12,
) -> Doubling:
    """The value between two others at which a multiplier of make_map(value)'s cycle passes -1; guess at the first one.

    periods 1 finds the first doubling, periods 2 that of the cycle of two strides, and so on.
    """
    ends = check_numbers(bracket, "period_doubling: the bracket", (2,))
    trail = _Trail(make_map, periods, tolerance)

    def passed(value: float, guess: np.ndarray | None = None) -> float:
        cycle = next((cycle for at, cycle in trail.found if at == value), None) or trail.at(value, guess)
        if not cycle.converged:
            raise RuntimeError(f"period_doubling: at {value:.12g} {cycle.message}")
        return float(np.linalg.det(np.eye(len(cycle.x)) + cycle.derivative))

    start = passed(ends[0], guess)
    if trail.found[0][1].periods < periods:
        raise ValueError(f"period_doubling: {trail.found[0][1].message}: give a guess nearer to a cycle of {periods}")
    if lost := trail.reach(ends[1]):
        raise RuntimeError(f"period_doubling: {lost}")
    if start * passed(ends[1]) > 0.0:
        most = [min(cycle.multipliers.real) for _, cycle in (trail.found[0], trail.found[-1])]
        raise ValueError(
            f"period_doubling: no multiplier passes -1 between {ends[0]:g} and {ends[1]:g}: the leftmost is at "
            f"{most[0]:.4g} and {most[1]:.4g}; give a wider bracket"
        )
    from scipy.optimize import brentq  # it takes time to load

    value = float(brentq(passed, *ends, xtol=1e-13 * np.abs(ends).max(), rtol=1e-14))
    passed(value)
    cycle = next(cycle for at, cycle in trail.found if at == value)
    rates, vectors = np.linalg.eig(cycle.derivative)
    direction = vectors[:, np.abs(rates + 1.0).argmin()].real
    return Doubling(value, cycle, direction / np.linalg.norm(direction))


def bifurcation_diagram(
    make_map: MakeMap, values: Sequence[float], guess: np.ndarray, *, strides: int = 50, transient: int = 200
) -> Diagram:
    """Starts and periods of strides of make_map(value), after a transient, at each value in turn.

    Each value starts from where the last one has come to (the first from the guess), so that a stable branch is
    followed until it ends; a value at which a stride fails is NaN, and the next one starts where the last good one did.
    """
    values = check_values(values, "bifurcation_diagram")
    for count, what, least in ((strides, "strides", 1), (transient, "transient", 0)):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < least:
            raise ValueError(f"bifurcation_diagram: {what} is a whole number from {least} on, and is {count!r}")
    guess = check_numbers(guess, "bifurcation_diagram: the guess (q, qdot)", (None,))
    start, size = None, len(guess)
    x, periods = np.full((len(values), strides, size), np.nan), np.full((len(values), strides), np.nan)
    failures: list[str | None] = []
    for k, value in enumerate(values):
        return_map, now = make_map(value), guess if start is None else start
        rows, times = np.empty((strides, size)), np.empty(strides)
        for i in range(-transient, strides):
            stride = return_map(now)
            if stride.failure:
                break
            if i >= 0:
                rows[i], times[i] = now, stride.period
            now = stride.x
        failures.append(stride.failure)
        if not stride.failure:
            x[k], periods[k], start = rows, times, now
    return Diagram(values, x, periods, failures)
