"""Coordinates and markers: the names that people know degrees of freedom and points of bodies by."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion


@brief
@dataclass(frozen=True)
class Coordinate:
    """A degree of freedom by its name, and what is known of it [rad or m, and per s].

    A range limits nothing by itself: analyses keep to it, and `clamped` says that they must. What is locked keeps its
    default, and what is prescribed follows a motion in time, once a constraint such as mm.DrivenJoint holds it.
    """

    name: str
    default: float = 0.0
    speed: float = 0.0  # at the start, unless a run is given another
    range: tuple[float, float] | None = None
    clamped: bool = False
    locked: bool = False
    prescribed: Motion | None = None
    unit: str | None = None  # "rad", "m" or "1"; None: as its joint says

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"a coordinate's name must be a string that is not empty, and is {self.name!r}")
        for what in ("default", "speed"):
            check_numbers(getattr(self, what), f"coordinate {self.name!r}: its {what}", ())
        if self.range is not None:
            low, high = np.array(self.range, float) if np.size(self.range) == 2 else (np.nan, np.nan)
            if not low <= high:
                raise ValueError(f"coordinate {self.name!r}: the range is (low, high), and is {self.range!r}")
        if self.unit not in (None, "rad", "m", "1"):
            raise ValueError(f"coordinate {self.name!r}: its unit is 'rad', 'm' or '1', not {self.unit!r}")
        if self.prescribed is not None and not isinstance(self.prescribed, Motion):
            raise TypeError(f"coordinate {self.name!r}: prescribed must be an mm.Motion, and is {self.prescribed!r}")


@brief
@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame: its body (None: the world), and its pose in the body's frame. (4, 4)"""

    body: str | None
    pose: np.ndarray

    def place(self, p: Sequence[float]) -> np.ndarray:
        """A place in this frame, in the body's frame instead [m]. (3,)"""
        return self.pose[:3, :3] @ check_numbers(p, "a place [m]", (3,)) + self.pose[:3, 3]


class TorqueAxis(NamedTuple):
    """About what a file's force on a coordinate turns a body: a unit axis in the named frame, which turns back."""

    body: str
    frame: str
    along: tuple[float, float, float]


@brief
@dataclass(frozen=True)
class Marker:
    """A point that is measured: its body (None: the world), place in the body's frame [m], and weight in a fit."""

    body: str | None
    place: tuple[float, float, float]
    weight: float = 1.0


def check_coordinates(given: Sequence[str | Coordinate] | None, body: str, ndof: int) -> tuple[Coordinate, ...] | None:
    """One Coordinate for each degree of freedom of a body's joint, or None where nothing was said."""
    if given is None:
        return None
    if isinstance(given, (str, Coordinate)):
        given = [given]
    if not isinstance(given, Sequence) or not all(isinstance(one, (str, Coordinate)) for one in given):
        raise TypeError(f"body {body!r}: coordinates are a list of names or mm.model.Coordinate, and are {given!r}")
    if len(given) != ndof:
        raise ValueError(f"body {body!r}: its joint has {ndof} degrees of freedom, and {len(given)} coordinates named")
    return tuple(Coordinate(one) if isinstance(one, str) else one for one in given)


def plain_names(body: str, ndof: int) -> list[str]:
    """Names of a joint's coordinates where nobody gave others: "elbow", or "hip[0]", "hip[1]" and so on."""
    return [body] if ndof == 1 else [f"{body}[{k}]" for k in range(ndof)]


def check_marker(body: str | None, place: Sequence[float], weight: float, name: str) -> Marker:
    """A marker of checked numbers."""
    place = check_numbers(place, f"marker {name!r}: its place [m]", (3,)).astype(float)
    weight = float(check_numbers(weight, f"marker {name!r}: its weight", ()))
    if weight < 0:
        raise ValueError(f"marker {name!r}: its weight must not be negative, and is {weight:g}")
    return Marker(body, tuple(place.tolist()), weight)


def coordinates_to_text(coordinates: Sequence[Coordinate]) -> str:
    """Coordinates as JSON, for files."""
    rows = []
    for one in coordinates:
        motion = one.prescribed and [one.prescribed.parameters().tolist()]
        rows.append([one.name, one.default, one.speed, one.range, one.clamped, one.locked, motion, one.unit])
    return json.dumps(rows, default=float)


def coordinates_from_text(text: str) -> tuple[Coordinate, ...]:
    """The coordinates of `coordinates_to_text`."""
    made = []
    for name, default, speed, limits, clamped, locked, motion, unit in json.loads(text):
        prescribed = Motion.from_parameters(np.array(motion[0])) if motion else None
        limits = None if limits is None else tuple(limits)
        made.append(Coordinate(name, default, speed, limits, clamped, locked, prescribed, unit))
    return tuple(made)


def markers_to_text(markers: Mapping[str, Marker]) -> str:
    """Markers as JSON, for files."""
    return json.dumps({name: [one.body, one.place, one.weight] for name, one in markers.items()})


def markers_from_text(text: str) -> dict[str, Marker]:
    """The markers of `markers_to_text`."""
    return {name: Marker(body, tuple(place), weight) for name, (body, place, weight) in json.loads(text).items()}


def frames_to_text(frames: Mapping[str, Frame]) -> str:
    """Frames as JSON, for files."""
    return json.dumps({name: [one.body, one.pose.tolist()] for name, one in frames.items()})


def frames_from_text(text: str) -> dict[str, Frame]:
    """The frames of `frames_to_text`."""
    return {name: Frame(body, np.array(pose)) for name, (body, pose) in json.loads(text).items()}
