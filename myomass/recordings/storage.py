"""Files .mot and .sto: a head, `endheader`, names of columns, and a row of numbers for each time.

Columns whose cells hold several numbers between commas (DataType=Vec3, Quaternion and so on) are read as one column for
each number: `force` becomes `force_1`, `force_2`, `force_3`.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..spatial.brief import counted
from .table import Table
from .text import complain, demand, parse_numbers, read_lines, shortened, target, whole_number

SIZES = {
    "double": 1,
    "Vec2": 2,
    "Vec3": 3,
    "UnitVec3": 3,
    "Quaternion": 4,
    "Vec4": 4,
    "Vec5": 5,
    "Vec6": 6,
    "SpatialVec": 6,
    "Vec7": 7,
    "Vec8": 8,
    "Vec9": 9,
}
KEY = re.compile(r"\s*([A-Za-z]\w*)\s*=(.*)")
OLD_KEY = re.compile(r"\s*(name|datacolumns|datarows|range|otherdata|nRows|nColumns)\s+(\S.*)")  # "datarows 101"
OWN = ("version", "nRows", "nColumns", "inDegrees", "DataType")  # what write_table says by itself
ENDS = "the file was cut off, or is no .mot or .sto file"


def read_table(path: str | Path) -> Table:
    """The table of a .mot or .sto file; its values stay as they are, and `degrees` tells what their angles are in.

    `about` holds the rest of the head: its first line as "name", its lines without a key as "text", and "file".
    """
    lines = read_lines(path)
    about, end = _head(lines, path)
    names, start = _names(lines, end, path)
    rows = [at for at in range(start, len(lines)) if lines[at].strip()]
    _check_count("nRows", about, len(rows), "row", path)
    _check_count("nColumns", about, len(names), "column", path)
    size = _size(about, path)
    values = _numbers(lines, rows, names, size, path)
    if size > 1:
        names = (names[0], *(f"{name}_{part + 1}" for name in names[1:] for part in range(size)))
        _check_different(names, start, path)
    _check_times(values[:, 0], rows, path)
    kept = {key: told for key, (told, _) in about.items() if key not in (*OWN, "datarows", "datacolumns")}
    if size > 1:
        kept["DataType"] = about["DataType"][0]
    return Table(values[:, 0], values[:, 1:], names[1:], _degrees(about, path), {**kept, "file": str(path)})


def write_table(path: str | Path, table: Table) -> None:
    """Write a .mot or .sto file. Numbers come back bit for bit.

    In OpenSim too, whose older `Storage` reads no NaN, though. Lines of `about["text"]` that would be read as something
    else, such as "nRows=7", get a # in front.
    """
    demand(table, Table, "write_table")
    path = target(path, "a table is", (".mot", ".sto"))
    for name in table.names:
        if not name.strip() or name != name.strip() or any(c in name for c in "\t\n\r"):
            raise ValueError(f"a column's name has no tabs, line breaks or blanks at its ends, and one is {name!r}")
    head = [_as_text(_one_line(table.about.get("name", path.stem))), "version=1", f"nRows={len(table)}"]
    head += [f"nColumns={len(table.names) + 1}", f"inDegrees={'yes' if table.degrees else 'no'}"]
    for key, told in table.about.items():
        if key not in (*OWN, "name", "text", "file", "range") and KEY.fullmatch(f"{key}={_one_line(told)}"):
            head.append(f"{key}={_one_line(told)}")
    head += [_as_text(line) for line in table.about.get("text", "").splitlines()]
    rows = np.column_stack([table.t, table.values]).tolist()
    lines = [*head, "endheader", "\t".join(("time", *table.names)), *("\t".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _as_text(line: str) -> str:
    """A line of the head that is read as text."""
    line = line.strip()
    return f"# {line}" if KEY.fullmatch(line) or OLD_KEY.fullmatch(line) or line.lower() == "endheader" else line


def _head(lines: list[str], path: str | Path) -> tuple[dict[str, tuple[str, int]], int]:
    """What the head says, each with its line number, and the index of the line `endheader`."""
    about, text = {}, []
    for at, line in enumerate(lines):
        line = line.strip()
        if line.lower() == "endheader":
            about["text"] = ("\n".join(text).strip(), 0)
            return {key: told for key, told in about.items() if told[0] or key in OWN}, at
        found = KEY.fullmatch(line) or OLD_KEY.fullmatch(line)
        if found:
            about[found[1]] = (found[2].strip(), at + 1)
        elif not about and not text and at == 0:
            about["name"] = (line, 1)
        else:
            text.append(line)
    complain(path, len(lines), f"the head does not end with a line `endheader`; {ENDS}")


def _names(lines: list[str], end: int, path: str | Path) -> tuple[tuple[str, ...], int]:
    """Names of the columns, time's first, and the index of the line after them."""
    at = next((at for at in range(end + 1, len(lines)) if lines[at].strip()), None)
    if at is None:
        complain(path, end + 1, f"no names of columns follow `endheader`; {ENDS}")
    line = lines[at]
    names = tuple(word.strip() for word in line.rstrip().split("\t")) if "\t" in line.strip() else tuple(line.split())
    if names[0].lower() != "time":
        complain(path, at + 1, f"the first column is named `time`, and here {shortened(names[0])}")
    if "" in names:
        complain(path, at + 1, f"column {names.index('') + 1} has no name")
    _check_different(names, at + 1, path)
    return names, at + 1


