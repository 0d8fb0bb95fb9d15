"""Files .trc: places of markers over time, in the unit that the head says."""

import warnings
from pathlib import Path

import numpy as np

from ..spatial.brief import counted
from .markers import Markers
from .text import complain, demand, parse_numbers, read_lines, shortened, target, whole_number
from .text import number as parse_number

UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "meters": 1.0, "millimeters": 1e-3, "centimeters": 1e-2}
HEAD = 3  # lines: the kind of file, keys, what they are
OFF = 0.02  # by which a rate may differ from the times


def read_trc(path: str | Path) -> Markers:
    """The markers of a .trc file [m]; empty cells are NaN."""
    lines = read_lines(path)
    if not lines[0].strip().startswith("PathFileType"):
        complain(path, 1, f"a .trc file begins with PathFileType, and this one with {shortened(lines[0])}")
    about, unit = _head(lines, path)
    names, start = _names(lines, path)
    count = _count(about, "NumMarkers", path)
    if count is not None and count != len(names):
        complain(path, HEAD, f"the head says NumMarkers={count}, and line {HEAD + 1} has {len(names)} names")
    rows = [at for at in range(start, len(lines)) if lines[at].strip()]
    count = _count(about, "NumFrames", path)
    if count is not None and count != len(rows):
        why = "the file was cut off, or the head is wrong" if count > len(rows) else f"write {len(rows)}"
        complain(path, HEAD, f"the head says NumFrames={count}, and the file has {counted(len(rows), 'row')}; {why}")
    columns = ("Frame#", "Time", *(f"{name}, {axis}" for name in names for axis in "xyz"))
    values = np.array([_row(lines[at], columns, path, (at + 1, at == rows[-1])) for at in rows])
    values = values.reshape(len(rows), len(columns))
    t = values[:, 1]
    _check_times(t, rows, path)
    _check_rate(t, about, path)
    kept = {key: told for key, told in about.items() if key not in ("NumFrames", "NumMarkers", "Units")}
    return Markers(t, values[:, 2:].reshape(len(rows), len(names), 3) * unit, names, {**kept, "file": str(path)})


