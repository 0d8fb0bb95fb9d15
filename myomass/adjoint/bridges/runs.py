"""Runs as a function of arrays, whatever library asks: forwards, and from the bars of what came out to those of what
went in.

Every array may have indices in front of its own that count runs. All have the same number of them, and sizes of 1 are
broadcast.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...model import Model
from ...model.spec import known_names
from ..parameters import INPUTS, Parameter
from ..problem import Problem
from ..rollout import Rollout, Unfinished
from ..sweep import Bars

if TYPE_CHECKING:
    from ...scenes import Scene

Shape = tuple[int, ...]


class States(NamedTuple):
    """What a run passes through, rows of it or its last one; arrays or tensors."""

    q: Any  # (..., rows, ndof)
    qdot: Any  # (..., rows, ndof)
    z: Any  # states of muscles, (..., rows, nz)
    charts: Any  # that q and qdot are in, (..., rows, Euler joints); has no derivatives


class Taken(NamedTuple):
    """A run that was taken."""

    problem: Problem
    rollout: Rollout


class Runs:
    """Base of the functions: names and shapes of what goes into a run, many runs at once, and the way back."""

    who = "runs"

    def __init__(self, what: "Scene | Model", wrt: Sequence[str | Parameter], last: bool, run: dict):
        problem = Problem(what, wrt, **run)
        if not problem.names:
            raise ValueError(f"{self.who}: wrt names nothing that goes into the run")
        if problem.every is not None:
            raise ValueError(f"{self.who}: the rows of runs are kept for the way back; leave checkpoint_every out")
        if problem.events:
            raise ValueError(f"{self.who}: the run has events, so that its rows would not always be as many")
        for name, given in (("tau", problem.arguments.get("tau")), ("excitation", problem.excitation)):
            if name in problem.names and given is None:
                raise ValueError(f"{self.who}: give {name} as well, zeros at least: its shape is that of one run")
        self.t, self.last = problem.plan.grid, last  # times of the rows [s]; is only the last of them wanted?
        values = problem.values
        self.given = {name: np.array(values[name], float) for name in problem.names}
        self._problem, self._same_numbers, self._lock = problem, (b"", problem), threading.Lock()

    def __repr__(self) -> str:
        names = ", ".join(f"{name} {value.shape}" for name, value in self.given.items())
        rows = "the last row" if self.last else f"{len(self.t)} rows"
        return f"{type(self).__name__}({names} -> {rows})"

    @property
    def names(self) -> list[str]:
        """What goes into a run, in order."""
        return list(self.given)

    @property
    def model(self) -> Model:
        """The model, with the numbers that it was given."""
        return self._problem.start.model

    def out_shapes(self) -> States:
        """Shapes of the states of one run."""
        model = self._problem.start.model
        rows = () if self.last else (len(self.t),)
        return States(*(rows + (n,) for n in (model.ndof, model.ndof, model.nz, len(model.chart_slots))))

    def named(self, values: Sequence, named: Mapping[str, Any]) -> dict[str, Any]:
        """What a call gives, by name: in order, by name, or as one dictionary."""
        if len(values) == 1 and isinstance(values[0], Mapping):
            values, named = (), {**values[0], **named}
        if len(values) > len(self.given):
            raise TypeError(f"{self.who}: {len(values)} values are given, and wrt names {', '.join(self.given)}")
        found = dict(zip(self.given, values, strict=False))
        for name, value in named.items():
            if name not in self.given:
                raise TypeError(f"{self.who}: wrt does not name {name!r}; {known_names(self.given)}")
            if name in found:
                raise TypeError(f"{self.who}: {name!r} is given twice")
            found[name] = value
        return found

    def batch(self, shapes: Mapping[str, Shape]) -> Shape:
        """Sizes of the indices that count runs, from the shapes of what a call gives."""
        counts = []
        for name, shape in shapes.items():
            own = self.given[name].shape
            if len(shape) < len(own) or shape[len(shape) - len(own) :] != own:
                raise ValueError(
                    f"{self.who}: {name!r} must be of shape {own}, after indices that count runs if there are any, and "
                    f"its shape is {tuple(shape)}"
                )
            counts.append(tuple(shape[: len(shape) - len(own)]))
        try:
            return np.broadcast_shapes(*counts)
        except ValueError:
            told = ", ".join(f"{name} {tuple(shape)}" for name, shape in shapes.items())
            raise ValueError(f"{self.who}: the numbers of runs do not go together: {told}") from None

    def forward(self, values: Sequence[np.ndarray]) -> tuple[States, list[Taken]]:
        """(states, the runs one after another), of values in the order of the names."""
        batch = self._counts(values)
        flat = [_flat(x, batch) for x in values]
        taken, states = [], []
        for k in range(prod(batch)):
            with self._lock, _named_in_errors(k, batch):
                taken.append(self._take({name: x[k] for name, x in zip(self.given, flat, strict=True)}))
        for field, shape in self.out_shapes()._asdict().items():
            out = np.empty((len(taken), *shape))
            for k, one in enumerate(taken):
                rows = getattr(one.rollout, field)
                out[k] = rows[-1] if self.last else rows
            states.append(out.reshape(batch + shape))
        return States(*states), taken

    def backward(
        self, values: Sequence[np.ndarray], bars: Sequence[np.ndarray], taken: Sequence[Taken] = ()
    ) -> list[np.ndarray]:
        """Bars of the values, from those of q, qdot and z. taken: the runs with these values, if they are at hand.

        Several bars of one run, where values are broadcast and bars are not, go back together.
        """
        batch = self._counts(values)
        if len(taken) != prod(batch):
            taken = self.forward(values)[1]
        shapes = self.out_shapes()[:3]
        full = np.broadcast_shapes(batch, *(x.shape[: len(batch)] for x in bars))
        rows, count = 1 if self.last else len(self.t), prod(full)
        flat = [_flat(x, full).reshape(count, rows, s[-1]) for x, s in zip(bars, shapes, strict=True)]
        owners = np.broadcast_to(np.arange(prod(batch)).reshape(batch), full).ravel()
        found = [np.empty((count, *x.shape)) for x in self.given.values()]
        for k, (problem, rollout) in enumerate(taken):
            members = np.flatnonzero(owners == k)
            own = Bars(rollout, len(members))
            for bar, given in zip((own.q, own.qdot, own.z), flat, strict=True):
                bar[-rows:] = np.moveaxis(given[members], 0, 1)
            with self._lock, _named_in_errors(k, batch):
                slopes = problem.pull_back(rollout, own)
            for out, name in zip(found, self.given, strict=True):
                out[members] = slopes[name]
        return [out.reshape(full + x.shape) for out, x in zip(found, self.given.values(), strict=True)]

    def _counts(self, values: Sequence[np.ndarray]) -> Shape:
        return self.batch({name: x.shape for name, x in zip(self.given, values, strict=True)})

    def _take(self, values: dict[str, np.ndarray]) -> Taken:
        """Take one run; runs with the same numbers of the model share the model."""
        numbers = {name: value for name, value in values.items() if name not in INPUTS}
        key = b"".join(value.tobytes() for value in numbers.values())
        if self._same_numbers[0] != key:
            self._same_numbers = key, self._problem.at(numbers)
        problem = self._same_numbers[1].at({name: value for name, value in values.items() if name in INPUTS})
        return Taken(problem, problem.rollout())


@contextmanager
def _named_in_errors(k: int, batch: Shape) -> Iterator[None]:
    """Say in errors about one of many runs which one it is."""
    try:
        yield
    except (Unfinished, ValueError, FloatingPointError) as error:
        if not batch:
            raise
        place = ", ".join(str(i) for i in np.unravel_index(k, batch))
        raise type(error)(f"run [{place}] of the batch: {error}") from error


def _flat(x: np.ndarray, batch: Shape) -> np.ndarray:
    """An array with one index in front that counts all runs of a batch."""
    own = x.shape[len(batch) :]
    return np.broadcast_to(x, batch + own).reshape(prod(batch), *own)
