"""The scenes of RedMax's differentiable version, made for implicit integrators; nine repeat mechanisms of the table."""

import numpy as np

from ..forces import Cable, Ground, JointLimit, JointSpring, PointSpring, SpringDamper
from ..joints import Composite, Fixed, Free2D, Prismatic, Revolute, SphericalEuler, Translational
from ..model import Spec
from ..spatial import rotation
from . import redmax_trees
from .base import ERG, Scene
from .build import (
    ALONG_X,
    CM,
    DOWN_Z,
    DYN,
    GRAVITY,
    X,
    Y,
    add_bar,
    chain,
    length_at,
    plate_with_two_pendula,
    scene,
)

CUBE = ((1, 1, 1), (0, 0, 0))
AT_ONCE = 1e-13  # transition of dampers that jump, as in the stored runs


def _again(original: Scene, name: str) -> Scene:
    """A scene of the RedMax table, run for one second with BDF2 under another name."""
    original.spec.name = name
    return scene(None, original.spec, original.description, original.q, duration=1.0, integrator="bdf2")


def serial_chain() -> Scene:
    """Scene 0 of RedMax's differentiable version: the table's serial chain, with BDF2."""
    return _again(redmax_trees.simple_serial_chain(), "implicit-serial-chain")


def revolute_axes() -> Scene:
    """Scene 1 of RedMax's differentiable version: the table's hinges about different axes, with BDF2."""
    return _again(redmax_trees.different_revolute_axes(), "implicit-revolute-axes")


def branching() -> Scene:
    """Scene 2 of RedMax's differentiable version: the table's branching tree, with BDF2."""
    return _again(redmax_trees.branching(), "implicit-branching")


