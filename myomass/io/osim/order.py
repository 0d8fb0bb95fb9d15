"""In which order a path meets several surfaces of one piece: that at the default pose, along the line between its ends.

An .osim file lists surfaces in any order. A surface counts where the line comes nearest to its axis or, where it has
none, to its centre. Surfaces that cut each other there are reported: a path that slips down between them has a bend
on both, which ours does not know; one that bridges them is found.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from ...model.elements import Point
from ...muscles.reference import links_at
from ...muscles.spec import ConditionalPoint, MovingPoint, Surface
from ...muscles.wrapping.cylinder import Cylinder
from ...recordings.xml import Element
from ...spatial.motion import Motion
from .reader import Reader

SAMPLES = 400  # places on a surface that are looked at for a cut with another


def default_poses(reader: Reader) -> dict[str | None, np.ndarray]:
    """Poses of all bodies, and of the world under None, with the coordinates at their defaults."""
    if reader.poses is None:
        model = reader.spec.compile()
        links, reader.poses = links_at(model, model.q()), {None: np.eye(4)}
        for name, body in zip(model.names, model.bodies, strict=True):
            R, x = links["R"][body["link"]], links["x"][body["link"]]
            E = np.eye(4)
            E[:3, :3], E[:3, 3] = R @ body["R_lb"], x + R @ body["p_lb"]
            reader.poses[name] = E
    return reader.poses


def in_order(
    reader: Reader, element: Element, points: Sequence[Point | MovingPoint | ConditionalPoint], pieces: list
) -> list[list[Surface]]:
    """The pieces with their surfaces in the order in which the path meets them; reports what cuts each other."""
    if max(map(len, pieces), default=0) < 2:
        return pieces
    poses = default_poses(reader)
    places = [_place(reader, point, poses) for point in points]
    made = []
    for (a, b), surfaces in zip(pairwise(places), pieces, strict=True):
        made.append(sorted(surfaces, key=lambda one: _met(one, poses[one.body] @ one.frame(), a, b)))
        for one, other in combinations(made[-1], 2):
            if _cut(one, other, poses, a, b):
                reader.note(
                    element,
                    f"at the default pose a {type(one).__name__} and a {type(other).__name__} of its path cut each "
                    "other; where the path slips between them its length is not the shortest",
                )
    return made


def _place(reader: Reader, point: "Point | MovingPoint | ConditionalPoint", poses: dict) -> np.ndarray:
    """Place of a path point in the world."""
    if isinstance(point, MovingPoint):
        frame = poses[point.body] if point.frame is None else poses[point.body] @ point.frame
        names = [point.coordinate] * 3 if isinstance(point.coordinate, str) else point.coordinate
        values = [0.0 if name is None else reader.spec.coordinates[name].default for name in names]
        x = [float(f(q)) if isinstance(f, Motion) else float(f) for f, q in zip(point.place, values, strict=True)]
        return frame[:3, :3] @ x + frame[:3, 3]
    body, place = (point.body, point.place) if isinstance(point, ConditionalPoint) else point
    return poses[body][:3, :3] @ np.asarray(place) + poses[body][:3, 3]


def _nearest(surface: Surface, E: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(s, z): where the line from a (s = 0) to b (s = 1) is nearest to a surface, and at which height of its axis."""
    along, axis, centre = b - a, E[:3, 2], E[:3, 3]
    square, slope = along @ along, along @ axis
    s = float((centre - a) @ along / square) if square > 0 else 0.0
    if isinstance(surface, Cylinder) and square - slope * slope > 1e-6 * square:
        s = float((centre - a) @ (along - slope * axis) / (square - slope * slope))
    return s, float((a + s * along - centre) @ axis)


def _met(surface: Surface, E: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """How far along the line from a to b a surface is, 0 to 1."""
    return _nearest(surface, E, a, b)[0]


def _cut(one: Surface, other: Surface, poses: dict, a: np.ndarray, b: np.ndarray) -> bool:
    """True if a place on one surface, near the line from a to b, is inside the other."""
    E, F = poses[one.body] @ one.frame(), poses[other.body] @ other.frame()
    x = _on_surface(one, _nearest(one, E, a, b)[1]) @ E[:3, :3].T + E[:3, 3]
    return any(other.gap(y) < 0 for y in (x - F[:3, 3]) @ F[:3, :3])


def _on_surface(surface: Surface, height: float) -> np.ndarray:
    """Places on a surface, of a cylinder about a height of its axis. (n, 3)"""
    k = np.arange(SAMPLES) + 0.5
    turn, z = np.pi * (1 + np.sqrt(5)) * k, 1 - 2 * k / SAMPLES
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    ball = np.sqrt(1 - z * z)[:, None] * ring + z[:, None] * [0, 0, 1]
    kind, pose, sizes = type(surface).solids(np.array(surface.shape()))[0]
    if kind == "ball":
        x = ball * sizes
    elif kind == "cylinder":
        x = sizes[0] * ring + (height + sizes[0] * z)[:, None] * [0, 0, 1]
    else:
        x = (sizes[0] + sizes[1] * np.cos(7 * turn))[:, None] * ring
        x[:, 2] = sizes[1] * np.sin(7 * turn)
    return x @ pose[:3, :3].T + pose[:3, 3]
