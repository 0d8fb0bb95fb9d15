"""Runs of which few rows are kept at a time: where every piece begins is marked, and a piece is taken again when its
rows are asked for, the same to the last bit.

A task looks at such a run as at any other. On the way back the pieces are passed one after another, the last first;
the first two rows of a piece are the last two of the one before, to which their bars go over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..model import Model, State
from ..run.settings import Plan
from .excited import Excited
from .rollout import Forward, Move, Rollout
from .sweep import Bars
from .tasks.base import Misses

NAMES = ("q", "qdot", "charts", "z")


class Mark(NamedTuple):
    """Where a piece begins."""

    row: int
    stands: tuple  # as of Forward.mark
    before: tuple[np.ndarray, ...]  # the row before, (q, qdot, charts, z); none at the start of the run
    move: Move | None  # of joints to other charts there


class Part(NamedTuple):
    """A piece of a run: its rows, one more in front unless it is the first, and the number of its first one."""

    rollout: Rollout
    first: int


class Track:
    """A run with marks every so many steps."""

    def __init__(self, plan: Plan, model: Model, start: State, excited: Excited, every: int):
        self.forward, self.excited = Forward(plan, model, start), excited
        self.loose = (start.q.copy(), start.qdot.copy()) if model.constraints.count else None
        self.steps, self.every, self.marks = len(plan.grid) - 1, every, []
        mark = Mark(0, self.forward.mark(), (), None)
        while mark.row < self.steps:
            self.marks.append(mark)
            rollout = self._take(mark, min(mark.row + every, self.steps)).rollout
            before = tuple(getattr(rollout, name)[-2].copy() for name in NAMES)
            last, move = mark.row + every, rollout.moves.get(rollout.steps)
            mark = Mark(last, self.forward.mark(), before, move)
        self.forward.check()
        self.latest = len(self.marks) - 1, Part(rollout, self.marks[-1].row - bool(self.marks[-1].row))

    def _take(self, mark: Mark, last: int) -> Part:
        """Take the piece that begins at a mark, where the run stands, up to a row."""
        front = 1 if mark.row else 0
        rollout = self.forward.room(mark.row - front, last, self.excited)
        for name, row in zip(NAMES, mark.before, strict=False):
            getattr(rollout, name)[0] = row
        self.forward.write(rollout, front)
        if mark.move is not None:
            rollout.moves[front] = mark.move
        if self.loose is not None and not front:
            rollout.loose[0] = self.loose
        self.forward.take(rollout, front)
        return Part(rollout, mark.row - front)

    def part(self, number: int) -> Part:
        """A piece, taken again if it is not the one that was looked at last."""
        if self.latest[0] != number:
            mark = self.marks[number]
            self.forward.go_back(mark.stands)
            following = self.marks[number + 1].row if number + 1 < len(self.marks) else self.steps
            self.latest = number, self._take(mark, following)
        return self.latest[1]

    def part_of(self, row: int) -> Part:
        """The piece that a row is in."""
        return self.part(max(row - 1, 0) // self.every)

    def rows(self, name: str) -> np.ndarray:
        """All rows of q, qdot, charts or z."""
        found = [getattr(self.part(0).rollout, name)]
        found += [getattr(self.part(k).rollout, name)[2:] for k in range(1, len(self.marks))]
        return np.concatenate(found)


class Rows(NDArrayOperatorsMixin):
    """All rows of q, qdot, charts or z, as an array: a single row is looked up, for more than that all are."""

    def __init__(self, track: Track, name: str, width: int):
        self._track, self._name, self.shape = track, name, (track.steps + 1, width)

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} rows of {self._name}>"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: object) -> np.ndarray:
        row, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())
        if not isinstance(row, (int, np.integer)) or isinstance(row, bool):
            return np.asarray(self)[key]
        if not -len(self) <= row < len(self):
            raise IndexError(f"the run has no row {row}; its last is {len(self) - 1}")
        row = int(row) % len(self)
        rollout, first = self._track.part_of(row)
        return getattr(rollout, self._name)[(row - first, *rest)]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self._track.rows(self._name).astype(dtype or float, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given, **options) -> object:
        arrays = [np.asarray(x) if isinstance(x, Rows) else x for x in given]
        return getattr(ufunc, method)(*arrays, **options)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def run_marked(plan: Plan, model: Model, start: State, excited: Excited, every: int) -> Rollout:
    """The run, with a mark every so many steps and the rows of one piece at a time."""
    track = Track(plan, model, start, excited, every)
    widths = model.ndof, model.ndof, len(model.chart_slots), model.nz
    q, qdot, charts, z = (Rows(track, name, width) for name, width in zip(NAMES, widths, strict=True))
    return Rollout(model, plan.grid, q, qdot, charts, z, plan.torques.given, excited, track=track)


@dataclass
class Looked:
    """Bars of the rows that a task looked at."""

    q: dict[int, np.ndarray] = field(default_factory=dict)
    qdot: dict[int, np.ndarray] = field(default_factory=dict)
    z: dict[int, np.ndarray] = field(default_factory=dict)


class MarkedBars:
    """Bars, as of sweep.py, of a run with marks: those that it began with, and of one piece at a time."""

    def __init__(self, rollout: Rollout, count: int):
        self.rollout, self.count, self.looked = rollout, count, Looked()
        by_step = rollout.tau.ndim == 2
        self.tau = np.zeros((rollout.steps if by_step else 1, count, rollout.model.ndof))
        self.excitation = rollout.excited.bars(count)
        self.given: dict[str, np.ndarray] = {}

    def add(self, miss: Misses, weights: np.ndarray) -> None:
        """Count misses with weights (quantities, misses) each."""
        for name in ("q", "qdot", "z"):
            rows, slopes = getattr(self.looked, name), getattr(miss, name)
            if slopes is not None:
                rows[miss.row] = rows.get(miss.row, 0.0) + weights @ slopes
        if miss.tau is not None:
            self.tau[miss.row if len(self.tau) > 1 else 0] += weights @ miss.tau
        for name, slopes in (miss.given or {}).items():
            self.given[name] = self.given.get(name, 0.0) + weights @ slopes

    def pieces(self) -> Iterator[tuple[Rollout, Bars, int]]:
        """(rollout, bars, the row to which they are to be passed) of each piece, the last first."""
        track, later = self.rollout.track, None
        for number in range(len(track.marks) - 1, -1, -1):
            rollout, first = track.part(number)
            own, last = Bars(rollout, self.count), first + rollout.steps
            own.excitation = self.excitation
            if len(self.tau) > 1:
                own.tau = self.tau[first:last]
            for name, rows in vars(self.looked).items():
                for row, bar in rows.items():
                    if first <= row <= last:
                        getattr(own, name)[row - first] = bar
                if later is not None:
                    getattr(own, name)[-2:] = getattr(later, name)[:2]
            yield rollout, own, 1 if number else 0
            if len(self.tau) == 1:
                self.tau[0] += own.tau.sum(axis=0)
            later = own
        self.q, self.qdot, self.z = later.q, later.qdot, later.z