def _check_different(names: tuple[str, ...], line: int, path: str | Path) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        places = [str(at + 1) for at, name in enumerate(names) if name == twice]
        complain(path, line, f"the columns {' and '.join(places)} are both named {twice!r}; rename all but one")


def _check_count(key: str, about: Mapping[str, tuple[str, int]], there: int, what: str, path: str | Path) -> None:
    """Compare the head's count of rows or columns with what is there."""
    old = {"nRows": "datarows", "nColumns": "datacolumns"}[key]
    told, line = about.get(key) or about.get(old) or (None, 0)
    if told is None:
        return
    count = whole_number(told)
    if count is None:
        complain(path, line, f"{key} is the number of {what}s, and is {shortened(told)}")
    if count != there:
        why = "the file was cut off, or the head is wrong" if count > there else f"write {key}={there}"
        complain(path, line, f"the head says {key}={count}, and the file has {counted(there, what)}; {why}")


def _size(about: Mapping[str, tuple[str, int]], path: str | Path) -> int:
    """How many numbers a cell holds."""
    told, line = about.get("DataType", ("double", 0))
    if told not in SIZES:
        complain(path, line, f"DataType={told} is not known; known: {', '.join(SIZES)}")
    return SIZES[told]


def _degrees(about: Mapping[str, tuple[str, int]], path: str | Path) -> bool:
    """Whether angles are in degrees. A .mot file without version and inDegrees is of a time when they always were."""
    told, line = about.get("inDegrees", ("", 0))
    if not told:
        return "version" not in about and Path(path).suffix.lower() == ".mot"
    if told.lower() not in ("yes", "no", "true", "false", "y", "n", "1", "0"):
        complain(path, line, f"inDegrees is yes or no, and is {shortened(told)}")
    return told.lower() in ("yes", "true", "y", "1")


def _numbers(lines: list[str], rows: list[int], names: tuple[str, ...], size: int, path: str | Path) -> np.ndarray:
    """The numbers of all rows, time first."""
    wanted = (len(rows), 1 + (len(names) - 1) * size)
    if size == 1 and rows:
        try:
            values = np.loadtxt([lines[at] for at in rows], comments=None, ndmin=2)
            if values.shape == wanted:
                return values
        except ValueError:
            pass  # the careful way finds out what is wrong, or reads it
    if not rows:
        return np.empty(wanted)
    last = rows[-1]
    return np.array([_row(lines[at], names, size, (path, at + 1, at == last)) for at in rows])


def _row(line: str, names: tuple[str, ...], size: int, place: tuple[str | Path, int, bool]) -> list[float]:
    """The numbers of a row. An empty cell between tabs is NaN."""
    path, at, last = place
    words = line.split()
    if len(words) != len(names):
        words = line.split("\t") if "\t" in line else words
        while len(words) > len(names) and not words[-1].strip():
            words.pop()
    if len(words) != len(names):
        end = "; the file was cut off" if last and len(words) < len(names) else ""
        complain(path, at, f"the row has {len(words)} numbers, and there are {len(names)} columns{end}")
    if size == 1:
        return parse_numbers(words, names, path, at)
    values = parse_numbers(words[:1], names[:1], path, at)
    for word, name in zip(words[1:], names[1:], strict=True):
        parts = [part.strip() for part in word.strip().strip("~()[]").split(",")] if word.strip() else [""] * size
        if len(parts) != size:
            complain(path, at, f"the column {name!r} holds {size} numbers between commas, and is {shortened(word)}")
        values += parse_numbers(parts, (name,) * size, path, at)
    return values


def _check_times(t: np.ndarray, rows: list[int], path: str | Path) -> None:
    """Times are numbers and rise."""
    wrong = ~np.isfinite(t)
    if wrong.any():
        complain(path, rows[int(wrong.argmax())] + 1, "the time is not a finite number")
    falls = np.diff(t) <= 0
    if falls.any():
        row = int(falls.argmax()) + 1
        complain(path, rows[row] + 1, f"times rise from row to row, and {t[row]:.17g} follows {t[row - 1]:.17g}")
