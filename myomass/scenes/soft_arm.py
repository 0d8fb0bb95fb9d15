"""An arm in soft flesh: two bones and an elbow, a sleeve of finite elements around both, and a muscle with mass.

The sleeve is at rest with the elbow half bent, in the plane of x and z, y being the elbow's axis. Its nodes close to
a bone ride on it, except near the elbow, where flesh is free of the bones. A Hill muscle with mass runs from the
upper arm over a ball in the elbow to the forearm. The forearm sinks until the muscle is excited and bends
it, and sinks again; flesh is squeezed in the crook, stretched over the point, and swings after.
"""

from functools import cache

import numpy as np

from ..deformables import SoftBody, StableNeoHookean, TetMesh
from ..forces import JointLimit, JointSpring
from ..joints import Revolute
from ..model import Shape, Spec
from ..muscles.hill.spec import Hill
from ..muscles.spec import Belly
from ..muscles.wrapping import Sphere
from ..spatial import Inertia, rotation, translation
from ..spatial.motion import Motion
from .base import Scene
from .looks import BONE

UPPER, FORE, BENT = 0.29, 0.25, np.deg2rad(40.0)  # lengths of the bones [m], angle of the elbow in which flesh rests
BONES = 0.012  # radius of a bone [m]
SHOULDER, ELBOW, WRIST = 0.050, 0.041, 0.027  # radii of the arm [m]
COARSE, FINE, MARGIN = 0.040, 0.009, 0.005  # spacing of the cage and of the surface; between them [m]
NEAR, OFF = 0.023, 0.055  # nodes so near to a bone ride on it, if they are so far off the elbow [m]
FLESH = StableNeoHookean(youngs=2e4, poisson=0.4, density=1050.0)
BALL = 0.018  # radius of what the muscle runs over at the elbow [m]
SKIN = (0.87, 0.66, 0.55)
EXCITATION = Motion.linear([0.3, 0.4, 0.6, 0.7], [0.02, 0.25, 0.25, 0.02])
ENDS = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, -UPPER), (FORE * np.sin(BENT), 0.0, -UPPER - FORE * np.cos(BENT))])
ENDS_OF_THE_FLEXOR = [("upper arm", (BONES, 0.0, 0.5 * UPPER - 0.06)), ("forearm", (BONES, 0.0, 0.5 * FORE - 0.035))]
DURATION, H = 1.2, 5e-3  # [s]


def soft_arm() -> Scene:
    """The arm is let go half bent, and its muscle flexes it."""
    spec, excitation = Spec("soft-arm", (0.0, 0.0, -9.81)), {"flexor": EXCITATION}
    add_bones(spec)
    add_flexor(spec)
    mesh = sleeve()
    spec.add_soft_body(
        "flesh", SoftBody(mesh, FLESH, stiffness_damping=0.02), riders(mesh), surface=skin(), colour=SKIN
    )
    ndof = spec.compile().ndof
    text = "A Hill muscle with mass flexes an elbow in a sleeve of soft flesh."
    run = {"conservative": False, "excitation": excitation, "activation": 0.02}
    return Scene("soft-arm", text, spec, np.zeros(ndof), np.zeros(ndof), DURATION, H, "bdf2", 202, **run)


def add_bones(spec: Spec) -> None:
    """Add upper arm and forearm: a shoulder that is held softly, and an elbow that bends forwards."""
    bent = translation(0, 0, -UPPER) @ rotation((0, -1, 0), BENT)
    bones = (("upper arm", None, (0, 1, 0), np.eye(4), UPPER), ("forearm", "upper arm", (0, -1, 0), bent, FORE))
    for name, parent, axis, place, length in bones:
        rod = [Shape.rod((0, 0, 0.5 * length), (0, 0, -0.5 * length), BONES, colour=BONE)]
        bone = Inertia.cylinder(BONES, length, density=1900.0)
        spec.add_body(name, parent, Revolute(axis), place, translation(0, 0, -0.5 * length), bone, shapes=rod)
    spec.add_force(JointSpring("upper arm", stiffness=40.0, damping=2.0))
    spec.add_force(JointSpring("forearm", damping=0.02))
    spec.add_force(JointLimit("forearm", -BENT, np.deg2rad(70.0), stiffness=20.0, damping=0.5, transition=0.05))


def add_flexor(spec: Spec) -> None:
    """Add the muscle, from the front of the upper arm over the ball to the forearm."""
    ball = Sphere("upper arm", translation(0, 0, -0.5 * UPPER), radius=BALL, side=(BALL, 0.0, 0.0))
    belly = Belly(0.0, 0.62, continuous=True)
    hill = Hill(optimal_force=800.0, optimal_fibre_length=0.11, tendon_slack_length=0.14)
    spec.add_muscle("flexor", 0.25, ENDS_OF_THE_FLEXOR, [ball], distribution=belly, actuator=hill)


def distance(places: np.ndarray) -> np.ndarray:
    """About the distance of places (k, 3) from the skin, negative inside [m]: two melted rods. (k,)"""
    radii, rods = (SHOULDER, ELBOW, WRIST), []
    for k in range(2):
        way = ENDS[k + 1] - ENDS[k]
        along = np.clip((places - ENDS[k]) @ way / (way @ way), 0.0, 1.0)
        radius = radii[k] + (radii[k + 1] - radii[k]) * along
        rods.append(np.linalg.norm(places - ENDS[k] - along[:, None] * way, axis=1) - radius)
    nearest, soft = np.minimum(*rods), 0.016
    return nearest - soft * np.log(sum(np.exp((nearest - rod) / soft) for rod in rods))


def _filled(spacing: float, margin: float) -> TetMesh:
    """The arm, larger by a margin all around, in tetrahedra."""
    reach = SHOULDER + 2.0 * margin + 0.01
    return TetMesh.fill_distance(
        lambda x: distance(x) - margin, ENDS.min(axis=0) - reach, ENDS.max(axis=0) + reach, spacing
    )


@cache
def sleeve() -> TetMesh:
    """The coarse mesh around bones and skin."""
    return _filled(COARSE, MARGIN)


@cache
def skin() -> tuple[np.ndarray, np.ndarray]:
    """(vertices (k, 3) [m], triangles (f, 3)) of the fine surface."""
    filled = _filled(FINE, 0.0)
    used, faces = np.unique(filled.surface, return_inverse=True)
    return filled.nodes[used], faces.reshape(-1, 3)


def riders(mesh: TetMesh) -> dict[str, np.ndarray]:
    """The nodes that ride on each bone: those close to it and not close to the elbow."""
    far, found = np.linalg.norm(mesh.nodes - ENDS[1], axis=1) > OFF, {}
    for k, name in enumerate(("upper arm", "forearm")):
        way = ENDS[k + 1] - ENDS[k]
        along = np.clip((mesh.nodes - ENDS[k]) @ way / (way @ way), 0.0, 1.0)
        found[name] = far & (np.linalg.norm(mesh.nodes - ENDS[k] - along[:, None] * way, axis=1) < NEAR)
    return found
