"""Setup files of OpenSim's ScaleTool: what measures segments, factors by hand, the mass, and how markers are placed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..model import Spec
from ..model.spec import UnknownName, known_names
from ..recordings import Table, angles_in_radians, columns_for
from ..recordings.xml import Element, read_xml
from ..spatial.brief import brief
from .inverse_kinematics import Recording
from .measured_factors import Measurement, measured_factors
from .place_markers import PlacedMarkers, place_markers
from .scale import Scaled, scale

ORDERS = {"measurements": "measured", "manualscale": "by hand"}


@brief
@dataclass(frozen=True)
class ScalingSetup:
    """What a setup file says; files are named as in it, beside the setup."""

    measurements: Sequence[Measurement] = ()
    by_hand: Mapping[str, np.ndarray] = field(default_factory=dict)  # factors by body
    order: Sequence[str] = ("measured",)  # "measured", "by hand": later ones replace earlier ones
    mass: float | None = None  # [kg]
    keep_shares: bool = True
    window: tuple[float, float] | None = None  # of the trial that measures [s]
    trial: Path | None = None
    model: Path | None = None
    marker_weights: Mapping[str, float] = field(default_factory=dict)
    coordinate_weights: Mapping[str, float] = field(default_factory=dict)
    coordinates: Mapping[str, float] = field(default_factory=dict)  # values by hand; the others' are the defaults
    coordinates_from: Path | None = None  # a table of the coordinates whose values are "from_file"
    from_file: Sequence[str] = ()
    placing_window: tuple[float, float] | None = None
    placing_trial: Path | None = None
    report: Sequence[str] = ()  # what was not understood

    def factors(self, spec: Spec, markers: Recording | None = None) -> dict[str, np.ndarray]:
        """Factors for `scale` of a model, in the file's order; `markers` are those of the trial."""
        found: dict[str, np.ndarray] = {}
        for what in self.order:
            if what == "by hand":
                found |= {name: np.array(factors) for name, factors in self.by_hand.items()}
                continue
            if markers is None and self.measurements:
                raise ValueError("ScalingSetup.factors: its measurements need the trial's markers")
            if self.measurements:
                start, end = self.window or (None, None)
                measured = measured_factors(spec, markers, self.measurements, start=start, end=end, factors=found)
                found |= measured.factors
        return found

    def scaled(self, spec: Spec, markers: Recording | None = None) -> Scaled:
        """The model scaled as the file says, inertias by OpenSim's rule."""
        factors = self.factors(spec, markers)
        return scale(spec, factors, mass=self.mass, keep_shares=self.keep_shares, inertias="cylinder")

    def placed(self, spec: Spec, markers: Recording, coordinates: Table | None = None) -> PlacedMarkers:
        """A scaled model with its markers placed as the file says; `coordinates` is the table of those from a file.

        OpenSim means weights of coordinates in parts of the sum of all markers' weights.
        """
        named = spec.coordinates
        for name in self.coordinate_weights:
            if name not in named:
                raise UnknownName(f"IKCoordinateTask: the model has no coordinate {name!r}; {known_names(named)}")
        start, end = self.placing_window or (None, None)
        values = {name: named[name].default for name in self.coordinate_weights} | dict(self.coordinates)
        if self.from_file:
            values |= _means(self.from_file, coordinates, named, self.placing_window)
        known = [name for name in markers.names if name in spec.markers]
        weights = {name: self.marker_weights.get(name, 0.0) for name in known}
        total = sum(weights.values())
        tracked = {name: total * weight for name, weight in self.coordinate_weights.items()}
        tracking = {"coordinates": values, "coordinate_weights": tracked}
        return place_markers(spec, markers, start=start, end=end, weights=weights, **tracking)


def _means(names: Sequence[str], table: Table | None, named: Mapping, window: tuple | None) -> dict[str, float]:
    """The mean of each coordinate in a table, over a window [s]."""
    if table is None:
        raise ValueError(f"ScalingSetup.placed: the values of {', '.join(names)} come from a table of coordinates")
    columns = columns_for(list(names), table)
    table = angles_in_radians(table, [columns[name] for name in names if named[name].unit == "rad"])
    rows = table.between(*window) if window else table
    if not len(rows):
        raise ValueError("ScalingSetup.placed: the table of coordinates has no row in the trial's window")
    return {name: float(np.nanmean(rows[columns[name]])) for name in names}


