"""Poses of links, and how long a path is at q = 0, while a spec is compiled: kernels, run as plain Python."""

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..joints.dispatch import link_motion
from ..joints.records import dof_dtype
from ..model.workspace import work_dtype
from .packed import most_in_a_row, path_point_dtype, piece_dtype
from .path import solve_path
from .points import JUNCTION
from .records import piece_work_dtype, point_work_dtype

if TYPE_CHECKING:
    from ..model.model import Model


def _records(n: int, dtype: np.dtype) -> np.recarray:
    """n zeroed records, with fields as attributes in plain Python too."""
    return np.zeros(n, dtype).view(np.recarray)


def links_at(model: "Model", q: np.ndarray) -> np.recarray:
    """Poses of all links at q, as paths read them. Records of work_dtype."""
    links, work = model.links.view(np.recarray), _records(len(model.links), work_dtype(np.float64))
    dofs, still = _records(model.whole.ndof, dof_dtype(np.float64)), np.zeros(model.whole.ndof)
    work["R"][0] = np.eye(3)
    for i in range(1, len(links)):
        link, parent = links[i], work[links[i].parent]
        R, p = link_motion(link, model.params, q, still, dofs)
        E = parent.R @ link.R0
        work["R"][i] = E @ np.array(R)
        work["x"][i] = parent.x + parent.R @ link.p0 + E @ np.array(p)
    return work


def links_at_rest(model: "Model") -> np.recarray:
    """Poses of all links at q = 0, as paths read them. Records of work_dtype."""
    return links_at(model, np.zeros(model.whole.ndof))


def length_at_rest(links: np.recarray, path: tuple[list[tuple], list[tuple]], params: list[float], ndof: int) -> float:
    """Length of a path at q = 0, from its records of points and pieces, and `links_at_rest`; nan if not found. [m]"""
    points, pieces = path
    own, rows = _records(len(points), path_point_dtype(np.float64)), _records(len(pieces), piece_dtype(np.float64))
    own[:], rows[:] = points, pieces
    rows["network"] = -1  # they place mass, and do not change lengths
    several = most_in_a_row(own["gate"] == JUNCTION)
    scratch = SimpleNamespace(
        present=np.zeros(1, int),
        points=_records(len(points), point_work_dtype(np.float64)),
        pieces=_records(len(pieces), piece_work_dtype(np.float64)),
        touched=np.zeros(several, int),
        allowed=np.zeros(several, int),
        contacts=np.zeros((several, 2, 3)),
        spare=_records(1, piece_work_dtype(np.float64)),
        total=np.zeros(3),
        belly=np.zeros(3),
    )
    pulls = {"hill": -1, "law": -1, "tension": -1, "constant": 0.0, "mass": 1.0}
    muscle = SimpleNamespace(point=0, points=len(points), blend=0.0, proximal=0.0, distal=0.0, **pulls)
    muscles = SimpleNamespace(points=own, pieces=rows, params=np.array(params), scratch=scratch)
    with np.errstate(all="ignore"):
        solve_path(muscle, np.zeros(ndof), links, muscles)
    return float(scratch.total[0])
