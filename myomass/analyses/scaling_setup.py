"""Setup files of OpenSim's ScaleTool: what measures segments, factors by hand, the mass, and how markers are placed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..model import Spec
from ..recordings import Table
from ..recordings.xml import Element, read_xml
from ..spatial.brief import brief
from .marker_recording import Recording
from .marker_tasks import MarkerTasks, file_of, objects, tasks_of, window_of
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
    placing: MarkerTasks | None = None  # how markers are placed
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
        """A scaled model with its markers placed as the file says; coordinates: the table of those from a file."""
        if self.placing is None:
            raise ValueError("ScalingSetup.placed: the setup has no <MarkerPlacer> that applies")
        return place_markers(spec, markers, **self.placing.options(spec, markers, coordinates))


def read_scaling(path: str | Path) -> ScalingSetup:
    """The setup of OpenSim's ScaleTool in an .xml file."""
    root = read_xml(path)
    tool = root if root.tag == "ScaleTool" else root.find("ScaleTool")
    if tool is None:
        root.fail(f"there is no <ScaleTool> in this file; it begins with <{root.tag}>")
    folder, report = Path(path).parent, []
    mass = float(tool.numbers("mass", [-1.0], 1)[0])
    maker, scaler, placer = (tool.find(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    said = {"mass": mass if mass > 0 else None, "model": file_of(maker, "model_file", folder)}
    if maker is not None and file_of(maker, "marker_set_file", folder) is not None:
        report.append(f"line {maker.line}: the markers of <marker_set_file> are not read; add them to the model")
    if scaler is not None and scaler.flag("apply", True):
        said |= _scaler(scaler, folder)
        if not said["order"] and (said["measurements"] or said["by_hand"]):
            report.append(f"line {scaler.line}: without a <scaling_order> nothing is scaled; write measurements there")
    else:
        said |= {"order": ()}
    if placer is not None and placer.flag("apply", True):
        said["placing"] = tasks_of(placer, folder)
        report += said["placing"].report
    return ScalingSetup(report=tuple(report), **said)


def _scaler(scaler: Element, folder: Path) -> dict[str, object]:
    """What a <ModelScaler> says."""
    words = (scaler.text_of("scaling_order") or "").split()
    for word in words:
        if word.lower() not in ORDERS:
            scaler.find("scaling_order").fail(f"<scaling_order> has measurements and manualScale, and not {word!r}")
    by_hand = {}
    for one in objects(scaler, "ScaleSet"):
        if one.flag("apply", True):
            segment = one.text_of("segment") or one.fail("<Scale> does not say its <segment>")
            by_hand[segment] = one.numbers("scales", (1.0, 1.0, 1.0), 3)
    return {
        "measurements": tuple(_measurement(m) for m in objects(scaler, "MeasurementSet") if m.flag("apply", True)),
        "by_hand": by_hand,
        "order": tuple(ORDERS[word.lower()] for word in words),
        "keep_shares": scaler.flag("preserve_mass_distribution", False),
        "window": window_of(scaler),
        "trial": file_of(scaler, "marker_file", folder),
    }


def _measurement(element: Element) -> Measurement:
    """A <Measurement>."""
    pairs, bodies = [], {}
    for pair in objects(element, "MarkerPairSet"):
        names = (pair.text_of("markers") or "").split()
        if len(names) != 2:
            pair.fail(f"<MarkerPair> of {element.name!r} names two <markers>, and here {len(names)}")
        pairs.append((names[0], names[1]))
    for body in objects(element, "BodyScaleSet"):
        axes = "".join((body.text_of("axes") or "").lower().split())
        if not axes or set(axes) - set("xyz"):
            body.fail(f"<BodyScale> {body.name!r} names some of the <axes> X Y Z, and here {axes!r}")
        bodies[body.name] = axes
    if not pairs:
        element.fail(f"the <Measurement> {element.name!r} has no pair of markers")
    return Measurement(element.name, tuple(pairs), bodies)