def read_scaling(path: str | Path) -> ScalingSetup:
    """The setup of OpenSim's ScaleTool in an .xml file."""
    root = read_xml(path)
    tool = root if root.tag == "ScaleTool" else root.find("ScaleTool")
    if tool is None:
        root.fail(f"there is no <ScaleTool> in this file; it begins with <{root.tag}>")
    folder, report = Path(path).parent, []
    mass = float(tool.numbers("mass", [-1.0], 1)[0])
    maker, scaler, placer = (tool.find(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    said = {"mass": mass if mass > 0 else None, "model": _file(maker, "model_file", folder)}
    if maker is not None and _file(maker, "marker_set_file", folder) is not None:
        report.append(f"line {maker.line}: the markers of <marker_set_file> are not read; add them to the model")
    if scaler is not None and scaler.flag("apply", True):
        said |= _scaler(scaler, folder)
    else:
        said |= {"order": ()}
    if placer is not None and placer.flag("apply", True):
        said |= _placer(placer, folder, report)
    return ScalingSetup(report=tuple(report), **said)


def _scaler(scaler: Element, folder: Path) -> dict[str, object]:
    """What a <ModelScaler> says."""
    words = (scaler.text_of("scaling_order") or "").split()
    for word in words:
        if word.lower() not in ORDERS:
            scaler.find("scaling_order").fail(f"<scaling_order> has measurements and manualScale, and not {word!r}")
    by_hand = {}
    for one in _objects(scaler, "ScaleSet"):
        if one.flag("apply", True):
            segment = one.text_of("segment") or one.fail("<Scale> does not say its <segment>")
            by_hand[segment] = one.numbers("scales", (1.0, 1.0, 1.0), 3)
    return {
        "measurements": tuple(_measurement(m) for m in _objects(scaler, "MeasurementSet") if m.flag("apply", True)),
        "by_hand": by_hand,
        "order": tuple(ORDERS[word.lower()] for word in words),
        "keep_shares": scaler.flag("preserve_mass_distribution", False),
        "window": _window(scaler),
        "trial": _file(scaler, "marker_file", folder),
    }


def _measurement(element: Element) -> Measurement:
    """A <Measurement>."""
    pairs, bodies = [], {}
    for pair in _objects(element, "MarkerPairSet"):
        names = (pair.text_of("markers") or "").split()
        if len(names) != 2:
            pair.fail(f"<MarkerPair> of {element.name!r} names two <markers>, and here {len(names)}")
        pairs.append((names[0], names[1]))
    for body in _objects(element, "BodyScaleSet"):
        axes = "".join((body.text_of("axes") or "").lower().split())
        if not axes or set(axes) - set("xyz"):
            body.fail(f"<BodyScale> {body.name!r} names some of the <axes> X Y Z, and here {axes!r}")
        bodies[body.name] = axes
    if not pairs:
        element.fail(f"the <Measurement> {element.name!r} has no pair of markers")
    return Measurement(element.name, tuple(pairs), bodies)


def _placer(placer: Element, folder: Path, report: list[str]) -> dict[str, object]:
    """What a <MarkerPlacer> says."""
    markers, weights, values, from_file = {}, {}, {}, []
    for task in _objects(placer, "IKTaskSet"):
        weight = float(task.numbers("weight", [1.0], 1)[0])
        if not task.flag("apply", True):
            weight = 0.0
        if task.tag == "IKMarkerTask":
            markers[task.name] = weight
        elif task.tag != "IKCoordinateTask":
            report.append(f"line {task.line}, {task.tag} {task.name!r}: this kind of task is not known; left out")
        elif weight > 0:
            weights[task.name] = weight
            kind = task.text_of("value_type") or "manual_value"
            if kind == "manual_value":
                values[task.name] = float(task.numbers("value", [0.0], 1)[0])
            elif kind == "from_file":
                from_file.append(task.name)
            elif kind != "default_value":
                task.fail(f"<value_type> is default_value, manual_value or from_file, and not {kind!r}")
    return {
        "marker_weights": markers,
        "coordinate_weights": weights,
        "coordinates": values,
        "from_file": tuple(from_file),
        "coordinates_from": _file(placer, "coordinate_file", folder),
        "placing_window": _window(placer),
        "placing_trial": _file(placer, "marker_file", folder),
    }


def _objects(element: Element, name: str) -> list[Element]:
    """The objects of a set inside an element."""
    holder = element.find(name)
    objects = None if holder is None else holder.find("objects")
    return [] if objects is None else list(objects)


def _window(element: Element) -> tuple[float, float] | None:
    """The <time_range> [s]; None where the whole trial is meant."""
    found = element.find("time_range")
    if found is None or not found.text:
        return None
    first, last = element.numbers("time_range", count=2).tolist()
    if last < first:
        found.fail(f"<time_range> ends before it begins: {found.text!r}")
    return (first, last) if last >= 0 else None


def _file(element: Element | None, tag: str, folder: Path) -> Path | None:
    """A file that is named beside the setup."""
    text = "" if element is None else (element.text_of(tag) or "").strip()
    return None if not text or text.lower() == "unassigned" else folder / text
