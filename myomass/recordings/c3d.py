"""Files .c3d of motion capture: markers, analog channels and force plates, read and written with ezc3d."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .c3d_check import check_c3d
from .loads import ExternalForce, ExternalLoads
from .markers import Markers, check_rotation
from .plates import KNOWN, UNKNOWN, ForcePlate
from .table import Table
from .text import demand, target
from .xml import read_bytes

LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "meters": 1.0, "millimeters": 1e-3}
MOMENTS = {"nm": 1.0, "nmm": 1e-3, "ncm": 1e-2}
COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")  # of POINT: labels of points that are no markers
PARTS = ("force", "point", "torque")


@brief
@dataclass(frozen=True, eq=False)
class C3d:
    """A recording of motion capture. Places in metres, forces in newtons, in the laboratory, or as it was rotated.

    forces: columns plate1_force_x, plate1_point_x, plate1_torque_x and so on, of the plates in their order.
    """

    markers: Markers
    analog: Table  # channels in the units of the file
    forces: Table
    plates: tuple[ForcePlate, ...] = ()
    report: tuple[str, ...] = ()  # what was left out or named otherwise
    about: Mapping[str, str] = field(default_factory=dict)

    def loads(self, bodies: Mapping[int, str]) -> ExternalLoads:
        """External loads, from the body that stands on each plate: {1: "calcn_r", 2: "calcn_l"}."""
        made = []
        for plate, body in bodies.items():
            columns = {part: tuple(f"plate{plate}_{part}_{axis}" for axis in "xyz") for part in PARTS}
            if columns["force"][0] not in self.forces:
                raise ValueError(f"there is no force plate {plate!r}: the file has {len(self.plates)}, counted from 1")
            made.append(ExternalForce(f"plate{plate}_{body}", body, self.forces, **columns))
        return ExternalLoads(tuple(made), "plates")


def read_c3d(path: str | Path, *, rotate: np.ndarray | None = None, threshold: float = 10.0) -> C3d:
    """Markers, analog channels and force plates of a .c3d file.

    rotate: (3, 3), R of R p for every place and force; `mm.recordings.Z_UP_TO_Y_UP` takes a laboratory with z up to
    OpenSim's models with y up. threshold [N]: what presses a plate with less counts as nothing.
    """
    R = np.eye(3) if rotate is None else check_rotation(rotate)
    threshold = float(check_numbers(threshold, "threshold [N]", ()))
    return _File(path).capture(R, threshold)


def write_c3d(path: str | Path, markers: Markers, analog: Table | None = None) -> None:
    """Write markers, and analog channels whose rate is a multiple of theirs, to a .c3d file.

    Numbers are stored with seven digits, places in millimetres; places with NaN are marked as not seen.
    """
    demand(markers, Markers, "write_c3d")
    path = target(path, "motion capture is", (".c3d",))
    if len(markers) < 2:
        raise ValueError(f"a .c3d file needs two rows of markers or more, and there are {len(markers)}")
    rate = _even_rate(markers.t, "the markers")
    made, count = _ezc3d().c3d(), len(markers)
    start = round(markers.t[0] * rate)
    if start < 0 or abs(start / rate - markers.t[0]) > 1e-6:
        raise ValueError(
            f"rows of a .c3d file are at multiples of 1/{rate:g} s from 0 on, and these begin at {markers.t[0]:g} s"
        )
    points = np.ones((4, len(markers.names), count))
    points[:3] = markers.places.transpose(2, 1, 0) * 1e3
    seen = np.isfinite(points).all(axis=0)
    points[:3] = np.where(seen, points[:3], 0.0)
    made["parameters"]["POINT"]["RATE"]["value"] = [rate]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    made["parameters"]["POINT"]["LABELS"]["value"] = list(markers.names)
    made["header"]["points"]["first_frame"] = start
    made["data"]["points"] = points
    made["data"]["meta_points"]["residuals"] = np.where(seen, 0.0, -1.0)[None]
    made["data"]["meta_points"]["camera_masks"] = np.zeros((7, *seen.shape), bool)
    if analog is not None:
        _add_analog(made, analog, markers, rate)
    made.write(str(path))


def _add_analog(made: Any, analog: Table, markers: Markers, rate: float) -> None:
    """Put analog channels into a file that is being made."""
    times = round(len(analog) / len(markers))
    if not times or len(analog) != times * len(markers) or abs(analog.t[0] - markers.t[0]) > 1e-6:
        raise ValueError(
            "analog channels begin with the markers and have so many rows for each of theirs, "
            f"and these are {len(analog)} for {len(markers)}; resample them"
        )
    _even_rate(analog.t, "the analog channels")
    made["parameters"]["ANALOG"]["RATE"]["value"] = [rate * times]
    made["parameters"]["ANALOG"]["LABELS"]["value"] = list(analog.names)
    made["data"]["analogs"] = analog.values.T[None]


def _even_rate(t: np.ndarray, what: str) -> float:
    """Rows per second of even times [Hz]."""
    steps = np.diff(t)
    if steps.max() - steps.min() > 1e-3 * steps.mean():
        raise ValueError(f"a .c3d file has rows at even times, and those of {what} are not; resample them")
    rate = 1 / steps.mean()
    return float(round(rate)) if abs(rate - round(rate)) < 1e-6 * rate else float(rate)


def _ezc3d() -> ModuleType:
    """The module ezc3d. Raises an ImportError that says how to install it."""
    try:
        import ezc3d
    except ImportError:
        raise ImportError(".c3d files need ezc3d: pip install 'myomass[mocap]'") from None
    return ezc3d


class _File:
    """A .c3d file that is being read."""

    def __init__(self, path: str | Path):
        check_c3d(read_bytes(path), path)
        self.path, self.report = str(path), []
        try:
            self.file = _ezc3d().c3d(self.path)
        except (RuntimeError, OSError, ValueError, IndexError, MemoryError) as error:
            raise ValueError(f"{path}: the file was cut off, or is damaged: {' '.join(str(error).split())}") from None
        self.parameters = self.file["parameters"]
        frames = self.file["data"]["points"].shape[2]
        told = self.file["header"]["points"]
        expected = told["last_frame"] - told["first_frame"] + 1
        if expected > frames and frames < 65535:
            raise ValueError(f"{path}: the head says {expected} frames, and the file has {frames}; it was cut off")

    def value(self, group: str, name: str, default: Any = None) -> Any:
        """A parameter, the default if there is none or it is empty."""
        found = (
            self.parameters[group][name]["value"]
            if group in self.parameters and name in self.parameters[group]
            else None
        )
        return default if found is None or np.size(found) == 0 else found

    def labels(self, group: str, name: str = "LABELS") -> list[str]:
        """Labels, those of LABELS2 and so on behind them."""
        found, number = [], 1
        while self.value(group, name if number == 1 else f"{name}{number}") is not None:
            found += [str(word).strip() for word in self.value(group, name if number == 1 else f"{name}{number}")]
            number += 1
        return found

    def capture(self, R: np.ndarray, threshold: float) -> C3d:
        """All of it."""
        unit = str(self.value("POINT", "UNITS", [""])[0]).strip()
        if unit.lower() not in LENGTHS:
            raise ValueError(f"{self.path}: POINT:UNITS is {', '.join(LENGTHS)}, and here {unit!r}")
        rate = float(np.ravel(self.value("POINT", "RATE", [0.0]))[0])
        if not (np.isfinite(rate) and rate > 0):
            raise ValueError(f"{self.path}: POINT:RATE is the rate of the frames, and is {rate:g}")
        start = max(self.file["header"]["points"]["first_frame"], 0) / rate
        about = {"file": self.path, "units": unit, "rate": f"{rate:g}"}
        markers = self.markers(start, rate, LENGTHS[unit.lower()], about)
        analog = self.analog(start, rate, about)
        plates = self.plates(LENGTHS[unit.lower()])
        names, columns = [], [np.zeros((len(analog), 0))]
        for number, plate in plates.items():
            for part, values in zip(PARTS, plate.measured(analog.values, threshold), strict=True):
                names += [f"plate{number}_{part}_{axis}" for axis in "xyz"]
                columns.append(values @ R.T)
        forces = Table(analog.t, np.hstack(columns), names, False, about)
        return C3d(markers.rotated(R), analog, forces, tuple(plates.values()), tuple(self.report), about)

    def markers(self, start: float, rate: float, unit: float, about: Mapping[str, str]) -> Markers:
        """The points that are markers."""
        points = self.file["data"]["points"][:3].astype(float)
        residuals = self.file["data"]["meta_points"]["residuals"]
        if residuals.shape[1:] == points.shape[1:]:
            points = np.where(residuals[0] < 0, np.nan, points)
        names = self.different(self.labels("POINT"), points.shape[1], "point")
        computed = {label for name in COMPUTED for label in self.labels("POINT", name)}
        kept = [at for at, name in enumerate(names) if name not in computed]
        if len(kept) < len(names):
            self.report.append(
                f"{len(names) - len(kept)} points are computed angles, forces or powers, and are left out"
            )
        t = start + np.arange(points.shape[2]) / rate
        places = points[:, kept].transpose(2, 1, 0) * unit
        return Markers(t, places, tuple(names[at] for at in kept), about)

    def analog(self, start: float, rate: float, about: Mapping[str, str]) -> Table:
        """The analog channels."""
        values = self.file["data"]["analogs"][0].astype(float)
        frames = self.file["data"]["points"].shape[2]
        times = values.shape[1] / frames if frames and values.shape[0] else 1.0
        own = float(np.ravel(self.value("ANALOG", "RATE", [0.0]))[0])
        own = own if own > 0 else rate * times
        names = self.different(self.labels("ANALOG"), values.shape[0], "channel")
        t = start + np.arange(values.shape[1] if values.shape[0] else 0) / own
        return Table(t, values.T.reshape(len(t), len(names)), names, False, about)

    def different(self, labels: list[str], count: int, what: str) -> list[str]:
        """As many names as there are things, none empty and none twice."""
        names: list[str] = []
        for at in range(count):
            label = labels[at] if at < len(labels) and labels[at] else f"{what}{at + 1}"
            name = label if label not in names else f"{label}_{at + 1}"
            if at >= len(labels) or name != labels[at]:
                self.report.append(f"{what} {at + 1} is named {name!r}, as its label is empty or there twice")
            names.append(name)
        return names

    def plates(self, unit: float) -> dict[int, ForcePlate]:
        """The force plates whose types are known, by number from 1."""
        used = int(np.ravel(self.value("FORCE_PLATFORM", "USED", [0]))[0])
        types = np.ravel(self.value("FORCE_PLATFORM", "TYPE", []))
        made = {}
        for k in range(used):
            kind = int(types[k]) if k < len(types) else 0
            if kind not in KNOWN:
                self.report.append(f"force plate {k + 1} is of type {kind}, and is left out: {UNKNOWN}")
                continue
            made[k + 1] = self.plate(k, kind, unit)
        if self.report and any("force plate" in told for told in self.report):
            warnings.warn(f"{self.path}: {'; '.join(self.report)}", UserWarning, stacklevel=4)
        return made

    def plate(self, k: int, kind: int, unit: float) -> ForcePlate:
        """A force plate."""
        try:
            corners = self.value("FORCE_PLATFORM", "CORNERS")[:, :, k].T * unit
            origin = self.value("FORCE_PLATFORM", "ORIGIN")[:, k] * unit
            channels = self.value("FORCE_PLATFORM", "CHANNEL")[: KNOWN[kind], k].astype(int) - 1
            calibration = self.value("FORCE_PLATFORM", "CAL_MATRIX")[:6, :6, k] if kind == 4 else None
        except (IndexError, TypeError):
            raise ValueError(
                f"{self.path}: CORNERS, ORIGIN, CHANNEL or CAL_MATRIX of force plate {k + 1} is missing"
            ) from None
        count = self.file["data"]["analogs"].shape[1]
        if len(channels) < KNOWN[kind] or (channels < 0).any() or (channels >= count).any():
            raise ValueError(f"{self.path}: force plate {k + 1} names channels that are not among the file's {count}")
        if np.linalg.matrix_rank(corners - corners[0], tol=1e-6) < 2:
            raise ValueError(f"{self.path}: the corners of force plate {k + 1} do not span a surface")
        units = [str(word).strip().lower() for word in self.value("ANALOG", "UNITS", [])]
        told = units[channels[3]] if kind == 2 and channels[3] < len(units) else ""
        told = "".join(letter for letter in told if letter.isalpha())
        return ForcePlate(kind, corners, origin, channels.tolist(), calibration, MOMENTS.get(told, unit))
