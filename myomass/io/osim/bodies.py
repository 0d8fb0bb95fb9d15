"""Bodies, the tree of joints, coordinates and markers of .osim files."""

import numpy as np

from ...constraints import DrivenJoint
from ...model.coordinate import Coordinate
from ...model.spec import BodySpec
from ...recordings.xml import Element
from ...spatial.inertia import Inertia
from .axes import note_axes
from .couplings import leave_out
from .document import SETS, add_members, adopted, members
from .frames import GROUND
from .functions import read_function
from .joints import Made, coordinate_elements, coordinate_names, make_joint, unit_of
from .reader import Reader

RANGE = (-np.inf, np.inf)
FAR, NEAR = 0.5, 0.01  # widths of its range that a default is far outside by, but no less than so much [rad or m]


def read_tree(reader: Reader, eliminate: bool) -> None:
    """Add all bodies with their joints, in the order of the joints in the file."""
    bodies = reader.frames.bodies
    if not bodies:
        reader.model.fail(f"the model {reader.model.name!r} has no bodies")
    joints = members(reader.model, "JointSet")
    hanging = {}
    for joint in joints:
        child, child_pose = _end(reader, joint, "child")
        if child == GROUND:
            joint.fail(f"the joint {joint.name!r} hangs the ground from a body; swap its parent and its child")
        if child in hanging:
            joint.fail(
                f"the body {child!r} hangs by two joints, {hanging[child][0].name!r} and {joint.name!r}; a loop is "
                "closed by a constraint: put a WeldConstraint in place of one of them"
            )
        hanging[child] = joint, *_end(reader, joint, "parent"), child_pose
    for name in (name for name in bodies if name not in hanging):
        joints.append(_free_joint(reader, bodies[name]))
        hanging[name] = joints[-1], GROUND, np.eye(4), np.eye(4)
    if eliminate:
        leave_out(reader, joints)
    placed = {}  # body -> pose of its frame of the file in its joint's moved frame, and what its joint became
    for child, (joint, _, _, child_pose) in hanging.items():
        with joint.at_fault():
            made = make_joint(joint, reader.held, reader.followers)
        placed[child] = made, made.after @ np.linalg.inv(child_pose)
    for child, (joint, parent, parent_pose, _) in hanging.items():
        made, E_jb = placed[child]
        before = parent_pose @ made.before
        E_pj = before if parent == GROUND else placed[parent][1] @ before
        above = None if parent == GROUND else parent
        inertia = read_inertia(reader, bodies[child])
        with joint.at_fault():
            coordinates = _coordinates(reader, joint, made, child)
            body = BodySpec(child, above, made.joint, E_pj, E_jb, inertia, coordinates=coordinates)
            body.joint_name = joint.name or None
            reader.spec.bodies[child] = body
            reader.spec.bodies[child].check()
    reader.spec.add_frame(GROUND, None, np.eye(4))
    for child in hanging:
        reader.keep_own_frame(child)
    for joint in joints:
        note_axes(reader, joint)
    _name_offset_frames(reader)


def _end(reader: Reader, joint: Element, end: str) -> tuple[str, np.ndarray]:
    """(body, pose in its frame of the file) of one end of a joint."""
    text = joint.text_of(f"socket_{end}_frame")
    if not text:
        joint.fail(f"the joint {joint.name!r} does not say its <socket_{end}_frame>")
    return reader.frames.find(text, f"/jointset/{joint.name}", joint)


def _free_joint(reader: Reader, body: Element) -> Element:
    """A FreeJoint by which a body hangs from the ground that hangs by nothing else, named as OpenSim names it."""
    reader.note(body, "it hangs by no joint, so it is free: by a FreeJoint to the ground")
    joint = Element("FreeJoint", {"name": f"free_{body.name}"}, body.file, body.line)
    ends = {"parent": f"/{GROUND}", "child": f"/{SETS['BodySet']}/{body.name}"}
    joint.children = [adopted(f"socket_{end}_frame", path, body) for end, path in ends.items()]
    add_members(reader.model, "JointSet", [joint])
    return joint


def _name_offset_frames(reader: Reader) -> None:
    """Name the offset frames too, those of the same name with what they stand in."""
    for path, element in reader.frames.elements.items():
        if element.tag in ("Body", "Ground"):
            continue
        alone = len(reader.frames.by_name[element.name]) == 1 and element.name not in reader.spec.frames
        name = element.name if alone else path.lstrip("/")
        reader.spec.add_frame(name, *reader.owned(*reader.frames.at(path, element)))