def write_trc(path: str | Path, markers: Markers, units: str = "m") -> None:
    """Write a .trc file in metres or millimetres ("mm"); a place that was not seen is NaN there too.

    Places in metres come back bit for bit, those in millimetres to rounding.
    """
    demand(markers, Markers, "write_trc")
    path = target(path, "markers are", (".trc",))
    if units not in ("m", "mm"):
        raise ValueError(f'the units of a .trc file are "m" or "mm", not {units!r}')
    for name in markers.names:
        if not name or len(name.split()) != 1:
            raise ValueError(f"a .trc file holds markers with names without blanks, and one is {name!r}")
    rate, count = f"{markers.rate if len(markers) > 1 else 0.0:.12g}", len(markers)
    keys = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame"]
    told = [rate, rate, str(count), str(len(markers.names)), units, rate, "1", str(count)]
    axes = [f"{axis}{number + 1}" for number in range(len(markers.names)) for axis in "XYZ"]
    lines = [f"PathFileType\t4\t(X/Y/Z)\t{path.name}", "\t".join([*keys, "OrigNumFrames"]), "\t".join(told)]
    lines += ["\t".join(["Frame#", "Time", *(f"{name}\t\t" for name in markers.names)]), "\t".join(["", "", *axes]), ""]
    places = markers.places.reshape(count, 3 * len(markers.names)) * (1.0 if units == "m" else 1e3)
    for row, (t, numbers) in enumerate(zip(markers.t.tolist(), places.tolist(), strict=True)):
        lines.append("\t".join([str(row + 1), repr(t), *map(repr, numbers)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _head(lines: list[str], path: str | Path) -> tuple[dict[str, str], float]:
    """What the second and third line say, and how long their unit is [m]."""
    if len(lines) < HEAD + 2:
        complain(path, len(lines), "the head of a .trc file has five lines; the file was cut off")
    keys, told = lines[1].split(), lines[2].split()
    if len(keys) != len(told):
        complain(path, HEAD, f"line 2 has {len(keys)} keys ({', '.join(keys[:4])}...), and here are {len(told)} values")
    about = dict(zip(keys, told, strict=True))
    if "Units" not in about:
        complain(path, 2, "the head does not say Units; add m or mm")
    if about["Units"].lower() not in UNITS:
        complain(path, HEAD, f"Units are {', '.join(UNITS)}, and here {shortened(about['Units'])}")
    return about, UNITS[about["Units"].lower()]


def _count(about: dict[str, str], key: str, path: str | Path) -> int | None:
    if key not in about:
        return None
    count = whole_number(about[key])
    if count is None:
        complain(path, HEAD, f"{key} is a whole number, and is {shortened(about[key])}")
    return count


def _names(lines: list[str], path: str | Path) -> tuple[tuple[str, ...], int]:
    """Names of the markers, and the index of the line after them and their axes."""
    line, labels = HEAD + 1, lines[HEAD].rstrip("\t ").split("\t")
    labels = lines[HEAD].split() if len(labels) < 3 else [word.strip() for word in labels]
    if [label.lower() for label in labels[:2]] not in (["frame#", "time"], ["frame", "time"]):
        complain(path, line, f"Frame#, Time and the names of markers stand here, and not {shortened(lines[HEAD])}")
    names, between = labels[2::3], [*labels[3::3], *labels[4::3]]
    if any(between):  # one cell for each name
        names = labels[2:]
    if "" in names:
        complain(path, line, f"marker {names.index('') + 1} has no name")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        places = [str(at + 1) for at, name in enumerate(names) if name == twice]
        complain(path, line, f"the markers {' and '.join(places)} are both named {twice!r}; rename all but one")
    axes = lines[HEAD + 1].split()
    if axes and axes[0][:1].upper() == "X":
        if len(axes) != 3 * len(names):
            complain(path, line + 1, f"{len(names)} markers have {3 * len(names)} axes, and here are {len(axes)}")
        return tuple(names), HEAD + 2
    return tuple(names), HEAD + 1


def _row(line: str, columns: tuple[str, ...], path: str | Path, place: tuple[int, bool]) -> list[float]:
    """The numbers of a row: frame, time, places."""
    at, last = place
    cells = line.split("\t") if "\t" in line else line.split()
    while len(cells) > len(columns) and not cells[-1].strip():
        cells.pop()
    missing = len(columns) - len(cells)
    if missing > 0 and not last and "\t" in line and missing % 3 == 0 and len(cells) > 1:
        cells += [""] * missing  # an editor took the tabs at the end
    if len(cells) != len(columns):
        end = "; the file was cut off" if last and missing > 0 else ""
        complain(path, at, f"the row has {len(cells)} cells, and {len(columns)} belong to its columns{end}")
    return parse_numbers(cells, columns, path, at)


def _check_times(t: np.ndarray, rows: list[int], path: str | Path) -> None:
    """Times are numbers and rise."""
    if not np.isfinite(t).all():
        complain(path, rows[int((~np.isfinite(t)).argmax())] + 1, "the time is missing or not finite")
    falls = np.diff(t) <= 0
    if falls.any():
        row = int(falls.argmax()) + 1
        complain(path, rows[row] + 1, f"times rise from row to row, and {t[row]:.17g} follows {t[row - 1]:.17g}")


def _check_rate(t: np.ndarray, about: dict[str, str], path: str | Path) -> None:
    """Warn if the head's rate is not that of the times, which count."""
    rate = parse_number(about.get("DataRate", ""))
    if rate and len(t) > 1:
        found = (len(t) - 1) / (t[-1] - t[0])
        if abs(found / rate - 1) > OFF:
            told = f"{path}, line {HEAD}: the head says DataRate={rate:g}, and the times of the rows say {found:.4g} Hz"
            warnings.warn(f"{told}; the times are taken", UserWarning, stacklevel=3)
