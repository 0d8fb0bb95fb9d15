"""What the scenes of the RedMax table are built from. It is in cm, g and s: lengths are given in cm and become SI."""

import numpy as np

from ..algorithms import forward_kinematics
from ..joints import Joint, Revolute
from ..model import Spec
from ..model.elements import Point
from ..spatial import Inertia, translation
from .base import Scene

DYN = 1e-5  # [N]; dyn/cm is 1e-3 N/m and g/s 1e-3 N s/m
CM, WATER = 0.01, 1000.0  # [m], [kg/m^3]
GRAVITY = (0.0, 0.0, -9.8)
ALONG_X, DOWN_Z, PLATE = ((10, 1, 1), (5, 0, 0)), ((1, 1, 10), (0, 0, -5)), ((10, 10, 1), (0, 0, 0))  # size, centre
X, Y, Z = np.eye(3)


def cm(x: float, y: float, z: float) -> np.ndarray:
    """Pose of a translation given in cm."""
    return translation(CM * x, CM * y, CM * z)


def add_bar(spec: Spec, parent: int | None, joint: Joint, place: tuple, bar: tuple) -> None:
    """Add the next body, a box (size and centre in cm), its joint at `place` [cm] in the parent's joint frame."""
    size, centre = bar
    name, parent = f"body{len(spec.bodies)}", None if parent is None else f"body{parent}"
    box = Inertia.cuboid(CM * np.array(size), density=WATER)
    spec.add_body(name, parent, joint, cm(*place), cm(*centre), box)


def chain(spec: Spec, joints: list[Joint], bar: tuple, step: tuple) -> None:
    """Add bodies in series, each `step` [cm] from the one before."""
    for i, joint in enumerate(joints):
        add_bar(spec, i - 1 if i else None, joint, step if i else (0, 0, 0), bar)


def scene(
    number: int | None,
    spec: Spec,
    description: str,
    q: list,
    *,
    qdot: list | None = None,
    duration: float = 2.0,
    h: float = 0.01,
    integrator: str = "recursive",
    conservative: bool = True,
    baumgarte: tuple[float, float, float] | None = None,
) -> Scene:
    """A scene of the table, run as the table runs it."""
    q = np.array(q, float)
    rates = np.zeros_like(q) if qdot is None else np.array(qdot, float)
    run = (duration, h, integrator, number, conservative, baumgarte)
    return Scene(spec.name, description, spec, q, rates, *run)


def plate_with_two_pendula(spec: Spec, joint: Joint) -> None:
    """Add a plate on a joint, with pendula swinging about y and x at two of its edges."""
    add_bar(spec, None, joint, (0, 0, 0), PLATE)
    add_bar(spec, 0, Revolute(Y), (-5, 0, 0), DOWN_Z)
    add_bar(spec, 0, Revolute(X), (0, -5, 0), DOWN_Z)


def length_at(spec: Spec, q: list, points: list[Point]) -> float:
    """Length of the line through points of bodies at q [m]: the rest length of springs that start at rest."""
    model = spec.compile()
    E = forward_kinematics(model, np.array(q, float))
    places = [x if body is None else (E[model.body(body)] @ [*x, 1.0])[:3] for body, x in points]
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
