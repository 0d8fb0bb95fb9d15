"""The points of a path -> rows of the records that a model keeps of them (packed.py), with all checks."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..model.elements import Point
from ..model.joint_checks import coordinate_of
from ..spatial.checks import check_frame, check_numbers
from ..spatial.motion import Motion, as_motion
from .points import JUNCTION
from .spec import ConditionalPoint, MovingPoint, Surface

if TYPE_CHECKING:
    from ..model.model import Model

COINCIDE = 1e-12  # relative distance at which two points are one
Keep = Callable[[Sequence[float]], int]  # appends numbers to a model's, and says where they start


def path_points(model: "Model", points: Sequence[Point | MovingPoint | ConditionalPoint], keep: Keep) -> list[tuple]:
    """Rows (link, gate, dofs, curves, p, R, low, high) of a path's points."""
    if isinstance(points, str) or not isinstance(points, Sequence) or len(points) < 2:
        raise ValueError(f"a path needs two points (body, (x, y, z)) at least, and has {points!r}")
    rows = [_row(model, point, keep) for point in points]
    if sum(row[1] < 0 for row in rows) < 2:
        raise ValueError("a path needs two points at least that are always part of it; the others may be conditional")
    return rows


def body_frame(model: "Model", body: str | None) -> tuple[int, np.ndarray, np.ndarray]:
    """(link, R_lb, p_lb) of a body, of the world for None."""
    if body is None:
        return 0, np.eye(3), np.zeros(3)
    record = model.bodies[model.body(body)]
    return int(record["link"]), record["R_lb"], record["p_lb"]


def _row(model: "Model", point: Point | MovingPoint | ConditionalPoint, keep: Keep) -> tuple:
    """Row of a path point."""
    if isinstance(point, MovingPoint):
        return _moving(model, point, keep)
    gate, low, high = -1, 0.0, 0.0
    if isinstance(point, ConditionalPoint):
        gate = _lasting(model, point.coordinate, point.component, "a conditional point")
        low, high = check_numbers(point.within, "a conditional point's within, (low, high),", (2,)).tolist()
        if not low <= high:
            raise ValueError(f"a conditional point's within is (low, high), and is {point.within!r}")
        point = point.body, point.place
    try:
        body, place = point
    except (TypeError, ValueError):
        raise ValueError(f"a point is (body, (x, y, z)), body None for the world, and one is {point!r}") from None
    link, R, p = body_frame(model, body)
    place = R @ check_numbers(place, "a point [m]", (3,)).astype(float) + p
    return link, gate, (-1, -1, -1), (0, 0, 0), place, R, low, high


def _moving(model: "Model", point: MovingPoint, keep: Keep) -> tuple:
    """Row of a moving point. Where an axis has no coordinate its number is part of the place on the link."""
    link, R, p = body_frame(model, point.body)
    if point.frame is not None:
        E = check_frame(point.frame, "a moving point's frame")
        R, p = R @ E[:3, :3], R @ E[:3, 3] + p
    if isinstance(point.place, (str, Motion)) or not isinstance(point.place, Sequence) or len(point.place) != 3:
        raise ValueError(f"a moving point's place is three numbers or motions, and is {point.place!r}")
    curves = [as_motion(x, "a moving point's place [m]") for x in point.place]
    names, dofs, fixed = _three(point), [-1, -1, -1], np.zeros(3)
    for k, (name, component) in enumerate(names):
        if name is not None:
            dofs[k] = _lasting(model, name, component, "a moving point")
        elif curves[k].moves:
            raise ValueError(
                f"a moving point's {'xyz'[k]} is a motion, and needs the coordinate that it is a function of"
            )
        else:
            fixed[k] = curves[k].coefficients[0, 0]
    at = tuple(0 if dof < 0 else keep(curve.parameters()) for dof, curve in zip(dofs, curves, strict=True))
    return link, -1, tuple(dofs), at, p + R @ fixed, R, 0.0, 0.0


def _three(point: MovingPoint) -> list[tuple[str | None, int]]:
    """(coordinate or body, component) for each axis of a moving point."""
    names, components = point.coordinate, point.component
    names = [names] * 3 if names is None or isinstance(names, str) else names
    components = [components] * 3 if isinstance(components, (int, np.integer)) else components
    for given in (names, components):
        if not isinstance(given, Sequence) or len(given) != 3:
            raise ValueError(f"a moving point has one coordinate and component, or three of each, and not {given!r}")
    return list(zip(names, components, strict=True))


def _lasting(model: "Model", name: str, component: int, what: str) -> int:
    """The degree of freedom that a name says. Raises an error if it may be moved to another chart."""
    dof = coordinate_of(model, name, component, what)
    links = model.links[model.charted]
    if ((links["dof"] <= dof) & (dof < links["dof"] + links["ndof"])).any():
        raise ValueError(
            f"{what} needs a coordinate that keeps its meaning, and those of the ball joint of {name!r} are moved to "
            "other charts"
        )
    return dof


def with_junctions(rows: list[tuple], surfaces: list[list[Surface]]) -> tuple[list[tuple], list[Surface | None]]:
    """(rows, surfaces), one surface or None for each row: a piece with several gets a junction between neighbours."""
    made, own = [], []
    for row, several in zip(rows, [*surfaces, []], strict=True):
        link, place = row[0], row[4]
        made.append(row)
        made += [(link, JUNCTION, (-1, -1, -1), (0, 0, 0), place, np.eye(3), 0.0, 0.0)] * (len(several) - 1)
        own += several or [None]
    return made, own


def check_ends(points: list[tuple], pieces: list[tuple], surfaces: list[Surface | None]) -> None:
    """Raise a ValueError where neighbours coincide, or a point is inside a surface that is fixed to its own body."""
    given = [row for row, point in enumerate(points) if point[1] != JUNCTION]
    for j, (first, last) in enumerate(pairwise(given)):
        (link_a, _, dofs_a, _, a, *_), (link_b, _, dofs_b, _, b, *_) = ends = points[first], points[last]
        size = max(np.linalg.norm(a), np.linalg.norm(b), 1e-300)
        if link_a == link_b and max(*dofs_a, *dofs_b) < 0 and np.linalg.norm(a - b) <= COINCIDE * size:
            raise ValueError(f"points {j} and {j + 1} coincide")
        for surface, (_, _, link, _, R, p) in zip(surfaces[first:last], pieces[first:last], strict=True):
            for i, (link_p, _, dofs, _, place, *_) in enumerate(ends):
                if surface is not None and max(dofs) < 0 and link_p == link and surface.gap(R.T @ (place - p)) <= 0:
                    raise ValueError(
                        f"point {j + i} is inside (or on) the {type(surface).__name__} that the path wraps"
                    )
