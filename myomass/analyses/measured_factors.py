"""How large a person's segments are, told by distances between markers: measured in a trial, over the model's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..algorithms.kinematics import marker_places
from ..model import Spec
from ..model.spec import UnknownName, known_names
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .marker_recording import Recording, check_recording, cut

LARGEST = 10.0  # times as large as the model: no person is, and millimetres are


@brief
@dataclass(frozen=True)
class Measurement:
    """Distances between pairs of markers that say how large some bodies are along some of their axes.

    bodies: the axes, as "xyz" or "y", that the factor is for, by body.
    """

    name: str
    pairs: Sequence[tuple[str, str]]
    bodies: Mapping[str, str]


@brief
@dataclass(frozen=True, eq=False)
class MeasuredFactors:
    """Factors of bodies, and the measurements that they come from."""

    factors: Mapping[str, np.ndarray]  # by body, along its three axes
    ratios: Mapping[str, float]  # by measurement: the mean over its pairs
    lengths: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)  # (model's, measured) [m]


def measured_factors(
    spec: Spec,
    markers: Recording,
    measurements: Measurement | Sequence[Measurement],
    *,
    start: float | None = None,
    end: float | None = None,
    factors: Mapping[str, Sequence[float]] | None = None,
) -> MeasuredFactors:
    """Factors for `scale` from a trial, by the mean distances of pairs of markers from start to end [s].

    The model's distances are those at its default pose. Frames in which one of a pair is missing are left out. factors:
    of axes that nothing measures (1 unless given).
    """
    if not isinstance(spec, Spec):
        raise TypeError(f"measured_factors: give a Spec such as mm.io.read_osim returns, not {type(spec).__name__}")
    _, names, places = cut(*check_recording(markers, "measured_factors"), start, end)
    bare = Spec(spec.name, spec.gravity, dict(spec.bodies), markers=dict(spec.markers))
    model = bare.compile(massless=True)
    own = dict(zip(model.markers, marker_places(model, model.q()), strict=True))
    measured = dict(zip(names, np.moveaxis(places, 1, 0), strict=True))
    found = {name: check_numbers(f, f"factors of {name!r}", (3,)).astype(float) for name, f in (factors or {}).items()}
    ratios, lengths = {}, {}
    for one in [measurements] if isinstance(measurements, Measurement) else measurements:
        _check(spec, one, measured)
        for a, b in one.pairs:
            lengths[a, b] = _lengths(one, a, b, own, measured)
        ratios[one.name] = float(np.mean([lengths[tuple(pair)][1] / lengths[tuple(pair)][0] for pair in one.pairs]))
        if not 1 / LARGEST < ratios[one.name] < LARGEST:
            fix = "are they in millimetres? Divide them by 1000" if ratios[one.name] > 1 else "are they in metres?"
            raise ValueError(
                f"measurement {one.name!r}: the markers are {ratios[one.name]:.3g} times as far apart as the model's; "
                f"{fix}"
            )
        for body, axes in one.bodies.items():
            own_factors = found.setdefault(body, np.ones(3))
            own_factors[["xyz".index(axis) for axis in axes.lower()]] = ratios[one.name]
    return MeasuredFactors(found, ratios, lengths)


def _check(spec: Spec, one: Measurement, measured: Mapping[str, np.ndarray]) -> None:
    """Raise an error about a measurement that does not fit the model or the trial."""
    if not isinstance(one, Measurement):
        raise TypeError(f"measurements are a list of mm.analyses.Measurement, and one is {one!r}")
    if not one.pairs or any(isinstance(pair, str) or len(pair) != 2 for pair in one.pairs):
        raise ValueError(f"measurement {one.name!r}: pairs are a list of two markers each, and are {one.pairs!r}")
    for name in (name for pair in one.pairs for name in pair):
        if name not in spec.markers:
            raise UnknownName(
                f"measurement {one.name!r}: the model has no marker {name!r}; {known_names(spec.markers)}"
            )
        if name not in measured:
            raise UnknownName(f"measurement {one.name!r}: the trial has no marker {name!r}; {known_names(measured)}")
    if not isinstance(one.bodies, Mapping):
        raise TypeError(f"measurement {one.name!r}: bodies are axes by body, as {{'femur_r': 'y'}}, not {one.bodies!r}")
    for body, axes in one.bodies.items():
        if body not in spec.bodies:
            raise UnknownName(f"measurement {one.name!r}: the model has no body {body!r}; {known_names(spec.bodies)}")
        if not axes or set(axes.lower()) - set("xyz"):
            raise ValueError(f"measurement {one.name!r}: axes of {body!r} are some of x, y and z, not {axes!r}")


def _lengths(one: Measurement, a: str, b: str, own: Mapping, measured: Mapping) -> tuple[float, float]:
    """(the model's distance of a pair, the measured one) [m]."""
    model = float(np.linalg.norm(own[a] - own[b]))
    apart = np.linalg.norm(measured[a] - measured[b], axis=1)
    seen = apart[np.isfinite(apart)]
    if not len(seen):
        raise ValueError(f"measurement {one.name!r}: the markers {a!r} and {b!r} are never seen together in the trial")
    if not (model > 0 and seen.mean() > 0):
        raise ValueError(f"measurement {one.name!r}: the markers {a!r} and {b!r} are at one place")
    return model, float(seen.mean())
