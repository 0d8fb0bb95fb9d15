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
from ...spatial.checks import check_numbers
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

    __array_ufunc__ = None  # a weight that is a number of NumPy's leaves the product to the task

    def check(self, model: Model) -> None:
        """Raise an error if a model lacks what the task is about."""

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        raise NotImplementedError(f"the task {type(self).__name__} must define terms(rollout)")

    def value(self, rollout: Rollout) -> float:
        """Sum of the squares of all misses."""
        return float(sum(miss.values @ miss.values for miss in checked(self, rollout)))

    def __add__(self, other: "Task") -> "Sum":
        if not isinstance(other, Task):
            return NotImplemented
        return Sum([*_parts(self), *_parts(other)])

    def __radd__(self, other: int) -> "Task":
        """With 0, from which `sum` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __rmul__(self, weight: float) -> "Sum":
        number = np.ndim(weight) == 0 and isinstance(np.asarray(weight).item(), (int, float))
        if not number or not 0.0 <= weight < np.inf:
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
            for miss in checked(part, rollout):
                slopes = {name: root * x for name, x in vars(miss).items() if name in SLOPES and x is not None}
                given = miss.given and {name: root * x for name, x in miss.given.items()}
                yield Misses(miss.row, root * miss.values, **slopes, given=given)


SLOPES = ("q", "qdot", "z", "tau", "t", "h")


def checked(task: Task, rollout: Rollout) -> Iterator[Misses]:
    """What a task misses, as arrays. Raises an error about what is not finite, or not of the shape of the run's."""
    terms, who = task.terms(rollout), f"the task {type(task).__name__}"
    if isinstance(task, Sum):  # whose parts are checked
        yield from terms
        return
    if not hasattr(terms, "__iter__"):
        raise TypeError(f"{who}: terms(rollout) yields mm.tasks.Misses, and returned {terms!r}")
    for miss in terms:
        if not isinstance(miss, Misses):
            raise TypeError(f"{who}: terms(rollout) yields mm.tasks.Misses, and yielded {miss!r}")
        if not isinstance(miss.row, (int, np.integer)):
            raise TypeError(f"{who}: a row is a whole number, and not {miss.row!r}")
        stepped = miss.tau is not None or miss.h is not None
        if not 0 <= miss.row <= rollout.steps or (stepped and miss.row == rollout.steps):
            raise ValueError(
                f"{who}: the run has no row {miss.row!r}, or no step from it; its last row is {rollout.steps}"
            )
        yield _as_arrays(miss, who, rollout)


def _as_arrays(miss: Misses, who: str, rollout: Rollout) -> Misses:
    """The same, in arrays of finite numbers of the right shapes."""
    values = check_numbers(miss.values, f"{who}: misses of row {miss.row}", (None,))
    count, n = len(values), rollout.model.ndof
    shapes = {"q": (count, n), "qdot": (count, n), "z": (count, rollout.model.nz), "tau": (count, n)}
    shapes |= {"t": (count,), "h": (count,)}
    given = {name: getattr(miss, name) for name in shapes}
    by_inputs = {name: (count, np.size(rollout.given(name))) for name in miss.given or ()}
    if (
        isinstance(miss.values, np.ndarray)
        and all(x is None or _is_fine(x, shapes[name]) for name, x in given.items())
        and not by_inputs
    ):
        return miss
    what = f"{who}: derivatives by"
    found = {name: x if x is None else check_numbers(x, f"{what} {name}", shapes[name]) for name, x in given.items()}
    more = {name: check_numbers(miss.given[name], f"{what} {name}", shape) for name, shape in by_inputs.items()}
    return Misses(int(miss.row), values, **found, given=more or None)


def _is_fine(x: object, shape: tuple[int, ...]) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == float and x.shape == shape and bool(np.isfinite(x).all())


def _parts(task: Task) -> list[tuple[float, Task]]:
    return task.parts if isinstance(task, Sum) else [(1.0, task)]
