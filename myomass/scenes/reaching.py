"""An arm that reaches: shoulder of three degrees of freedom, elbow of one, three heads of deltoid and of triceps.

After Y. Wang, Inertial Musculotendons, 2022, section 6.2.11: torques of the joints move the hand to a target, and the
muscles, placed by hand, go along with their mass. World: x forward, y left, z up, from the right shoulder; at zero the
arm hangs. Lengths, masses, centres and moments of upper arm, forearm and hand are those of P. de Leva, J. Biomech.
29:1223, 1996, for a man of 1.741 m and 73 kg. The deltoid runs over a capsule that is the head and the shaft of the
humerus, the triceps over a cylinder across the elbow of the radius that arm26.osim has there (see elbow.py). Volumes of
both muscles are those of K. Holzbaur, W. Murray, G. Gold and S. Delp, J. Biomech. 40:742, 2007 (not checked against the
print), in equal parts; the upper arm loses what they weigh. Places of their ends are estimates.
"""

import numpy as np

from ..adjoint.tasks import Near, Reach
from ..forces import JointLimit, JointSpring
from ..human.figure import human_figure
from ..joints import Fixed, Joint, Revolute, SphericalExp
from ..model import Shape, Spec
from ..muscles.wrapping import CappedCylinder, Cylinder
from ..spatial import Inertia, rotation, translation
from .base import Scene
from .looks import BONE

Place = tuple[float, float, float]

HEIGHT, MASS = 1.741, 73.0  # [m], [kg]
GRAVITY = (0.0, 0.0, -9.81)
DENSITY = 1060.0  # of muscle [kg/m^3]
VOLUMES = {"deltoid": 380.5e-6, "triceps": 372.1e-6}  # [m^3]
HEAD, SHAFT = 0.026, 0.10  # of the humerus: radius, and length below the shoulder [m]
LENGTHS = {"upper_arm": 0.2817, "forearm": 0.2689}  # as drawn [m]
ELBOW = 0.016  # radius of the cylinder across it [m]
DELTOID = {  # origin on the girdle; insertion on the humerus, from the shoulder; the side that it passes
    "deltoid anterior": ((0.035, 0.015, 0.025), (0.008, -0.028, -0.13), (0.05, -0.1, 0.0)),
    "deltoid middle": ((0.0, -0.015, 0.038), (0.0, -0.030, -0.135), (0.0, -0.1, 0.0)),
    "deltoid posterior": ((-0.035, -0.01, 0.025), (-0.008, -0.028, -0.13), (-0.05, -0.1, 0.0)),
}
TRICEPS = {  # origin on the girdle (long head) or on the humerus, from the shoulder; y of the insertion
    "triceps long": ((-0.025, 0.02, -0.03), 0.0),
    "triceps lateral": ((-0.022, -0.012, -0.10), -0.006),
    "triceps medial": ((-0.02, 0.008, -0.16), 0.006),
}
OLECRANON = -0.022, 0.005  # x and z, from the elbow [m]
RANGE = 0.0, 2.4  # of the elbow [rad]
START = 0.0, 0.0, 0.0, 0.5  # the elbow is bent a little [rad]
TARGET = 0.35, 0.10, 0.0  # of the hand [m]


def reaching_arm() -> Scene:
    """The arm hangs with its elbow bent; its hand must be ahead of the shoulder after a second."""
    spec, figure = Spec("reaching-arm", GRAVITY), human_figure(HEIGHT, MASS)
    joints: dict[str, Joint] = {"upper_arm": SphericalExp(), "forearm": Revolute((0, -1, 0)), "hand": Fixed()}
    parent = None
    for name, joint in joints.items():
        part = figure.bodies[f"{name}_r"]
        place = part.E_pj if parent else None
        inertia = part.inertia
        if name == "upper_arm":
            left = 1.0 - DENSITY * sum(VOLUMES.values()) / inertia.mass
            inertia = Inertia(left * inertia.mass, tuple(left * np.array(inertia.moments)))
        centre = part.E_jb[:3, 3]
        shapes = part.shapes
        if name in LENGTHS:
            shapes = [Shape.rod(-centre, (0.0, 0.0, -LENGTHS[name]) - centre, 0.011, colour=BONE)]
        spec.add_body(name, parent, joint, place, part.E_jb, inertia, shapes=shapes, colour=part.colour)
        parent = name
    for name, damping in (("upper_arm", 2.0), ("forearm", 1.0)):
        spec.add_force(JointSpring(name, damping=damping))
    spec.add_force(JointLimit("forearm", *RANGE, stiffness=50.0, damping=1.0, transition=0.05))
    _add_deltoid(spec)
    _add_triceps(spec)
    text = "An arm with mass in its deltoid and triceps, whose hand must reach a target by torques of its joints."
    run = {"conservative": False, "task": 1e4 * Reach("hand", target=TARGET) + 1e-3 * Near("tau")}
    return Scene("reaching-arm", text, spec, np.array(START), np.zeros(4), 1.0, 0.01, "bdf2", **run)


def _add_deltoid(spec: Spec) -> None:
    """Three heads over the capsule about the humerus, whose upper cap is about the shoulder."""
    shoulder = -spec.bodies["upper_arm"].E_jb[:3, 3]  # in the upper arm's frame
    capsule = translation(*(shoulder - (0.0, 0.0, 0.5 * SHAFT)))
    for name, (origin, insertion, side) in DELTOID.items():
        surface = CappedCylinder("upper_arm", capsule, radius=HEAD, length=SHAFT, side=side)
        ends = [(None, origin), ("upper_arm", tuple((insertion + shoulder).tolist()))]
        _add_head(spec, name, ends, surface)


def _add_triceps(spec: Spec) -> None:
    """Three heads over the cylinder across the elbow."""
    upper, forearm = spec.bodies["upper_arm"], spec.bodies["forearm"]
    shoulder, elbow = -upper.E_jb[:3, 3], -forearm.E_jb[:3, 3]
    across = translation(*(shoulder + forearm.E_pj[:3, 3])) @ rotation((1, 0, 0), np.pi / 2)
    for name, (origin, y) in TRICEPS.items():
        surface = Cylinder("upper_arm", across, radius=ELBOW, side=(-0.1, 0.0, 0.0))
        held = (None, origin) if name == "triceps long" else ("upper_arm", tuple((origin + shoulder).tolist()))
        x, z = OLECRANON
        _add_head(spec, name, [held, ("forearm", tuple((elbow + (x, y, z)).tolist()))], surface)


def _add_head(spec: Spec, name: str, ends: list[tuple[str | None, Place]], surface: CappedCylinder | Cylinder) -> None:
    """A head with a third of its muscle's mass, spread along its path."""
    mass = DENSITY * VOLUMES[name.split()[0]] / 3
    spec.add_muscle(name, mass, ends, [surface], distribution="continuous")
