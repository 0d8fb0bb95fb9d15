"""Scenes of the RedMax table that need nothing but gravity: chains, trees, and one for each kind of joint and body."""

import numpy as np

from ..joints import (
    Composite,
    Fixed,
    Free2D,
    Free3D,
    Planar,
    Prismatic,
    Revolute,
    SphericalExp,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
)
from ..model import Spec
from ..spatial import Inertia, rotation
from .base import Scene
from .build import (
    ALONG_X,
    CM,
    DOWN_Z,
    GRAVITY,
    WATER,
    X,
    Y,
    Z,
    add_bar,
    chain,
    cm,
    plate_with_two_pendula,
    scene,
)


def simpler_serial_chain() -> Scene:
    """Scene -1 of the RedMax table: a planar double pendulum, the second link bent by 45 degrees."""
    spec = Spec("simpler-serial-chain", GRAVITY)
    chain(spec, [Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    return scene(-1, spec, "A planar double pendulum, the second link bent by 45 degrees.", [np.pi / 2, np.pi / 4])


def simple_serial_chain() -> Scene:
    """Scene 0 of the RedMax table: a planar chain of five links, hinges and welds in turn."""
    spec = Spec("simple-serial-chain", GRAVITY)
    chain(spec, [Fixed() if i % 2 else Revolute(Y) for i in range(5)], ALONG_X, (10, 0, 0))
    text = "A planar chain of five links, joints alternating hinge and weld, swinging from 45 degrees."
    return scene(0, spec, text, [np.pi / 4] * 3)


def different_revolute_axes() -> Scene:
    """Scene 1 of the RedMax table: three links on hinges about z, y and z."""
    spec = Spec("different-revolute-axes", GRAVITY)
    chain(spec, [Revolute(Z), Revolute(Y), Revolute(Z)], ALONG_X, (10, 0, 0))
    return scene(1, spec, "Three links on hinges about z, y and z.", [0, np.pi / 2, np.pi / 2])


def branching() -> Scene:
    """Scene 2 of the RedMax table: a hanging bar, a cross bar and two bars swinging at its ends."""
    spec = Spec("branching", GRAVITY)
    add_bar(spec, None, Revolute(X), (0, 0, 15), DOWN_Z)
    add_bar(spec, 0, Revolute(Z), (0, 0, -10), ((1, 20, 1), (0, 0, 0)))
    add_bar(spec, 1, Revolute(X), (0, -10, 0), DOWN_Z)
    add_bar(spec, 1, Revolute(Y), (0, 10, 0), DOWN_Z)
    return scene(2, spec, "A hanging bar, a cross bar and two bars swinging at its ends.", [0, 0, np.pi / 4, np.pi / 4])


def spherical_joint() -> Scene:
    """Scene 3 of the RedMax table: a double spherical pendulum, spinning."""
    spec = Spec("spherical-joint", GRAVITY)
    chain(spec, [SphericalExp(), SphericalExp()], DOWN_Z, (0, 0, -10))
    start = [np.pi / 8, 0, 0, np.pi / 8, 0, 0]
    return scene(3, spec, "A double spherical pendulum, spinning.", start, qdot=[0, 0, 2, 0, 0, 0], duration=3.0)


def universal_joint() -> Scene:
    """Scene 14 of the RedMax table: three bars on universal joints, bent in turn about x and y."""
    spec = Spec("universal-joint", GRAVITY)
    chain(spec, [Universal() for _ in range(3)], DOWN_Z, (0, 0, -10))
    bend = np.pi / 8
    return scene(14, spec, "Three bars on universal joints, bent in turn about x and y.", [bend, 0, 0, bend, bend, 0])


def planar_joint() -> Scene:
    """Scene 16 of the RedMax table: a plate that slides in a plane carries two pendula."""
    spec = Spec("planar-joint", GRAVITY)
    plate_with_two_pendula(spec, Planar())
    return scene(16, spec, "A plate that slides in a plane carries two pendula.", [0, 0, np.pi / 2, np.pi / 4])


def translational_joint() -> Scene:
    """Scene 17 of the RedMax table: a plate that drifts without gravity, two bars spinning on it."""
    spec = Spec("translational-joint", (0.0, 0.0, 0.0))
    plate_with_two_pendula(spec, Translational())
    return scene(
        17, spec, "A plate that drifts without gravity, two bars spinning on it.", [0] * 5, qdot=[0, 0, 0, 2, 1]
    )


def free_joint() -> Scene:
    """Scene 18 of the RedMax table: a cube thrown up, turning, under little gravity."""
    spec = Spec("free-joint", (0.0, 0.0, -CM))
    add_bar(spec, None, Free3D("TR"), (0, 0, 0), ((1, 1, 1), (0, 0, 0)))
    rates = [0, 0, 3 * CM, 0.2, 0.4, 0.6]
    return scene(18, spec, "A cube thrown up, turning, under little gravity.", [0] * 6, qdot=rates, duration=7.0)


def composite_joint() -> Scene:
    """Scene 19 of the RedMax table: a bar that turns about the axis it slides along."""
    spec = Spec("composite-joint", GRAVITY)
    add_bar(spec, None, Composite(Revolute(X), Prismatic(X)), (0, 0, 0), ((1, 1, 10), (0, 0, 5)))
    return scene(19, spec, "A bar that turns about the axis it slides along.", [0.1, 0], qdot=[0, CM], h=0.02)


def spline_curve_joint() -> Scene:
    """Scene 21 of the RedMax table: a bar on a closed spline curve, between two others on hinges."""
    spec = Spec("spline-curve-joint", GRAVITY)
    places = [(-10, 0, 0), (0, 0, -2), (10, 0, 0), (0, 0, 2)]
    frames = [
        cm(*place) @ rotation(Y, angle)
        for place, angle in zip(places, np.pi * np.array([1, 0.5, 0, -0.5]), strict=True)
    ]
    add_bar(spec, None, Revolute(Y), (0, 0, 0), DOWN_Z)
    add_bar(spec, 0, SplineCurve(frames), (0, 0, -10), ALONG_X)
    add_bar(spec, 1, Revolute(Y), (10, 0, 0), ALONG_X)
    text = "A pendulum, a bar riding a closed curve of frames at its end, and a bar hinged to that."
    return scene(21, spec, text, [0, 0, 15 * np.pi / 16], h=0.005)


def spline_surface_joint() -> Scene:
    """Scene 22 of the RedMax table: a pendulum, a bar on a curved surface, and a pendulum."""
    spec = Spec("spline-surface-joint", GRAVITY)
    ramp = np.array([-1, -1 / 3, 1 / 3, 1])
    rows, columns = np.meshgrid(ramp, ramp, indexing="ij")
    bowl = 2.5 + 10 * ((np.abs(rows) == 1).astype(float) + (np.abs(columns) == 1))
    turns = np.pi / 4 * np.array([rows, rows, 0 * rows])
    control = np.concatenate([CM * np.array([15 * rows, 15 * columns, bowl]), turns])
    add_bar(spec, None, Revolute(X), (0, 0, 0), DOWN_Z)
    add_bar(spec, 0, SplineSurface(control), (0, 0, -14), DOWN_Z)
    add_bar(spec, 1, Revolute(Y), (0, 0, -10), DOWN_Z)
    return scene(22, spec, "A pendulum, a bar on a curved surface, and a pendulum.", [np.pi / 8, 0.5, 0.5, np.pi / 4])


def composite_body() -> Scene:
    """Scene 25 of the RedMax table: a pendulum made of a box and a cylinder."""
    spec = Spec("composite-body", GRAVITY)
    box = Inertia.cuboid(CM * np.array((1, 1, 10)), density=WATER)
    rod = Inertia.cylinder(CM, 10 * CM, density=WATER)
    body = Inertia.composite([(box, cm(0, 0, -5)), (rod, cm(5, 0, -10) @ rotation(Y, np.pi / 2))])
    spec.add_body("body0", None, Revolute(Y), inertia=body)
    return scene(25, spec, "A pendulum made of a box and a cylinder.", [0])


def mesh_body() -> Scene:
    """Scene 26 of the RedMax table: a double pendulum of boxes given as triangle meshes."""
    spec = Spec("mesh-body", GRAVITY)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5 * CM * np.array((1, 2, 3))
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    box = Inertia.mesh(corners, np.array(faces), density=WATER)
    for i in range(2):
        place = cm(0, 0, -3 if i else 0)
        spec.add_body(f"body{i}", f"body{i - 1}" if i else None, Revolute(Y), place, cm(0.5, 0, -1.5), box)
    return scene(26, spec, "A double pendulum of boxes given as triangle meshes.", [0, 0], duration=1.0)


def free_2d_joint() -> Scene:
    """Scene 35 of the RedMax table: a bar that moves freely in the plane and one hinged to its end."""
    spec = Spec("2d-free-joint", (0.0, -CM, 0.0))
    add_bar(spec, None, Free2D(), (0, 0, 0), ((10, 1, 1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Z), (5, 0, 0), ALONG_X)
    text = "A bar moving freely in the plane and one hinged to its end, turning against each other."
    return scene(35, spec, text, [0] * 4, qdot=[0, 0, 1, -1], duration=10.0)
