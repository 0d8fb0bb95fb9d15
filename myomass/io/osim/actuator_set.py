"""Files of actuators: what helps the muscles in static optimisation, apart from the model."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...forces.actuator import Actuator
from ...model.coordinate import Frame
from ...model.spec import Spec, known_names
from ...recordings.xml import Element, read_xml
from .actuators import coordinate_actuator, point_actuator, torque_actuator
from .document import fill_defaults
from .frames import GROUND, last_name
from .switches import is_on, socket
from .unknown import find_unknown, told_unknown


def read_actuators(path: str | Path, spec: Spec) -> dict[str, Actuator]:
    """The actuators of an OpenSim file of a ForceSet, by name: coordinate, point and torque actuators.

    spec: of the model that they act on, as `read_osim` gives it, since points and directions are in the frames of its
    file. What is switched off is left out; what is of another kind is an error; a warning tells of tags that OpenSim
    does not know. On angles of ball, free and ellipsoid joints a coordinate actuator is a torque about the parent's
    axis, as in OpenSim.
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
    if objects is None:
        holder.fail("the <ForceSet> of a file of actuators holds them in <objects>, and this one has none")
    for element in objects:
        if not is_on(element):
            continue
        if element.tag not in READERS:
            element.fail(f"<{element.tag}> {element.name!r} is no actuator that is known ({', '.join(READERS)})")
        if not element.name:
            element.fail(f"<{element.tag}> has no name; give it one of its own")
        if element.name in found:
            element.fail(f"a second actuator is named {element.name!r}; rename one")
        with element.at_fault():
            made = READERS[element.tag](element, spec)
        if made.optimal_force == 0.0:
            element.fail(f"the <optimal_force> of {element.name!r} must not be zero: no control would make it act")
        found[element.name] = made
    return found


def _frame(element: Element, spec: Spec, tag: str) -> Frame:
    """The frame of the model's file that an element names."""
    name = last_name(socket(element, tag) or "")
    if name == GROUND:
        return Frame(None, np.eye(4))
    if name not in spec.frames:
        element.fail(f"{element.name!r} names the frame {name!r}; {known_names(spec.frames)}")
    return spec.frames[name]


def _coordinate(element: Element, spec: Spec) -> Actuator:
    name = last_name(socket(element, "coordinate") or "")
    if name not in spec.coordinates and name not in spec.torque_axes:
        element.fail(f"{element.name!r} names the coordinate {name!r}; {known_names(spec.coordinates)}")
    return coordinate_actuator(element, spec, name)


def _point(element: Element, spec: Spec) -> Actuator:
    frame = _frame(element, spec, "body")
    if frame.body is None:
        element.fail(f"{element.name!r} acts on the ground, where it does nothing")
    return point_actuator(element, frame.body, frame.pose)


def _torque(element: Element, spec: Spec) -> Actuator:
    first, second = _frame(element, spec, "bodyA"), _frame(element, spec, "bodyB")
    if first.body == second.body:
        element.fail(f"{element.name!r} acts between two bodies, and both are {first.body or GROUND!r}")
    return torque_actuator(element, first.body, first.pose, second.body)


READERS: dict[str, Callable[[Element, Spec], Actuator]] = {
    "CoordinateActuator": _coordinate,
    "PointActuator": _point,
    "TorqueActuator": _torque,
}
