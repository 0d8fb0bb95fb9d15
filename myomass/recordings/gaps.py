"""Gaps: rows in which something was not measured, and cubics that fill them."""

from collections.abc import Iterator
from numbers import Real
from typing import NamedTuple, TypeVar

import numpy as np

from .markers import Markers
from .table import Table

Recording = TypeVar("Recording", Table, Markers)
BESIDE = 2  # measured rows on each side of a gap that a cubic goes through


class Gap(NamedTuple):
    """A column without numbers from one row to another, both included; length: between its measured neighbours [s]."""

    name: str
    first: int
    last: int
    length: float  # infinite at an end of the recording


def gaps(recording: Table | Markers) -> list[Gap]:
    """The gaps of a table, or of markers, in the order of its columns."""
    table = recording.table() if isinstance(recording, Markers) else _checked(recording)
    found = [gap for column in range(len(table.names)) for gap in _gaps_of(table, column)]
    if not isinstance(recording, Markers):
        return found
    return list(dict.fromkeys(gap._replace(name=gap.name[:-2]) for gap in found))


def fill_gaps(recording: Recording, longest: float, *, ends: bool = False, longer: str = "keep") -> Recording:
    """Fill gaps of at most so many seconds between measured rows by the cubic through two rows on each side.

    Where fewer rows were measured the polynomial is of lower degree. longer: "keep" leaves longer gaps NaN, "raise"
    makes them an error. ends: also fill the first and last rows, by the nearest number; they stay NaN otherwise, and
    count as longer.
    """
    if longer not in ("keep", "raise"):
        raise ValueError(f'longer is "keep" or "raise", not {longer!r}')
    if not isinstance(longest, Real) or not longest >= 0:
        raise ValueError(f"longest is a length of time in seconds, not negative, and is {longest!r}")
    if isinstance(recording, Markers):
        return Markers.from_table(fill_gaps(recording.table(), longest, ends=ends, longer=longer))
    table = _checked(recording)
    values = table.values.copy()
    for column in range(len(table.names)):
        for gap in _gaps_of(table, column):
            at_end, whole = np.isinf(gap.length), gap.last - gap.first + 1 == len(table)
            if ends and not whole if at_end else gap.length <= longest * (1 + 1e-9):
                values[gap.first : gap.last + 1, column] = _filled(table, column, gap)
            elif longer == "raise":
                where = f"from {table.t[gap.first]:g} to {table.t[gap.last]:g} s"
                why = "is at an end of the recording" if at_end else f"is longer than {longest:g} s"
                why = "is all of the recording" if whole else why
                raise ValueError(f"{gap.name!r} has no numbers {where}; this gap {why}, and is not filled")
    return table.with_values(table.t, values)


def _checked(table: Table) -> Table:
    if not isinstance(table, Table):
        raise TypeError(f"gaps are those of a Table or of Markers, not of {type(table).__name__}")
    return table


def _gaps_of(table: Table, column: int) -> Iterator[Gap]:
    """Gaps of a column."""
    missing = ~np.isfinite(table.values[:, column])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], missing, [False]])))
    for first, end in edges.reshape(-1, 2).tolist():
        inside = first > 0 and end < len(table)
        length = table.t[end] - table.t[first - 1] if inside else np.inf
        yield Gap(table.names[column], first, end - 1, float(length))


def _filled(table: Table, column: int, gap: Gap) -> np.ndarray:
    """Numbers for the rows of a gap."""
    measured = np.flatnonzero(np.isfinite(table.values[:, column]))
    before, after = measured[measured < gap.first][-BESIDE:], measured[measured > gap.last][:BESIDE]
    if not len(before) or not len(after):  # at an end
        return table.values[[*before[-1:], *after[:1]][0], column]
    rows = np.concatenate([before, after])
    middle, half = (table.t[rows[-1]] + table.t[rows[0]]) / 2, (table.t[rows[-1]] - table.t[rows[0]]) / 2
    powers = np.vander((table.t[rows] - middle) / half, len(rows))
    wanted = np.vander((table.t[gap.first : gap.last + 1] - middle) / half, len(rows))
    return wanted @ np.linalg.solve(powers, table.values[rows, column])
