"""Paths of .osim files: points that stay, come and go, or move, and the surfaces that a path may touch."""

import math
from collections.abc import Sequence
from itertools import pairwise

from ...model.elements import Point
from ...muscles.pack_points import COINCIDE
from ...muscles.spec import ConditionalPoint, MovingPoint, Surface
from ...recordings.xml import Element
from ...spatial.motion import Motion
from .frames import frame_named_by, last_name
from .functions import read_function
from .order import Tried, arrange
from .reader import Reader
from .wraps import surface_for

WIDENED = 1e-5  # [rad or m], at both ends of the range of a conditional point
FIXED = ("PathPoint", "MusclePoint", "Station")
CONDITIONAL = ("ConditionalPathPoint", "ConditionalMusclePoint")
MOVING = ("MovingPathPoint", "MovingMusclePoint")
PATHS = ("GeometryPath", "path")
METHODS = ("hybrid", "midpoint", "axial", "unassigned", "")  # of laying a path over an ellipsoid


def has_path(element: Element) -> bool:
    """Does it act along a path?"""
    return any(child.tag in PATHS for child in element)


def path_element(element: Element) -> Element:
    """The element of a path, which newer files name by its use instead of by its class."""
    found = [child for child in element if child.tag in PATHS]
    if not found:
        element.fail(f"the {element.tag} {element.name!r} has no <GeometryPath>")
    path = found[0]
    return path.find("GeometryPath") or path


def read_path(reader: Reader, element: Element) -> tuple[list, list[list[Surface] | None] | None]:
    """(points, the surfaces of each piece in the order of the path, or None) of whatever has a path."""
    path = path_element(element)
    holder = path.find("PathPointSet")
    listed = [] if holder is None else list(holder.find("objects") or holder)
    points, kept = [], []
    for i, child in enumerate(listed):
        made = _point(reader, child)
        if made is not None:
            if points and _coincide(points[-1], made):
                child.fail(f"the points {listed[kept[-1]].name!r} and {child.name!r} of a path coincide; keep one")
            points.append(made)
            kept.append(i)
    if len(points) < 2:
        path.fail(f"the path of {element.name!r} needs two points, and has {len(points)}")
    tried = _surfaces(reader, path, len(listed), kept)
    pieces = arrange(reader, element, points, tried, len(points) - 1)
    return points, [piece or None for piece in pieces] if any(pieces) else None


def _coincide(one: object, other: object) -> bool:
    """Are two path points, unless they move, at the same place of a body?"""
    ends = [(end.body, end.place) if isinstance(end, ConditionalPoint) else end for end in (one, other)]
    if isinstance(one, MovingPoint) or isinstance(other, MovingPoint) or ends[0][0] != ends[1][0]:
        return False
    places = [end[1] for end in ends]
    return math.dist(*places) <= COINCIDE * max(math.hypot(*places[0]), math.hypot(*places[1]))


def _point(reader: Reader, element: Element) -> "Point | MovingPoint | ConditionalPoint | None":
    if element.tag in FIXED:
        return _plain(reader, element)
    if element.tag in CONDITIONAL:
        return _conditional(reader, element)
    if element.tag in MOVING:
        return _moving(reader, element)
    reader.note(element, "this kind of path point is not known; the path goes on without it")
    return None


def _plain(reader: Reader, element: Element) -> tuple[str | None, tuple[float, ...]]:
    body, place = reader.point(element)
    return body, tuple(place.tolist())


def _conditional(reader: Reader, element: Element) -> "ConditionalPoint | Point | None":
    """A point that is part of the path within a range of a coordinate."""
    name = reader.coordinate(element.text_of("socket_coordinate") or element.text_of("coordinate"), element)
    low, high = element.numbers("range", (0.0, 0.0), 2).tolist()
    if not -math.inf < low <= high < math.inf:
        (element.find("range") or element).fail(
            f"the <range> of {element.name!r} is two finite numbers that rise, and is {low:g} {high:g}"
        )
    low, high = low - WIDENED, high + WIDENED
    body, place = _plain(reader, element)
    if name in reader.held:
        return (body, place) if low <= reader.held[name] <= high else None
    return ConditionalPoint(body, place, name, (low, high))


def _moving(reader: Reader, element: Element) -> "MovingPoint | Point":
    """A point each of whose coordinates is a function of a coordinate of the model."""
    text = frame_named_by(element)
    if text is None:
        element.fail(f"the point {element.name!r} does not say which frame it is on")
    body, pose = reader.frame(text, element)
    places, names = [], []
    for k, x in enumerate("xyz"):
        motion, name = _component(reader, element, x)
        places.append(element.three("location")[k] if motion is None else motion)
        names.append(name)
    if not any(names):
        numbers = [x(0.0) if isinstance(x, Motion) else x for x in places]
        return body, tuple((pose[:3, :3] @ numbers + pose[:3, 3]).tolist())
    return MovingPoint(body, tuple(places), names[0] if len(set(names)) == 1 else tuple(names), frame=pose)


def _component(reader: Reader, element: Element, x: str) -> tuple[Motion | None, str | None]:
    """(motion or None, coordinate or None) of one of a moving point's x, y and z."""
    holder = element.find(f"{x}_location")
    if holder is None or not len(holder):
        return None, None
    motion = read_function(holder)
    named = element.text_of(f"socket_{x}_coordinate") or element.text_of(f"{x}_coordinate")
    if not motion.moves or not named:
        return Motion(motion(0.0)), None
    name = reader.coordinate(named, element)
    return (Motion(motion(reader.held[name])), None) if name in reader.held else (motion, name)


def _surfaces(reader: Reader, path: Element, listed: int, kept: Sequence[int]) -> list[Tried]:
    """The surfaces of a path; a PathWrap's range says on which pieces one is tried."""
    found = []
    holder = path.find("PathWrapSet")
    for element in () if holder is None else holder.find("objects") or ():
        name = last_name(element.text_of("wrap_object") or "")
        surface = surface_for(reader, element, name)
        if surface is None:
            continue
        method = (element.text_of("method") or "").strip()
        if method.lower() not in METHODS:
            reader.note(element, f"the <method> {method!r} is none of OpenSim's; the path is a geodesic with any")
        first, last = (int(i) for i in element.numbers("range", (-1, -1), 2))
        told, first, last = f"from point {first} to {last}", max(first, 1), listed if last < 1 else last
        if last > listed or first >= last:
            used = "it is not used" if first >= min(last, listed) else f"it is used up to {listed}"
            reader.note(element, f"its <range> is {told}, and the path has {listed} points; {used}")
        pieces = [piece for piece, (a, b) in enumerate(pairwise(kept)) if a + 1 >= first and b + 1 <= last]
        found.append(Tried(name, surface, pieces))
    return found
