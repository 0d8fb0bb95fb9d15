"""Constraints of .osim files, each read by a function of its class."""

from collections.abc import Callable

import numpy as np

from ...constraints import Constraint, Coupling, Distance, DrivenPoint, Loop
from ...recordings.xml import Element
from ...spatial.checks import unit_axis
from .couplings import TAG, is_enforced, read_coupling
from .frames import offset_of
from .reader import Reader


def _add(reader: Reader, element: Element, constraint: Constraint) -> None:
    """Add a constraint under the name of its element or, if that is taken or empty, under one from its type."""
    free = element.name and element.name not in reader.spec.constraints
    reader.spec.add_constraint(constraint, element.name if free else None)


def _frame(reader: Reader, element: Element, *tags: str) -> tuple[str | None, np.ndarray]:
    """(body, pose in its own frame) of the frame that one of these tags names, in any format."""
    names = [f"socket_{tag}" for tag in tags] + list(tags)
    text = next((element.text_of(name) for name in names if element.text_of(name)), None)
    for connector in element.find("connectors") or ():
        if text is None and connector.name in tags:
            text = connector.text_of("connectee_name")
    if not text:
        element.fail(f"the {element.tag} {element.name!r} does not say its <socket_{tags[0]}>")
    return reader.frame(text, element, f"/constraintset/{element.name}")


def _placed(reader: Reader, element: Element, frame: str, place: str) -> tuple[str | None, np.ndarray]:
    """(body, place in its own frame [m]) of a place in a named frame."""
    body, pose = _frame(reader, element, frame)
    return body, pose[:3, :3] @ element.three(place) + pose[:3, 3]


def _on_two_bodies(element: Element, *ends: tuple[str | None, np.ndarray]) -> None:
    """An error if a constraint ties a body to itself."""
    if ends[0][0] == ends[1][0]:
        where = "the ground" if ends[0][0] is None else f"the body {ends[0][0]!r}"
        element.fail(f"both ends of the {element.tag} {element.name!r} are on {where}")


def _coupler(reader: Reader, element: Element) -> None:
    one = read_coupling(element)
    if one is None:
        reader.note(element, "a coordinate that follows several others is not read; left out")
        return
    leader, follower = (reader.coordinate(name, element) for name in (one.leader, one.follower))
    if follower in reader.followers or follower in reader.held:
        return  # it is eliminated
    _add(reader, element, Coupling(leader, follower, one.function))


def _point(reader: Reader, element: Element) -> None:
    ends = [_placed(reader, element, f"body_{k}", f"location_body_{k}") for k in (1, 2)]
    _on_two_bodies(element, *ends)
    _add(reader, element, Loop(*ends, "ball"))


def _weld(reader: Reader, element: Element) -> None:
    ends = []
    for k in (1, 2):
        body, pose = _frame(reader, element, f"frame{k}", f"body_{k}")
        for tag in (f"location_body_{k}", f"orientation_body_{k}"):
            element.three(tag)
        ends.append((body, pose @ offset_of(element, f"location_body_{k}", f"orientation_body_{k}")))
    _on_two_bodies(element, *ends)
    _add(reader, element, Loop(*ends, "weld"))


def _distance(reader: Reader, element: Element) -> None:
    ends = [_placed(reader, element, f"body_{k}", f"location_body_{k}") for k in (1, 2)]
    _on_two_bodies(element, *ends)
    length = element.numbers("constant_distance", None, 1)
    if length is None or not length[0] > 0 or not np.isfinite(length[0]):
        element.fail(f"the {element.tag} {element.name!r} needs a positive <constant_distance> [m]")
    _add(reader, element, Distance(*ends, float(length[0])))


def _point_on_line(reader: Reader, element: Element) -> None:
    """Two directions across the line along which the point stays at zero."""
    body, pose = _frame(reader, element, "line_body")
    follower = _placed(reader, element, "follower_body", "point_on_follower")
    _on_two_bodies(element, (body, pose), follower)
    along = element.three("line_direction_vec")
    if not along.any():
        element.fail(f"the {element.tag} {element.name!r} needs the direction of its line, <line_direction_vec>")
    start = pose.copy()
    start[:3, 3] += pose[:3, :3] @ element.three("point_on_line")
    along = unit_axis(along, "line_direction_vec")
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across = [(tuple(first), 0.0), (tuple(np.cross(along, first)), 0.0)]
    _add(reader, element, DrivenPoint(follower, across, relative_to=(body, start)))


def _rolling(reader: Reader, element: Element) -> None:
    reader.note(
        element,
        "a body that rolls on a surface and may leave it or slide is not read; left out (mm.Contact of a sphere and a "
        "plane, with friction, does this)",
    )


def _if_enforced(read: Callable[[Reader, Element], None]) -> Callable[[Reader, Element], None]:
    def reading(reader: Reader, element: Element) -> None:
        if is_enforced(element):
            read(reader, element)
        else:
            reader.note(element, "it is not enforced; left out")

    return reading


CONSTRAINTS: dict[str, Callable[[Reader, Element], None]] = {  # by class; adds what the element says to the spec
    TAG: _if_enforced(_coupler),
    "PointConstraint": _if_enforced(_point),
    "WeldConstraint": _if_enforced(_weld),
    "ConstantDistanceConstraint": _if_enforced(_distance),
    "PointOnLineConstraint": _if_enforced(_point_on_line),
    "RollingOnSurfaceConstraint": _if_enforced(_rolling),
}
