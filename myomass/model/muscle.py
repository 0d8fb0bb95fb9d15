"""What a muscle is, as a spec and as a model keep it. pack_muscles.py makes one of the other.

A path runs through points, each fixed to a body or moving in it with a coordinate; between two neighbours it is a
piece, straight or over one wrapping surface. The muscle's mass sits at fixed fractions of the path's length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..joints.records import as_records, records
from ..spatial.checks import check_frame, check_numbers
from ..spatial.motion import Motion
from .force import Point
from .network import Network, Problem

SMOOTHINGS = {"none": 0.0, "blend": 0.01}  # eps: of a piece's length, over which the wrapped part is blended in


Solid = tuple[str, np.ndarray, tuple[float, ...]]
# ("ball", pose, three radii), ("cylinder", pose, (radius, length; infinite for an endless one)) or
# ("ring", pose, (its radius, that of its tube)) [m]; their axes are z of the pose (4, 4)


@dataclass(eq=False)
class Surface:
    """Base of all wrapping surfaces: the body that it is fixed to (None: the world), and where.

    E_bs is the surface's frame in the body's (None: the same). `side` is a point in the surface's frame on the side
    that the path must pass; None takes the shorter way, which jumps where both are equally long.
    """

    body: str | None
    E_bs: np.ndarray | None = None

    kind: ClassVar[int] = -1  # set where the surfaces are listed, in muscles/wrapping/dispatch.py
    problem: ClassVar[Problem | None] = None  # what a network learns of it
    shipped: ClassVar[Path | None] = None  # the weights that come along; set there too

    def shape(self) -> list[float]:
        """The surface's own numbers, checked: what its kernels read after the side."""
        raise NotImplementedError

    def gap(self, x: np.ndarray) -> float:
        """How far a point in the surface's frame is outside, negative inside [m]; its sign is what counts."""
        raise NotImplementedError

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """What a surface of this shape is drawn as, in its frame; nothing, unless it says so."""
        return []

    def frame(self) -> np.ndarray:
        """E_bs, checked."""
        return np.eye(4) if self.E_bs is None else check_frame(self.E_bs, "E_bs")

    def parameters(self) -> list[float]:
        """Everything the kernels read: whether there is a side, that point, then the shape."""
        side = getattr(self, "side", None)
        if side is None:
            return [0.0, 0.0, 0.0, 0.0, *self.shape()]
        place = check_numbers(side, "side, a point in the surface's frame [m],", (3,)).astype(float)
        self.check_side(place)
        return [1.0, *place.tolist(), *self.shape()]

    def check_side(self, side: np.ndarray) -> None:
        """A sentence if a side tells nothing."""
        if not side.any():
            raise ValueError("side is the centre of the surface, from which no side can be told")


@dataclass(frozen=True)
class Belly:
    """Mass between two fractions of the path only: tendons are bare. In points, or spread continuously."""

    start: float
    end: float
    continuous: bool = False


@dataclass(frozen=True)
class Lumps:
    """Mass at given fractions of the path, in given shares of the muscle's mass (None: equal ones)."""

    fractions: Sequence[float]
    shares: Sequence[float] | None = None


@dataclass(frozen=True)
class MovingPoint:
    """A path point whose place in its body's frame is a function of coordinates: x, y, z as numbers or motions.

    A `Motion` here is a function of the coordinate `component` of the joint of `coordinate` (a body's name), instead of
    time.
    """

    body: str | None
    place: Sequence[Motion | float]
    coordinate: str
    component: int = 0
    joints: ClassVar[tuple[str, ...]] = ("coordinate",)  # fields that name a joint, by the body that hangs by it


@dataclass(eq=False)
class Muscle:
    """One muscle as `Spec.add_muscle` takes it."""

    points: Sequence[Point | MovingPoint]
    mass: float = 0.0
    wrap: Sequence[Surface | None] | None = None
    mass_points: int = 20
    distribution: str | Belly | Lumps | Sequence[float] = "uniform"
    smoothing: str | float | Network = "blend"
    tension: Motion | float = 0.0


@cache
def muscle_dtype(scalar: type) -> np.dtype:
    """Record of a muscle: where its points, pieces, lumps and dofs are listed, and its numbers."""
    counts = ("point", "points", "lump", "lumps", "span", "spans", "moves", "root", "continuous", "tension")
    numbers = ("mass", "start", "end", "constant", "blend")  # [kg]; of the belly; tension that stays [N]; eps or 0
    return np.dtype([(name, "i8") for name in counts] + [(name, scalar) for name in numbers], align=True)


@cache
def path_point_dtype(scalar: type) -> np.dtype:
    """Record of a path point: its link and place there [m]; a coordinate (-1: none) and where its curves start."""
    return np.dtype(
        [("link", "i8"), ("dof", "i8"), ("at", "i8", (3,)), ("p", scalar, (3,)), ("R", scalar, (3, 3))], align=True
    )


@cache
def piece_dtype(scalar: type) -> np.dtype:
    """Record of the piece after a point: its surface (-1: none), where that is, where its numbers start.

    And where those of the network start that smooths it (-1: none).
    """
    whole = ("kind", "at", "link", "network")
    return np.dtype([(name, "i8") for name in whole] + [("R", scalar, (3, 3)), ("p", scalar, (3,))], align=True)


@cache
def lump_dtype(scalar: type) -> np.dtype:
    """Record of a mass point: its fraction of the path, and its mass [kg]."""
    return np.dtype([("alpha", scalar), ("mass", scalar)], align=True)


@cache
def span_dtype() -> np.dtype:
    """Record of a degree of freedom that moves a path within itself, with its link and its pair."""
    return np.dtype([("dof", "i8"), ("link", "i8"), ("pair", "i8")], align=True)


@cache
def pair_dtype() -> np.dtype:
    """Record of a base and a degree of freedom beyond it: muscles that share both are summed up."""
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
    names: tuple[str, ...]
    surfaces: tuple[Surface | None, ...] = ()  # of the pieces, as they were given; not kept in files

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def active(self) -> bool:
        """Has any mass or tension?"""
        return self.massive or self.tense

    @cached_property
    def massive(self) -> bool:
        """Does any have mass?"""
        return bool((self.table["mass"] > 0).any())

    @cached_property
    def tense(self) -> bool:
        """Does any pull?"""
        return bool(((self.table["constant"] != 0) | (self.table["tension"] >= 0)).any())

    @cached_property
    def learned(self) -> bool:
        """Does a network smooth any?"""
        return bool((self.pieces["network"] >= 0).any())

    def astype(self, scalar: type) -> "Muscles":
        """The same in another real number type; the record types are the very ones that kernels know."""
        return Muscles(
            as_records(self.table, muscle_dtype(scalar)),
            as_records(self.points, path_point_dtype(scalar)),
            as_records(self.pieces, piece_dtype(scalar)),
            as_records(self.lumps, lump_dtype(scalar)),
            as_records(self.spans, span_dtype()),
            self.moves,
            self.params.astype(scalar),
            self.inner,
            as_records(self.pairs, pair_dtype()),
            self.names,
            self.surfaces,
        )


ARRAYS = [f.name for f in fields(Muscles) if f.name not in ("names", "surfaces")]


def no_muscles() -> Muscles:
    """None."""
    tables = [records(0, dtype(np.float64)) for dtype in (muscle_dtype, path_point_dtype, piece_dtype, lump_dtype)]
    lists = records(0, span_dtype()), np.zeros(0, bool), np.zeros(1), np.zeros(0, np.int64), records(0, pair_dtype())
    return Muscles(*tables, *lists, ())
