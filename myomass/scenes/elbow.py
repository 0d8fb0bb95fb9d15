"""An arm that bends its elbow: upper arm and forearm, and the six large muscles across the elbow.

Bones, paths and muscles of arm26.osim, whose axes (x forwards, y up, z to the right) are kept: the OpenSim development
team (J. Reinbolt, A. Seth, A. Habib, S. Hamner), adapted from a model by K. Holzbaur; CC BY 3.0; published as
K. Holzbaur, W. Murray and S. Delp, Ann. Biomed. Eng. 33:829, 2005. Its wraps at the shoulder are left out, and its
muscles are Millard's here. Where bellies begin and end is an estimate. Their masses are 1060 kg/m^3 times the volumes
of K. Holzbaur, W. Murray, G. Gold and S. Delp, J. Biomech. 40:742, 2007 (not checked against the print), shared among
heads by F0 l0; the upper arm loses what they weigh.
"""

from typing import NamedTuple

import numpy as np

from ..forces import JointLimit, JointSpring
from ..joints import Revolute
from ..model import Shape, Spec
from ..muscles.hill.spec import Hill
from ..muscles.spec import Belly
from ..muscles.wrapping import Cylinder
from ..spatial import Inertia, rotation, translation
from ..spatial.motion import Motion
from .base import Scene
from .looks import BONE

Place = tuple[float, float, float]

SHOULDER, SHOULDER_AXIS = (-0.017545, -0.007, 0.17), (-0.05889802, 0.0023, 0.99826136)
ELBOW, ELBOW_AXIS = (0.0061, -0.2904, -0.0123), (0.04940001, 0.03660001, 0.99810825)
MASSES = {"upper arm": 1.864572, "forearm": 1.534315}  # with the muscles [kg]
CENTRES = {"upper arm": (0.0, -0.180496, 0.0), "forearm": (0.0, -0.181479, 0.0)}  # in the bones' frames [m]
MOMENTS = {"upper arm": (0.01481, 0.004551, 0.013193), "forearm": (0.019281, 0.001571, 0.020062)}  # [kg m^2]
ROLLER = (0.0028, -0.2919, -0.0069), (-0.14015, -0.00628319, 0.154985), 0.016  # place, x-y-z angles, radius
RANGE = 0.0, 2.26892803  # of the elbow [rad]
DENSITY = 1060.0  # of muscle [kg/m^3]
VOLUMES = {"triceps": 372.1e-6, "biceps": 143.7e-6, "brachialis": 143.7e-6}  # [m^3]


class Head(NamedTuple):
    """One muscle: its numbers, where its belly begins and ends, and its points on trunk, upper arm and forearm."""

    group: str
    force: float
    fibre: float
    tendon: float
    pennation: float
    belly: tuple[float, float]
    trunk: tuple[Place, ...]
    upper: tuple[Place, ...]
    forearm: Place


OLECRANON, RADIUS = (-0.0219, 0.01046, -0.00078), (0.00751, -0.04839, 0.02179)
DORSAL = (-0.03184, -0.22637, -0.01217), (-0.01743, -0.26757, -0.01208)  # that all heads of the triceps run through
HEADS = {
    "triceps long": Head(
        *("triceps", 798.52, 0.134, 0.143, 0.20943951, (0.05, 0.8)),
        ((-0.05365, -0.01373, 0.14723),),
        ((-0.02714, -0.11441, -0.00664), *DORSAL),
        OLECRANON,
    ),
    "triceps lateral": Head(
        *("triceps", 624.3, 0.1138, 0.098, 0.15707963, (0.0, 0.7), ()),
        ((-0.00599, -0.12646, 0.00428), (-0.02344, -0.14528, 0.00928), *DORSAL),
        OLECRANON,
    ),
    "triceps medial": Head(
        *("triceps", 624.3, 0.1138, 0.0908, 0.15707963, (0.0, 0.7), ()),
        ((-0.00838, -0.13695, -0.00906), (-0.02601, -0.15139, -0.0108), *DORSAL),
        OLECRANON,
    ),
    "biceps long": Head(
        *("biceps", 624.3, 0.1157, 0.2723, 0.0, (0.35, 0.85)),
        ((-0.039235, 0.00347, 0.14795), (-0.028945, 0.01391, 0.15639)),
        (
            *((0.02131, 0.01793, 0.01028), (0.02378, -0.00511, 0.01201), (0.01345, -0.02827, 0.00136)),
            *((0.01068, -0.07736, -0.00165), (0.01703, -0.12125, 0.00024), (0.0228, -0.1754, -0.0063)),
        ),
        RADIUS,
    ),
    "biceps short": Head(
        *("biceps", 435.56, 0.1321, 0.1923, 0.0, (0.25, 0.85)),
        ((0.004675, -0.01231, 0.13475), (-0.007075, -0.04004, 0.14507)),
        ((0.01117, -0.07576, -0.01101), (0.01703, -0.12125, -0.01079), (0.0228, -0.1754, -0.0063)),
        RADIUS,
    ),
    "brachialis": Head(
        *("brachialis", 987.26, 0.0858, 0.0535, 0.0, (0.0, 0.8), ()),
        ((0.0068, -0.1739, -0.0036),),
        (-0.0032, -0.0239, 0.0009),
    ),
}
FLEX = Motion.linear([0.1, 0.2, 0.6, 0.8, 1.4, 1.6], [0.02, 0.12, 0.12, 0.02, 0.02, 0.08])  # excitations
EXTEND = Motion.linear([0.75, 0.85, 1.1, 1.25], [0.02, 0.07, 0.07, 0.02])


