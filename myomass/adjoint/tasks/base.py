"""What a run is asked for: a sum of squares of misses, each with its derivatives by what a row of the run holds.

A task of one's own is a class with `terms`, which gives `Misses` row by row:

    class Still(Task):
        def terms(self, rollout):
            yield Misses(rollout.steps, rollout.qdot[-1], qdot=np.eye(rollout.model.ndof))

Tasks are added and weighted: Reach(...) + 0.1 * Still().
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...model import Model
from ...spatial.brief import brief
from ..rollout import Rollout


@brief
@dataclass(frozen=True, eq=False)
class Misses:
    """Numbers that a task wants to be zero, at one row of a run, and their derivatives. All but `row` are optional."""

    row: int  # or the step from this row to the next, for torques
    values: np.ndarray  # (misses,)
    q: np.ndarray | None = None  # derivatives by q of the row, (misses, ndof)
    qdot: np.ndarray | None = None  # (misses, ndof)
    z: np.ndarray | None = None  # by the states of muscles, (misses, nz)
    tau: np.ndarray | None = None  # by the torques of the step from the row, (misses, ndof)
    t: np.ndarray | None = None  # by the time of the row, which an event may move, (misses,)
    h: np.ndarray | None = None  # by the length of the step from the row, likewise, (misses,)
    given: dict[str, np.ndarray] | None = None  # by what went into the run, by name, (misses, numbers)


@brief
class Task:
    """Base of all tasks."""

    def check(self, model: Model) -> None:
        """Raise an error if a model lacks what the task is about."""

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        raise NotImplementedError(f"the task {type(self).__name__} must define terms(rollout)")

    def value(self, rollout: Rollout) -> float:
        """Sum of the squares of all misses."""
        return float(sum(miss.values @ miss.values for miss in self.terms(rollout)))

    def __add__(self, other: "Task") -> "Sum":
        if not isinstance(other, Task):
            return NotImplemented
        return Sum([*_parts(self), *_parts(other)])

    def __rmul__(self, weight: float) -> "Sum":
        if not np.isscalar(weight) or not 0.0 <= weight < np.inf:
            raise ValueError(f"the weight of a task must be a number that is not negative, and is {weight!r}")
        return Sum([(weight * own, part) for own, part in _parts(self)])

    __mul__ = __rmul__


@brief
class Sum(Task):
    """Several tasks with weights."""

    def __init__(self, parts: list[tuple[float, Task]]):
        self.parts = parts

    def check(self, model: Model) -> None:
        """Raise an error if a model lacks what the task is about."""
        for _, part in self.parts:
            part.check(model)

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        for weight, part in self.parts:
            root = np.sqrt(weight)
            for miss in part.terms(rollout):
                slopes = [
                    None if x is None else root * x for x in (miss.q, miss.qdot, miss.z, miss.tau, miss.t, miss.h)
                ]
                given = miss.given and {name: root * x for name, x in miss.given.items()}
                yield Misses(miss.row, root * miss.values, *slopes, given)


def checked(task: Task, rollout: Rollout) -> Iterator[Misses]:
    """What a task misses. Raises an error about misses that are not finite, or of another shape than the run's."""
    widths = {"q": rollout.model.ndof, "qdot": rollout.model.ndof, "z": rollout.model.nz, "tau": rollout.model.ndof}
    for miss in task.terms(rollout):
        who = f"the task {type(task).__name__}"
        if not isinstance(miss, Misses):
            raise TypeError(f"{who}: terms(rollout) yields mm.tasks.Misses, and yielded {miss!r}")
        if not 0 <= miss.row <= rollout.steps or (miss.tau is not None and miss.row == rollout.steps):
            raise ValueError(
                f"{who}: the run has no row {miss.row!r}, or no step from it; its last row is {rollout.steps}"
            )
        if np.ndim(miss.values) != 1 or not np.isfinite(miss.values).all():
            raise ValueError(f"{who}: misses of row {miss.row} must be a vector of finite numbers: {miss.values!r}")
        for name, width in widths.items():
            slopes, shape = getattr(miss, name), (len(miss.values), width)
            if slopes is not None and np.shape(slopes) != shape:
                raise ValueError(f"{who}: derivatives by {name} must be of shape {shape}, and are {np.shape(slopes)}")
        yield miss


def _parts(task: Task) -> list[tuple[float, Task]]:
    return task.parts if isinstance(task, Sum) else [(1.0, task)]
