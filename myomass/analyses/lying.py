"""On which segments a muscle lies: each of its mass points on the one whose bone is nearest.

A bone here is what a tree knows of it: the straight lines from a body's own joint to the joints of the bodies that hang
from it; from the last body of a limb, to its centre of mass and as far again.
"""

from collections.abc import Collection, Sequence

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..model import Model, Spec
from ..spatial.se3 import inverse

QUARTER = 0.25
CLOSE = 1e-6  # bones this much further are as near [m]: so both legs of a model come out alike


def bodies_along(spec: Spec, name: str) -> list[str]:
    """The bodies with mass that a muscle's path goes past: those of its points, and what joins them in the tree."""
    ways = []
    for point in spec.muscles[name].points:
        body = point.body if hasattr(point, "body") else point[0]
        ways.append(_inwards(spec, body))
    shared = set.intersection(*map(set, ways)) if ways else set()
    past = {body for way in ways for body in way} - shared
    nearest = next((body for body in ways[0] if body in shared), None) if ways else None
    past |= {nearest} if nearest else set()
    return [body for body in spec.bodies if body in past and spec.bodies[body].inertia is not None]


def _inwards(spec: Spec, body: str | None) -> list[str]:
    """A body and those between it and the world, outermost first."""
    way = []
    while body is not None:
        way.append(body)
        body = spec.bodies[body].parent
    return way


def bones(spec: Spec, model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
    """The lines that stand for each body's bone, in the world [m]. By name, (lines, 2, 3)"""
    poses, hung = forward_kinematics(model, q), {}
    for name, body in spec.bodies.items():
        own = body.E_jb if body.inertia is None else body.E_jb @ body.inertia.frame
        hung[name] = (poses[model.body(name)] @ inverse(own))[:3, 3]
    found = {}
    for name in spec.bodies:
        ends = [hung[child.name] for child in spec.bodies.values() if child.parent == name]
        ends = ends or [2.0 * poses[model.body(name)][:3, 3] - hung[name]]
        found[name] = np.array([(hung[name], end) for end in ends])
    return found


def nearest_bone(points: np.ndarray, lines: dict[str, np.ndarray], bodies: Sequence[str]) -> np.ndarray:
    """Number in `bodies` of the first one whose bone is nearest to each point (n, 3) in the world. (n,)"""
    away = np.array([np.min([_distance(points, *line) for line in lines[body]], axis=0) for body in bodies])
    return np.argmax(away <= away.min(axis=0) + CLOSE, axis=0)


def _distance(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far points are from the line between two places [m]. (n,)"""
    along, square = b - a, float((b - a) @ (b - a))
    part = np.clip((points - a) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.linalg.norm(points - a - part[:, None] * along, axis=1)


def parts(
    spec: Spec, points: np.ndarray, lines: dict[str, np.ndarray], name: str, among: Collection[str]
) -> dict[str, np.ndarray]:
    """Which of a muscle's points lie on each of the segments `among` that its path goes past. By name, (n,) flags

    A segment with less than a quarter of the points is none of the muscle's: they go to the nearest of the others.
    """
    bodies = [body for body in bodies_along(spec, name) if body in among]
    if not bodies:
        return {}
    counts = np.bincount(nearest_bone(points, lines, bodies), minlength=len(bodies))
    bodies = [body for body, n in zip(bodies, counts, strict=True) if n >= min(QUARTER * len(points), counts.max())]
    nearest = nearest_bone(points, lines, bodies)
    return {body: nearest == k for k, body in enumerate(bodies) if (nearest == k).any()}
