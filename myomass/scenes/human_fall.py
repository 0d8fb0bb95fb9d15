"""The human figure as a passive body that falls."""

import numpy as np

from ..forces import Ground, JointLimit, JointSpring
from ..human.figure import SIDES, HumanFigure, human_figure
from .base import Scene

TRUNK = {  # points that can touch the ground, besides the figure's own [m, body's frame]
    "pelvis": [(x, y, 0.0) for x in (-0.11, 0.10) for y in (-0.08, 0.08)] + [(0.0, -0.17, 0.0), (0.0, 0.17, 0.0)],
    "thorax": [(-0.10, -0.1, 0.05), (-0.10, 0.1, 0.05), (0.11, -0.1, -0.02), (0.11, 0.1, -0.02)],
    "head": [(-0.10, 0.0, 0.02), (0.09, 0.0, -0.02), (0.0, -0.08, 0.02), (0.0, 0.08, 0.02)],
}
JOINTS = {"upper_arm": 0.0, "forearm": 0.0, "hand": 0.0, "shank": 0.05}  # distance in front of their joints [m]
FIRMNESS = {  # stiffness of the springs that stand for tissue [N m/rad]
    "abdomen": 18.0,
    "thorax": 18.0,
    "head": 4.5,
    "upper_arm": 1.8,
    "forearm": 1.2,
    "hand": 0.6,
    "thigh": 4.5,
    "shank": 2.4,
    "foot": 3.6,
}
POSE = {
    "pelvis z": 0.25,
    "pelvis turn x": 0.1,
    "pelvis turn y": 0.25,
    "hip_l flexion": 0.3,
    "knee_l flexion": 0.4,
    "knee_r flexion": 0.2,
    "shoulder flexion": 0.5,
    "shoulder abduction": 0.3,
    "elbow flexion": 0.4,
}


def fall() -> Scene:
    """A human figure that falls: springs, dampers and limits in the joints, penalty contact with the ground."""
    figure = human_figure()
    figure.name = "human-fall"
    touching = {body: list(places) for body, places in TRUNK.items()}
    for body, place in figure.points.values():
        touching.setdefault(body, []).append(place)
    for side in SIDES:
        for body, forward in JOINTS.items():
            place = (forward, 0.0, -figure.bodies[body + side].E_jb[2, 3])
            touching.setdefault(body + side, []).append(place)
    for body, places in touching.items():
        figure.add_force(Ground(body, 2e4, 400.0, 0.7, 300.0, 5e-3, points=places))
    _hold_joints(figure)
    text = "A passive human figure, dropped, falls to its knees and comes to rest on its face."
    return Scene("human-fall", text, figure, figure.pose(POSE), np.zeros(40), 1.5, 2e-3, "bdf2", conservative=False)


def _hold_joints(figure: HumanFigure) -> None:
    """Add soft springs and dampers to all joints, and stiffer ones beyond their ranges."""
    first = 6
    for name, body in figure.bodies.items():
        if name == "pelvis":
            continue
        k, last = FIRMNESS[name.removesuffix("_l").removesuffix("_r")], first + body.joint.ndof
        lower, upper = figure.ranges[first:last].T
        figure.add_force(JointSpring(name, k, 0.4 * k))
        figure.add_force(JointLimit(name, lower, upper, 50 * k, 1.5 * k, 0.02))
        first = last
