"""Inverse kinematics: the coordinates of a model in every frame of a recording of its markers (kernels: marker_fit.py).

min  sum_m w_m |x_m(q) - y_m|^2 + sum_k v_k (q_k - r_k)^2
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..algorithms.kinematics import marker_places
from ..constraints.arrays import constraint_arrays
from ..model import Model
from ..model.border import no_model
from ..model.elements import POSITION
from ..model.spec import UnknownName, known_names
from ..recordings import Table, angles_in_radians, columns_for
from ..reduction.border import refuse_reduced
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .marker_fit import CONVERGED, ROWS_APART, TOO_MANY_STEPS, UNSEEN, Fit, StepScratch, fit_recording
from .marker_recording import Recording, check_recording, cut, seen_in, spread_of

NO_SIZE = 1e-9  # times the model's size: markers at one place
TOO_LARGE = 100.0  # times the model's size: no body is that large, but millimetres are
FAR_OFF = 0.5  # times how far they lie from their middle: so far off, markers are not the model's
FEWEST = 4  # markers in a row of which that is said
TURNS = (0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi)  # of the top body, from which the first frame is tried
RANGES = ("clamped", "all", "none")
TELLING = 5  # times that a warning tells


@brief
@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Coordinates that were found, and how far markers stay from their measured places."""

    t: np.ndarray  # [s], (rows,)
    q: np.ndarray  # [rad or m], (rows, ndof)
    names: tuple[str, ...]  # of the coordinates
    markers: tuple[str, ...]  # that were compared
    residuals: np.ndarray  # [m], NaN where a marker is missing, (rows, markers)
    cost: np.ndarray  # sum of weighted squares, (rows,)
    iterations: np.ndarray  # (rows,)
    converged: np.ndarray  # did the frame's search end? Without any marker it does not. (rows,)
    unknown: tuple[str, ...] = ()  # markers of the recording that the model lacks
    undetermined: Mapping[str, int] | None = None  # coordinate -> in how many frames nothing determined it
    units: tuple[str, ...] = ()  # of the coordinates: "rad", "m" or "1"

    @property
    def rms(self) -> np.ndarray:
        """Root of the mean squared distance of the markers that were measured [m]. (rows,)"""
        square, count = np.nansum(self.residuals**2, axis=1), np.isfinite(self.residuals).sum(axis=1)
        return np.sqrt(np.divide(square, count, out=np.full(len(square), np.nan), where=count > 0))

    @property
    def worst(self) -> list[str | None]:
        """The marker of each row that is furthest from its measured place; None without any."""
        seen = np.where(np.isfinite(self.residuals), self.residuals, -1.0)
        if not self.markers:
            return [None] * len(self.t)
        return [self.markers[k] if row[k] >= 0 else None for row, k in zip(seen, seen.argmax(axis=1), strict=True)]

    def table(self, degrees: bool = False) -> Table:
        """The coordinates as a table, angles in radians or in degrees."""
        angles = np.array([unit == "rad" for unit in self.units], bool)
        factor = np.where(angles & degrees, np.rad2deg(1.0), 1.0)
        return Table(self.t, self.q * factor, self.names, degrees)


