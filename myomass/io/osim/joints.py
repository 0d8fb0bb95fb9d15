"""Joints of .osim files: three turns and three shifts by functions of coordinates, made as simple as they are."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...joints import Fixed, Inverse, Joint, Prismatic, Revolute
from ...joints.ellipsoidal import Ellipsoidal
from ...joints.spatial_transform import AXES, SpatialTransform
from ...recordings.xml import Element
from ...spatial.motion import Motion
from ...spatial.se3 import rotation, translation
from .composed import compose
from .frames import last_name
from .functions import READERS, read_function

X, Y, Z = np.eye(3)
TURNS = ("rotation1", "rotation2", "rotation3")
SHIFTS = ("translation1", "translation2", "translation3")


@dataclass
class Axis:
    """One axis of a joint: its direction, and the function of a coordinate (None: a number) along or about it."""

    direction: np.ndarray
    function: Motion = field(default_factory=Motion)
    coordinate: str | None = None

    @property
    def fixed(self) -> bool:
        """Does it keep its value?"""
        return self.coordinate is None


@dataclass
class Made:
    """A joint as the spec has it, between two constant frames."""

    before: np.ndarray
    joint: Joint
    after: np.ndarray
    units: tuple[str, ...]


def coordinate_elements(joint: Element) -> list[Element]:
    """The coordinates of a joint, in the file's order."""
    holder = joint.find("coordinates")
    return [child for child in holder if child.tag == "Coordinate"] if holder is not None else []


