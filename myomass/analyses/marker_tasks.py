"""What OpenSim's setup files say of inverse kinematics: weights of markers, and coordinates to keep close to values."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..model import Model, Spec
from ..model.spec import UnknownName, known_names
from ..recordings import Table, angles_in_radians, columns_for
from ..recordings.xml import Element, read_xml
from ..spatial.brief import brief
from .marker_recording import Recording

TOOLS = ("InverseKinematicsTool", "MarkerPlacer", "IKTaskSet")
TELLING = 8  # markers in a warning
VALUES = ("default_value", "manual_value", "from_file")


@brief
@dataclass(frozen=True)
class MarkerTasks:
    """Tasks of inverse kinematics; files are named as in the setup, beside it."""

    marker_weights: Mapping[str, float] = field(default_factory=dict)
    coordinate_weights: Mapping[str, float] = field(default_factory=dict)  # in parts of the markers' sum
    coordinates: Mapping[str, float] = field(default_factory=dict)  # values by hand; others' are the defaults
    from_file: Sequence[str] = ()  # coordinates whose values are in a table
    coordinates_from: Path | None = None  # that table
    window: tuple[float, float] | None = None  # of the trial [s]
    trial: Path | None = None
    model: Path | None = None
    report: Sequence[str] = ()  # what was not understood

    def options(self, what: Model | Spec, markers: Recording, table: Table | None = None) -> dict[str, object]:
        """What `inverse_kinematics` or `place_markers` of a model (or spec) takes to do these tasks.

        Markers without a task have no weight; a warning names the markers of tasks that are missing. OpenSim means
        weights of coordinates in parts of the sum of all markers'.
        """
        defaults = _defaults(what)
        for name in self.coordinate_weights:
            if name not in defaults:
                raise UnknownName(f"IKCoordinateTask: the model has no coordinate {name!r}; {known_names(defaults)}")
        self._tell_missing(what, markers)
        weights = {name: self.marker_weights.get(name, 0.0) for name in markers.names if name in what.markers}
        total = sum(weights.values())
        values = {name: defaults[name] for name in self.coordinate_weights} | dict(self.coordinates)
        start, end = self.window or (None, None)
        made = {"weights": weights, "start": start, "end": end}
        if values:
            made["coordinates"] = self._over_time(what, values, table) if self.from_file else values
            made["coordinate_weights"] = {name: total * weight for name, weight in self.coordinate_weights.items()}
        return made

    def _tell_missing(self, what: Model | Spec, markers: Recording) -> None:
        """One warning of tasks whose markers the model or the recording lacks."""
        asked = [name for name, weight in self.marker_weights.items() if weight > 0]
        for whose, known in (("the model", what.markers), ("the recording", markers.names)):
            missing = [name for name in asked if name not in known]
            asked = [name for name in asked if name in known]
            if missing:
                more = f" and {len(missing) - TELLING} more" if len(missing) > TELLING else ""
                warnings.warn(
                    f"IKMarkerTask: {whose} has no marker {', '.join(map(repr, missing[:TELLING]))}{more}; "
                    f"{'this task does' if len(missing) == 1 else 'these tasks do'} nothing",
                    UserWarning,
                    stacklevel=3,
                )

    def _over_time(self, what: Model | Spec, values: Mapping[str, float], table: Table | None) -> Table:
        """Values as a table, those of the file and, beside them, those that stay."""
        if table is None:
            raise ValueError(f"MarkerTasks.options: the values of {', '.join(self.from_file)} come from a table")
        columns, units = columns_for(list(self.from_file), table), _units(what)
        table = angles_in_radians(table, [columns[name] for name in self.from_file if units[name] == "rad"])
        rows = [table[columns[name]] if name in columns else np.full(len(table), values[name]) for name in values]
        return Table(table.t, np.column_stack(rows), tuple(values))


def _defaults(what: Model | Spec) -> dict[str, float]:
    """The default of each coordinate."""
    if isinstance(what, Spec):
        return {name: one.default for name, one in what.coordinates.items()}
    return dict(zip(what.coordinates, what.q().tolist(), strict=True))


def _units(what: Model | Spec) -> dict[str, str]:
    """The unit of each coordinate."""
    model = what.compile(massless=True) if isinstance(what, Spec) else what
    return dict(zip(model.coordinates, model.coordinate_units, strict=True))


def read_tasks(path: str | Path) -> MarkerTasks:
    """The tasks in a setup of OpenSim's InverseKinematicsTool, of its MarkerPlacer, or in a file of tasks alone."""
    root = read_xml(path)
    found = [root, *root.descendants()]
    for tag in TOOLS:
        for element in found:
            if element.tag == tag:
                return tasks_of(element, Path(path).parent)
    held = ", ".join(f"<{child.tag}>" for child in root) or "nothing"
    root.fail(f"there is none of {', '.join(f'<{tag}>' for tag in TOOLS)} in this file; <{root.tag}> holds {held}")


def tasks_of(tool: Element, folder: Path) -> MarkerTasks:
    """The tasks of a tool's element."""
    markers, weights, values, from_file, report = {}, {}, {}, [], []
    for task in objects(tool, "IKTaskSet"):
        weight = float(task.numbers("weight", [1.0], 1)[0])
        if weight < 0:
            task.fail(f"the <weight> of {task.name!r} must not be negative, and is {weight:g}")
        if not task.flag("apply", True):
            weight = 0.0
        if task.tag == "IKMarkerTask":
            markers[task.name] = weight
        elif task.tag != "IKCoordinateTask":
            report.append(f"line {task.line}, {task.tag} {task.name!r}: this kind of task is not known; left out")
        elif weight > 0:
            weights[task.name] = weight
            kind = task.text_of("value_type") or "manual_value"
            if kind not in VALUES:
                task.fail(f"<value_type> is {', '.join(VALUES[:2])} or {VALUES[2]}, and not {kind!r}")
            if kind == "manual_value":
                values[task.name] = float(task.numbers("value", [0.0], 1)[0])
            elif kind == "from_file":
                from_file.append(task.name)
    named = {"coordinates_from": "coordinate_file", "trial": "marker_file", "model": "model_file"}
    files = {key: file_of(tool, tag, folder) for key, tag in named.items()}
    found = markers, weights, values, tuple(from_file)
    return MarkerTasks(*found, window=window_of(tool), report=tuple(report), **files)


def objects(element: Element, name: str) -> list[Element]:
    """The objects of a set inside an element, or of the element if it is that set."""
    holder = element if element.tag == name else element.find(name)
    listed = None if holder is None else holder.find("objects")
    return [] if listed is None else list(listed)


def window_of(element: Element) -> tuple[float, float] | None:
    """The <time_range> [s]; None where the whole trial is meant."""
    found = element.find("time_range")
    if found is None or not found.text:
        return None
    first, last = element.numbers("time_range", count=2).tolist()
    if last < first:
        found.fail(f"<time_range> ends before it begins: {found.text!r}")
    return (first, last) if last >= 0 and np.isfinite([first, last]).any() else None


def file_of(element: Element | None, tag: str, folder: Path) -> Path | None:
    """A file that is named beside the setup."""
    text = "" if element is None else (element.text_of(tag) or "").strip()
    return None if not text or text.lower() == "unassigned" else folder / text
