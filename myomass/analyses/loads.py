"""External loads on the bodies of a model at the times of a motion: force, point and torque, as kernels take them.

F_ext = R_f f,    n_ext = R_f n + (R_p x + p - x_link) x F_ext       about the origin of the link that is loaded
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.spec import UnknownName, known_names
from ..recordings import ExternalForce, ExternalLoads, Spline
from ..spatial.algebra import add, cross, load3, load33, matmul, mul, store3, sub

GROUND = "ground"
PARTS = ("force", "point", "torque")


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


def pack_loads(model: Model, loads: ExternalLoads | Iterable[ExternalForce] | None, t: np.ndarray) -> PackedLoads:
    """The loads at times [s], by natural cubic splines through the columns of their tables."""
    forces = _listed(loads)
    scalar, count = model.dtype, len(forces)
    links, R, p = np.zeros((count, 3), np.int64), np.zeros((count, 2, 3, 3), scalar), np.zeros((count, 3), scalar)
    values = np.zeros((len(t), count, 9), scalar)
    splines = _splines(forces, t)
    for i, one in enumerate(forces):
        links[i, 0] = frame_on_link(model, one.body, one.name)[0]
        links[i, 1], R[i, 0], _ = frame_on_link(model, one.force_frame, one.name)
        links[i, 2], R[i, 1], p[i] = frame_on_link(model, one.point_frame if one.point else one.body, one.name)
        names, columns = splines[id(one.table)]
        for k, part in enumerate(PARTS):
            if getattr(one, part):
                values[:, i, 3 * k : 3 * k + 3] = columns[:, [names.index(name) for name in getattr(one, part)]]
    return PackedLoads(links, R, p, values)


def frame_on_link(model: Model, name: str, whose: str) -> tuple[int, np.ndarray, np.ndarray]:
    """(link, R, p) of a body's frame as its file has it, of another named frame, or of the ground."""
    frame = model.frames.get(name)
    body, E = (frame.body, frame.pose) if frame is not None else (name, np.eye(4))
    if body is None or (frame is None and name == GROUND):
        return 0, E[:3, :3], E[:3, 3]
    if body not in model.names:
        raise UnknownName(
            f"the external load {whose!r} names the body {name!r}, and model {model.name!r} has none of this name; "
            f"{known_names(model.names)}"
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


def _splines(forces: list[ExternalForce], t: np.ndarray) -> dict[int, tuple[list[str], np.ndarray]]:
    """(columns in use, their values at times) of each table of the loads."""
    found = {}
    for table in {id(one.table): one.table for one in forces}.values():
        used = {c for one in forces if one.table is table for part in PARTS for c in getattr(one, part) or ()}
        names = [name for name in table.names if name in used]
        chosen = table.select(names)
        step = np.diff(table.t).max(initial=0.0)
        if len(t) and (t[0] < table.t[0] - step or t[-1] > table.t[-1] + step):
            raise ValueError(
                f"the external loads reach from {table.t[0]:g} to {table.t[-1]:g} s, and the motion from {t[0]:g} to "
                f"{t[-1]:g} s; take less of it with start= and end="
            )
        found[id(table)] = names, Spline(chosen, 3)(t)
    return found
