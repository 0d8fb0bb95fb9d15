"""States of a model from tables of states: those that runs here are written to, and OpenSim's of every version."""

import warnings
from collections.abc import Sequence

import numpy as np

from ..model import Model, State
from ..model.border import no_model
from ..model.spec import known_names
from ..muscles.columns import muscle_columns
from ..spatial.checks import check_numbers
from .columns import angles_in_radians, columns_for
from .runs import SPELT
from .smooth import row_at
from .table import Table, called, rounding_of


def state_at(model: Model, table: Table, t: float | None = None) -> State:
    """The state in a table of states, in its last row that is not later than t [s] (None: in its first row).

    Its time is the row's, so that `simulate(model, state=...)` goes on there. Columns are named as `trajectory_table`
    and OpenSim name them: `knee_angle_r`, `knee_angle_r_u`, `soleus_r.activation`, `soleus_r.fiber_length`, or
    `/jointset/knee_r/knee_angle_r/value`, `.../speed`, `/forceset/soleus_r/activation`, `.../fiber_length`; angles are
    in degrees where the table says so. With a warning, coordinates and speeds without a column have their defaults,
    activations the least, and fibres are in equilibrium at these; other columns are left alone.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(table, Table):
        raise TypeError(f"state_at needs an mm.recordings.Table of states, and is given {type(table).__name__}")
    row = _row(table, t)
    found = {
        "value": columns_for(model.coordinates, table, optional=True),
        "speed": columns_for(model.coordinates, table, "speed", optional=True),
    }
    if model.ndof and not found["value"]:
        columns_for(model.coordinates, table)  # says so
    states = _state_columns(model, table)
    _warn_of_missing(model, table, found, states)
    here = _in_radians(model, table, found)
    q, qdot, z = model.q(), model.qdot(), np.full(model.nz, np.nan)
    for x, kind in ((q, "value"), (qdot, "speed")):
        for name, column in found[kind].items():
            x[model.coordinate(name)] = _number(here, row, column)
    for k, column in states.items():
        z[k] = _number(here, row, column)
    missing, t = np.isnan(z), float(table.t[row])
    if missing.any():
        z[missing] = model.state(q, qdot, t, activation=_activations(model, z)).z[missing]
    return model.state(q, qdot, t, z=z)


def _row(table: Table, t: float | None) -> int:
    """The last row that is not later than t, but for rounding."""
    if not len(table):
        raise ValueError(f"state_at: {called(table)} has no rows")
    if t is None:
        return 0
    t = float(check_numbers(t, "state_at: t [s]", ()))
    first, last, room = table.t[0], table.t[-1], rounding_of(t)
    if not first - room <= t <= last + room:
        raise ValueError(f"state_at: {called(table)} reaches from {first:g} to {last:g} s, and {t:g} s is outside")
    return row_at(table.t, t + room)


def _state_columns(model: Model, table: Table) -> dict[int, str]:
    """Number of a muscle's state -> name of its column."""
    owners: dict[str, dict[str, int]] = {}  # "fibre_length" -> number of the state of each muscle
    for k, name in enumerate(model.z_names):
        owner, _, state = name.rpartition(".")
        owners.setdefault(state, {})[owner] = k
    found = {}
    for state, numbers in owners.items():
        endings = [dot + name for name in (SPELT.get(state, state), state) for dot in "./"]
        columns = muscle_columns(numbers, table.names, endings, called(table))
        found |= {numbers[owner]: table.names[column] for owner, column in columns.items()}
    return found


def _warn_of_missing(model: Model, table: Table, found: dict[str, dict[str, str]], states: dict[int, str]) -> None:
    specs = model.coordinate_specs or (None,) * model.ndof
    free = [name for name, spec in zip(model.coordinates, specs, strict=True) if not (spec and spec.locked)]
    missing = [name for name in free if name not in found["value"]]
    speeds = [f"the speed of {name}" for name in free if name not in found["speed"]]
    missing += speeds if found["speed"] or not speeds else ["any speed"]
    missing += [name for k, name in enumerate(model.z_names) if k not in states] if states else []
    if model.nz and not states:
        missing.append("any state of a muscle")
    if missing:
        starts = "the state has their defaults" + (", and fibres in equilibrium" if model.nz else "")
        text = f"{called(table)} has no column for {_some(missing)} of model {model.name!r}; {starts}"
        warnings.warn(text, UserWarning, stacklevel=3)


def _some(names: Sequence[str]) -> str:
    return known_names(names, 6).removeprefix("known: ")


def _in_radians(model: Model, table: Table, found: dict[str, dict[str, str]]) -> Table:
    """The table with angles and their rates in radians, with a warning where the angles look otherwise."""
    units = dict(zip(model.coordinates, model.coordinate_units, strict=True))
    turning = {name: column for name, column in found["value"].items() if units[name] == "rad"}
    specs = model.coordinate_specs or [None] * model.ndof
    ranges = {column: specs[model.coordinate(name)] for name, column in turning.items()}
    ranges = {column: spec and spec.range for column, spec in ranges.items()}
    rates = [column for name, column in found["speed"].items() if units[name] == "rad"]
    angles = angles_in_radians(table.select(list(ranges)), list(ranges), ranges)
    turned = table.in_radians(rates)
    values = turned.values.copy()
    values[:, [table.column(column) for column in ranges]] = angles.values
    return turned.with_values(table.t, values)


def _number(table: Table, row: int, column: str) -> float:
    value = float(table[column][row])
    if not np.isfinite(value):
        raise ValueError(f"state_at: column {column!r} of {called(table)} has no number at {table.t[row]:g} s")
    return value


def _activations(model: Model, z: np.ndarray) -> dict[str, float]:
    """Activations that are known, within 0 and 1, by muscle."""
    hills = model.muscles.hills
    pairs = zip(hills["muscle"], hills["activation"], strict=True)
    return {model.muscles.names[i]: float(np.clip(z[k], 0.0, 1.0)) for i, k in pairs if np.isfinite(z[k])}
