"""Muscles of .osim files: their paths, and what makes their tension."""

from collections.abc import Callable

from ...muscles.hill.curves.base import Curves
from ...muscles.hill.curves.dispatch import DeGrooteFregly2016, Millard2012, Schutte1993, Thelen2003
from ...muscles.hill.spec import Hill
from ...recordings.xml import Element
from ...spatial.motion import Motion
from .actuators import control_limits
from .functions import READERS, read_function
from .paths import read_path
from .reader import Reader
from .switches import is_on

NUMBERS = {  # of a muscle: tag -> (argument of Hill, OpenSim's default)
    "max_isometric_force": ("optimal_force", 1000.0),
    "optimal_fiber_length": ("optimal_fibre_length", 0.1),
    "tendon_slack_length": ("tendon_slack_length", 0.2),
    "pennation_angle_at_optimal": ("pennation", 0.0),
    "pennation_angle": ("pennation", None),
    "max_contraction_velocity": ("max_velocity", 10.0),
    "fiber_damping": ("damping", None),
    "activation_time_constant": ("activation_time", None),
    "deactivation_time_constant": ("deactivation_time", None),
    "minimum_activation": ("least_activation", None),
    "maximum_pennation_angle": ("max_pennation", None),
}
THELEN = {
    "FmaxTendonStrain": "tendon_strain",
    "FmaxMuscleStrain": "passive_strain",
    "KshapeActive": "active_shape",
    "KshapePassive": "passive_shape",
    "Af": "velocity_shape",
    "Flen": "lengthening_force",
    "fv_linear_extrap_threshold": "linear_from",
}
MILLARD = {  # by the element of a curve
    "ActiveForceLengthCurve": {
        "min_norm_active_fiber_length": "shortest_active",
        "transition_norm_fiber_length": "transition_length",
        "max_norm_active_fiber_length": "longest_active",
        "shallow_ascending_slope": "shallow_slope",
        "minimum_value": "least_active",
    },
    "FiberForceLengthCurve": {
        "strain_at_zero_force": "passive_start",
        "strain_at_one_norm_force": "passive_strain",
        "stiffness_at_low_force": "passive_low_stiffness",
        "stiffness_at_one_norm_force": "passive_stiffness",
        "curviness": "passive_curviness",
    },
    "ForceVelocityCurve": {
        "concentric_slope_at_vmax": "shortening_end_slope",
        "concentric_slope_near_vmax": "shortening_slope",
        "isometric_slope": "isometric_slope",
        "eccentric_slope_at_vmax": "lengthening_end_slope",
        "eccentric_slope_near_vmax": "lengthening_slope",
        "max_eccentric_velocity_force_multiplier": "lengthening_force",
        "concentric_curviness": "shortening_curviness",
        "eccentric_curviness": "lengthening_curviness",
    },
    "TendonForceLengthCurve": {
        "strain_at_one_norm_force": "tendon_strain",
        "stiffness_at_one_norm_force": "tendon_stiffness",
        "norm_force_at_toe_end": "tendon_toe_force",
        "curviness": "tendon_curviness",
    },
}
DE_GROOTE = {
    "active_force_width_scale": "active_width",
    "passive_fiber_strain_at_one_norm_force": "passive_strain",
    "tendon_strain_at_one_norm_force": "tendon_strain",
}


def _taken(element: Element, tags: dict[str, str]) -> dict[str, float]:
    """The numbers of an element under our names, those that it has."""
    return {name: float(element.numbers(tag, count=1)[0]) for tag, name in tags.items() if element.text_of(tag)}


def _thelen(reader: Reader, element: Element) -> Curves:
    return Thelen2003(**_taken(element, THELEN))


def _millard(reader: Reader, element: Element) -> Curves:
    found = {}
    for curve in element:
        if curve.tag in MILLARD:
            found |= _taken(curve, MILLARD[curve.tag])
    return Millard2012(**found)


def _de_groote(reader: Reader, element: Element) -> Curves:
    return DeGrooteFregly2016(**_taken(element, DE_GROOTE))


def _spline(element: Element, name: str) -> Motion | None:
    """A curve of a muscle, under its tag or, in newer files, by its name; None if there is none."""
    for child in element:
        if child.tag == name or (child.name == name and child.tag in READERS):
            return read_function(child)
    return None


