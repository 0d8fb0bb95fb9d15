"""Actuators and prescribed forces of .osim files."""

from collections.abc import Callable

import numpy as np

from ...forces import BodyActuator, CoordinateActuator, PathActuator, PointActuator, PrescribedForce, TorqueActuator
from ...forces.actuator import Actuator
from ...model.spec import Spec
from ...recordings.xml import Element
from ...spatial.motion import Motion
from .functions import READERS, read_function
from .reader import Reader
from .switches import add, end_of, number, socket

NOWHERE = "it acts on the ground, where it does nothing; left out"


def control_limits(element: Element) -> dict[str, float]:
    """The least and the largest control of an actuator."""
    limits = (("min_control", -np.inf), ("max_control", np.inf))
    low, high = (float(element.numbers(tag, [x], 1)[0]) for tag, x in limits)
    if not low <= high:
        element.fail(f"<min_control> of {element.name!r}, {low:g}, must not exceed its <max_control>, {high:g}")
    return {"least_control": low, "largest_control": high}


def _drive(element: Element) -> dict[str, float]:
    """Optimal force and limits of the control."""
    return {"optimal_force": number(element, "optimal_force", 1.0)} | control_limits(element)


def direction_of(element: Element, tag: str, default: tuple[float, ...]) -> np.ndarray:
    """A direction that is not zero."""
    direction = element.numbers(tag, default, 3)
    if not (np.isfinite(direction).all() and direction.any()):
        (element.find(tag) or element).fail(f"<{tag}> of {element.name!r} has no direction")
    return direction


def coordinate_actuator(element: Element, spec: Spec, name: str) -> Actuator:
    """The actuator of an element that acts on a coordinate, or the torque that it is there."""
    if name not in spec.torque_axes:
        return CoordinateActuator(name, **_drive(element))
    child, above, along = spec.torque_axes[name]
    parent, axis = spec.frames[above].body, spec.frames[above].pose[:3, :3] @ along
    if parent is None:
        return TorqueActuator(child, axis, None, True, **_drive(element))
    return TorqueActuator(parent, -axis, child, **_drive(element))


def point_actuator(element: Element, body: str, pose: np.ndarray) -> PointActuator:
    """The actuator of an element that pushes a point of a body; pose: of its frame of the file in its own."""
    point, way = element.three("point"), direction_of(element, "direction", (1.0, 0.0, 0.0))
    world_point, world_way = element.flag("point_is_global", False), element.flag("force_is_global", False)
    point = point if world_point else pose[:3, :3] @ point + pose[:3, 3]
    way = way if world_way else pose[:3, :3] @ way
    return PointActuator(body, way, point, world_direction=world_way, world_point=world_point, **_drive(element))


def torque_actuator(element: Element, body: str | None, pose: np.ndarray, other: str | None) -> TorqueActuator:
    """The actuator of an element that turns a body against another; pose: of its frame of the file in its own."""
    axis, world = direction_of(element, "axis", (0.0, 0.0, 1.0)), element.flag("torque_is_global", True)
    axis = axis if world else pose[:3, :3] @ axis
    return TorqueActuator(body, axis, other, world, **_drive(element))


def _coordinate_actuator(reader: Reader, element: Element) -> None:
    name = reader.coordinate(socket(element, "coordinate"), element)
    if name in reader.held and name not in reader.spec.torque_axes:
        reader.note(element, f"the coordinate {name!r}, on which it acts, was eliminated; left out")
    else:
        add(reader, element, coordinate_actuator(element, reader.spec, name))


def _activated(reader: Reader, element: Element) -> None:
    reader.note(element, "its activation follows its control at once; its time constant is left out")
    _coordinate_actuator(reader, element)


def _point_actuator(reader: Reader, element: Element) -> None:
    body, pose = end_of(reader, element, "body")
    if body is None:
        reader.note(element, NOWHERE)
    else:
        add(reader, element, point_actuator(element, body, pose))


def _torque_actuator(reader: Reader, element: Element) -> None:
    (body, pose), (other, _) = end_of(reader, element, "bodyA"), end_of(reader, element, "bodyB")
    if body == other:
        reader.note(element, "both its bodies are the same, so that it does nothing; left out")
    else:
        add(reader, element, torque_actuator(element, body, pose, other))


def _body_actuator(reader: Reader, element: Element) -> None:
    body, pose = end_of(reader, element, "body")
    if body is None:
        reader.note(element, NOWHERE)
        return
    point = element.three("point")
    world_axes, world_point = (
        element.flag(tag, default) for tag, default in (("spatial_force_is_global", True), ("point_is_global", False))
    )
    actuator = BodyActuator(body, point, world_axes=world_axes, world_point=world_point, frame=pose)
    add(reader, element, actuator)


def _point_to_point(reader: Reader, element: Element) -> None:
    """An actuator that pushes two points apart."""
    if element.flag("points_are_global", False):
        reader.note(element, "<points_are_global> is true, which is not read; left out")
        return
    ends = []
    for end in "AB":
        body, pose = end_of(reader, element, f"body{end}")
        ends.append((body, pose[:3, :3] @ element.three(f"point{end}") + pose[:3, 3]))
    drive = _drive(element)
    drive["optimal_force"] *= -1.0
    add(reader, element, PathActuator(ends, **drive))


def _three(element: Element, tag: str) -> tuple[Motion, ...] | None:
    """Three functions of time; None if there are none."""
    for holder in element:
        if tag in (holder.tag, holder.name):
            found = [child for child in holder.find("objects") or holder if child.tag in READERS]
            if found and len(found) != 3:
                holder.fail(f"<{tag}> of {element.name!r} holds three functions, and has {len(found)}")
            return tuple(read_function(child) for child in found) or None
    return None


def _prescribed_force(reader: Reader, element: Element) -> None:
    body, pose = end_of(reader, element, "frame", "body")
    if body is None:
        reader.note(element, NOWHERE)
        return
    named = {what: _three(element, f"{what}Functions") for what in ("force", "torque", "point")}
    given = {what: motions for what, motions in named.items() if motions is not None}
    if "force" not in given and "torque" not in given:
        reader.note(element, "it has no functions of force or torque; left out")
        return
    world_axes = element.flag("forceIsGlobal", True)
    world_point = "point" in given and element.flag("pointIsGlobal", False)
    add(reader, element, PrescribedForce(body, **given, world_axes=world_axes, world_point=world_point, frame=pose))


ACTUATORS: dict[str, Callable[[Reader, Element], None]] = {
    "CoordinateActuator": _coordinate_actuator,
    "ActivationCoordinateActuator": _activated,
    "PointActuator": _point_actuator,
    "TorqueActuator": _torque_actuator,
    "BodyActuator": _body_actuator,
    "PointToPointActuator": _point_to_point,
    "PrescribedForce": _prescribed_force,
}