def prismatic_joint() -> Scene:
    """Scene 3 of RedMax's differentiable version: a sliding bar with a pendulum at its end."""
    spec = Spec("implicit-prismatic-joint", GRAVITY)
    add_bar(spec, None, Prismatic(X), (0, 0, 0), ((20, 1, 1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (-10, 0, 0), DOWN_Z)
    text = "A sliding bar with a pendulum at its end."
    return scene(None, spec, text, [0, np.pi / 2], duration=1.0, integrator="bdf2")


def planar_joint() -> Scene:
    """Scene 4 of RedMax's differentiable version: the table's scene of a planar joint, with BDF2."""
    return _again(redmax_trees.planar_joint(), "implicit-planar-joint")


def translational_joint() -> Scene:
    """Scene 5 of RedMax's differentiable version: the table's scene of a translational joint, with BDF2."""
    spec = Spec("implicit-translational-joint", (0.0, 0.0, 0.0))
    plate_with_two_pendula(spec, Translational())
    text = "A plate that drifts without gravity, two bars spinning fast on it."
    return scene(None, spec, text, [0] * 5, qdot=[0, 0, 0, -10, 10], integrator="bdf2")


def free_2d_joint() -> Scene:
    """Scene 6 of RedMax's differentiable version: a cube thrown in the plane, spinning."""
    spec = Spec("implicit-2d-free-joint", (0.0, -9.8, 0.0))
    add_bar(spec, None, Free2D(), (0, 0, 0), CUBE)
    start, rates = [-10 * CM, -10 * CM, 0], [50 * CM, 200 * CM, 20]
    text = "A cube thrown in the plane, spinning."
    return scene(None, spec, text, start, qdot=rates, duration=0.4, h=0.005, integrator="bdf2")


def spherical_joint() -> Scene:
    """Scene 7 of RedMax's differentiable version: the table's scene of a spherical joint, with BDF2."""
    spec = Spec("implicit-spherical-joint", GRAVITY)
    chain(spec, [SphericalEuler("XYZ"), SphericalEuler("XYZ")], DOWN_Z, (0, 0, -10))
    text = "A double spherical pendulum in Euler angles, which change their chart as it swings."
    start, rates = [np.pi / 8, 0, 0, np.pi / 2, 0, 0], [2, 2, 2, 0, 0, 0]
    return scene(None, spec, text, start, qdot=rates, duration=1.0, h=0.002, integrator="bdf2")


def universal_joint() -> Scene:
    """Scene 8 of RedMax's differentiable version: the table's scene of a universal joint, with BDF2."""
    return _again(redmax_trees.universal_joint(), "implicit-universal-joint")


def free_joint() -> Scene:
    """Scene 9 of RedMax's differentiable version: a cube thrown up, turning in Euler angles, under little gravity."""
    spec = Spec("implicit-free-joint", (0.0, 0.0, -CM))
    add_bar(spec, None, Composite(Translational(), SphericalEuler("XYZ")), (0, 0, 0), CUBE)
    text = "A cube thrown up, turning in Euler angles, under little gravity."
    rates = [0, 0, 3 * CM, 0.2, 0.4, 0.6]
    return scene(None, spec, text, [0] * 6, qdot=rates, duration=6.0, h=0.05, integrator="bdf2")


def closed_loop() -> Scene:
    """Scene 10 of RedMax's differentiable version: a loop closed by a stiff spring."""
    spec = Spec("spring-closed-loop", GRAVITY)
    add_bar(spec, None, Fixed(), (0, 0, 0), ((20, 1, 1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (-10, 0, 0), DOWN_Z)
    add_bar(spec, 0, Revolute(Y), (10, 0, 0), DOWN_Z)
    add_bar(spec, 1, Revolute(Y), (0, 0, -10), ((20, 1, 1), (10, 0, 0)))
    add_bar(spec, 3, Revolute(Y), (10, 0, 0), DOWN_Z)
    ends = ("body2", (0, 0, -5 * CM)), ("body3", (10 * CM, 0, 0))
    spec.add_force(PointSpring(*ends, stiffness=1e7 * DYN / CM))
    text = "A four-bar loop, closed by a very stiff spring, with a pendulum on its coupler."
    return scene(None, spec, text, [0] * 4, qdot=[0, 0, 0, 5], duration=1.0, integrator="bdf2")


def bouncing_box() -> Scene:
    """Scene 11 of RedMax's differentiable version: a box that falls on penalty ground."""
    spec = Spec("bouncing-box", (0.0, -9.8, 0.0))
    add_bar(spec, None, Free2D(), (0, 0, 0), ((3, 1, 1), (0, 0, 0)))
    viscosity = DYN / CM
    ground = Ground(
        "body0",
        stiffness=1e5 * DYN / CM,
        damping=30 * viscosity,
        friction=0.5,
        sticking=100 * viscosity,
        size=CM * np.array((3, 1, 1)),
        plane=rotation(X, -np.pi / 2),
    )
    spec.add_force(ground)
    text = "A box thrown on the ground, where it bounces, tips and comes to rest."
    start, rates = [-1 * CM, 2 * CM, 0], [5 * CM, 70 * CM, 2]
    return scene(None, spec, text, start, qdot=rates, duration=0.6, h=0.0005, integrator="bdf2", conservative=False)


def two_spring_dampers() -> Scene:
    """Scene 12 of RedMax's differentiable version: two links held up by two stiff spring-dampers."""
    spec = Spec("two-spring-dampers", GRAVITY)
    chain(spec, [Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    lines = (
        [(None, CM * np.array((-5, 0, -5))), ("body1", CM * np.array((0, 0, -2)))],
        [("body0", CM * np.array((0, 0, 2))), ("body1", CM * np.array((0, 0, 2)))],
    )
    for ends in lines:
        rest = length_at(spec, [0, 0], ends)
        spec.add_force(SpringDamper(ends, stiffness=1e6 * DYN, damping=1e3 * DYN, rest_length=rest))
    text = "Two links held up by two stiff spring-dampers."
    return scene(None, spec, text, [0, 0], duration=1.0, integrator="bdf2", conservative=False)


def cable_and_slider() -> Scene:
    """Scene 13 of RedMax's differentiable version: two links hang on a cable that runs to a sprung slider."""
    spec = Spec("cable-and-slider", GRAVITY)
    add_bar(spec, None, Fixed(), (0, 0, 0), ((0.1, 0.1, 0.1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (0, 0, 0), ALONG_X)
    add_bar(spec, 1, Revolute(Y), (10, 0, 0), ALONG_X)
    add_bar(spec, 0, Prismatic(X), (10, 0, 0), CUBE)
    spec.add_force(JointSpring("body3", stiffness=1e4 * DYN / CM, damping=1e3 * DYN / CM))
    q = [np.pi / 2, -np.pi / 2, 0]
    points = [("body3", (0, 0, 0)), *((name, CM * np.array((-4, 0, 1))) for name in ("body1", "body2"))]
    rest = length_at(spec, q, points)
    spec.add_force(Cable(points, stiffness=1e6 * DYN, damping=1e3 * DYN, rest_length=rest, transition=AT_ONCE))
    text = "Two links hang on a cable that runs to a sprung slider."
    return scene(None, spec, text, q, duration=1.0, integrator="bdf2", conservative=False)


def limited_chain() -> Scene:
    """Scene 14 of RedMax's differentiable version: a chain of three links that can bend one way only."""
    spec = Spec("limited-chain", GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    spec.bodies["body0"].E_pj = rotation(Y, np.pi / 2)
    for name in spec.bodies:
        spec.add_force(JointSpring(name, damping=100 * ERG))
        limit = {"stiffness": 1e5 * ERG, "damping": 100 * ERG, "transition": AT_ONCE}
        spec.add_force(JointLimit(name, lower=-np.pi / 2, upper=0, **limit))
    text = "A chain of three links that can bend one way only."
    start = [0, -np.pi / 6, -np.pi / 6]
    return scene(None, spec, text, start, duration=1.0, h=0.005, integrator="bdf2", conservative=False)
