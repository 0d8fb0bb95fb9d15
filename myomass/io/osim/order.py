"""Which surfaces of a path lie on which of its pieces, and in which order the path meets them.

An .osim file lists a path's surfaces in any order, each with a range of points between which it is tried. OpenSim lays
one on a single piece at each pose, that which it lengthens least. Here a surface with a side, which may force a path
round it wherever that runs, goes on the one piece that runs through it in most of some poses over the coordinates'
ranges; one without is tried on all pieces. Where a piece has several, their order is that in which a straight line
comes nearest to them in those poses. Surfaces that cut each other near the line at the default pose are reported: the
path may bridge them, but does not know the bend where it slips down between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise

import numpy as np

from ...model.elements import Point
from ...model.model import Model
from ...muscles.reference import links_at
from ...muscles.spec import ConditionalPoint, MovingPoint, Surface
from ...recordings.xml import Element
from ...spatial.motion import Motion
from .reader import Reader

POSES, SAMPLES = 24, 33  # that are looked at: of the model, the default one first; places along a line
Given = Point | MovingPoint | ConditionalPoint


@dataclass
class Tried:
    """A surface that a path names, and the pieces that it is for."""

    name: str
    surface: Surface
    pieces: list[int]

    def gaps(self, x: np.ndarray, E: np.ndarray) -> np.ndarray:
        """Distances of places in the world from the surface, negative inside, E its body's pose. (n,)"""
        E = E @ self.surface.frame()
        own = (x - E[:3, 3]) @ E[:3, :3]
        return np.array([self.surface.gap(y) for y in own])


@dataclass
class Seen:
    """Surfaces along the lines of a path in some poses: the least gap [m] and where, 0 to 1. (poses, pieces, tried)"""

    gaps: np.ndarray
    places: np.ndarray


def arrange(
    reader: Reader, element: Element, points: Sequence[Given], tried: list[Tried], count: int
) -> list[list[Surface]]:
    """The surfaces of each of `count` pieces, in the order in which the path meets them; reports what was chosen."""
    for one in tried:
        _leave_out_inside(reader, element, points, one)
    tried = [one for one in tried if one.pieces]
    several = any(sum(j in one.pieces for one in tried) > 1 for j in range(count))
    if several or any(len(one.pieces) > 1 and _may_force(one.surface) for one in tried):
        seen = _look(reader, points, tried)
        for i, one in enumerate(tried):
            if len(one.pieces) > 1 and _may_force(one.surface):
                one.pieces = [_chosen(one, seen, i)]
                between = f"points {one.pieces[0] + 1} and {one.pieces[0] + 2}"
                reader.note(element, f"the path wraps over {one.name!r}, which has a quadrant, between {between} alone")
    made = []
    for j in range(count):
        here = [i for i, one in enumerate(tried) if j in one.pieces]
        if len(here) > 1:
            here.sort(key=cmp_to_key(lambda i, k, j=j: _apart(seen, j, i, k)))
            _report_cuts(reader, element, seen, j, [(i, tried[i].name) for i in here])
        made.append([tried[i].surface for i in here])
    return made


def _leave_out_inside(reader: Reader, element: Element, points: Sequence[Given], one: Tried) -> None:
    """Take pieces from a surface that holds one of their ends, fixed to its own body: OpenSim never bends these."""
    frame = one.surface.frame()
    inside = set()
    for n, point in enumerate(points):
        if isinstance(point, MovingPoint):
            continue
        body, place = (point.body, point.place) if isinstance(point, ConditionalPoint) else point
        if body == one.surface.body and one.surface.gap(frame[:3, :3].T @ (np.asarray(place) - frame[:3, 3])) <= 0:
            inside.add(n)
    kept = [j for j in one.pieces if not inside & {j, j + 1}]
    if len(kept) < len(one.pieces):
        which = ", ".join(str(n + 1) for n in sorted(inside & {end for j in one.pieces for end in (j, j + 1)}))
        reader.note(
            element, f"point {which} lies inside {one.name!r}; the path goes straight from and to it, not round"
        )
        one.pieces = kept