def inverse_kinematics(
    model: Model,
    markers: Recording,
    *,
    weights: Mapping[str, float] | None = None,
    coordinates: Table | Mapping[str, float] | None = None,
    coordinate_weights: Mapping[str, float] | float = 1.0,
    start: float | None = None,
    end: float | None = None,
    q0: np.ndarray | None = None,
    ranges: str = "clamped",
    accuracy: float = 1e-9,
    most_iterations: int = 200,
) -> InverseKinematics:
    """The coordinates that bring the model's markers closest to their measured places, in every frame.

    weights: of markers by name (others have the model's own). coordinates: values to keep close to, a table over time
    or numbers by name, weighted by `coordinate_weights` [m^2/rad^2] (OpenSim's are in parts of the
    sum of all markers' weights). start, end [s]: which part of the recording.
    q0: from where the first frame is searched (else from the defaults, and from there turned about). ranges: which
    coordinates keep within their ranges: those that are "clamped", "all" or "none". Rows of constraints (couplings,
    locked and prescribed coordinates, closed loops) hold to rounding. A coordinate that nothing determines stays as it
    was, and is told in `undetermined`. accuracy: how far the coordinates may be from the best ones [rad or m].
    """
    _check_model(model)
    t, names, places = cut(*check_recording(markers, "inverse_kinematics"), start, end)
    common = tuple(name for name in names if name in model.markers)
    if not common:
        own, theirs = (known_names(x).removeprefix("known: ") if x else "none" for x in (model.markers, names))
        raise ValueError(
            f"model {model.name!r} and the recording have no marker in common; the model's markers are {own}, and the "
            f"recording's {theirs}"
        )
    measured = np.ascontiguousarray(places[:, [names.index(name) for name in common]])
    _check_size(model, common, measured)
    references, tracked = _references(model, coordinates, coordinate_weights, t)
    weighed = _weights(model, common, weights)
    fit = _fit(model, common, weighed, tracked, _bounds(model, ranges))
    starts = _starts(model, fit.low, fit.high) if q0 is None else check_numbers(q0, "q0", (model.ndof,))[None]
    fit.point("starts", np.ascontiguousarray(starts, float))
    fit.poses[2] = starts[0]
    rows, n, m = len(t), model.ndof, len(common)
    q, residuals, told = np.zeros((rows, n)), np.zeros((rows, m)), np.zeros((rows, 2))
    ended, weak = np.zeros(rows, np.int64), np.zeros((rows, n), bool)
    settings = np.array(
        [check_positive(accuracy, "accuracy"), max(check_positive(most_iterations, "most_iterations"), 1)]
    )
    given, filled = (t, measured, references), (q, residuals, told, ended, weak)
    first = int((seen_in(measured) & (weighed > 0)).any(axis=1).argmax())
    for part in (slice(first, None), slice(first)):
        fit_recording(fit.handle, *(x[part] for x in given), settings, *(x[part] for x in filled))
        fit.poses[2] = q[first]  # the rows before it have no pose of their own
    _complain(model, t, ended)
    _check_fit(model, measured[:, weighed > 0], residuals[:, weighed > 0])
    loose = {name: int(count) for name, count in zip(model.coordinates, weak.sum(axis=0), strict=True) if count}
    left_out = tuple(name for name in names if name not in model.markers)
    found = told[:, 0], told[:, 1].astype(int), ended == CONVERGED
    names = tuple(model.coordinates)
    return InverseKinematics(t, q, names, common, residuals, *found, left_out, loose, tuple(model.coordinate_units))


def _check_model(model: Model) -> None:
    if not isinstance(model, Model):
        raise no_model(model)
    refuse_reduced(model, "inverse_kinematics")
    if model.dtype != np.float64:
        raise ValueError(f"inverse_kinematics works in float64, and the model is {model.dtype}; give it as compiled")
    if not model.markers:
        raise ValueError(f"model {model.name!r} has no markers; add them with spec.add_marker(name, body, place)")


def _check_size(model: Model, common: tuple[str, ...], measured: np.ndarray) -> None:
    """A sentence if no marker is seen, some lie at 0 0 0, or all lie a hundred times too far apart or too close."""
    if not seen_in(measured).any():
        raise ValueError(f"markers: none that model {model.name!r} has is seen in any frame: all places are NaN")
    lost = [name for name, at in zip(common, (measured == 0.0).all(axis=2).sum(axis=0), strict=True) if at > 1]
    own = marker_places(model, model.q())[[list(model.markers).index(name) for name in common]]
    spread, like = spread_of(measured), spread_of(np.where(seen_in(measured)[..., None], own, np.nan))
    known = np.isfinite(spread) & (like > 0)
    if not known.any():
        return
    ratio = float(np.median(spread[known] / like[known]))
    if ratio < NO_SIZE:
        raise ValueError(
            "markers: they are all at one place; where 0 0 0 stands for a marker that was not seen, make it NaN"
        )
    if ratio > TOO_LARGE or ratio < 1 / TOO_LARGE:
        fix = "are they in millimetres? Divide them by 1000" if ratio > 1 else "are they in metres?"
        raise ValueError(
            f"markers: they lie {np.median(spread[known]):.3g} m from their middle, {ratio:.3g} times as far as those "
            f"of model {model.name!r}; {fix}"
        )
    if lost:
        more = f" and {len(lost) - TELLING} more" if len(lost) > TELLING else ""
        warnings.warn(
            f"inverse_kinematics: at 0 0 0 in several frames: {', '.join(map(repr, lost[:TELLING]))}{more}; where that "
            "stands for a marker that was not seen, make it NaN",
            stacklevel=3,
        )


