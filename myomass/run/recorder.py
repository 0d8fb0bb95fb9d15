"""Rows of a run: room for t, q, qdot, charts and z, and rows of several models put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model import Model, State

Switches = tuple[tuple[int, Model], ...]  # (row from which another model holds, that model), in order


@dataclass
class Rows:
    """What a run has computed so far: `count` rows of t, q, qdot, charts and z."""

    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    charts: np.ndarray
    z: np.ndarray
    count: int = 1
    ended: str = "completed"
    steps: dict[str, int] = field(default_factory=dict)
    events: list = field(default_factory=list)
    last_is_extra: bool = False  # the run stopped between wanted times
    multipliers: np.ndarray | None = None  # of constraints, where they are recorded
    switches: Switches = ()

    @classmethod
    def starting(cls, model: Model, state: State, capacity: int) -> "Rows":
        """Room for `capacity` rows, the first of them the given state."""
        n, slots = model.ndof, len(model.chart_slots)
        rows = cls(np.empty(capacity), *(np.empty((capacity, width)) for width in (n, n, slots, model.nz)))
        rows.write(0, state)
        return rows

    def write(self, row: int, state: State) -> None:
        """Make a state one of the rows."""
        for own, value in zip(self.arrays(), (state.t, state.q, state.qdot, state.charts, state.z), strict=True):
            own[row] = value

    def arrays(self) -> tuple[np.ndarray, ...]:
        """(t, q, qdot, charts, z), all of the room."""
        return self.t, self.q, self.qdot, self.charts, self.z

    def change(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        """Apply the same to t, q, qdot, charts and z, and to multipliers if there are any."""
        self.t, self.q, self.qdot, self.charts, self.z = (change(x) for x in self.arrays())
        if self.multipliers is not None:
            self.multipliers = change(self.multipliers)

    def grow(self) -> None:
        """Twice the room."""
        self.change(lambda x: np.concatenate([x, np.empty_like(x)]))

    def first(self, count: int) -> "Rows":
        """The first `count` rows as rows of their own, which share the room."""
        rows = Rows(*self.arrays(), count, multipliers=self.multipliers)
        rows.change(lambda x: x[:count])
        return rows

    def keep_only(self, times: np.ndarray, first: Model) -> None:
        """The rows at wanted times, and the last one if the run stopped between them; its first model is `first`."""
        kept = np.isin(self.t, times)
        kept[-1:] |= self.last_is_extra
        before = np.concatenate([[0], np.cumsum(kept)])
        found = [(int(before[row]), model) for row, model in self.switches]
        self.switches = tidy_switches(first, found, int(before[-1]))
        self.change(lambda x: x[kept])
        self.count = len(self.t)


def one_below_the_other(parts: Sequence[np.ndarray], width: int = 0) -> np.ndarray:
    """Rows of all parts, as wide as the widest or `width`; what is missing on the right is NaN. (rows, width)"""
    if len({x.shape[1] for x in parts} | {width} - {0}) == 1:
        return np.concatenate(parts)
    rows = np.full((sum(map(len, parts)), max(width, *(x.shape[1] for x in parts))), np.nan)
    at = 0
    for part in parts:
        rows[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return rows


def multipliers_together(pieces: Sequence[tuple[int, np.ndarray | None]]) -> np.ndarray | None:
    """Multipliers of pieces = (number of rows, multipliers or None) one below the other; None if there are none."""
    if all(lam is None for _, lam in pieces):
        return None
    return one_below_the_other([np.empty((count, 0)) if lam is None else lam for count, lam in pieces])


def tidy_switches(first: Model, found: Sequence[tuple[int, Model]], count: int) -> Switches:
    """Those to another model that has rows of its own, in a run of `count` rows that began with `first`."""
    followed, kept = [row for row, _ in found[1:]] + [count], []
    for (row, model), after in zip(found, followed, strict=False):
        if row < after and model is not (kept[-1][1] if kept else first):
            kept.append((row, model))
    return tuple(kept)


def put_together(first: Model, pieces: Sequence[tuple[Model, Rows]]) -> Rows:
    """The rows of pieces one below the other; `first` is the model that the run began with."""
    if len(pieces) == 1 and pieces[0][0] is first:
        return pieces[0][1]
    pieces = [piece for piece in pieces if piece[1].count] or pieces[-1:]
    parts, starts = [rows for _, rows in pieces], np.cumsum([0, *(rows.count for _, rows in pieces)]).tolist()
    found = [(at, model) for at, (model, _) in zip(starts, pieces, strict=False)]
    wide = [[getattr(x, key) for x in parts] for key in ("q", "qdot", "charts", "z")]
    least = first.ndof, first.ndof, len(first.chart_slots), first.nz
    arrays = (one_below_the_other(x, n) for x, n in zip(wide, least, strict=True))
    lam = multipliers_together([(rows.count, rows.multipliers) for rows in parts])
    t = np.concatenate([x.t for x in parts])
    switches = tidy_switches(first, found, starts[-1])
    return Rows(t, *arrays, starts[-1], multipliers=lam, switches=switches)