def _may_force(surface: Surface) -> bool:
    """May it force a path round it that would be straight?"""
    return getattr(surface, "side", None) is not None and getattr(surface, "forced", True)


def _chosen(one: Tried, seen: Seen, i: int) -> int:
    """The piece that runs through a surface in most poses or, if none does, comes nearest to it."""
    gaps = seen.gaps[:, one.pieces, i]
    return one.pieces[int(np.lexsort([gaps.min(axis=0), -(gaps < 0).sum(axis=0)])[0])]


def _apart(seen: Seen, j: int, i: int, k: int) -> float:
    """How much further along piece j surface i is met than k: in poses where the line runs through one, or in all."""
    through = (seen.gaps[:, j, [i, k]] < 0).any(axis=1)
    poses = through if through.any() else np.ones(len(through), bool)
    return float((seen.places[poses, j, i] - seen.places[poses, j, k]).mean())


def _report_cuts(reader: Reader, element: Element, seen: Seen, j: int, named: list[tuple[int, str]]) -> None:
    """Report neighbours on a piece that the line meets at one place, inside of both, in any pose."""
    for (i, one), (k, other) in pairwise(named):
        both = (seen.gaps[:, j, [i, k]] < 0).all(axis=1)
        if (both & (np.abs(seen.places[:, j, i] - seen.places[:, j, k]) < 2.0 / SAMPLES)).any():
            reader.note(
                element,
                f"{one!r} and {other!r} overlap where its path runs; it bridges them, and knows no bend between them",
            )


def _look(reader: Reader, points: Sequence[Given], tried: list[Tried]) -> Seen:
    """The surfaces along a path's straight lines in POSES poses of the model."""
    model = reader.bodies()
    count, fractions = len(points) - 1, np.linspace(0.0, 1.0, SAMPLES)
    seen = Seen(np.full((POSES, count, len(tried)), np.inf), np.zeros((POSES, count, len(tried))))
    for n, q in enumerate(_poses(model)):
        at = _body_poses(model, q)
        ends = [_place(model, q, point, at) for point in points]
        for i, one in enumerate(tried):
            for j in one.pieces:
                x = ends[j] + fractions[:, None] * (ends[j + 1] - ends[j])
                gaps = one.gaps(x, at[one.surface.body])
                inside = gaps < 0
                place = fractions[inside].mean() if inside.any() else fractions[int(np.argmin(gaps))]
                seen.gaps[n, j, i], seen.places[n, j, i] = gaps.min(), place
    return seen


def _poses(model: Model) -> np.ndarray:
    """The default pose, and others evenly over the ranges of the coordinates. (POSES, ndof)"""
    q = np.tile(model.q(), (POSES, 1))
    for k, one in enumerate(model.coordinate_specs):
        if one.range is not None and not one.locked and np.isfinite(one.range).all():
            low, high = one.range
            q[1:, k] = low + (high - low) * (np.arange(1, POSES) * np.sqrt(k + 2.0) % 1.0)
    return q


def _body_poses(model: Model, q: np.ndarray) -> dict[str | None, np.ndarray]:
    """Poses of all bodies, and of the world under None."""
    links, poses = links_at(model, q), {None: np.eye(4)}
    for name, body in zip(model.names, model.bodies, strict=True):
        R, E = links["R"][body["link"]], np.eye(4)
        E[:3, :3], E[:3, 3] = R @ body["R_lb"], links["x"][body["link"]] + R @ body["p_lb"]
        poses[name] = E
    return poses


def _place(model: Model, q: np.ndarray, point: Given, poses: dict) -> np.ndarray:
    """Place of a path point in the world."""
    if isinstance(point, MovingPoint):
        E = poses[point.body] if point.frame is None else poses[point.body] @ point.frame
        names = [point.coordinate] * 3 if isinstance(point.coordinate, str) else point.coordinate
        values = [0.0 if name is None else q[model.coordinate(name)] for name in names]
        x = [float(f(v)) if isinstance(f, Motion) else float(f) for f, v in zip(point.place, values, strict=True)]
    else:
        body, x = (point.body, point.place) if isinstance(point, ConditionalPoint) else point
        E = poses[body]
    return E[:3, :3] @ np.asarray(x) + E[:3, 3]