def _check_fit(model: Model, measured: np.ndarray, residuals: np.ndarray) -> None:
    """A warning if the markers stay so far off that they cannot be the model's."""
    seen = np.isfinite(residuals)
    rows = seen.sum(axis=1) >= FEWEST
    spread = spread_of(measured)[rows]
    if not len(spread):
        return
    off = np.sqrt((np.where(seen, residuals, 0.0) ** 2).sum(axis=1)[rows] / seen.sum(axis=1)[rows])
    if np.median(off / spread) > FAR_OFF:
        warnings.warn(
            f"inverse_kinematics: the markers stay {np.median(off):.2g} m off those of model {model.name!r}, and lie "
            f"{np.median(spread):.2g} m from their middle; does the laboratory's z point up, and the model's y "
            "(Markers.rotated(Z_UP_TO_Y_UP), --z-up), or the other way round, or do names mean other places?",
            UserWarning,
            stacklevel=3,
        )


def _weights(model: Model, common: tuple[str, ...], given: Mapping[str, float] | None) -> np.ndarray:
    """The weight of each marker."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise TypeError(f"weights are given by marker, as {{{next(iter(model.markers))!r}: 2.0}}, not {given!r}")
    for name, weight in given.items():
        if name not in model.markers:
            raise UnknownName(f"weights: model {model.name!r} has no marker {name!r}; {known_names(model.markers)}")
        if not check_numbers(weight, f"the weight of marker {name!r}", ()) >= 0:
            raise ValueError(f"the weight of marker {name!r} must not be negative, and is {weight!r}")
    weights = np.array([float(given.get(name, model.markers[name].weight)) for name in common])
    if not weights.any():
        raise ValueError("every marker that the model and the recording have in common has the weight 0")
    return weights


def _references(
    model: Model, given: Table | Mapping[str, float] | None, weight: Mapping[str, float] | float, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(values to keep close to, NaN where there is none, (rows, ndof); the weight of each, (ndof,))."""
    values, tracked = np.full((len(t), model.ndof), np.nan), np.zeros(model.ndof)
    weighted = list(weight) if isinstance(weight, Mapping) else []
    for name in weighted:
        model.coordinate(name)  # an error if there is none such
    if given is None:
        _check_weighted(weighted, {})
        return values, tracked
    if not isinstance(given, (Table, Mapping)):
        raise TypeError(f"coordinates are a table, or values by name, not {given!r}")
    if isinstance(given, Table):
        columns = columns_for(model.coordinates, given, optional=True)
        if not columns:
            raise ValueError(
                f"coordinates: the table has none of model {model.name!r}; {known_names(model.coordinates)}"
            )
        angles = [column for name, column in columns.items() if model.coordinate_units[model.coordinate(name)] == "rad"]
        given, known = angles_in_radians(given, angles), {name: model.coordinate(name) for name in columns}
        for name, k in known.items():
            column = given[columns[name]]
            seen = np.isfinite(column)
            if seen.any():
                values[:, k] = np.interp(t, given.t[seen], column[seen], np.nan, np.nan)
        if not np.isfinite(values).any():
            raise ValueError(
                f"coordinates: the table has no number at the times of the markers, from {t[0]:g} to {t[-1]:g} s; are "
                "they of one recording?"
            )
    else:
        known = {name: model.coordinate(name) for name in given}
        for name, k in known.items():
            values[:, k] = float(check_numbers(given[name], f"coordinates: {name!r}", ()))
    _check_weighted(weighted, known)
    for name, k in known.items():
        own = weight.get(name, 0.0) if isinstance(weight, Mapping) else weight
        tracked[k] = float(check_numbers(own, f"the weight of coordinate {name!r}", ()))
    if (tracked < 0).any():
        raise ValueError(f"the weight of coordinate {model.coordinates[int(tracked.argmin())]!r} is negative")
    return values, tracked


def _check_weighted(weighted: Sequence[str], known: Mapping[str, int]) -> None:
    """An error about a weight of a coordinate that has no value to keep close to."""
    lost = next((name for name in weighted if name not in known), None)
    if lost is not None:
        raise ValueError(
            f"coordinate_weights: {lost!r} has a weight and no value to keep close to; give one in `coordinates`"
        )