def coordinate_names(joint: Element) -> list[str]:
    """Names of a joint's coordinates; those that the file leaves out have OpenSim's default names.

    A CustomJoint's are in the order in which its axes name them, however the file lists them.
    """
    names = [c.name for c in coordinate_elements(joint)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        joint.fail(f"the joint {joint.name!r} has two coordinates {twice!r}")
    if joint.tag == "CustomJoint":
        driving = [name for axis in _axis_elements(joint).values() for name in _driving(axis)]
        return sorted(names, key=[*driving, *names].index) or list(dict.fromkeys(driving))
    if joint.tag in COUNTS and len(names) < COUNTS[joint.tag]:
        names += [f"{joint.name}_coord_{k}" for k in range(len(names), COUNTS[joint.tag])]
    if joint.tag in COUNTS and len(names) > COUNTS[joint.tag]:
        joint.fail(f"a {joint.tag} has {COUNTS[joint.tag]} coordinates, and {joint.name!r} lists {len(names)}")
    return names


def make_joint(element: Element, held: dict[str, float], followers: dict[str, tuple[str, Motion]]) -> Made:
    """The joint of an element, without the coordinates that are held at a value or follow another one of the joint."""
    names = coordinate_names(element)
    kept = [name for name in names if name not in held and name not in followers]
    if element.tag == "EllipsoidJoint":
        made = _ellipsoid(element, kept)
    elif element.tag in AXES_OF:
        axes = [_follow(axis, followers) for axis in AXES_OF[element.tag](element, names)]
        made = simplest([_hold(axis, held) for axis in axes], kept, element)
    else:
        element.fail(f"the joint {element.tag} is not known; known: {', '.join(sorted((*AXES_OF, 'EllipsoidJoint')))}")
    if not element.flag("reverse", False):
        return made
    return Made(np.linalg.inv(made.after), Inverse(made.joint), np.linalg.inv(made.before), made.units)


def _hold(axis: Axis, held: dict[str, float]) -> Axis:
    """The axis with its function's value, where its coordinate is held."""
    if axis.coordinate not in held:
        return axis
    return Axis(axis.direction, Motion(axis.function(held[axis.coordinate])))


def _follow(axis: Axis, followers: dict[str, tuple[str, Motion]]) -> Axis:
    """The axis as a function of what its coordinate follows."""
    if axis.coordinate not in followers:
        return axis
    leader, function = followers[axis.coordinate]
    composed = compose(axis.function, function)
    return Axis(axis.direction, composed, leader if composed.moves else None)


def simplest(axes: list[Axis], names: list[str], element: Element) -> Made:
    """The simplest joint that moves as six axes do: a weld, a hinge or a slider where it is no more than that."""
    moving = [k for k, axis in enumerate(axes) if not axis.fixed]
    unused = [name for name in names if name not in {axis.coordinate for axis in axes}]
    if unused:
        element.fail(f"the coordinate {unused[0]!r} of the joint {element.name!r} moves nothing")
    if len(moving) > 1 or (moving and not axes[moving[0]].function.is_identity):
        return _spatial(axes, names)
    shift = sum((axis.function(0.0) * axis.direction for axis in axes[3:] if axis.fixed), np.zeros(3))
    place, turned = translation(*shift), [np.eye(4), np.eye(4)]
    after_moving = False
    for k, axis in enumerate(axes[:3]):
        if axis.fixed:
            turned[after_moving] = turned[after_moving] @ rotation(axis.direction, axis.function(0.0))
        after_moving = after_moving or moving == [k]
    if not moving:
        return Made(place @ turned[0], Fixed(), np.eye(4), ())
    (k,) = moving
    if k < 3:
        return Made(place @ turned[0], Revolute(axes[k].direction), turned[1], ("rad",))
    return Made(place, Prismatic(axes[k].direction), turned[0], ("m",))


def _spatial(axes: list[Axis], names: list[str]) -> Made:
    directions = [axis.direction for axis in axes]
    numbers = [None if axis.fixed else names.index(axis.coordinate) for axis in axes]
    joint = SpatialTransform(directions, [axis.function for axis in axes], numbers)
    return Made(np.eye(4), joint, np.eye(4), joint.units_of())


def _ellipsoid(element: Element, kept: list[str]) -> Made:
    radii = element.numbers("radii_x_y_z", [1.0, 1.0, 1.0], 3)
    if len(kept) != 3:
        element.fail(f"the coordinates of the EllipsoidJoint {element.name!r} cannot be eliminated one by one")
    return Made(np.eye(4), Ellipsoidal(radii), np.eye(4), ("rad",) * 3)


def _of(*wanted: np.ndarray | None) -> Callable[[Element, list[str]], list[Axis]]:
    """Axes of a joint whose coordinates are angles about and shifts along some of x, y and z, in this order."""

    def axes(element: Element, names: list[str]) -> list[Axis]:
        left = iter(names)
        rest = (X, Y, Z, X, Y, Z)
        return [
            Axis(rest[k]) if axis is None else Axis(axis, Motion.line(1.0), next(left)) for k, axis in enumerate(wanted)
        ]

    return axes


def _axis_elements(element: Element) -> dict[str, Element]:
    """The axes of a CustomJoint that its file has, by their names and in their order."""
    transform = element.find("SpatialTransform")
    if transform is None:
        element.fail(f"the CustomJoint {element.name!r} has no <SpatialTransform>")
    found = {axis.name: axis for axis in transform if axis.tag == "TransformAxis"}
    if len(found) < AXES and len(transform) == AXES:  # some files leave the names out
        return dict(zip((*TURNS, *SHIFTS), transform, strict=True))
    return {name: found[name] for name in (*TURNS, *SHIFTS) if name in found}


def _driving(axis: Element) -> list[str]:
    """Names of the coordinates that drive an axis."""
    return [last_name(word) for word in (axis.text_of("coordinates") or "").split()]


def _functions_in(axis: Element) -> list[Element]:
    """The function of an axis, in a list that is empty if it has none."""
    return [child for child in axis.find("function") or axis if child.tag in READERS]


def unit_of(joint: Element, name: str, unit: str) -> str:
    """The unit of a coordinate as OpenSim takes it, whose `motion_type` says nothing; `unit`: by the joint alone.

    A CustomJoint's is a shift or an angle if a line of slope 1 or -1 makes it one along or about some axis.
    """
    if joint.tag != "CustomJoint":
        return unit
    own = {key in SHIFTS for key, axis in _axis_elements(joint).items() if name in _driving(axis) and _is_line(axis)}
    return "1" if not own else "m" if True in own else "rad"


def _is_line(axis: Element) -> bool:
    """Is the function of an axis a line of slope 1 or -1?"""
    found = _functions_in(axis)
    if not found:
        return True
    return found[0].tag == "LinearFunction" and abs(found[0].numbers("coefficients", [1.0, 0.0], 2)[0]) == 1.0


def _custom(element: Element, names: list[str]) -> list[Axis]:
    """Axes of a CustomJoint."""
    found = _axis_elements(element)
    defaults = dict(zip((*TURNS, *SHIFTS), (X, Y, Z, X, Y, Z), strict=True))
    return [_transform_axis(found[k], names, axis) if k in found else Axis(axis) for k, axis in defaults.items()]


def _transform_axis(element: Element, names: list[str], default: np.ndarray) -> Axis:
    driving = _driving(element)
    direction = element.numbers("axis", default, 3)
    length = np.linalg.norm(direction)
    if not length > 0:
        element.fail("the <axis> has no direction")
    holder = element.find("function")
    inner = _functions_in(element)
    function = read_function(holder if holder is not None and len(holder) else element) if inner or holder else None
    if len(driving) > 1:
        element.fail(f"functions of several coordinates ({', '.join(driving)}) are not read")
    if driving and driving[0] not in names:
        element.fail(f"the axis is driven by {driving[0]!r}, and its joint has the coordinates {', '.join(names)}")
    if function is None:
        function = Motion.line(1.0) if driving else Motion()
    if not driving:
        return Axis(direction / length, Motion(function(0.0)))
    if not function.moves:
        return Axis(direction / length, function)
    return Axis(direction / length, function, driving[0])


AXES_OF: dict[str, Callable[[Element, list[str]], list[Axis]]] = {
    "WeldJoint": _of(None, None, None, None, None, None),
    "PinJoint": _of(None, None, Z, None, None, None),
    "SliderJoint": _of(None, None, None, X, None, None),
    "UniversalJoint": _of(X, Y, None, None, None, None),
    "BallJoint": _of(X, Y, Z, None, None, None),
    "GimbalJoint": _of(X, Y, Z, None, None, None),
    "PlanarJoint": _of(None, None, Z, X, Y, None),
    "FreeJoint": _of(X, Y, Z, X, Y, Z),
    "CustomJoint": _custom,
}
COUNTS = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "PlanarJoint": 3,
    "FreeJoint": 6,
    "EllipsoidJoint": 3,
}
