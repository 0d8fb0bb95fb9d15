"""Recorded coordinates as motions of a model: by name, in radians, without noise, and with their derivatives."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..dynamics.constraint_forces import constraint_jacobian, constraint_values
from ..model import Model
from ..model.border import no_model
from ..model.elements import POSITION
from ..recordings import Table, angles_in_radians, columns_for
from ..recordings.smooth import Spline, check_complete, filtered_with_ends, row_at
from ..recordings.table import called, rounding_of, rows_between
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .loads import FAR

WHAT = ("q", "qdot", "qddot")
FEWEST = 3  # rows that a quintic spline can go through
CLOSE, MOST_STEPS = 1e-12, 50  # of couplings that fill in coordinates [rad or m]


@brief
@dataclass(frozen=True, eq=False)
class Kinematics:
    """A motion: t [s], rising, (rows,), and q [rad or m], qdot, qddot, (rows, ndof), in a model's order of coordinates.

    Everything is in radians and metres. names: of the coordinates; units: "rad", "m" or "1" of each.
    """

    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray
    names: tuple[str, ...]
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        t = check_numbers(self.t, "kinematics: t [s]", (None,))
        falls = np.diff(t) <= 0
        if falls.any():
            row = int(falls.argmax()) + 1
            raise ValueError(
                f"kinematics: times rise from row to row, and t[{row}] = {t[row]:g} follows {t[row - 1]:g}"
            )
        object.__setattr__(self, "t", np.array(t, float))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "units", tuple(self.units) or ("rad",) * len(self.names))
        if len(self.units) != len(self.names):
            raise ValueError(f"kinematics: {len(self.names)} names have {len(self.units)} units")
        for what in WHAT:
            values = check_numbers(getattr(self, what), f"kinematics: {what}", (len(t), len(self.names)))
            object.__setattr__(self, what, np.array(values, float, order="C"))

    def __len__(self) -> int:
        return len(self.t)

    def table(self, what: str = "q", *, degrees: bool = False) -> Table:
        """The table of "q", "qdot" or "qddot"; with angles in degrees if asked for."""
        if what not in WHAT:
            raise ValueError(f'a table of kinematics is one of "q", "qdot" or "qddot", not {what!r}')
        factors = [np.degrees(1.0) if degrees and unit == "rad" else 1.0 for unit in self.units]
        return Table(self.t, getattr(self, what) * factors, self.names, degrees)

    def between(self, start: float = -np.inf, end: float = np.inf) -> "Kinematics":
        """The rows from start to end [s], both included; where there are none, an error names the motion's span."""
        kept = rows_between(self.t, start, end, "the motion")
        return Kinematics(self.t[kept], self.q[kept], self.qdot[kept], self.qddot[kept], self.names, self.units)


