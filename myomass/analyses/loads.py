"""External loads on the bodies of a model at the times of a motion: force, point and torque, as kernels take them.

F_ext = R_f f,    n_ext = R_f n + (R_p x + p - x_link) x F_ext       about the origin of the link that is loaded
"""

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.spec import UnknownName, known_names
from ..recordings import ExternalForce, ExternalLoads, Table
from ..recordings.smooth import check_complete
from ..spatial.algebra import add, cross, load3, load33, matmul, mul, store3, sub
from .table_rows import APART

GROUND = "ground"
PARTS = ("force", "point", "torque")
FAR = 100.0  # [m] beyond which no coordinate and no point of a force lies in a laboratory
PRESSED = 0.1  # part of the largest force from which a plate is not empty


class PackedLoads(NamedTuple):
    """Loads as kernels take them."""

    links: np.ndarray  # that is loaded, that force and torque are given in, that the point is given in, (loads, 3)
    R: np.ndarray  # the frames of force and point on their links, (loads, 2, 3, 3)
    p: np.ndarray  # where the frame of the point is on its link [m], (loads, 3)
    values: np.ndarray  # force [N], point [m] and torque [N m] in those frames, (rows, loads, 9)


@kernel
def subtract_load(i, loads, values, work):
    """Subtract an external load from the wrench of its link.

    Needs: poses of the links, and n and f.
    """
    here, frame, place = work[loads.links[i, 0]], work[loads.links[i, 1]], work[loads.links[i, 2]]
    R = matmul(load33(frame.R), load33(loads.R[i, 0]))
    force, torque = mul(R, load3(values[:3])), mul(R, load3(values[6:]))
    inside = add(mul(load33(loads.R[i, 1]), load3(values[3:6])), load3(loads.p[i]))
    x = add(load3(place.x), mul(load33(place.R), inside))
    moment = add(torque, cross(sub(x, load3(here.x)), force))
    store3(here.n, sub(load3(here.n), moment))
    store3(here.f, sub(load3(here.f), force))


@kernel
def solve_bends(t, y, first, bends, spare):
    """Fill the second derivatives of the natural cubics through columns of y, from column number `first` on.

    Elimination row by row, then back. spare: (rows,)
    """
    count, last = bends.shape[1], t.shape[0] - 1
    bends[0, :] = 0.0
    bends[last, :] = 0.0
    spare[0] = 0.0
    before = t[1] - t[0]
    fall = 6.0 / before
    for i in range(1, last):
        after = t[i + 1] - t[i]
        rise = 6.0 / after
        part = 1.0 / (2.0 * (before + after) - before * spare[i - 1])
        spare[i] = after * part
        m, m_before = bends[i], bends[i - 1]
        low, here, high = y[i - 1, first:], y[i, first:], y[i + 1, first:]
        for c in range(count):
            m[c] = part * (rise * (high[c] - here[c]) - fall * (here[c] - low[c]) - before * m_before[c])
        before, fall = after, rise
    for i in range(last - 1, 0, -1):
        m, m_after, part = bends[i], bends[i + 1], spare[i]
        for c in range(count):
            m[c] -= part * m_after[c]


@kernel
def weights_at(h, x, beyond):
    """Weights of the values at two rows h apart, and of the second derivatives there, in the cubic between them.

    At x after the first row, and from there on by `beyond` along the slope.
    """
    b = x / h
    a, slope, half = 1.0 - b, beyond / h, beyond * h / 6.0
    bend_low, bend_high = (a * a * a - a) * h * h / 6.0, (b * b * b - b) * h * h / 6.0
    return a - slope, b + slope, bend_low - half * (3.0 * a * a - 1.0), bend_high + half * (3.0 * b * b - 1.0)


@kernel(entry=True)
def fill_values(times, t, y, first, bends, spare, columns, slots, values):
    """values[:, slot] = the natural cubic through y[:, column] at times, for pairs of columns and slots, for Python."""
    solve_bends(t, y, first, bends, spare)
    i = 0
    for row in range(times.shape[0]):
        inside = min(max(times[row], t[0]), t[t.shape[0] - 1])
        while i < t.shape[0] - 2 and t[i + 1] <= inside:
            i += 1
        low, high, bend_low, bend_high = weights_at(t[i + 1] - t[i], inside - t[i], times[row] - inside)
        y_low, y_high, m_low, m_high = y[i], y[i + 1], bends[i], bends[i + 1]
        for k in range(columns.shape[0]):
            j = columns[k]
            value = low * y_low[j] + high * y_high[j]
            values[row, slots[k]] = value + bend_low * m_low[j - first] + bend_high * m_high[j - first]


