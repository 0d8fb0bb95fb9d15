"""A starfish: a skeleton of 20 joints in flesh of finite elements.

After Y. Wang, Inertial Musculotendons, 2022, section 6.1.2. A disc, and four bones in each of five arms: the first on
a universal joint, which sways and lifts the arm, the others on hinges, which curl it. The first arm leads, and
nothing drives it. The joints at the roots of the next one to either side are prescribed, and of the last two the
points at their tips, as the disc sees them: each pair reaches forwards through the air and pushes back on the ground,
in turn with the other. All else, hinges and flesh, is passive. Nothing in the world holds or pulls it: it crawls by
friction alone.
"""

from collections.abc import Callable

import numpy as np

from ..constraints.driven import DrivenJoint, DrivenPoint
from ..deformables import CoRotated, SoftBody, Touch
from ..forces import JointSpring
from ..joints import Free3D, Revolute, Universal
from ..model import Shape, Spec
from ..spatial import Inertia, rotation, translation
from ..spatial.motion import Motion
from .base import Scene
from .looks import BONE
from .starfish_shape import ARMS, AXIS, SECTIONS, TURN, axis_node, cage, surface

YOUNGS, POISSON, DENSITY, VISCOSITY = 4e4, 0.4, 1050.0, 0.01  # of the flesh [Pa], [kg/m^3], [s]
GROUND = Touch(stiffness=1e6, damping=3e3, friction=0.8, sticking=1e5)
ORANGE = (0.86, 0.45, 0.26)
DURATION, H = 2.0, 5e-3  # [s]
GRAVITY = (0.0, 0.0, -9.81)
DISC, BONE_SIZE, OSSICLE = (0.038, 0.006), (0.006, 0.009), 2000.0  # radius, height; height, width [m]; density [kg/m^3]
ALONG = np.array([[0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], float)  # z outwards, x up: the joints' axes
IN_FRONT, BEHIND = {1: -1.0, 4: 1.0}, (2, 3)  # arms; of those in front the sign of a turn forwards
STIFFNESS, DAMPING = 0.01, 0.001  # of joints that are not driven [N m/rad], [N m s/rad]
LYING, PERIOD, STEPS = 0.3, 0.8, 2  # [s], [s]
SWAY, LIFT, PRESS = 0.5, 0.30, 0.30  # of the arms in front [rad]
SWING, RAISE, PUSH = 0.05, 0.03, 0.03  # of the tips behind [m]


def starfish() -> Scene:
    """It lies still for a moment, then crawls by two steps of each pair of arms."""
    spec = Spec("starfish", GRAVITY)
    add_skeleton(spec)
    add_drives(spec)
    spec.add_soft_body("flesh", flesh(), riders(), surface=surface(), touches=GROUND, colour=ORANGE)
    ndof = spec.compile().ndof
    text = "A starfish of flesh on a skeleton of 20 joints, some of them driven, crawls over the ground."
    return Scene("starfish", text, spec, np.zeros(ndof), np.zeros(ndof), DURATION, H, "bdf2", 200, conservative=False)


def flesh() -> SoftBody:
    """The cage, as heavy as what is inside of the fine surface would be."""
    vertices, faces = surface()
    a, b, c = vertices[faces].transpose(1, 0, 2)
    volume = np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0
    material = CoRotated(YOUNGS, POISSON, DENSITY * volume / cage().volume)
    return SoftBody(cage(), material, stiffness_damping=VISCOSITY)


def riders() -> dict[str, np.ndarray]:
    """The nodes of the cage that ride on each body: those on the arms' axes, at the far ends of bones."""
    nodes = {"disc": np.array([0, *(axis_node(arm, 0) for arm in range(ARMS))])}
    for arm in range(ARMS):
        nodes |= {bone(arm, k): np.array([axis_node(arm, k + 1)]) for k in range(len(SECTIONS) - 1)}
    return nodes


def bone(arm: int, number: int) -> str:
    """The name of a bone; numbers from the disc outwards."""
    return f"arm {arm} bone {number}"


def add_skeleton(spec: Spec) -> None:
    """Add the disc, free, and the bones of the arms."""
    spec.add_body(
        *("disc", None, Free3D(), translation(0, 0, AXIS), np.eye(4)),
        Inertia.cylinder(*DISC, density=OSSICLE),
        shapes=[Shape.cylinder(*DISC, colour=BONE)],
    )
    for arm in range(ARMS):
        parent, place = "disc", rotation((0, 0, 1), TURN * arm) @ ALONG @ translation(0, 0, SECTIONS[0])
        for k, length in enumerate(np.diff(SECTIONS)):
            name, joint = bone(arm, k), Revolute((0, 1, 0)) if k else Universal()
            half = translation(0, 0, 0.5 * length)
            box = Inertia.cuboid((*BONE_SIZE, length), density=OSSICLE)
            rod = Shape.rod((0, 0, -0.5 * length), (0, 0, 0.5 * length), 0.5 * BONE_SIZE[1], colour=BONE)
            spec.add_body(name, parent, joint, place, half, box, shapes=[rod])
            parent, place = name, translation(0, 0, length)


def add_drives(spec: Spec) -> None:
    """Prescribe the joints at the roots of the arms in front, the tips of those behind, and hold the others softly."""
    driven = []
    for arm, side in IN_FRONT.items():
        driven.append(bone(arm, 0))
        for component, motion in enumerate((stroke(side * SWAY, 0.0), lifting(LIFT, PRESS, 0.0))):
            spec.add_constraint(DrivenJoint(driven[-1], motion, component=component))
    half, reach = 0.5 * (SECTIONS[-1] - SECTIONS[-2]), SECTIONS[-1]
    ways = [((1, 0, 0), pull(SWING, np.pi)), ((0, 0, 1), lifting(RAISE, PUSH, np.pi))]
    for arm in BEHIND:
        place = translation(reach * np.cos(TURN * arm), reach * np.sin(TURN * arm), 0.0)
        tip = bone(arm, len(SECTIONS) - 2), (0.0, 0.0, half)
        spec.add_constraint(DrivenPoint(tip, ways, relative_to=("disc", place)))
    for name in spec.bodies:
        if name != "disc" and name not in driven:
            spec.add_force(JointSpring(name, STIFFNESS, DAMPING))


def stroke(size: float, lead: float) -> Motion:
    """Forwards and backwards between +-size; lead: phase by which it is ahead [rad]."""
    return gait(lambda phase: size * np.sin(phase + lead))


def pull(size: float, lead: float) -> Motion:
    """From where it is forwards by `size` at most, and back."""
    return gait(lambda phase: 0.5 * size * (1.0 + np.sin(phase + lead)))


def lifting(up: float, down: float, lead: float) -> Motion:
    """Up while it goes forwards, and down while it goes back."""
    return gait(lambda phase: (up if np.cos(phase + lead) > 0.0 else down) * np.cos(phase + lead))


def gait(of_phase: Callable[[float], float]) -> Motion:
    """A motion by the phase of the steps, after a while of lying still; it sets in within a quarter of a period."""
    times = PERIOD * np.arange(0.0, STEPS + 1e-9, 1.0 / 16.0)
    rise = np.clip(4.0 * times / PERIOD, 0.0, 1.0)
    values = [of_phase(2.0 * np.pi * t / PERIOD) for t in times]
    return Motion.through(LYING + times, rise * rise * (3.0 - 2.0 * rise) * values)