def _bounds(model: Model, ranges: str) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of every coordinate; what a row holds by itself has none."""
    if ranges not in RANGES:
        raise ValueError(f"ranges is one of {', '.join(RANGES)}, not {ranges!r}")
    low, high = np.full(model.ndof, -np.inf), np.full(model.ndof, np.inf)
    for k, one in enumerate(model.coordinate_specs):
        if one.range is not None and (ranges == "all" or (ranges == "clamped" and one.clamped)):
            low[k], high[k] = one.range
    held = _held_alone(model)
    low[held], high[held] = -np.inf, np.inf
    return low, high


def _held_alone(model: Model) -> list[int]:
    """Coordinates that a row holds at a value, alone."""
    constraints, found = model.constraints, []
    for i, part in enumerate(constraints.table):
        first, second = constraints.ends["dof"][2 * i : 2 * i + 2]
        alone = first >= 0 and second < 0 and constraints.ends["link"][2 * i + 1] == 0
        if alone and constraints.levels[part["row"]] == POSITION and not constraints.unilateral[part["row"]]:
            found.append(int(first))
    return found


def _starts(model: Model, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Poses to begin with: the defaults, then with the first body's angles turned, where that is allowed."""
    q = model.q()
    top = int(np.flatnonzero(model.parents < 0)[0])
    own = range(int(model.dof_starts[top]), int(model.dof_starts[top + 1]))
    angles = [k for k in own if model.coordinate_units[k] == "rad" and np.isinf(low[k]) and np.isinf(high[k])][:3]
    starts = np.repeat(q[None], len(TURNS) ** len(angles), axis=0)
    starts[:, angles] += np.array(list(product(TURNS, repeat=len(angles)))).reshape(len(starts), len(angles))
    return starts


def _fit(model: Model, common: tuple[str, ...], weights: np.ndarray, tracked: np.ndarray, bounds: tuple) -> Fit:
    """The model with its markers as kernels take them."""
    n, m, rows = model.ndof, len(common), max(len(model.constraints), 1)
    held = int(((model.constraints.levels == POSITION) & ~model.constraints.unilateral).sum())
    links, places = np.zeros(m, np.int64), np.zeros((m, 3))
    for k, name in enumerate(common):
        marker = model.markers[name]
        places[k] = marker.place
        if marker.body is not None:
            record = model.bodies[model.body(marker.body)]
            links[k], places[k] = record["link"], record["R_lb"] @ marker.place + record["p_lb"]
    vectors = {key: np.zeros(n) for key in ("d", "s", "w", "y")}
    squares = {key: np.zeros((n, n)) for key in ("K", "L")}
    lists = {"held": np.zeros(n, np.int64), "free": np.zeros(n, np.int64), "pivots": np.zeros(rows, np.int64)}
    over = {"G": np.zeros((rows, n)), "R": np.zeros((rows, n)), "g": np.zeros(rows)}
    step = StepScratch(np.float64, **vectors, **squares, **lists, **over)
    own = {
        "links": links,
        "places": places,
        "weights": weights,
        "tracked": tracked,
        "low": bounds[0],
        "high": bounds[1],
    }
    made = {"starts": np.zeros((1, n)), "x": np.zeros((m, 3)), "H": np.zeros((2, n, n)), "c": np.zeros((2, n))}
    made |= {"poses": np.zeros((3, n)), "zeros": np.zeros(n), "rows": held}
    tree = model.workspace.tree
    return Fit(np.float64, tree=tree, constraints=constraint_arrays(model), step=step, **own, **made)


def _complain(model: Model, t: np.ndarray, ended: np.ndarray) -> None:
    """One warning of the frames that have no sure answer."""
    reasons = {
        UNSEEN: "had no marker, and keep the pose before them, or else the first one found",
        TOO_MANY_STEPS: "did not converge",
        ROWS_APART: "found no pose that holds the constraints within the ranges",
    }
    told = []
    for why, text in reasons.items():
        times = t[ended == why]
        if len(times):
            more = f" and {len(times) - TELLING} more" if len(times) > TELLING else ""
            told.append(
                f"{len(times)} of {len(t)} frames {text}: t = {', '.join(f'{x:g}' for x in times[:TELLING])}{more}"
            )
    if told:
        warnings.warn(f"inverse_kinematics, model {model.name!r}: {'; '.join(told)}", RuntimeWarning, stacklevel=3)
