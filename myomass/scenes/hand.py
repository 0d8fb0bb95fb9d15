"""A hand whose fingertips stay where they are while the elbow moves (dissertation Fig. 6.3).

The last joint of a finger (DIP) bends half as far as the one before (PIP): hyper-reduced coordinates of four fingers,
or rows in their place. The fingertips are held in maximal coordinates, the elbow's angle is prescribed in reduced ones,
and what is left, the wrist, moves passively on its springs. Lengths of bones are those of A. Buryanov and V. Kotiuk,
Proportions of hand segments, Int. J. Morphol. 28:755, 2010 (not checked against the print), masses those of de Leva's
tables; places, widths, springs and pose are choices. it is a left hand: x points forward, y away from the thumb, z up.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..algorithms import forward_kinematics
from ..constraints import Coupling, DrivenJoint, DrivenPoint
from ..forces import JointSpring
from ..human.anthropometry import SEGMENTS
from ..human.looks import SKIN, tube
from ..joints import Composite, Fixed, Revolute
from ..model import Shape, Spec
from ..spatial import Inertia, rotation, translation
from ..spatial.motion import Motion
from .base import Scene

X, Y, Z = np.eye(3)
MASS = 73.0  # of the whole body [kg]
FOREARM, HAND = SEGMENTS["male"]["forearm"], SEGMENTS["male"]["hand"]
REACH = 1e-3 * FOREARM.length  # elbow to wrist [m]
DENSITY = 1100.0  # of fingers [kg/m^3]
SLEEVE, KEY = (0.16, 0.45, 0.55), (0.25, 0.27, 0.30)  # colours
PHALANGES = ("proximal", "middle", "distal")
RADII = (9.0e-3, 8.0e-3, 7.0e-3)  # of the phalanges [m]
COUPLING = 0.5  # DIP = PIP / 2


class Finger(NamedTuple):
    """Its knuckle from the wrist, and the lengths of its phalanges [m]; how far it is spread [rad]."""

    knuckle: tuple[float, float, float]
    lengths: tuple[float, float, float]
    spread: float


FINGERS = {
    "index": Finger((0.0900, -0.0260, 0.002), (0.0398, 0.0224, 0.0158), -0.10),
    "middle": Finger((0.0880, -0.0045, 0.005), (0.0446, 0.0263, 0.0174), -0.02),
    "ring": Finger((0.0815, 0.0160, 0.003), (0.0414, 0.0257, 0.0173), 0.06),
    "little": Finger((0.0760, 0.0350, -0.002), (0.0327, 0.0181, 0.0160), 0.16),
}
LOOKS = (  # rows of (along, 0, half depth, half width) of sleeve and wrist [m], how far their ends are rounded, colour
    (
        ((-0.030, 0, 0.042, 0.044), (0.05, 0, 0.044, 0.047), (0.12, 0, 0.040, 0.042), (0.16, 0, 0.037, 0.039)),
        (0.035, 4e-3),
        SLEEVE,
    ),
    (((0.14, 0, 0.030, 0.033), (0.20, 0, 0.024, 0.029), (REACH - 0.012, 0, 0.020, 0.028)), (2e-3, 0.018), SKIN),
)
THUMB = (
    (0.020, -0.026, -0.010),
    (0.052, -0.056, -0.022),
    (0.086, -0.066, -0.030),
    (0.110, -0.062, -0.036),
)  # its joints
POSE = {"elbow": 0.10, "wrist_flexion": -0.15, "wrist_deviation": 0.0}  # at the start [rad]
BENT = {"flexion": 0.70, "PIP": 0.90}  # of every finger
SPRINGS = {"wrist": (3.0, 0.08), "proximal": (0.4, 4e-3), "middle": (0.2, 2e-3), "distal": (0.1, 1e-3)}  # N m, N m s
LIFT, PERIOD = 0.12, 2.0  # of the elbow [rad], and back again [s]


def hand(couplings: str = "reduced") -> Scene:
    """Fingertips held, the elbow lifted and lowered. couplings: DIP follows PIP "reduced", or by "rows"."""
    if couplings not in ("reduced", "rows"):
        raise ValueError(f'scene "hand": couplings are "reduced" or "rows", not {couplings!r}')
    spec = Spec("hand")
    _add_arm(spec)
    for name, finger in FINGERS.items():
        _add_finger(spec, name, finger)
    start = _start(spec)
    _hold_tips(spec, start)
    for name, (stiffness, damping) in SPRINGS.items():
        for joint in ["hand"] if name == "wrist" else [f"{finger} {name}" for finger in FINGERS]:
            rest = start[spec.compile().dof(joint)]
            spec.add_force(JointSpring(joint, stiffness, damping, rest=rest), f"{joint} spring")
    for name in FINGERS:
        if couplings == "reduced":
            spec.reduce({f"{name}_DIP": {f"{name}_PIP": COUPLING}})
        else:
            spec.add_constraint(Coupling(f"{name}_PIP", f"{name}_DIP", (0.0, COUPLING)), f"{name} coupling")
    names = spec.compile().coordinates
    q = np.array([x for name, x in zip(spec.coordinates, start, strict=True) if name in names])
    text = "A hand whose fingertips are held while its elbow moves; DIP joints bend half as far as PIP joints."
    return Scene("hand", text, spec, q, np.zeros(len(q)), PERIOD, 2e-3, "recursive", 201, conservative=False)


def _add_arm(spec: Spec) -> None:
    """The forearm on its elbow, the palm with a stiff thumb on its wrist."""
    m = 0.01 * FOREARM.mass * MASS
    moments = m * (1e-2 * REACH * np.array(FOREARM.radii)[[2, 1, 0]]) ** 2
    centre = 1e-2 * FOREARM.centre * REACH
    turn = translation(-centre, 0, 0) @ rotation(Y, 0.5 * np.pi)
    shapes = [tube(np.array(table), ends, turn, colour) for table, ends, colour in LOOKS]
    spec.add_body(
        "forearm",
        None,
        Revolute(-Y),
        E_jb=translation(centre, 0, 0),
        inertia=Inertia(m, tuple(moments)),
        shapes=shapes,
        coordinates=["elbow"],
    )
    m = 0.01 * HAND.mass * MASS - sum(
        _mass(k, length) for finger in FINGERS.values() for k, length in enumerate(finger.lengths)
    )
    middle = np.mean([finger.knuckle for finger in FINGERS.values()], axis=0)
    centre = translation(*(0.5 * middle))
    size = (middle[0], 0.080, 0.026)
    moments = m / 12 * (np.sum(np.square(size)) - np.square(size))
    shapes = [_moved(shape, translation(*(-0.5 * middle))) for shape in _palm()]
    names = ["wrist_flexion", "wrist_deviation"]
    wrist = Composite(Revolute(Y), Revolute(Z))
    place, palm = translation(REACH, 0, 0), Inertia(m, tuple(moments))
    spec.add_body("hand", "forearm", wrist, place, centre, palm, shapes=shapes, coordinates=names)


def _palm() -> list[Shape]:
    """What palm and thumb look like, from the wrist."""
    knuckles = [np.array(finger.knuckle) for finger in FINGERS.values()]
    shapes = [Shape.rod((0.004, 0.35 * x[1], 0), x, 0.0115, colour=SKIN) for x in knuckles]
    shapes += [Shape.rod(a, b, 0.0105, colour=SKIN) for a, b in pairwise(knuckles)]
    shapes += [Shape.rod(0.5 * a, 0.5 * b, 0.0115, colour=SKIN) for a, b in pairwise(knuckles)]
    radii = (0.0135, 0.0105, 0.0090)
    return shapes + [Shape.rod(a, b, r, colour=SKIN) for a, b, r in zip(THUMB, THUMB[1:], radii, strict=False)]


def _moved(shape: Shape, E: np.ndarray) -> Shape:
    """A shape in another frame."""
    return Shape(shape.kind, shape.size, frame=E @ shape.frame, colour=shape.colour)


def _mass(k: int, length: float) -> float:
    """Of a phalanx [kg]."""
    return DENSITY * np.pi * RADII[k] ** 2 * length


def _add_finger(spec: Spec, name: str, finger: Finger) -> None:
    """Three phalanges: a knuckle that bends and spreads, and two hinges."""
    parent, place = "hand", translation(*finger.knuckle) @ rotation(Z, finger.spread)
    for k, (phalanx, length) in enumerate(zip(PHALANGES, finger.lengths, strict=True)):
        bone = Inertia.cylinder(RADII[k], length, mass=_mass(k, length))
        along = translation(0.5 * length, 0, 0) @ rotation(Y, 0.5 * np.pi)
        joint = Composite(Revolute(Y), Revolute(Z)) if k == 0 else Revolute(Y)
        names = ([f"{name}_flexion", f"{name}_abduction"], [f"{name}_PIP"], [f"{name}_DIP"])[k]
        half = 0.5 * length
        end = half - RADII[k] if k == 2 else half
        look = [Shape.rod((0, 0, -half), (0, 0, end), RADII[k], colour=SKIN)]
        spec.add_body(f"{name} {phalanx}", parent, joint, place, along, bone, shapes=look, coordinates=names)
        parent, place = f"{name} {phalanx}", translation(length, 0, 0)


def _start(spec: Spec) -> np.ndarray:
    """Coordinates of all joints at the start."""
    found = dict(POSE)
    for name in FINGERS:
        found[f"{name}_flexion"], found[f"{name}_PIP"] = BENT["flexion"], BENT["PIP"]
        found[f"{name}_DIP"] = COUPLING * BENT["PIP"]
    return np.array([found.get(name, 0.0) for name in spec.coordinates])


def tip(name: str) -> tuple[str, tuple[float, float, float]]:
    """The pad of a finger, a point of its last phalanx."""
    return f"{name} distal", (RADII[2], 0.0, 0.5 * FINGERS[name].lengths[2] - RADII[2])


def _hold_tips(spec: Spec, start: np.ndarray) -> None:
    """Fingertips on keys, where they are at the start; the elbow on its way."""
    model = spec.compile()
    E = forward_kinematics(model, start)
    spec.add_constraint(DrivenJoint("elbow", position=Motion.of(elbow, 0.0, PERIOD)), "elbow")
    for name in FINGERS:
        body, point = tip(name)
        pad = (E[model.body(body)] @ [*point, 1.0])[:3]
        along = [(axis, float(axis @ pad)) for axis in (X, Y, Z)]
        spec.add_constraint(DrivenPoint((body, point), along), f"{name} tip")
        key = Shape.cuboid((0.050, 0.017, 0.012), colour=KEY)
        spec.add_body(f"{name} key", None, Fixed(), translation(pad[0] - 0.012, pad[1], pad[2] - 0.0065), shapes=[key])


def elbow(t: float) -> float:
    """The elbow's angle [rad]."""
    return POSE["elbow"] + 0.5 * LIFT * (1.0 - np.cos(2.0 * np.pi * t / PERIOD))
