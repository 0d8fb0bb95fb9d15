"""A double pendulum with a muscle of its own mass: straight, through points, over a cylinder (types I to III)."""

import numpy as np

from ..joints import Revolute
from ..model import Spec
from ..muscles.wrapping import Cylinder
from ..spatial import Inertia, rotation, translation
from .base import Scene

Y = (0.0, 1.0, 0.0)
ORIGIN, INSERTION = ("upper", (0.15, 0.0, 0.3)), ("lower", (0.15, 0.05, 0.1))
GUIDES = [("upper", (0.2, 0.0, -0.3)), ("lower", (0.15, 0.0, 0.3))]


def _pendulum(name: str, text: str, points: list, wrap: list | None = None, rtol: float | None = None) -> Scene:
    """Bars of 1 m and 1 kg, and a muscle of 1 kg spread along its path."""
    spec, bar, middle = Spec(name), Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0), translation(0, 0, -0.5)
    spec.add_body("upper", None, Revolute(Y), None, middle, bar)
    spec.add_body("lower", "upper", Revolute(Y), translation(0, 0, -1), middle, bar)
    spec.add_muscle("muscle", 1.0, points, wrap, distribution="continuous")
    start = np.array([0.5, -0.3]), np.zeros(2)
    return Scene(name, text, spec, *start, duration=5.0, h=1e-3, integrator="recursive", rtol=rtol)


def straight() -> Scene:
    """A straight muscle (type I)."""
    text = "A double pendulum with a straight muscle of its own mass."
    return _pendulum("muscle-straight", text, [ORIGIN, INSERTION])


def through_points() -> Scene:
    """A muscle that runs through path points (type II)."""
    text = "A double pendulum with a muscle that slides through two path points."
    return _pendulum("muscle-path-points", text, [ORIGIN, *GUIDES, INSERTION])


def over_cylinder() -> Scene:
    """A muscle over a cylinder (type III), on which it touches down and lifts off twice in a swing."""
    across_knee = translation(0, 0, -0.5) @ rotation((1, 0, 0), np.pi / 2)
    cylinder = Cylinder("upper", across_knee, radius=0.12, side=(0.1, 0.0, 0.0))
    text = "A double pendulum with a muscle that wraps over a cylinder and lifts off again."
    return _pendulum("muscle-cylinder", text, [ORIGIN, INSERTION], [cylinder], rtol=1e-6)  # the blend is short