def elbow_flexion() -> Scene:
    """The arm hangs by the shoulder; biceps and brachialis flex the elbow, the triceps extends it."""
    spec = Spec("elbow-flexion", (0.0, -9.80665, 0.0))
    masses = muscle_masses()
    bare = MASSES["upper arm"] - sum(masses.values())
    _add_bone(spec, "upper arm", None, (SHOULDER, SHOULDER_AXIS), bare, ELBOW)
    _add_bone(spec, "forearm", "upper arm", (ELBOW, ELBOW_AXIS), MASSES["forearm"], (0.0, -0.235, 0.03))
    for name, head in HEADS.items():
        _add_muscle(spec, name, head, masses[name])
    spec.add_force(JointSpring("upper arm", damping=0.5))
    spec.add_force(JointSpring("forearm", damping=0.1))
    spec.add_force(JointLimit("forearm", *RANGE, stiffness=50.0, transition=0.05))
    text = "Biceps and brachialis flex the elbow of a hanging arm, and the triceps extends it: Hill muscles with mass."
    run = {"rtol": 1e-6, "conservative": False, "activation": 0.02}
    run["excitation"] = {name: EXTEND if head.group == "triceps" else FLEX for name, head in HEADS.items()}
    return Scene("elbow-flexion", text, spec, np.array([0.0, 0.35]), np.zeros(2), 2.0, 1e-3, "recursive", **run)


def muscle_masses() -> dict[str, float]:
    """The mass of each head [kg]: its share, by F0 l0, of the volume of its muscle."""
    sizes = {group: sum(h.force * h.fibre for h in HEADS.values() if h.group == group) for group in VOLUMES}
    return {name: DENSITY * VOLUMES[h.group] * h.force * h.fibre / sizes[h.group] for name, h in HEADS.items()}


def _add_bone(spec: Spec, name: str, parent: str | None, joint: tuple[Place, Place], mass: float, end: Place) -> None:
    """A bone of a mass whose joint (place in the parent bone's frame, axis) is its origin, drawn as far as its end."""
    place, axis = joint
    centre = np.array(CENTRES[name])
    moments = tuple(mass / MASSES[name] * m for m in MOMENTS[name])
    rods = [Shape.rod(-centre, end - centre, 0.011, colour=BONE)]
    rods += [Shape.sphere(0.02, frame=translation(*-centre), colour=BONE)] if parent is None else []
    frames = translation(*place), translation(*centre)
    spec.add_body(name, parent, Revolute(axis), *frames, Inertia(mass, moments), shapes=rods)


def _add_muscle(spec: Spec, name: str, head: Head, mass: float) -> None:
    """A muscle, wrapped over the elbow's cylinder: the triceps behind it, the brachialis in front."""
    points = [(None, place) for place in head.trunk]
    for body, places in (("upper arm", head.upper), ("forearm", (head.forearm,))):
        points += [(body, tuple(np.subtract(place, CENTRES[body]).tolist())) for place in places]
    wrap: list[Cylinder | None] = [None] * (len(points) - 1)
    if head.group != "biceps":
        wrap[-1] = _roller((-1.0, 0.0, 0.0) if head.group == "triceps" else (1.0, 0.0, 0.0))
    best = head.tendon + head.fibre * np.cos(head.pennation)  # length of the path where the fibre is at its best
    belly = Belly(*head.belly, continuous=True, tendon="inextensible", length=best)
    hill = Hill(head.force, head.fibre, head.tendon, head.pennation)
    spec.add_muscle(name, mass, points, wrap, distribution=belly, actuator=hill)


def _roller(side: Place) -> Cylinder:
    """The cylinder across the elbow, in the upper arm's frame, with the side that a muscle passes."""
    place, angles, radius = ROLLER
    E = translation(*np.subtract(place, CENTRES["upper arm"]))
    for axis, angle in zip(np.eye(3), angles, strict=True):
        E = E @ rotation(axis, angle)
    return Cylinder("upper arm", E, radius=radius, side=tuple(radius * x for x in side))
