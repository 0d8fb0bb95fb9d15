"""Scenes of the RedMax table with limits, contact and friction, their bearings touching at fixed points as there."""

import numpy as np

from ..constraints import Contact, DrivenJoint, JointFriction, JointStop, Plane, Sphere
from ..joints import Fixed, Free3D, Prismatic, Revolute, SphericalExp
from ..model import Spec
from ..spatial import Inertia, rotation
from .base import Scene
from .build import ALONG_X, CM, GRAVITY, WATER, X, Y, Z, chain, cm, scene
from .redmax_constraints import GAINS, four_bar

BALL = Inertia.sphere(CM, density=WATER)


def joint_limits() -> Scene:
    """Scene 6 of the RedMax table: a double pendulum whose second joint stops at 45 degrees to either side."""
    spec = Spec("joint-limits", GRAVITY)
    chain(spec, [Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    spec.add_constraint(JointStop("body1", -np.pi / 4, np.pi / 4))
    text = "A double pendulum whose second joint stops at 45 degrees to either side."
    return scene(6, spec, text, [0, 0], integrator="euler", conservative=False, baumgarte=GAINS)


def friction_revolute() -> Scene:
    """Scene 27 of the RedMax table: a double pendulum in an inclined plane, with dry friction in its bearings."""
    spec = Spec("internal-friction-revolute", GRAVITY)
    chain(spec, [Revolute(Z), Revolute(Z)], ALONG_X, (10, 0, 0))
    spec.bodies["body0"].E_pj = rotation(X, np.pi / 4)
    for body in spec.bodies:
        spec.add_constraint(JointFriction(body, 0.6, radius=0.5 * CM, height=CM, points="fixed"))
    text = "A double pendulum in an inclined plane, with dry friction in its bearings."
    return scene(27, spec, text, [0, 0], duration=1.0, integrator="euler", conservative=False)


def friction_spherical() -> Scene:
    """Scene 28 of the RedMax table: two links on ball joints with much dry friction."""
    spec = Spec("internal-friction-spherical", GRAVITY)
    chain(spec, [SphericalExp(), SphericalExp()], ALONG_X, (10, 0, 0))
    for body in spec.bodies:
        spec.add_constraint(JointFriction(body, 5.0, radius=CM, points="fixed"))
    text = "Two links on ball joints with much dry friction."
    return scene(28, spec, text, [0] * 6, duration=1.0, integrator="euler", conservative=False)


def friction_prismatic() -> Scene:
    """Scene 29 of the RedMax table: two sliders, one on the other, on a steep slope with dry friction."""
    spec = Spec("internal-friction-prismatic", GRAVITY)
    chain(spec, [Prismatic(X), Prismatic(X)], ALONG_X, (10, 0, 0))
    spec.bodies["body0"].E_pj = rotation(Y, np.pi / 3)
    for body in spec.bodies:
        spec.add_constraint(JointFriction(body, 0.8, sides=CM * np.array((5, 0.5, 5))))
    text = "Two sliders, one on the other, on a steep slope with dry friction."
    return scene(29, spec, text, [0, 0], duration=1.0, integrator="euler", conservative=False)


def friction_four_bar() -> Scene:
    """Scene 30 of the RedMax table: a four-bar linkage falls, with dry friction in all four bearings."""
    spec, bearing = (
        Spec("internal-friction-four-bar", GRAVITY),
        {"radius": 0.5 * CM, "height": 0.5 * CM, "points": "fixed"},
    )
    four_bar(spec, (Fixed(), (0, 0, 0)), friction=0.3, **bearing)
    for i in (1, 2, 3):
        spec.add_constraint(JointFriction(f"body{i}", 0.3, **bearing))
    text = "A four-bar linkage falls, with dry friction in all four bearings."
    options = {"duration": 1.0, "h": 0.005, "integrator": "euler", "conservative": False}
    return scene(30, spec, text, [0, 0, 0], baumgarte=(5.0, 5.0, 200.0), **options)


def external_friction() -> Scene:
    """Scene 31 of the RedMax table: a double pendulum with a ball at its tip strikes a floor and slides on it."""
    spec = Spec("external-friction", GRAVITY)
    chain(spec, [Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    spec.add_body("body2", "body1", Fixed(), cm(10, 0, 0), inertia=BALL)
    for i in range(2):
        spec.add_constraint(JointFriction(f"body{i}", 0.1, radius=CM, height=CM, points="fixed"))
    floor = Plane((None, cm(0, 0, -15)))
    spec.add_constraint(Contact(Sphere("body2", CM), floor, friction=0.2, cone=False))
    text = "A double pendulum with a ball at its tip strikes a floor and slides on it."
    options = {"integrator": "euler", "conservative": False, "baumgarte": (5.0, 5.0, 10.0)}
    return scene(31, spec, text, [np.pi / 4, -np.pi / 4], **options)


def external_friction_four_bar() -> Scene:
    """Scene 33 of the RedMax table: a driven four-bar linkage that crawls over the floor."""
    spec, bearing = (
        Spec("external-friction-four-bar", GRAVITY),
        {"radius": 0.5 * CM, "height": 0.5 * CM, "points": "fixed"},
    )
    four_bar(spec, (Free3D("RT"), (0, 0, 1)), friction=0.8, **bearing)
    spec.add_body("body4", "body0", Fixed(), None, cm(-5, 0, 0), BALL)
    spec.add_body("body5", "body0", Fixed(), None, cm(5, 0, 0), BALL)
    axle = Inertia.cylinder(0.5 * CM, 5 * CM, density=WATER)
    spec.add_body("body6", "body2", Fixed(), None, rotation(X, np.pi / 2), axle)
    spec.add_body("body7", "body6", Fixed(), None, cm(0, 2.5, 0), BALL)
    spec.add_body("body8", "body6", Fixed(), None, cm(0, -2.5, 0), BALL)
    for i in (4, 5, 7, 8):
        spec.add_constraint(Contact(Sphere(f"body{i}", CM), friction=0.8, cone=False))
    for i in (1, 2, 3):
        spec.add_constraint(JointFriction(f"body{i}", 0.8, **bearing))
    spec.add_constraint(DrivenJoint("body1", velocity=-4 * np.pi))
    text = "A four-bar linkage crawls over the floor, its crank driven, on four feet with friction."
    options = {"duration": 1.0, "h": 0.005, "integrator": "euler", "conservative": False}
    return scene(33, spec, text, [0] * 9, baumgarte=(5.0, 5.0, 20.0), **options)
