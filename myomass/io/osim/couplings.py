"""Coordinates that follow others in an .osim file: what follows what, consistent defaults, and which can be eliminated.

A coordinate that follows one of its own joint can be left out: the functions of the joint's axes become functions of
the other one. Of another joint it stays, held by a row.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...recordings.xml import Element
from ...spatial.motion import Motion, curve_at
from ...spatial.scaled import scaled
from .composed import compose
from .document import SETS, members
from .frames import last_name
from .functions import read_function
from .joints import AXES_OF, coordinate_elements, coordinate_names
from .reader import Reader

TAG = "CoordinateCouplerConstraint"
SAME = 1e-6  # a default that changes by less, in parts of 1 + its value, is not reported
NEWTON_STEPS = 100
REACHED = 1e-13  # a follower this close to where it is wanted is there, in parts of 1 + its value


@dataclass(frozen=True)
class Coupled:
    """A coordinate that is a function of another one, with the element that says so."""

    element: Element
    leader: str
    follower: str
    function: Motion


def is_enforced(element: Element) -> bool:
    """Does a constraint hold, as any format says it?"""
    return element.flag("isEnforced", True) and not element.flag("isDisabled", False)


def couplings(reader: Reader) -> Iterator[Coupled]:
    """The couplings of one coordinate to one other that are enforced."""
    for element in members(reader.model, "ConstraintSet"):
        if element.tag == TAG and is_enforced(element):
            found = read_coupling(element)
            if found is not None:
                yield found


def read_coupling(element: Element) -> Coupled | None:
    """The coupling of an element; None if it has several leaders, which no row of ours has."""
    follower = last_name(element.text_of("dependent_coordinate_name") or "")
    leaders = [last_name(word) for word in (element.text_of("independent_coordinate_names") or "").split()]
    if not follower or not leaders:
        element.fail(
            f"the coupling {element.name!r} names a <dependent_coordinate_name> and <independent_coordinate_names>"
        )
    holder = element.find("coupled_coordinates_function")
    if holder is None:
        element.fail(f"the coupling {element.name!r} has no <coupled_coordinates_function>")
    if len(leaders) > 1:
        return None
    if follower == leaders[0]:
        element.fail(f"the coupling {element.name!r} makes the coordinate {follower!r} follow itself")
    factor = float(element.numbers("scale_factor", [1.0], 1)[0])
    return Coupled(element, leaders[0], follower, scaled(read_function(holder), factor))


def leave_out(reader: Reader, joints: list[Element]) -> None:
    """Note which coordinates are eliminated: locked ones, those that follow them, and those that follow one of their
    own joint. A report says of each coordinate that follows another one and stays why it does.
    """
    listed = list(couplings(reader))
    following = {one.follower for one in listed}
    for joint in joints:
        for c in coordinate_elements(joint):
            if c.flag("locked", False) and c.name not in following:
                reader.held[c.name] = float(c.numbers("default_value", [0.0], 1)[0])
    for _ in listed:
        for one in listed:
            if one.leader in reader.held and one.follower not in reader.held:
                reader.held[one.follower] = one.function(reader.held[one.leader])
    owner = {name: joint for joint in joints for name in coordinate_names(joint)}
    for one in listed:
        if one.follower in reader.held:
            reader.note(
                one.element, f"the coordinate {one.follower!r} is eliminated with {one.leader!r}, which is locked"
            )
            continue
        why = _why_it_stays(reader, one, owner)
        if why is None:
            reader.followers[one.follower] = one.leader, one.function
            reader.note(one.element, f"the coordinate {one.follower!r} is eliminated: it follows {one.leader!r}")
        else:
            reader.note(one.element, f"the coordinate {one.follower!r} is kept, held by a row: {why}")


def _why_it_stays(reader: Reader, one: Coupled, owner: dict[str, Element]) -> str | None:
    """Why a coordinate that follows another one cannot be eliminated; None if it can."""
    joint = owner.get(one.follower)
    if joint is None or owner.get(one.leader) is not joint:
        return f"its leader {one.leader!r} belongs to another joint"
    if joint.tag not in AXES_OF:
        return f"those of an {joint.tag} are not eliminated one by one"
    inside = set(map(id, (*joint.descendants(), *one.element.descendants())))
    for held in reader.model:
        for element in held.descendants() if held.tag in SETS else ():
            words = [] if id(element) in inside or len(element) else element.text.split()
            if any(last_name(word) == one.follower for word in words):
                return f"the <{element.tag}> of line {element.line} names it"
    elements = {c.name: c for c in coordinate_elements(joint)}
    if one.follower in elements and (elements[one.follower].flag("locked", False) or _prescribed(elements, one)):
        return "it is locked or prescribed itself"
    axes = [axis for axis in AXES_OF[joint.tag](joint, coordinate_names(joint)) if axis.coordinate == one.follower]
    try:
        for axis in axes:
            compose(axis.function, one.function)
    except ValueError as error:
        return str(error)
    return None


def _prescribed(elements: dict[str, Element], one: Coupled) -> bool:
    return elements[one.follower].flag("prescribed", False)


def settle_defaults(reader: Reader) -> None:
    """Make defaults agree with prescribed motions at 0 s and with couplings, as OpenSim starts. Changes are told."""
    _begin_prescribed(reader)
    listed = list(couplings(reader))
    first = dict(reader.spec.coordinates)
    led = _lead_to_known(reader, listed)
    for _ in listed:
        for one in listed:
            known = one.leader in reader.joints or one.leader in reader.held
            if one.follower in reader.joints and known and one not in led:
                _settle(reader, one)
    settled = reader.spec.coordinates
    for one in listed:
        if one.follower not in settled:
            continue
        name, why = one.follower, f"which follows {one.leader!r}"
        if one in led:
            name, why = one.leader, f"which keeps {one.follower!r} where it is held"
        old, new = first[name].default, settled[name].default
        if abs(new - old) > SAME * (1.0 + abs(old)):
            reader.note(one.element, f"the default of {name!r} is {new:.9g}, {why}, and not {old:.9g}")


def _lead_to_known(reader: Reader, listed: list[Coupled]) -> list[Coupled]:
    """Move leaders to where their followers are that are locked or prescribed; the couplings that this settled.

    Where no value of the leader does that, or the leader cannot change either, the follower has to move.
    """
    known = {name for name, one in reader.spec.coordinates.items() if one.locked or one.prescribed is not None}
    led = []
    for _ in listed:
        for one in listed:
            if one.follower in known and one.leader in reader.joints and one.leader not in known:
                place = _place_of_leader(reader, one)
                if place is not None:
                    _begin(reader, one.leader, *place)
                    known.add(one.leader)
                    led.append(one)
    return led


def _place_of_leader(reader: Reader, one: Coupled) -> tuple[float, float] | None:
    """(value, speed) of a leader that go with its follower's, by Newton's method from its default, or None."""
    follower, x = reader.spec.coordinates[one.follower], reader.spec.coordinates[one.leader].default
    wanted, speed = follower.default, 0.0 if follower.locked else follower.speed
    parameters = one.function.parameters()
    for _ in range(NEWTON_STEPS):
        value, slope, _ = curve_at(parameters, 0, np.float64(x))
        if slope == 0.0:
            return None
        if abs(value - wanted) <= REACHED * (1.0 + abs(wanted)):
            return x, speed / slope
        x -= (value - wanted) / slope
    return None


def _begin_prescribed(reader: Reader) -> None:
    """Set defaults and speeds of prescribed coordinates to what their motions say at 0 s."""
    for name, one in reader.spec.coordinates.items():
        if one.prescribed is None or one.locked:
            continue
        value, speed, _ = curve_at(one.prescribed.parameters(), 0, np.float64(0.0))
        _begin(reader, name, value, speed)
        if abs(value - one.default) > SAME * (1.0 + abs(one.default)):
            what = f"the default of {name!r} is {value:.9g}, as it is prescribed at 0 s, and not {one.default:.9g}"
            reader.spec.report.append(what)


def _settle(reader: Reader, one: Coupled) -> None:
    """Set the default and the speed of a coordinate that follows another one to what its function says."""
    place, speed = reader.held.get(one.leader, 0.0), 0.0
    if one.leader in reader.joints:
        leader = reader.spec.coordinates[one.leader]
        place, speed = leader.default, leader.speed
    value, slope, _ = curve_at(one.function.parameters(), 0, np.float64(place))
    _begin(reader, one.follower, value, slope * speed)


def _begin(reader: Reader, coordinate: str, value: float, speed: float) -> None:
    """Set the default and the speed of a coordinate."""
    name, component = reader.joints[coordinate]
    body = reader.spec.bodies[name]
    changed = list(body.coordinates)
    changed[component] = replace(changed[component], default=float(value), speed=float(speed))
    body.coordinates = tuple(changed)