def read_inertia(reader: Reader, element: Element) -> Inertia | None:
    """The inertia of a body in its frame of the file; None if it has no mass."""
    mass = float(element.numbers("mass", [0.0], 1)[0])
    centre = element.numbers("mass_center", np.zeros(3), 3)
    six = element.numbers("inertia", np.zeros(6))
    if len(six) == 9:
        six = six[[0, 4, 8, 1, 2, 5]]
    if len(six) != 6:
        element.find("inertia").fail(f"<inertia> of {element.name!r} holds six numbers: xx yy zz xy xz yz")
    if mass < 0:
        element.fail(f"the mass of {element.name!r} is negative")
    if mass == 0:
        if six.any():
            reader.note(element, "it has an inertia and no mass; the inertia is left out")
        return None
    if element.find("inertia") is None:
        reader.note(element, "it has a mass and no <inertia>; OpenSim's default is taken, none: a point mass")
    try:
        return _inertia(mass, centre, six)
    except ValueError:
        reader.note(element, f"no rigid body has the inertia {six.tolist()}; it is taken as it stands")
    try:
        return _inertia(mass, centre, six, strict=False)
    except ValueError as error:
        element.fail(f"{element.name!r}: {error}")


def _inertia(mass: float, centre: np.ndarray, six: np.ndarray, strict: bool = True) -> Inertia:
    xx, yy, zz, xy, xz, yz = six.tolist()
    if not (xy or xz or yz):
        frame = np.eye(4)
        frame[:3, 3] = centre
        return Inertia(mass, (xx, yy, zz), frame, strict=strict)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertia.from_matrix(mass, centre, matrix, strict=strict)


def _coordinates(reader: Reader, joint: Element, made: Made, body: str) -> list[Coordinate] | None:
    """The coordinates of a joint."""
    elements = {element.name: element for element in coordinate_elements(joint)}
    kept = [name for name in coordinate_names(joint) if name not in reader.held and name not in reader.followers]
    found = []
    for component, (name, unit) in enumerate(zip(kept, made.units, strict=True)):
        if name in reader.joints:
            joint.fail(f"two joints have a coordinate {name!r}")
        reader.joints[name] = body, component
        element = elements.get(name, Element("Coordinate", {"name": name}))
        found.append(read_coordinate(element, unit_of(joint, name, unit)))
        if element.flag("prescribed", False) and element.find("prescribed_function") is None:
            reader.note(element, "it is prescribed and has no <prescribed_function>; it is free")
        low, high = element.numbers("range", RANGE, 2)
        if low > high:
            reader.note(element, f"its range ends before it begins, at {high:g} and {low:g}; it has none")
        elif max(low - found[-1].default, found[-1].default - high) > max(FAR * (high - low), NEAR):
            told = f"its default, {found[-1].default:g}, is far outside of its range, {low:g} to {high:g}"
            reader.note(element, told)
    return found or None


def read_coordinate(element: Element, unit: str) -> Coordinate:
    """A coordinate by its element."""
    numbers = {tag: float(element.numbers(tag, [0.0], 1)[0]) for tag in ("default_value", "default_speed_value")}
    limits = element.numbers("range", RANGE, 2).tolist()
    holder = element.find("prescribed_function")
    prescribed = read_function(holder) if element.flag("prescribed", False) and holder is not None else None
    known = None if np.isinf(limits).all() or limits[0] > limits[1] else (limits[0], limits[1])
    locked, clamped = element.flag("locked", False), element.flag("clamped", False)
    values = numbers["default_value"], numbers["default_speed_value"]
    return Coordinate(element.name, *values, known, clamped, locked, prescribed, unit)


def hold_coordinates(reader: Reader) -> None:
    """Rows that hold locked coordinates at their defaults, and prescribed ones on their motions."""
    for name, one in reader.spec.coordinates.items():
        body, component = reader.joints[name]
        if one.locked:
            held = DrivenJoint(body, position=one.default, component=component)
            reader.spec.add_constraint(held, f"{name}_locked")
        elif one.prescribed is not None:
            driven = DrivenJoint(body, position=one.prescribed, component=component)
            reader.spec.add_constraint(driven, f"{name}_prescribed")


def read_markers(reader: Reader) -> None:
    """Add all markers."""
    for element in members(reader.model, "MarkerSet"):
        if element.tag != "Marker":
            reader.note(element, "this is no marker; left out")
            continue
        with element.at_fault():
            place = reader.point(element, owner=f"/{SETS['MarkerSet']}/{element.name}")
            reader.spec.add_marker(element.name, *place)
