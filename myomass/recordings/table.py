"""Tables: named columns over time, as programs of biomechanics write and read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model.spec import UnknownName, known_names
from ..spatial.brief import brief
from ..spatial.checks import check_numbers

SAME = 1e-9  # times that are no further apart are the same, over their size [1]: 3 * 0.1 is not 0.3


@brief
@dataclass(frozen=True, eq=False)
class Table:
    """Named columns over time: t [s], (rows,), and values, (rows, columns), NaN where nothing was measured.

    degrees: the file says that its angles are in degrees; what takes a table asks for it, the values stay as they are.
    """

    t: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    degrees: bool = False
    about: Mapping[str, str] = field(default_factory=dict)  # what else the file's head says, and "file": its path

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        t = check_numbers(self.t, "t [s]", (None,)).astype(float)
        values = numbers_or_nan(self.values, "a table's values")
        if values.shape != (len(t), len(self.names)):
            raise ValueError(
                f"a table of {len(t)} times and {len(self.names)} names has values of shape "
                f"({len(t)}, {len(self.names)}), not {values.shape}"
            )
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"a table's columns have different names, and {twice!r} is there twice")
        if len(t) > 1 and not (np.diff(t) > 0).all():
            row = int((np.diff(t) <= 0).argmax())
            raise ValueError(f"a table's times rise, and t[{row + 1}] = {t[row + 1]:g} follows {t[row]:g}")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.t)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name. (rows,)"""
        return self.values[:, self.column(name)]

    def column(self, name: str) -> int:
        """The number of a column."""
        if name not in self.names:
            raise UnknownName(f"{called(self)} has no column {name!r}; {known_names(self.names)}")
        return self.names.index(name)

    def select(self, names: str | Sequence[str]) -> "Table":
        """The table of these columns (or of one), in this order."""
        names = [names] if isinstance(names, str) else names
        return self.with_values(self.t, self.values[:, [self.column(name) for name in names]], names)

    def between(self, start: float = -np.inf, end: float = np.inf) -> "Table":
        """The rows from start to end [s], both included; where there are none, an error names the table's span."""
        kept = rows_between(self.t, start, end, called(self))
        return self.with_values(self.t[kept], self.values[kept])

    def in_radians(self, rotational: Sequence[str]) -> "Table":
        """The table with these columns, which are angles (or their rates), in radians; the others stay as they are."""
        return self if not self.degrees else self._turned(rotational, np.pi / 180, False)

    def in_degrees(self, rotational: Sequence[str]) -> "Table":
        """The table with these columns, which are angles (or their rates), in degrees; the others stay as they are."""
        return self if self.degrees else self._turned(rotational, 180 / np.pi, True)

    def _turned(self, rotational: Sequence[str], factor: float, degrees: bool) -> "Table":
        values = self.values.copy()
        values[:, [self.column(name) for name in rotational]] *= factor
        return Table(self.t, values, self.names, degrees, self.about)

    def with_values(self, t: np.ndarray, values: np.ndarray, names: Sequence[str] | None = None) -> "Table":
        """Other rows (and, if names are given, other columns) under the same head."""
        return Table(t, values, self.names if names is None else tuple(names), self.degrees, self.about)


def rounding_of(t: float) -> float:
    """By how much a time may differ from t and be the same [s]."""
    return SAME * max(1.0, abs(t))


def rows_between(t: np.ndarray, start: float, end: float, what: str) -> np.ndarray:
    """Which times lie from start to end, both included; raises an error if none does. what: whose times they are."""
    kept = (t >= start - rounding_of(start)) & (t <= end + rounding_of(end))
    if not kept.any():
        reach = f"reaches from {t[0]:g} to {t[-1]:g} s" if len(t) else "has no rows"
        asked = f"between {start:g} and {end:g} s" if np.isfinite(start) else f"up to {end:g} s"
        raise ValueError(f"{what} {reach}, and has no row {asked if end < np.inf else f'from {start:g} s on'}")
    return kept


def called(table: Table) -> str:
    """What a complaint calls a table: the path of its file, if it has one."""
    return str(table.about.get("file", "the table"))


def numbers_or_nan(values: Sequence, what: str) -> np.ndarray:
    """Numbers, NaN where nothing was measured, as an array of their own. Raises a ValueError if some are none."""
    try:
        return np.array(values, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} are numbers, or NaN where nothing was measured: {error}") from None
