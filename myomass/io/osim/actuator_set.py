"""Files of actuators: what helps the muscles in static optimisation, apart from the model."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...forces.actuator import Actuator
from ...forces.coordinate_actuator import CoordinateActuator
from ...forces.point_actuator import PointActuator
from ...forces.torque_actuator import TorqueActuator
from ...model.coordinate import Frame
from ...model.spec import Spec, known_names
from ...recordings.xml import Element, read_xml
from .actuators import control_limits, direction_of
from .document import fill_defaults
from .frames import GROUND, last_name
from .switches import is_on, number
from .unknown import find_unknown, told_unknown


def read_actuators(path: str | Path, spec: Spec) -> dict[str, Actuator]:
    """The actuators of an OpenSim file of a ForceSet, by name: coordinate, point and torque actuators.

    spec: of the model that they act on, as `read_osim` gives it, since points and directions are in the frames of its
    file. What is switched off is left out; what is of another kind is an error; a warning tells of tags that OpenSim
    does not know.
    """
    root = read_xml(path)
    holder = root.find("ForceSet") if root.tag == "OpenSimDocument" else root
    if holder is None or holder.tag != "ForceSet":
        held = ", ".join(f"<{child.tag}>" for child in root) or "nothing"
        root.fail(f"a file of actuators holds a <ForceSet>, and this one {held}")
    for line in told_unknown(find_unknown(holder), []):
        warnings.warn(f"{path}, {line}", UserWarning, stacklevel=2)
    fill_defaults(holder)
    objects, found = holder.find("objects"), {}
    for element in () if objects is None else objects:
        if not is_on(element):
            continue
        if element.tag not in READERS:
            element.fail(f"<{element.tag}> {element.name!r} is no actuator that is known ({', '.join(READERS)})")
        if not element.name:
            element.fail(f"<{element.tag}> has no name; give it one of its own")
        if element.name in found:
            element.fail(f"a second actuator is named {element.name!r}; rename one")
        with element.at_fault():
            found[element.name] = READERS[element.tag](element, spec)
    return found


def _drive(element: Element) -> dict[str, float]:
    """Optimal force and limits of the control."""
    force = number(element, "optimal_force", 1.0)
    if force == 0.0:
        element.fail(f"the <optimal_force> of {element.name!r} must not be zero: no control would make it act")
    return {"optimal_force": force} | control_limits(element)


def _frame(element: Element, spec: Spec, tag: str) -> Frame:
    """The frame of the model's file that an element names."""
    name = last_name(element.text_of(f"socket_{tag}") or element.text_of(tag) or "")
    if name == GROUND:
        return Frame(None, np.eye(4))
    if name not in spec.frames:
        element.fail(f"{element.name!r} names the frame {name!r}; {known_names(spec.frames)}")
    return spec.frames[name]


def _coordinate(element: Element, spec: Spec) -> Actuator:
    name = last_name(element.text_of("coordinate") or element.text_of("socket_coordinate") or "")
    if name not in spec.coordinates:
        element.fail(f"{element.name!r} names the coordinate {name!r}; {known_names(spec.coordinates)}")
    return CoordinateActuator(name, **_drive(element))


def _point(element: Element, spec: Spec) -> Actuator:
    frame = _frame(element, spec, "body")
    if frame.body is None:
        element.fail(f"{element.name!r} acts on the ground, where it does nothing")
    place, way = element.numbers("point", np.zeros(3), 3), direction_of(element, "direction", (1.0, 0.0, 0.0))
    fixed_point, fixed_way = element.flag("point_is_global", False), element.flag("force_is_global", False)
    place = place if fixed_point else frame.place(place)
    way = way if fixed_way else frame.pose[:3, :3] @ way
    return PointActuator(frame.body, way, place, world_direction=fixed_way, world_point=fixed_point, **_drive(element))


def _torque(element: Element, spec: Spec) -> Actuator:
    first, second = _frame(element, spec, "bodyA"), _frame(element, spec, "bodyB")
    if first.body == second.body:
        element.fail(f"{element.name!r} acts between two bodies, and both are {first.body or GROUND!r}")
    axis, fixed = direction_of(element, "axis", (0.0, 0.0, 1.0)), element.flag("torque_is_global", True)
    axis = axis if fixed else first.pose[:3, :3] @ axis
    return TorqueActuator(first.body, axis, second.body, world_axis=fixed, **_drive(element))


READERS: dict[str, Callable[[Element, Spec], Actuator]] = {
    "CoordinateActuator": _coordinate,
    "PointActuator": _point,
    "TorqueActuator": _torque,
}
