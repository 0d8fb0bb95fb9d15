"""Markers of a scaled model put where they were measured, in the pose that fits a static trial best."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..model import Spec
from ..model.spec import UnknownName, known_names
from ..recordings import Table
from ..spatial.brief import brief
from .give_mass import copied
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .marker_recording import Recording, check_recording, cut


@brief
@dataclass(frozen=True)
class Still:
    """Markers at rest: one row."""

    t: np.ndarray
    names: tuple[str, ...]
    places: np.ndarray  # [m], (1, markers, 3)


@brief
@dataclass(frozen=True, eq=False)
class PlacedMarkers:
    """A model whose markers are where they were measured, and the pose that this was found in."""

    spec: Spec
    fit: InverseKinematics  # of the trial's mean, one row
    moved: Mapping[str, float]  # how far each marker went [m]


def place_markers(
    spec: Spec,
    markers: Recording,
    *,
    start: float | None = None,
    end: float | None = None,
    weights: Mapping[str, float] | None = None,
    coordinates: Table | Mapping[str, float] | None = None,
    coordinate_weights: Mapping[str, float] | float = 1.0,
    fixed: str | Collection[str] = (),
    keep_pose: bool = False,
    **options,
) -> PlacedMarkers:
    """The model with its markers at their mean places in a static trial, from start to end [s]; the given one stays.

    The pose is that of `inverse_kinematics` of the mean places, with its weights, coordinates to keep close to and
    further options. fixed: markers that stay where they are. keep_pose: make the pose the default one.
    """
    if not isinstance(spec, Spec):
        raise TypeError(f"place_markers: give a Spec such as `scale` makes, not {type(spec).__name__}")
    fixed = [fixed] if isinstance(fixed, str) else fixed
    for name in fixed:
        if name not in spec.markers:
            raise UnknownName(f"place_markers: there is no marker {name!r} to be fixed; {known_names(spec.markers)}")
    t, names, places = cut(*check_recording(markers, "place_markers"), start, end)
    still = Still(np.array([t.mean()]), tuple(names), _mean(places)[None])
    bare = replace(spec, forces={}, muscles={}, reflexes={})
    model = bare.compile(massless=True)
    if isinstance(coordinates, Table) and len(coordinates) == 1:
        coordinates = coordinates.with_values(still.t, coordinates.values)
    tracking = {"coordinates": coordinates, "coordinate_weights": coordinate_weights}
    fit = inverse_kinematics(model, still, weights=weights, **tracking, **options)
    E = forward_kinematics(model, fit.q[0])
    made, moved = copied(spec), {}
    for name, place in zip(names, still.places[0], strict=True):
        if name not in spec.markers or name in fixed or np.isnan(place).any():
            continue
        old = spec.markers[name]
        if old.body is not None:
            body = E[model.body(old.body)]
            place = body[:3, :3].T @ (place - body[:3, 3])
        made.markers[name] = replace(old, place=tuple(place.tolist()))
        moved[name] = float(np.linalg.norm(place - old.place))
    if keep_pose:
        made.bodies = _with_defaults(spec, dict(zip(model.coordinates, fit.q[0].tolist(), strict=True)))
    return PlacedMarkers(made, fit, moved)


def _mean(places: np.ndarray) -> np.ndarray:
    """The mean place of each marker over the frames in which it was seen, NaN if there is none. (markers, 3)"""
    seen = np.isfinite(places).all(axis=2)
    total = np.where(seen[..., None], places, 0.0).sum(axis=0)
    count = seen.sum(axis=0)
    return np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], np.nan)


def _with_defaults(spec: Spec, q: Mapping[str, float]) -> dict:
    """The bodies with other defaults of their coordinates."""
    bodies, named = {}, spec.coordinates
    left = iter(named.values())
    for name, body in spec.bodies.items():
        own = [next(left) for _ in range(body.joint.ndof)]
        bodies[name] = replace(body, coordinates=tuple(replace(one, default=q[one.name]) for one in own) or None)
    return bodies
