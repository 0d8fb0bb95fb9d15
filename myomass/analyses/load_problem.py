"""What static optimisation, and that over a window, have to solve: equations of the free coordinates, and bounds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..model import Model
from ..model.border import check_array
from ..model.spec import UnknownName, known_names
from ..recordings import Table
from ..spatial.brief import counted
from ..spatial.checks import check_numbers
from .capacity import PENNATIONS, Pull, elastic_pull, rigid_pull
from .free_coordinates import free_coordinates
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .motion_rows import MotionRows, motion_rows
from .muscle_paths import TENDONS, hills_with, muscle_paths_along
from .reserves import Reserves, make_reserves

if TYPE_CHECKING:
    from .kinematics import Kinematics

APART = 1e-6  # [s] by which the times of a table and of a motion may differ
ENDINGS = ("", "_moment", "_force")  # of the columns of generalized forces, as OpenSim names them


class Unmoved(ValueError):
    """Neither a muscle nor a reserve acts on a coordinate whose equation is to hold."""

    def __init__(self, what: str, coordinate: str):
        self.coordinate = coordinate
        super().__init__(
            f"{what}: neither a muscle nor a reserve acts on coordinate {coordinate!r}; give "
            f"reserves={{{coordinate!r}: 10.0}} or the like, or coordinates=[...], those whose equations are to hold"
        )


class Physiology(NamedTuple):
    """How activations become forces."""

    hill: bool  # by the curves of each muscle, or by its largest force alone
    tendon: str
    passive: bool
    pennation: str


class Problem(NamedTuple):
    """The equations sum_m r_jm T_m(a_m) + sum_k G_jk x_k = tau_j of each row, and bounds of (a, x)."""

    model: Model
    motion: MotionRows
    hills: np.ndarray  # records of the muscles
    muscles: tuple[str, ...]
    coordinates: tuple[str, ...]
    lengths: np.ndarray  # (rows, muscles)
    speeds: np.ndarray
    arms: np.ndarray  # r, (rows, coordinates, muscles)
    tau: np.ndarray  # (rows, coordinates)
    reserves: Reserves
    G: np.ndarray  # (rows, coordinates, reserves)
    low: np.ndarray  # (muscles,)
    high: np.ndarray
    physiology: Physiology

    def rows(self, kept: np.ndarray) -> "Problem":
        """The same of some of the rows; their motion stays whole."""
        cut = {key: np.ascontiguousarray(getattr(self, key)[kept]) for key in ("lengths", "speeds", "arms", "tau", "G")}
        return self._replace(**cut)

    def pull(self, at: np.ndarray | None = None) -> Pull:
        """What the muscles pull, for an elastic tendon near the activations `at`."""
        if not self.physiology.hill:
            none = np.zeros(self.lengths.shape)
            return Pull(none + self.hills["force"], none, none)
        if self.physiology.tendon == "elastic" and at is not None:
            return elastic_pull(self.model, self.hills, self.lengths, self.speeds, at)
        _, _, passive, pennation = self.physiology
        return rigid_pull(self.model, self.hills, self.lengths, self.speeds, pennation, passive)


def pose_problem(
    model: Model,
    motion: "Kinematics",
    tau: Any,
    *,
    what: str,
    reserves: Any,
    coordinates: Sequence[str] | None,
    bounds: Any,
    physiology: Physiology,
) -> Problem:
    """The problem of a motion, checked."""
    _check_physiology(physiology, what)
    rows = motion_rows(model, motion, what)
    elastic = physiology.hill and physiology.tendon == "elastic"
    hills = hills_with(model, "elastic" if elastic else "rigid")
    if not len(hills):
        raise ValueError(f"{what}: model {model.name!r} has no muscle with an mm.Hill actuator")
    muscles = tuple(model.muscles.names[i] for i in hills["muscle"])
    free = free_coordinates(model, rows)
    names = [model.coordinates[k] for k in free.free]
    chosen = _chosen(model, coordinates, names)
    lengths, speeds, arms = muscle_paths_along(model, rows, np.arange(model.ndof))
    torques = free.folded(torque_rows(model, motion, rows, tau, what))[:, chosen]
    kept = tuple(names[i] for i in chosen)
    made = make_reserves(model, rows, reserves, kept)
    G = free.folded(made.G.transpose(0, 2, 1)).transpose(0, 2, 1)[:, chosen]
    folded = free.folded(arms[:, hills["muscle"]]).transpose(0, 2, 1)[:, chosen]
    acted = np.abs(folded).max(axis=(0, 2), initial=0.0) + np.abs(G).max(axis=(0, 2), initial=0.0) > 0
    if not acted.all():
        raise Unmoved(what, kept[int(np.argmin(acted))])
    low, high = activation_bounds(bounds, hills, muscles, what)
    which = hills["muscle"]
    contiguous = (np.ascontiguousarray(x) for x in (lengths[:, which], speeds[:, which], folded, torques))
    return Problem(model, rows, hills, muscles, kept, *contiguous, made, np.ascontiguousarray(G), low, high, physiology)


def _check_physiology(physiology: Physiology, what: str) -> None:
    if physiology.tendon not in TENDONS:
        raise ValueError(f'{what}: tendon must be "rigid" or "elastic", and is {physiology.tendon!r}')
    if physiology.pennation not in PENNATIONS:
        raise ValueError(f'{what}: pennation must be "exact" or "opensim", and is {physiology.pennation!r}')
    if physiology.hill and physiology.tendon == "elastic":
        if not physiology.passive:
            raise ValueError(f"{what}: an elastic tendon carries the passive force; passive=False needs a rigid one")
        if physiology.pennation != "exact":
            raise ValueError(f'{what}: pennation="opensim" belongs to a rigid tendon')


def _chosen(model: Model, coordinates: Sequence[str] | None, free: list[str]) -> np.ndarray:
    """Which of the free coordinates have equations."""
    if coordinates is None:
        return np.arange(len(free))
    chosen = []
    if not len(coordinates):
        raise ValueError(f"coordinates names none whose equation is to hold; leave it out for all; {known_names(free)}")
    for name in dict.fromkeys([coordinates] if isinstance(coordinates, str) else coordinates):
        model.coordinate(name)
        if name not in free:
            raise ValueError(f"coordinate {name!r} is locked or follows another one; {known_names(free)}")
        chosen.append(free.index(name))
    return np.array(chosen, int)


def torque_rows(model: Model, motion: Any, rows: MotionRows, tau: Any, what: str) -> np.ndarray:
    """Generalized forces of a motion's rows over all coordinates: given, or of inverse dynamics. (rows, ndof)"""
    if tau is None:
        tau = inverse_dynamics(model, motion)
    if isinstance(tau, InverseDynamics):
        tau = Table(tau.t, tau.tau, tau.names)
    if not isinstance(tau, Table):
        why = f"there are {len(rows.t)} rows and {model.ndof} coordinates"
        return check_numbers(check_array(f"{what}: tau", tau, rows.q.shape, why), f"{what}: tau", rows.q.shape)
    if len(tau) != len(rows.t) or not np.allclose(tau.t, rows.t, rtol=0, atol=APART):
        raise ValueError(
            f"{what}: tau has {_rows_of(tau.t)}, and the motion {_rows_of(rows.t)}: choose the same rows, or resample"
        )
    found = np.empty(rows.q.shape)
    for k, name in enumerate(model.coordinates):
        column = next((name + ending for ending in ENDINGS if name + ending in tau), None)
        if column is None:
            raise ValueError(f"{what}: tau has no column {name!r} (or {name}_moment, {name}_force): another model's?")
        found[:, k] = tau[column]
    if not np.isfinite(found).all():
        row, k = np.argwhere(~np.isfinite(found))[0]
        raise ValueError(f"{what}: tau of {model.coordinates[k]!r} is not a number at {rows.t[row]:g} s")
    return found