def pack_loads(model: Model, loads: ExternalLoads | Iterable[ExternalForce] | None, t: np.ndarray) -> PackedLoads:
    """The loads at rising times [s], by natural cubic splines through the columns of their tables.

    A gap in a table makes numbers that are not finite: `check_loads` says where.
    """
    forces = _listed(loads)
    scalar, count = model.dtype, len(forces)
    links, R, p = np.zeros((count, 3), np.int64), np.zeros((count, 2, 3, 3), scalar), np.zeros((count, 3), scalar)
    values = np.zeros((len(t), count, 9), scalar)
    frames = {name: frame_on_link(model, name, one.name) for one in forces for name in _frames_of(one)}
    for i, one in enumerate(forces):
        body, force, point = (frames[name] for name in _frames_of(one))
        links[i], R[i, 0], R[i, 1], p[i] = (body[0], force[0], point[0]), force[1], point[1], point[2]
    for table in {id(one.table): one.table for one in forces}.values():
        _fill(table, forces, t, values.reshape(len(t), 9 * count))
    for one, numbers in zip(forces, np.abs(values).swapaxes(0, 1), strict=True):
        _doubt_of_points(one, numbers)
    return PackedLoads(links, R, p, values)


def _doubt_of_points(one: ExternalForce, values: np.ndarray) -> None:
    """A warning where a load acts so far away that its points must be in millimetres. values: sizes, (rows, 9)"""
    size, away = np.linalg.norm(values[:, :3], axis=1), np.linalg.norm(values[:, 3:6], axis=1)
    pressed = size > PRESSED * size.max(initial=0.0)  # points of an empty plate mean nothing
    if pressed.any() and (far := np.median(away[pressed])) > FAR:
        warnings.warn(
            f"the external load {one.name!r} acts {far:.4g} m from the origin of {one.point_frame!r}: if its points "
            "are in millimetres, divide them by 1000",
            stacklevel=4,
        )


def _frames_of(one: ExternalForce) -> tuple[str, str, str]:
    """The frames that a load acts on, and that its force and its point are given in; a missing point is the origin."""
    return one.body, one.force_frame, one.point_frame if one.point else one.body


def check_loads(loads: ExternalLoads | Iterable[ExternalForce] | None) -> None:
    """Raise an error about the first gap in a column that the loads use."""
    for one in _listed(loads):
        check_complete(one.table.select([name for part in PARTS for name in getattr(one, part) or ()]), "a load")


def _step(t: np.ndarray) -> float:
    """The largest step between times [s]."""
    return float(np.diff(t).max(initial=0.0))


def _fill(table: Table, forces: list[ExternalForce], t: np.ndarray, values: np.ndarray) -> None:
    """Write the values of those loads that are in a table into their slots. values: (rows, 9 times loads)"""
    if len(table) < 2:
        raise ValueError(f"external loads need two rows or more, and their table has {len(table)}")
    room = max(APART, min(_step(table.t), _step(t)))
    if len(t) and (t[0] < table.t[0] - room or t[-1] > table.t[-1] + room):
        low, high = max(table.t[0], t[0]), min(table.t[-1], t[-1])
        both = f"take the part that both cover, from {low:g} to {high:g} s"
        raise ValueError(
            f"the external loads reach from {table.t[0]:g} to {table.t[-1]:g} s, and the motion from {t[0]:g} to "
            f"{t[-1]:g} s; {both if low <= high else 'they have no time in common'}"
        )
    numbers = {name: k for k, name in enumerate(table.names)}
    columns, slots = [], []
    for i, one in enumerate(forces):
        for k, part in enumerate(PARTS):
            if one.table is table and getattr(one, part):
                columns += [numbers[name] for name in getattr(one, part)]
                slots += range(9 * i + 3 * k, 9 * i + 3 * k + 3)
    first, last = min(columns), max(columns)
    y, bends = np.ascontiguousarray(table.values), np.empty((len(table), last - first + 1))
    pairs = np.array(columns), np.array(slots)
    fill_values(t, np.ascontiguousarray(table.t), y, first, bends, np.empty(len(table)), *pairs, values)


def frame_on_link(model: Model, name: str, whose: str) -> tuple[int, np.ndarray, np.ndarray]:
    """(link, R, p) of a body's frame as its file has it, of another named frame, or of the ground."""
    known = model.workspace.made.setdefault("frames on links", {})
    if name not in known:
        known[name] = _found_frame(model, name, whose)
    return known[name]


def _found_frame(model: Model, name: str, whose: str) -> tuple[int, np.ndarray, np.ndarray]:
    """`frame_on_link`, for the first time."""
    frame = model.frames.get(name)
    body, E = (frame.body, frame.pose) if frame is not None else (name, np.eye(4))
    if body is None or (frame is None and name == GROUND):
        return 0, E[:3, :3], E[:3, 3]
    if body not in model.numbering:
        raise UnknownName(
            f"the external load {whose!r} names the body {name!r}, and model {model.name!r} has none of this name; "
            f"{known_names(model.numbering)}"
        )
    record = model.bodies[model.body(body)]
    return int(record["link"]), record["R_lb"] @ E[:3, :3], record["R_lb"] @ E[:3, 3] + record["p_lb"]


def _listed(loads: ExternalLoads | Iterable[ExternalForce] | ExternalForce | None) -> list[ExternalForce]:
    """The loads one by one. Raises an error for what is none."""
    if loads is None or isinstance(loads, ExternalForce):
        return [] if loads is None else [loads]
    forces = list(loads) if isinstance(loads, Iterable) else [loads]
    for one in forces:
        if not isinstance(one, ExternalForce):
            raise TypeError(f"loads are as mm.recordings.read_loads gives them, and this is {type(one).__name__}")
    return forces