def _schutte(reader: Reader, element: Element) -> Curves:
    """Splines of the active force and the tendon's; OpenSim does not look at that of the passive force either."""
    return Schutte1993(_spline(element, "active_force_length_curve"), _spline(element, "tendon_force_length_curve"))


def _schutte_numbers(reader: Reader, element: Element) -> dict[str, float]:
    """What Schutte's muscles say in their own words: the time in which a fibre shortens by its length, and rates."""
    tags = {"time_scale": 0.1, "activation1": 7.667, "activation2": 1.459854, "damping": 0.1}
    scale, rise, fall, damping = (float(element.numbers(tag, [x], 1)[0]) for tag, x in tags.items())
    if not (scale > 0 and fall > 0 and rise + fall > 0):
        element.fail(f"<time_scale> and the rates of activation of {element.name!r} must be positive")
    least = 0.0
    if damping == 0:
        least = 0.01
        reader.note(element, "its fibre has no damping; its activation stays above 0.01, so that its velocity is known")
    return {
        "max_velocity": 1.0 / scale,
        "activation_time": scale / (rise + fall),
        "deactivation_time": scale / fall,
        "least_activation": least,
        "damping": damping,
    }


OWN_NUMBERS = dict.fromkeys(("Schutte1993Muscle", "Schutte1993Muscle_Deprecated"), _schutte_numbers)
FAMILIES: dict[str, Callable[[Reader, Element], Curves]] = {
    "Thelen2003Muscle": _thelen,
    "Millard2012EquilibriumMuscle": _millard,
    "DeGrooteFregly2016Muscle": _de_groote,
    "Schutte1993Muscle": _schutte,
    "Schutte1993Muscle_Deprecated": _schutte,
}
IGNORED = {
    "ignore_activation_dynamics": "activation follows excitation all the same",
    "ignore_passive_fiber_force": "its fibre resists stretch all the same",
}
CONTROLS = 0.01, 1.0  # least and largest of muscles, where a file does not say otherwise
SMOOTHING = 0.1  # of De Groote and Fregly's activation dynamics, as published


def is_muscle(element: Element) -> bool:
    """Is it a muscle, of a kind that is known or not?"""
    return element.tag in FAMILIES or "Muscle" in element.tag


def add_muscle(reader: Reader, element: Element, forces: bool) -> None:
    """Add a muscle; without forces, or where its kind is not known, its path alone."""
    points, wrap = read_path(reader, element)
    actuator = read_hill(reader, element) if forces else None
    reader.spec.add_muscle(element.name, 0.0, points, wrap, actuator=actuator)


def read_hill(reader: Reader, element: Element) -> Hill | None:
    """What makes a muscle's tension; None where it is switched off or its kind not known, which is reported."""
    if not is_on(element):
        reader.note(element, "it is switched off; its path alone is kept")
        return None
    if element.tag not in FAMILIES:
        reader.note(element, f"this kind of muscle is not known (known: {', '.join(FAMILIES)}); its path alone is kept")
        return None
    numbers = {}
    for tag, (name, default) in NUMBERS.items():
        found = element.numbers(tag, None if default is None else [default], 1)
        if found is not None:
            numbers[name] = float(found[0])
    if element.tag in OWN_NUMBERS:
        numbers |= OWN_NUMBERS[element.tag](reader, element)
    if element.flag("ignore_tendon_compliance", False):
        numbers["tendon"] = "rigid"
    for tag, all_the_same in IGNORED.items():
        if element.flag(tag, False):
            reader.note(element, f"<{tag}> is true; {all_the_same}")
    low, high = control_limits(element).values()
    if low > CONTROLS[0] or high < CONTROLS[1]:
        low, high = max(low, 0.0), min(high, 1.0)
        reader.note(
            element, f"its control may reach from {low:g} to {high:g} alone; give static_optimization such bounds"
        )
    if element.numbers("activation_dynamics_smoothing", [SMOOTHING], 1)[0] != SMOOTHING:
        reader.note(element, f"<activation_dynamics_smoothing> stays {SMOOTHING}, the published one")
    try:
        return Hill(**numbers, curves=FAMILIES[element.tag](reader, element))
    except (ValueError, TypeError) as error:
        if str(error).startswith(element.file):
            raise
        element.fail(f"the muscle {element.name!r}: {error}")
