"""Markers: places of points that were measured over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model.spec import UnknownName, known_names
from ..spatial.brief import brief
from ..spatial.checks import ORTHONORMAL, check_numbers
from .table import Table, numbers_or_nan, rows_between

AXES = ("_x", "_y", "_z")  # behind a marker's name in a table
Z_UP_TO_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # of a laboratory, of OpenSim's models


@brief
@dataclass(frozen=True, eq=False)
class Markers:
    """Places of markers over time: t [s], (rows,), and places [m], (rows, markers, 3), NaN where one was not seen."""

    t: np.ndarray
    places: np.ndarray
    names: tuple[str, ...]
    about: Mapping[str, str] = field(default_factory=dict)  # what else the file's head says, and "file": its path

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        t = check_numbers(self.t, "t [s]", (None,)).astype(float)
        places = numbers_or_nan(self.places, "the places of markers")
        if places.shape != (len(t), len(self.names), 3):
            raise ValueError(
                f"{len(t)} times and {len(self.names)} markers have places of shape "
                f"({len(t)}, {len(self.names)}, 3), not {places.shape}"
            )
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"markers have different names, and {twice!r} is there twice")
        if len(t) > 1 and not (np.diff(t) > 0).all():
            row = int((np.diff(t) <= 0).argmax())
            raise ValueError(f"the times of markers rise, and t[{row + 1}] = {t[row + 1]:g} follows {t[row]:g}")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "places", places)

    def __len__(self) -> int:
        return len(self.t)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> np.ndarray:
        """Places of a marker by its name [m]. (rows, 3)"""
        return self.places[:, self.number(name)]

    @property
    def rate(self) -> float:
        """Rows per second, NaN for fewer than two. [Hz]"""
        return (len(self) - 1) / (self.t[-1] - self.t[0]) if len(self) > 1 else np.nan

    def number(self, name: str) -> int:
        """The number of a marker."""
        if name not in self.names:
            raise UnknownName(f"there is no marker {name!r}; {known_names(self.names)}")
        return self.names.index(name)

    def select(self, names: str | Sequence[str]) -> "Markers":
        """These markers (or one), in this order."""
        names = [names] if isinstance(names, str) else names
        return Markers(self.t, self.places[:, [self.number(name) for name in names]], tuple(names), self.about)

    def renamed(self, names: Mapping[str, str]) -> "Markers":
        """The same markers under other names, those that the mapping lacks under their own."""
        for name in names:
            self.number(name)
        return Markers(self.t, self.places, tuple(names.get(name, name) for name in self.names), self.about)

    def between(self, start: float = -np.inf, end: float = np.inf) -> "Markers":
        """The rows from start to end [s], both included; where there are none, an error names the recording's span."""
        kept = rows_between(self.t, start, end, str(self.about.get("file", "the recording")))
        return Markers(self.t[kept], self.places[kept], self.names, self.about)

    def rotated(self, R: np.ndarray) -> "Markers":
        """All places p as R p, (3, 3): `Z_UP_TO_Y_UP` takes a laboratory with z up to a model with y up."""
        return Markers(self.t, self.places @ check_rotation(R).T, self.names, self.about)

    def table(self) -> Table:
        """A table with the columns NAME_x, NAME_y, NAME_z [m] of each marker, to filter and resample."""
        names = tuple(name + axis for name in self.names for axis in AXES)
        return Table(self.t, self.places.reshape(len(self), len(names)), names, False, self.about)

    @classmethod
    def from_table(cls, table: Table) -> "Markers":
        """Markers from a table with the columns NAME_x, NAME_y, NAME_z [m] of each."""
        names = [name.removesuffix("_x") for name in table.names if name.endswith("_x")]
        wanted = [name + axis for name in names for axis in AXES]
        other = sorted({*table.names} ^ {*wanted})
        if other:
            raise ValueError(
                f"markers have the columns NAME_x, NAME_y and NAME_z, and {other[0]!r} has no others with it"
            )
        return cls(table.t, table.select(wanted).values.reshape(len(table), len(names), 3), tuple(names), table.about)


def check_rotation(R: np.ndarray) -> np.ndarray:
    """A rotation matrix (3, 3), or an error that says what is wrong with it."""
    R = check_numbers(R, "a rotation", (3, 3))
    if np.abs(R.T @ R - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
        raise ValueError("a rotation is an orthonormal matrix (3, 3) with determinant 1, and this one is not")
    return R
