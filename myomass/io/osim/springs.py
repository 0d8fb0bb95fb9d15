"""Springs, limits and bushings of .osim files."""

from collections.abc import Callable

import numpy as np

from ...forces import Bushing, CoordinateLimit, CoordinateSpring, PointSpring, SpringDamper
from ...recordings.xml import Element
from ...spatial.motion import Motion
from ...spatial.primitive import primitive
from .frames import GROUND, offset_of
from .functions import read_function
from .reader import Reader
from .switches import DEGREE, add, end_of, number, socket

BUSHING = [f"m_{x}_theta_{x}_function" for x in "xyz"] + [f"f_{x}_delta_{x}_function" for x in "xyz"]


def _coordinate(reader: Reader, element: Element) -> str | None:
    """The coordinate that a spring or a limit acts on; None, which is reported, where it was eliminated."""
    name = reader.coordinate(socket(element, "coordinate"), element)
    if name in reader.held:
        reader.note(element, f"the coordinate {name!r}, on which it acts, was eliminated; left out")
        return None
    if name in reader.spec.torque_axes:
        reader.note(element, f"it acts on the angle {name!r}; OpenSim applies it about an axis of the parent's frame")
    return name


def _coordinate_spring(reader: Reader, element: Element) -> None:
    name = _coordinate(reader, element)
    stiffness, damping = (number(element, tag, 0.0, negative=False) for tag in ("stiffness", "viscosity"))
    if name is not None:
        add(reader, element, CoordinateSpring(name, stiffness, damping, number(element, "rest_length", 0.0)))


def _coordinate_limit(reader: Reader, element: Element) -> None:
    """Limits whose numbers are in degrees where the coordinate is an angle."""
    name = _coordinate(reader, element)
    if name is None:
        return
    unit = DEGREE if reader.spec.coordinates[name].unit == "rad" else 1.0
    lower, upper = (number(element, tag, 0.0) for tag in ("lower_limit", "upper_limit"))
    if lower > upper:
        element.fail(f"<lower_limit> of {element.name!r}, {lower:g}, must not exceed its <upper_limit>, {upper:g}")
    stiffness = [number(element, f"{end}_stiffness", 1.0, negative=False) / unit for end in ("lower", "upper")]
    damping = number(element, "damping", 0.001, negative=False) / unit
    width = number(element, "transition", 0.1) * unit
    if not width > 0:
        element.fail(f"<transition> of {element.name!r} must be positive, and is {width / unit:g}")
    if 0.0 in stiffness:
        reader.note(element, "a stiffness is zero; beyond that limit nothing acts")
    if element.flag("compute_dissipation_energy", False):
        reader.note(element, "<compute_dissipation_energy> is true; what it dissipates is not summed up")
    damped = tuple(damping if k > 0 else 0.0 for k in stiffness)
    add(reader, element, CoordinateLimit(name, lower * unit, upper * unit, tuple(stiffness), damped, width))


def _point_spring(reader: Reader, element: Element) -> None:
    ends = []
    for i in (1, 2):
        body, pose = end_of(reader, element, f"body{i}")
        if not np.allclose(pose, reader.owned(body or GROUND, np.eye(4))[1]):
            reader.note(
                element, f"<point{i}> is in the offset frame that it names; OpenSim takes it in the body's frame"
            )
        ends.append((body, pose[:3, :3] @ element.three(f"point{i}") + pose[:3, 3]))
    stiffness = number(element, "stiffness", 1.0, negative=False)
    rest = number(element, "rest_length", 0.0, negative=False)
    spring = SpringDamper(ends, stiffness * rest, rest) if rest > 0 else PointSpring(*ends, stiffness)
    add(reader, element, spring)


def _bushing_ends(reader: Reader, element: Element) -> list[tuple[str | None, np.ndarray]]:
    """Both frames; older files place them by a body, a location and an orientation each."""
    ends = []
    for i in (1, 2):
        body, pose = end_of(reader, element, f"frame{i}", f"body_{i}")
        if element.find(f"body_{i}") is not None:
            pose = pose @ offset_of(element, f"location_body_{i}", f"orientation_body_{i}")
        ends.append((body, pose))
    return ends


def _six(element: Element, what: str) -> list[float]:
    """Six numbers, of the three angles and the three shifts."""
    numbers = []
    for kind in ("rotational", "translational"):
        tag = f"{kind}_{what}"
        three = element.numbers(tag, np.zeros(3), 3)
        if not np.isfinite(three).all() or (three < 0).any():
            element.find(tag).fail(f"<{tag}> of {element.name!r} must be three numbers that are not negative")
        numbers += three.tolist()
    return numbers


def _bushing(reader: Reader, element: Element) -> None:
    bushing = Bushing(*_bushing_ends(reader, element), _six(element, "stiffness"), _six(element, "damping"))
    add(reader, element, bushing)


def _bushing_of_functions(reader: Reader, element: Element) -> None:
    curves = []
    for tag in BUSHING:
        holder = element.find(tag)
        curves.append(Motion() if holder is None else read_function(holder))
        try:
            primitive(curves[-1])
        except ValueError as error:
            holder.fail(f"<{tag}>: {error}")
    add(reader, element, Bushing(*_bushing_ends(reader, element), curves, _six(element, "damping")))


SPRINGS: dict[str, Callable[[Reader, Element], None]] = {
    "SpringGeneralizedForce": _coordinate_spring,
    "CoordinateLimitForce": _coordinate_limit,
    "PointToPointSpring": _point_spring,
    "BushingForce": _bushing,
    "FunctionBasedBushingForce": _bushing_of_functions,
}