def kinematics(
    model: Model,
    table: Table,
    *,
    lowpass: float | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Kinematics:
    """A recording of coordinates as a motion of a model, filtered and differentiated as OpenSim does it.

    The columns are named after the coordinates, as `mm.recordings.columns_for` finds them; angles are in degrees where
    the table says so, with a warning where they look otherwise. Other columns are left alone. Coordinates that are not
    recorded follow their couplings to others, their prescribed motion or, if they are locked, their default. lowpass:
    the cut-off [Hz] of a Butterworth filter of order 3 there and back (None: none), as of `mm.recordings.lowpass`.
    start, end [s] (None: the recording's): the rows are from the last one not later than start to the last one not
    later than end. Derivatives are those of the quintic spline through all rows; filtered rows stand at even times, a
    smallest step of the table apart.
    """
    given = _recorded(model, table)
    if lowpass is None:
        first, last = 0, len(given) - 1
    else:
        given, first, last = filtered_with_ends(given, lowpass)
    whole = given.with_values(given.t, _filled(model, given), model.coordinates)
    spline = Spline(whole, 5)
    first = first if start is None else max(first, row_at(given.t, _time(start, "start", table)))
    last = last if end is None else min(last, row_at(given.t, _time(end, "end", table)))
    if last < first:
        raise ValueError(f"kinematics: no row lies between the start {start:g} s and the end {end:g} s")
    t = given.t[first : last + 1]
    return Kinematics(t, spline(t), spline(t, 1), spline(t, 2), tuple(model.coordinates), tuple(model.coordinate_units))


def _recorded(model: Model, table: Table) -> Table:
    """The columns of the model's coordinates that a table has, in radians and metres."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(table, Table):
        raise TypeError(f"kinematics needs an mm.recordings.Table of coordinates, and is given {type(table).__name__}")
    if not model.ndof:
        raise ValueError(f"model {model.name!r} has no coordinates that a recording could move")
    found = columns_for(model.coordinates, table, optional=True) or columns_for(model.coordinates, table)
    chosen = table.select(list(found.values()))
    check_complete(chosen, "kinematics")
    if len(chosen) < FEWEST:
        raise ValueError(f"kinematics: accelerations need {FEWEST} rows or more, and {called(table)} has {len(chosen)}")
    chosen = chosen.with_values(chosen.t, chosen.values, list(found))
    specs, units = model.coordinate_specs or [None] * model.ndof, model.coordinate_units
    for name, unit in zip(model.coordinates, units, strict=True):
        if unit == "m" and name in found and (size := np.abs(chosen[name]).max()) > FAR:
            hint = "if it is in millimetres, divide it by 1000"
            warnings.warn(f"{called(table)}: {name!r} is in metres, and goes to {size:.4g}: {hint}", stacklevel=3)
    turning = [k for k, name in enumerate(model.coordinates) if name in found and units[k] == "rad"]
    ranges = {model.coordinates[k]: specs[k] and specs[k].range for k in turning}
    return angles_in_radians(chosen, list(ranges), ranges)


def _time(t: float, what: str, table: Table) -> float:
    """A checked start or end [s], beyond its own rounding."""
    t = float(check_numbers(t, f"kinematics: the {what} [s]", ()))
    room = rounding_of(t)
    if not table.t[0] - room <= t <= table.t[-1] + room:
        raise ValueError(
            f"kinematics: the recording reaches from {table.t[0]:g} to {table.t[-1]:g} s, and the {what}, {t:g} s, is "
            "outside"
        )
    return t + room


def _filled(model: Model, given: Table) -> np.ndarray:
    """All coordinates of the model at the rows of a table, those that it lacks as model and couplings say. (rows, n)"""
    q = np.tile(model.q(), (len(given), 1))
    for k, name in enumerate(given.names):
        q[:, model.coordinate(name)] = given.values[:, k]
    specs = model.coordinate_specs or (None,) * model.ndof
    missing = [
        k for k, name in enumerate(model.coordinates) if name not in given and not (specs[k] and specs[k].locked)
    ]
    for k in [k for k in missing if specs[k] and specs[k].prescribed is not None]:
        q[:, k] = specs[k].prescribed.along(given.t)
        missing.remove(k)
    parts = _couplings(model, missing)
    coupled = {k for held in parts.values() for k in held}
    alone = [model.coordinates[k] for k in missing if k not in coupled]
    if alone:
        raise ValueError(
            f"{called(given)} lacks the coordinates {', '.join(map(repr, alone[:4]))}"
            f"{f' and {len(alone) - 4} more' if len(alone) > 4 else ''} of model {model.name!r}, and nothing else says "
            "where they are: they are neither locked nor coupled; is it a recording of another model?"
        )
    if parts:
        _follow(model, given.t, q, list(parts), sorted(coupled))
    return q


def _couplings(model: Model, missing: Sequence[int]) -> dict[int, list[int]]:
    """Rows of constraints between coordinates alone that hold missing ones -> which. For the rows of positions."""
    found, constraints = {}, model.constraints
    for i, part in enumerate(constraints.table):
        ends = constraints.ends[2 * i : 2 * i + 2]
        held = [int(k) for k in ends["dof"] if k in missing]
        row = int(part["row"])
        alone = ((ends["dof"] >= 0) | (ends["link"] == 0)).all() and part["count"] == 1
        if held and alone and constraints.levels[row] == POSITION and not constraints.unilateral[row]:
            found[row] = held
    return found


def _follow(model: Model, t: np.ndarray, q: np.ndarray, rows: list[int], coupled: list[int]) -> None:
    """Move the coupled coordinates of each row of q until their couplings hold."""
    for i in range(len(t)):
        if i:
            q[i, coupled] = q[i - 1, coupled]
        for _ in range(MOST_STEPS):
            g = constraint_values(model, q[i], t=t[i])[0][rows]
            step = np.linalg.lstsq(constraint_jacobian(model, q[i], t=t[i])[np.ix_(rows, coupled)], -g, rcond=None)[0]
            q[i, coupled] += step
            if np.abs(step).max() <= CLOSE * max(1.0, np.abs(q[i, coupled]).max()):
                break
        else:
            names = ", ".join(model.coordinates[k] for k in coupled)
            raise ValueError(f"kinematics: the couplings of {names} cannot be satisfied at {t[i]:g} s")
