"""What a person says about a muscle: its path, the surfaces that it wraps, and how its mass is spread.

A path runs through points, each fixed to a body or moving in it with a coordinate; between two neighbours it is a
piece, straight or over one wrapping surface. The muscle's mass sits at fixed fractions of the path's length, or of what
is left of it between tendons that keep their lengths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers
from ..spatial.motion import Motion
from .network.trained import Problem

NO_SIDE, PASSED, HELD, UNFORCED = 0.0, 1.0, 2.0, 3.0  # kinds of sides, in params: see wrapping/circle.py
SMOOTHINGS = {"none": 0.0, "blend": 0.01}  # eps: of a piece's length, over which the wrapped part is blended in


Solid = tuple[str, np.ndarray, tuple[float, ...]]
# ("ball", pose, three radii), ("cylinder", pose, (radius, length; infinite for an endless one)) or
# ("ring", pose, (its radius, that of its tube)) [m]; their axes are z of the pose (4, 4)


@brief
@dataclass(eq=False)
class Surface:
    """Base of all wrapping surfaces: the body that it is fixed to (None: the world), and where.

    E_bs is the surface's frame in the body's (None: the same). `side` is a point in the surface's frame on the side
    that the path must pass; None takes the shorter way, which jumps where both are equally long. A surface that can
    hold its path on that side, up to a full turn, has a field `hold`. One whose side need not force the path round it
    has a field `forced`: False lets the path run straight wherever the straight line clears the surface.
    """

    body: str | None
    E_bs: np.ndarray | None = None

    kind: ClassVar[int] = -1  # set where it is listed or registered
    problem: ClassVar[Problem | None] = None  # what a network learns of it
    shipped: ClassVar[Path | None] = None  # the package's own weights; set there too

    def shape(self) -> list[float]:
        """The surface's own numbers, checked: what its kernels read after the side."""
        raise NotImplementedError

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point in the surface's frame from it [m], negative inside; only its sign must be exact."""
        raise NotImplementedError

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """The solids that a surface of this shape is drawn as, in its frame; none unless a subclass says so."""
        return []

    def frame(self) -> np.ndarray:
        """E_bs, checked."""
        return np.eye(4) if self.E_bs is None else check_frame(self.E_bs, "E_bs")

    def parameters(self) -> list[float]:
        """What the kernels read: the kind of side (NO_SIDE, PASSED, HELD or UNFORCED), that point, then the shape."""
        side = getattr(self, "side", None)
        if side is None:
            return [NO_SIDE, 0.0, 0.0, 0.0, *self.shape()]
        place = check_numbers(side, "side, a point in the surface's frame [m],", (3,)).astype(float)
        self.check_side(place)
        hold, forced = getattr(self, "hold", False), getattr(self, "forced", True)
        for name, value in (("hold", hold), ("forced", forced)):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} is True or False, not {value!r}")
        kind = UNFORCED if not forced else HELD if hold else PASSED
        return [kind, *place.tolist(), *self.shape()]

    def check_side(self, side: np.ndarray) -> None:
        """Raise a ValueError if a side does not say which way the path must take."""
        if not side.any():
            raise ValueError("side is the centre of the surface; give a point that says which way to go")


@brief
@dataclass(frozen=True)
class Belly:
    """Mass between two fractions of the path only: tendons are bare. In points, or spread continuously.

    The tendon "stretches" as much as the belly, or is "inextensible": on both sides it keeps its length, moves as a
    whole, and leaves all change of length to the belly. `length` [m] is the path's length at which the fractions then
    hold; None: its length at q = 0.
    """

    start: float
    end: float
    continuous: bool = False
    tendon: str = "stretches"
    length: float | None = None

    def tendons(self, length: float) -> tuple[float, float]:
        """(p, d), lengths that the proximal and the distal tendon keep if the fractions hold at this length [m]."""
        stiff = length if self.tendon == "inextensible" else 0.0
        return self.start * stiff, (1.0 - self.end) * stiff

    def places(self, length: float, parts: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """(offset [m], alpha): a belly's parts, from 0 to 1, lie at offset + alpha l along a path that is now l long.

        The fractions hold at `length` [m].
        """
        p, d = self.tendons(length)
        first, last = (0.0, 1.0) if self.tendon == "inextensible" else (self.start, self.end)
        alpha = first + (last - first) * np.asarray(parts, float)
        return p - alpha * (p + d), alpha


@brief
@dataclass(frozen=True)
class Lumps:
    """Mass at given fractions of the path, in given shares of the muscle's mass (None: equal ones)."""

    fractions: Sequence[float]
    shares: Sequence[float] | None = None


@brief
@dataclass(frozen=True)
class MovingPoint:
    """A path point whose place in its body's frame is a function of coordinates: x, y, z as numbers or motions.

    A `Motion` here is a function of a coordinate instead of time. The coordinate is given by its own name, or as the
    `component` of the joint that a body hangs by, with that body's name. One serves all three, or each of x, y and z
    has its own: `coordinate` is then three names, None where the place is a number, and `component` one number or
    three. frame: the pose of the axes x, y, z in the body's frame (None: the same).
    """

    body: str | None
    place: Sequence[Motion | float]
    coordinate: str | Sequence[str | None]
    component: int | Sequence[int] = 0
    frame: np.ndarray | None = None
    joints: ClassVar[tuple[str, ...]] = ("coordinate",)  # fields that name a joint, by the body that hangs by it


@brief
@dataclass(frozen=True)
class ConditionalPoint:
    """A path point that is part of the path only while a coordinate is within a range, (low, high), ends included.

    Outside of it the path goes from the point before to the one after, so its length jumps there if the point is off
    that line. The coordinate [rad or m] is given by its own name, or as the `component` of the joint that a body hangs
    by, with that body's name.
    """

    body: str | None
    place: Sequence[float]
    coordinate: str
    within: tuple[float, float]
    component: int = 0
    joints: ClassVar[tuple[str, ...]] = ("coordinate",)  # fields that name a joint, by the body that hangs by it
