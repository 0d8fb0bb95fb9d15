"""Scenes of the RedMax table with forces: torques, loads, springs and dampers."""

import numpy as np

from ..forces import BodyDamping, JointSpring, JointTorque, PointForce, PointSpring, SpringDamper
from ..joints import Fixed, Revolute
from ..model import Spec
from .base import ERG, Scene
from .build import ALONG_X, CM, DYN, GRAVITY, Y, chain, length_at, scene

NO_GRAVITY = (0.0, 0.0, 0.0)


def joint_torque() -> Scene:
    """Scene 5 of the RedMax table: a planar chain of three links driven by torques."""
    spec = Spec("joint-torque", NO_GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    torques = 100 * ERG * np.array([(0, 0, 1), (0, 1, -1), (1, -1, 0)]).T  # rows: joints; columns: times
    for i, values in enumerate(torques):
        spec.add_force(JointTorque(f"body{i}", values, times=(0, 3, 6)))
    text = "A planar chain of three links without gravity, driven by torques that change at 3 and 6 s."
    return scene(5, spec, text, [0, 0, 0], duration=10.0, h=0.05, conservative=False)


def external_force() -> Scene:
    """Scene 10 of the RedMax table: three links in a viscous medium, their tip pushed by a constant force."""
    spec = Spec("external-force", NO_GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    spec.add_force(PointForce("body2", (0, 0, 1000 * DYN), point=(5 * CM, 0, 0)))
    for i in range(3):
        spec.add_force(BodyDamping(f"body{i}", linear=10 * DYN / CM, angular=10 * ERG))
    text = "Three links in a viscous medium without gravity, their tip pushed up by a constant force."
    return scene(10, spec, text, [0, 0, 0], conservative=False)


def joint_stiffness_and_damping() -> Scene:
    """Scene 11 of the RedMax table: three links on sprung and damped hinges, the first one set in motion."""
    spec = Spec("joint-stiffness-and-damping", NO_GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    for i in range(3):
        spec.add_force(JointSpring(f"body{i}", stiffness=1e4 * ERG, damping=1e3 * ERG))
    text = "Three links on sprung and damped hinges, the first one set in motion."
    return scene(11, spec, text, [0, 0, 0], qdot=[1, 0, 0], duration=5.0, h=0.02, conservative=False)


def point_to_point_springs() -> Scene:
    """Scene 23 of the RedMax table: four links, each pulled towards the next by a spring."""
    spec = Spec("point-to-point-springs", GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(4)], ALONG_X, (10, 0, 0))
    for i in range(3):
        ends = (f"body{i}", (-1 * CM, 0, 0)), (f"body{i + 1}", (5 * CM, 0, 0))
        spec.add_force(PointSpring(*ends, stiffness=100 * DYN / CM))
    bend = np.pi / 16
    return scene(23, spec, "Four links, each pulled towards the next by a spring.", [np.pi / 2, bend, bend, bend])


def spring_damper() -> Scene:
    """Scene 24 of the RedMax table: a stiff spring-damper holds the first of two links."""
    spec = Spec("spring-damper", GRAVITY)
    chain(spec, [Fixed(), Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    q = [np.pi / 2, -np.pi / 2]
    ends = ("body0", CM * np.array((-2, 0, -0.5))), ("body1", CM * np.array((1, 0.5, -0.5)))
    rest = length_at(spec, q, ends)
    spec.add_force(SpringDamper(ends, stiffness=1e6 * DYN, damping=1e3 * DYN, rest_length=rest))
    return scene(24, spec, "A stiff spring-damper holds the first of two links.", q, conservative=False)
