"""Muscles as a model keeps them: records and arrays, which pack.py fills."""

from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np

from ..joints.records import as_records, records
from .hill.records import hill_dtype, reflex_dtype
from .points import JUNCTION
from .spec import Surface


@cache
def muscle_dtype(scalar: type) -> np.dtype:
    """Record of a muscle: where its points, pieces, lumps and dofs are listed, and its numbers."""
    counts = ("point", "points", "lump", "lumps", "span", "spans", "moves", "root", "continuous", "tension", "hill")
    counts += ("law",)  # of tension, its numbers at `tension`; -1: none, and a motion in time is there, if any
    numbers = ("mass", "start", "end", "constant", "blend")  # [kg]; of the mass; tension that stays [N]; eps or 0
    numbers += ("proximal", "distal")  # lengths of the tendons that do not stretch [m]; start and end are of the rest
    return np.dtype([(name, "i8") for name in counts] + [(name, scalar) for name in numbers], align=True)


@cache
def path_point_dtype(scalar: type) -> np.dtype:
    """Record of a path point: its link and place there [m]; for each axis a coordinate (-1: none) and its curve.

    Also the coordinate (-1: none) that must be within a range for the point to be part of its path; -2 says that it is
    a junction, which stands between two surfaces of one piece, on the link of the point before.
    """
    whole = [("link", "i8"), ("gate", "i8"), ("dof", "i8", (3,)), ("at", "i8", (3,))]
    numbers = [("p", scalar, (3,)), ("R", scalar, (3, 3)), ("low", scalar), ("high", scalar)]
    return np.dtype(whole + numbers, align=True)


def path_points(array: np.ndarray, scalar: type) -> np.ndarray:
    """Records of path points; in older ones all axes have one coordinate, and no point is conditional."""
    if "gate" in array.dtype.names:
        return as_records(array, path_point_dtype(scalar))
    made = records(len(array), path_point_dtype(scalar))
    for name in array.dtype.names:
        made[name] = array[name][:, None] if name == "dof" else array[name]
    made["gate"] = -1
    return made


@cache
def piece_dtype(scalar: type) -> np.dtype:
    """Record of the piece after a point: its surface (-1: none), its place, where its numbers start.

    Also where those of the network start that places its mass (-1: none).
    """
    whole = ("kind", "at", "link", "network")
    return np.dtype([(name, "i8") for name in whole] + [("R", scalar, (3, 3)), ("p", scalar, (3,))], align=True)


@cache
def lump_dtype(scalar: type) -> np.dtype:
    """Record of a mass point: its fraction of what stretches (belly.py), and its mass [kg]."""
    return np.dtype([("alpha", scalar), ("mass", scalar)], align=True)


@cache
def span_dtype() -> np.dtype:
    """Record of a degree of freedom that changes a muscle's path, with its link and its pair."""
    return np.dtype([("dof", "i8"), ("link", "i8"), ("pair", "i8")], align=True)


@cache
def pair_dtype() -> np.dtype:
    """Record of a base and a degree of freedom beyond it; muscles that share both share their sums."""
    return np.dtype([("root", "i8"), ("dof", "i8")], align=True)


@dataclass(frozen=True, eq=False)
class Muscles:
    """All muscles of a model as arrays."""

    table: np.ndarray  # records of muscle_dtype
    points: np.ndarray  # records of path_point_dtype
    pieces: np.ndarray  # records of piece_dtype, one for every point; that of a muscle's last point is empty
    lumps: np.ndarray  # records of lump_dtype
    spans: np.ndarray  # records of span_dtype
    moves: np.ndarray  # per muscle a table: does the dof of a span move point (surface) number j?
    params: np.ndarray  # numbers of surfaces and curves, one after another
    inner: np.ndarray  # elimination tree: the next dof that is coupled to each, inwards; -1 at the end, (ndof,)
    pairs: np.ndarray  # records of pair_dtype
    hills: np.ndarray  # records of hill_dtype: the muscles that have states
    reflexes: np.ndarray  # records of reflex_dtype, those of one muscle together
    states: np.ndarray  # names of the states z, (nz,)
    names: tuple[str, ...]
    surfaces: tuple[Surface | None, ...] = ()  # of the pieces, as they were given; not kept in files

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def count(self) -> int:
        """How many muscles there are."""
        return len(self.table)

    @cached_property
    def active(self) -> bool:
        """True if any muscle has mass or tension."""
        return self.massive or self.tense

    @cached_property
    def massive(self) -> bool:
        """True if any muscle has mass."""
        return bool((self.table["mass"] > 0).any())

    @cached_property
    def tense(self) -> bool:
        """True if any muscle has tension."""
        return bool(len(self.hills) or ((self.table["constant"] != 0) | (self.table["tension"] >= 0)).any())

    @cached_property
    def several(self) -> int:
        """The most surfaces that one piece of a path has, 0 if none has more than one."""
        return most_in_a_row(self.points["gate"] == JUNCTION)

    @cached_property
    def learned(self) -> bool:
        """True if a network places the mass of any muscle."""
        return bool((self.pieces["network"] >= 0).any())

    def astype(self, scalar: type) -> "Muscles":
        """These muscles in another real number type, in the record types that kernels are compiled for."""
        return Muscles(
            as_records(self.table, muscle_dtype(scalar)),
            path_points(self.points, scalar),
            as_records(self.pieces, piece_dtype(scalar)),
            as_records(self.lumps, lump_dtype(scalar)),
            as_records(self.spans, span_dtype()),
            self.moves,
            self.params.astype(scalar),
            self.inner,
            as_records(self.pairs, pair_dtype()),
            as_records(self.hills, hill_dtype(scalar)),
            as_records(self.reflexes, reflex_dtype(scalar)),
            self.states,
            self.names,
            self.surfaces,
        )


def most_in_a_row(junctions: np.ndarray) -> int:
    """The most surfaces on a piece, from which rows of points are junctions; 0 if none is."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], junctions, [False]])))
    return int(np.diff(ends)[::2].max(initial=-1)) + 1


def tendon_lengths(muscles: Muscles) -> np.ndarray:
    """Length of both tendons of each muscle together, as far as they do not stretch [m]. (nmuscles,)"""
    return muscles.table["proximal"] + muscles.table["distal"]


def mass_between(muscle: np.ndarray, length: float) -> tuple[float, float]:
    """(start, end): the fractions of a path that is `length` long now [m] between which a muscle's mass lies."""
    p, rest = muscle["proximal"], length - muscle["proximal"] - muscle["distal"]
    return tuple(
        (p + muscle[key] * rest) / length if p or muscle["distal"] else muscle[key] for key in ("start", "end")
    )


ARRAYS = [f.name for f in fields(Muscles) if f.name not in ("names", "surfaces")]


def no_muscles() -> Muscles:
    """The muscles of a model that has none."""
    tables = [records(0, dtype(np.float64)) for dtype in (muscle_dtype, path_point_dtype, piece_dtype, lump_dtype)]
    lists = records(0, span_dtype()), np.zeros(0, bool), np.zeros(1), np.zeros(0, np.int64), records(0, pair_dtype())
    hills = records(0, hill_dtype(np.float64)), records(0, reflex_dtype(np.float64)), np.zeros(0, "U1")
    return Muscles(*tables, *lists, *hills, ())
