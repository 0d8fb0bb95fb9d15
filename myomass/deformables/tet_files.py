"""Files of tetrahedra: .node and .ele, read here; .msh, .vtk and .vtu, by meshio."""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

BY_MESHIO = (".msh", ".vtk", ".vtu")


def read_tets(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(places of vertices, tetrahedra) of a file. (n, 3), (m, 4)"""
    ending = path.suffix.lower()
    if ending in (".node", ".ele"):
        return read_node_ele(path)
    if ending not in BY_MESHIO:
        raise ValueError(f"{path}: files of tetrahedra end in .node, .ele, {', '.join(BY_MESHIO)}")
    return read_by_meshio(path)


def read_by_meshio(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(places of vertices, tetrahedra) of a file that meshio reads. (n, 3), (m, 4)"""
    try:
        import meshio
    except ImportError:
        raise ImportError(f"{path.suffix} files need meshio: pip install 'myomass[mesh]'") from None
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):  # it prints notes
            mesh = meshio.read(path)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{path}: meshio cannot read it: {error or type(error).__name__}") from None
    found = [block.data for block in mesh.cells if block.type == "tetra"]
    if not found:
        kinds = sorted({block.type for block in mesh.cells})
        raise ValueError(f"{path}: it has no linear tetrahedra, only {', '.join(kinds) or 'vertices'}")
    points = np.asarray(mesh.points, float)
    return points, np.concatenate(found).astype(np.int64)


def read_node_ele(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(places of vertices, tetrahedra) of a pair of files .node and .ele, given one of them. (n, 3), (m, 4)"""
    numbers, places, _ = _table(path.with_suffix(".node"), "vertices", 3)
    _, tets, head = _table(path.with_suffix(".ele"), "tetrahedra", 4)
    if head[1:2] not in ([], [4.0]):
        raise ValueError(f"{path.with_suffix('.ele')}: its tetrahedra have {head[1]:g} nodes; only those of 4 are read")
    order = np.argsort(numbers)
    at = np.searchsorted(numbers[order], tets)
    known = at < len(numbers)
    known[known] = numbers[order][at[known]] == tets[known]
    if not known.all():
        e, a = np.argwhere(~known)[0]
        raise ValueError(f"{path.with_suffix('.ele')}: tetrahedron {e} names vertex {tets[e, a]:g}, which is not there")
    return places, order[at]


def _table(path: Path, what: str, columns: int) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """(numbers of the rows, what follows them (n, columns), the first line) of a table of so many rows."""
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; .node and .ele go together")
    lines = _lines(path)
    head = next(lines, (0, []))[1]
    count = int(head[0]) if head else 0
    rows = []
    for _, (line, row) in zip(range(count), lines, strict=False):
        if len(row) < 1 + columns:
            raise ValueError(f"{path}: line {line} must have {1 + columns} numbers or more, and has {len(row)}")
        rows.append(row[: 1 + columns])
    if len(rows) < max(count, 1):
        raise ValueError(f"{path}: its first line promises {count} {what}, and there are {len(rows)}")
    table = np.array(rows)
    return table[:, 0], table[:, 1:], head


def _lines(path: Path) -> Iterator[tuple[int, list[float]]]:
    """Numbers of each line with their line's number, without comments and empty lines."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            try:
                yield number, [float(word) for word in words]
            except ValueError:
                raise ValueError(f"{path}: line {number} has something that is no number: {line.strip()!r}") from None