def _rows_of(t: np.ndarray) -> str:
    """ "3 rows from 0 to 1 s"."""
    return counted(len(t), "row") + (f" from {t[0]:g} to {t[-1]:g} s" if len(t) else "")


def activation_bounds(
    bounds: Any, hills: np.ndarray, muscles: Sequence[str], what: str
) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of each muscle's activation: (low, high) of all, by name, or None: least activation to 1.

    A low below the least activation of a muscle counts as that.
    """
    low, high = hills["least"].astype(float), np.ones(len(hills))
    if bounds is None:
        return low, high
    given = bounds if isinstance(bounds, Mapping) else dict.fromkeys(muscles, bounds)
    for name, pair in given.items():
        if name not in muscles:
            raise UnknownName(f"{what}: bounds of {name!r}, and there is no such muscle; {known_names(muscles)}")
        pair = check_numbers(pair, f"{what}: bounds (low, high) of {name!r}", (2,))
        if not 0 <= pair[0] < pair[1] <= 1:
            raise ValueError(f"{what}: bounds of {name!r} are 0 <= low < high <= 1, and are {pair.tolist()}")
        i = muscles.index(name)
        low[i], high[i] = max(low[i], pair[0]), pair[1]
        if not low[i] < high[i]:
            raise ValueError(f"{what}: bounds of {name!r} end at {high[i]:g}, and its least activation is {low[i]:g}")
    return low, high
