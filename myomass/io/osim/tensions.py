"""What pulls along a path in .osim files and is no muscle: actuators, springs and ligaments.

Each becomes a muscle without mass of the same name, whose tension follows a law, so that its length and moment arms can
be asked for like a muscle's.
"""

from collections.abc import Callable

import numpy as np

from ...muscles.laws import BlankevoortLigament, IdealActuator, Ligament, PathSpring, TensionLaw
from ...recordings.xml import Element
from ...spatial.motion import Motion
from ...spatial.primitive import primitive
from .actuators import control_limits
from .functions import READERS, read_function, simm_spline
from .paths import read_path
from .reader import Reader
from .switches import is_on, number

# OpenSim's curve of a ligament that brings none of its own
STRETCH = np.array([-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0])
SHARE = np.array([0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0])


def _positive(element: Element, tag: str) -> float:
    """A number above zero, which must be there."""
    value = number(element, tag, negative=False)
    if value == 0.0:
        element.find(tag).fail(f"<{tag}> of {element.name!r} must be positive")
    return value


def _actuator(element: Element) -> TensionLaw:
    return IdealActuator(number(element, "optimal_force", 1.0), **control_limits(element))


def _spring(element: Element) -> TensionLaw:
    tags = ("stiffness", "resting_length", "dissipation")
    return PathSpring(*(number(element, tag, negative=False) for tag in tags))


def _curve(element: Element) -> Motion:
    """The curve of a ligament, under its tag or, in newer files, by its name."""
    for child in element:
        if child.tag == "force_length_curve" or (child.name == "force_length_curve" and child.tag in READERS):
            curve = read_function(child)
            try:
                primitive(curve)
            except ValueError as error:
                child.fail(f"the curve of {element.name!r}: {error}")
            return curve
    return simm_spline(STRETCH, SHARE)


def _ligament(element: Element) -> TensionLaw:
    force = number(element, "pcsa_force", 0.0, negative=False)
    return Ligament(_positive(element, "resting_length"), force, _curve(element))


def _blankevoort(element: Element) -> TensionLaw:
    stiffness = number(element, "linear_stiffness", 1.0, negative=False)
    transition = _positive(element, "transition_strain") if element.find("transition_strain") is not None else 0.06
    damping = number(element, "damping_coefficient", 0.003, negative=False)
    return BlankevoortLigament(_positive(element, "slack_length"), stiffness, transition, damping)


TENSIONS: dict[str, Callable[[Element], TensionLaw]] = {
    "PathActuator": _actuator,
    "PathSpring": _spring,
    "Ligament": _ligament,
    "Blankevoort1991Ligament": _blankevoort,
}


def add_path(reader: Reader, element: Element, forces: bool) -> None:
    """Add what has a path as a muscle without mass; without forces, or where it is off or not known, the path alone."""
    points, wrap = read_path(reader, element)
    law = 0.0
    if forces and not is_on(element):
        reader.note(element, "it is switched off; its path alone is kept")
    elif forces and element.tag not in TENSIONS:
        reader.note(element, "this kind is not known; its path alone is kept")
    elif forces:
        law = TENSIONS[element.tag](element)
    reader.spec.add_muscle(element.name, 0.0, points, wrap, tension=law)
