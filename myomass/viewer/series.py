"""What is plotted of a run, as numbers: names and units of columns, finite rows, fewer rows, breaks at jumps."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..constraints.kinds import formulas_of
from ..model import Model, State
from ..muscles.hill.start import hill_names
from ..trajectory import ROWS, STATES, Trajectory
from .floating import as_one


def dof_names(model: Model) -> list[str]:
    """The name of each degree of freedom: "body", or "body[k]" where its joint has several, unless it was named."""
    return model.coordinates


def dof_units(model: Model) -> list[str]:
    """The unit of each coordinate: "rad" where it turns, "m" where it slides, "1" along splines. (ndof)"""
    return model.coordinate_units


def chosen_dofs(model: Model, which: str | int | Sequence[str | int] | None) -> list[int]:
    """Degrees of freedom by names of bodies and by their own numbers; all those of joints for None.

    If there are none of joints, those of nodes of soft bodies.
    """
    if not model.ndof:
        raise ValueError(f"model {model.name!r} has no degrees of freedom")
    if which is None:
        return list(range(model.posed_dofs or model.ndof))
    chosen: list[int] = []
    for item in [which] if isinstance(which, (str, int, np.integer)) else which:
        if isinstance(item, str):
            dofs = model.dof(item)
            if dofs.start == dofs.stop:
                raise ValueError(f"the joint of body {item!r} has no degree of freedom")
            chosen += range(dofs.start, dofs.stop)
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool) and 0 <= item < model.ndof:
            chosen.append(int(item))
        else:
            raise ValueError(
                f"choose by names of bodies or by numbers of degrees of freedom, 0 to {model.ndof - 1}, not by {item!r}"
            )
    if not chosen:
        raise ValueError("no degree of freedom is chosen; which=None takes all")
    return list(dict.fromkeys(chosen))


def chosen_bodies(model: Model, which: str | int | Sequence[str | int] | None) -> list[int]:
    """Bodies by names or numbers; all of them for None."""
    if which is None:
        return list(range(model.nbodies))
    chosen = [model.body(item) for item in ([which] if isinstance(which, (str, int, np.integer)) else which)]
    if not chosen:
        raise ValueError("no body is chosen; which=None takes all")
    return list(dict.fromkeys(chosen))


def with_rows(trajectory: Trajectory, rows: slice | np.ndarray) -> Trajectory:
    """The run with only some of its rows."""
    forces = None if trajectory.multipliers is None else trajectory.multipliers[rows]
    return replace(trajectory, multipliers=forces, **{key: getattr(trajectory, key)[rows] for key in (*ROWS, *STATES)})


def finite_part(trajectory: Trajectory) -> tuple[Trajectory, list[str]]:
    """The rows before the first that is not finite, and notes on a run that has others or that ended early."""
    if not isinstance(trajectory, Trajectory):
        raise TypeError(f"a trajectory is needed, as mm.simulate gives it, and this is {type(trajectory).__name__}")
    trajectory = as_one(trajectory) if trajectory.switches else trajectory
    name, ended = trajectory.model.name, trajectory.ended
    if not len(trajectory.t):
        raise ValueError(f"model {name!r}: the run has no rows ({ended})")
    notes = [] if ended == "completed" else [f"ended: {ended.split(';')[0]}"]
    good = np.isfinite(trajectory.t)
    for values in (trajectory.q, trajectory.qdot, *([trajectory.z] if trajectory.model.nz else [])):
        good &= np.isfinite(values).all(axis=1)
    return cut(trajectory, good, notes)


def cut(trajectory: Trajectory, good: np.ndarray, notes: list[str]) -> tuple[Trajectory, list[str]]:
    """(run, notes): the rows before the first that is not good, and one more note if there is one."""
    if good.all():
        return trajectory, notes
    first = int(np.argmin(good))
    if first == 0:
        raise ValueError(f"model {trajectory.model.name!r}: the run is not finite from its first row on")
    notes = [note for note in notes if not note.startswith("not finite")]  # the new note replaces it
    since = f"from t = {trajectory.t[first]:.4g} s" if np.isfinite(trajectory.t[first]) else "in its times"
    return with_rows(trajectory, slice(0, first)), [*notes, f"not finite {since}"]


def energy_kept(trajectory: Trajectory) -> str:
    """ "energy drift 1e-5", or "energy change ..." where dampers, friction, drives or the like may well change it."""
    model = trajectory.model
    moved = any(formula.motion is not None for formula in formulas_of(model))
    driven = model.has_applied_forces or len(model.muscles.hills) > 0
    word = "change" if driven or model.constraints.needs_program or moved else "drift"
    return f"energy {word} {trajectory.energy_drift:.1e}"


def spread(count: int, most: int) -> np.ndarray:
    """Indices of at most `most` of `count` rows, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def thinned(values: np.ndarray, most: int) -> np.ndarray:
    """Rows that draw the same line as all: the first, the last, and where each bin is lowest and highest.

    About `most` rows at the most; all of them if there are no more.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    width = -(-count // max(most // 2, 1))
    bins = -(-count // width)
    padded = np.concatenate([values, np.full(bins * width - count, values[-1])]).reshape(bins, width)
    known = np.isfinite(padded)
    low, high = np.where(known, padded, np.inf).argmin(axis=1), np.where(known, padded, -np.inf).argmax(axis=1)
    starts = width * np.arange(bins)
    return np.unique(np.minimum(np.concatenate([[0], starts + low, starts + high, [count - 1]]), count - 1))


def charts_used(trajectory: Trajectory) -> np.ndarray:
    """For each degree of freedom a number that changes where its coordinates jump to another chart. (rows, ndof)

    Euler joints say which chart they are in; a rotation vector that was wrapped has moved by more than half a turn.
    """
    model, q = trajectory.model, trajectory.q
    jumped = np.zeros(q.shape, np.int32)
    for column, link in enumerate(model.links[model.switching]):
        dofs = _own_dofs(model, link)
        jumped[1:, dofs] = (np.diff(trajectory.charts[:, column]) != 0)[:, None]
    for link in model.links[np.setdiff1d(model.charted, model.switching)]:  # their coordinates jump within one chart
        dofs = _own_dofs(model, link)
        jumped[1:, dofs] = (np.linalg.norm(np.diff(q[:, dofs], axis=0), axis=1) > np.pi)[:, None]
    return np.cumsum(jumped, axis=0)


def _own_dofs(model: Model, link: np.ndarray) -> np.ndarray:
    """Which of the model's coordinates are those of a link's joint; fewer, or none, in a reduced model."""
    dofs = np.arange(link["dof"], link["dof"] + link["ndof"])
    if model.reduction is None:
        return dofs
    own = model.reduction.passed[dofs]
    return own[own >= 0]


def broken(rows: np.ndarray, chart: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
    """The columns at these rows, with NaN in between where the chart changes, so that a line breaks there."""
    jumps = np.flatnonzero(np.diff(chart[rows])) + 1
    return [np.insert(column[rows].astype(float), jumps, np.nan) for column in columns]


def models_along(trajectory: Trajectory, rows: np.ndarray) -> Iterator[tuple[Model, State]]:
    """(model that holds, in the charts of the row, and its state) of some rows."""
    models: dict[tuple[int, bytes], Model] = {}
    for row in rows.tolist():
        model, charts = trajectory.model_at(row), trajectory.charts[row]
        key = id(model), charts.tobytes()
        if key not in models:
            models[key] = model.with_charts(charts[: len(model.chart_slots)])
        q, qdot = (x[row, : model.ndof] for x in (trajectory.q, trajectory.qdot))
        yield models[key], State(float(trajectory.t[row]), q, qdot, charts, z=trajectory.z[row, : model.nz])


MUSCLE_SERIES = {"activation": "activation", "fibre length [m]": "fibre_length", "tension [N]": "tension"}


def muscle_series(model: Model) -> dict[str, tuple[int, str]]:
    """What can be charted of muscles with states: by title, the muscle's number and the name in a MuscleReport."""
    names = enumerate(hill_names(model))
    return {f"{name}: {title}": (i, key) for i, name in names for title, key in MUSCLE_SERIES.items()}


def constraint_of(row: str) -> str:
    """Name of the constraint that a row belongs to: the row's name without its last word."""
    return row.rpartition(".")[0] or row


def units_in_order(units: Sequence[str]) -> list[str]:
    """The units that occur, angles first."""
    known = [unit for unit in ("rad", "m", "1") if unit in units]
    return known + sorted(set(units) - set(known))
