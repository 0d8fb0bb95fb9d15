"""A leg with a spline knee that its muscles swing, after Y. Wang, Inertial Musculotendons, 2022, section 6.2.10.

The thigh is held. Rectus femoris and semimembranosus are excited by hand, one after the other, so that the knee extends
and then flexes; the gastrocnemii at a low level; soleus and tibialis anterior by a proportional controller that holds
the ankle. Bones are those of gait10dof18musc.osim (A. Seth), paths and muscles those of gait2392 (S. Delp, J. Loan, M.
Hoy, F. Zajac, E. Topp, J. Rosen, D. Thelen, F. Anderson, A. Seth), both CC BY 3.0, after S. Delp et al., IEEE Trans.
Biomed. Eng. 37:757, 1990. Own: surfaces instead of points that come and go with the knee's angle, at the same places;
the tuberosity of the tibia, the place of a patella on the way being a longer tendon; where bellies begin and end;
the origins of the gastrocnemii are moved outwards onto the condyle.

Masses of muscles have the ratios of those of S. Ward et al., Clin. Orthop. Relat. Res. 467:1074, 2009 (not checked
against the print); those of the shank have a share of its mass.
"""

from typing import NamedTuple

import numpy as np

from ..forces import JointLimit, JointSpring
from ..joints import Fixed, Joint, Revolute
from ..model import Shape, Spec
from ..muscles.hill.reflex import Reflex
from ..muscles.hill.spec import Hill
from ..muscles.spec import Belly
from ..muscles.wrapping import Cylinder
from ..spatial import Inertia, rotation, translation
from ..spatial.motion import Motion
from .base import Scene
from .knee import BEHIND, BENT, FRONT, SEGMENT, Contact, Z, contact, spline_knee, table, tibia_in_femur
from .looks import BONE

Place = tuple[float, float, float]

GRAVITY = (0.0, -9.80665, 0.0)
HIP = (-0.0707, -0.0661, 0.0835)  # in the pelvis [m]
ANKLE = (0.0, -0.43, 0.0)  # in the tibia
HEEL, TOES = (-0.04877, -0.04195, 0.00792), (0.1788, -0.002, 0.00108)  # frames of calcaneus and toes, one in the other
SHANK = 3.7075, (0.0, -0.1867, 0.0), (0.0504, 0.0051, 0.0511)  # mass, centre, moments; then talus, calcaneus, toes
FOOT = (
    (0.1, (0.0, 0.0, 0.0), (0.001, 0.001, 0.001)),
    (1.25, (0.1, 0.03, 0.0), (0.0014, 0.0039, 0.0041)),
    (0.2166, (0.0346, 0.006, -0.0175), (0.0001, 0.0002, 0.0001)),
)
ACHILLES = (0.0, 0.031, -0.0053)  # in the calcaneus
PATELLA, TUBEROSITY = (0.0365695, 0.0249184, 0.0014), (0.039, -0.082, 0.0)  # in the tibia; the former at 60 degrees
GROOVE = (0.0334, -0.403)  # of the femur, over which the quadriceps runs: the surface in front passes through it


class Part(NamedTuple):
    """A muscle: mass [kg] that sets the ratios, numbers, belly, and points by the bone in whose frame they are."""

    ratio: float
    force: float
    fibre: float
    tendon: float
    pennation: float
    belly: tuple[float, float]
    points: tuple[tuple[str, Place], ...]


LIGAMENT = float(np.linalg.norm(np.subtract(PATELLA, TUBEROSITY)))  # from where the published path ends [m]
PARTS = {
    "rectus femoris": Part(
        *(0.1106, 1169.0, 0.114, 0.31 + LIGAMENT, 0.08726646, (0.1, 0.65)),
        (("pelvis", (-0.0295, -0.0311, 0.0968)), ("tibia", TUBEROSITY)),
    ),
    "semimembranosus": Part(
        *(0.1343, 1288.0, 0.08, 0.359, 0.26179939, (0.25, 0.85)),
        (("pelvis", (-0.1192, -0.09747, 0.07151)), ("tibia", (-0.027, -0.04771, -0.01957))),
    ),
    "gastrocnemius medial": Part(
        *(0.1135, 1558.0, 0.06, 0.39, 0.29670597, (0.05, 0.55)),
        (("condyle", (-0.019, -0.3929, -0.0235)), ("calcaneus", ACHILLES)),
    ),
    "gastrocnemius lateral": Part(
        *(0.0622, 683.0, 0.064, 0.38, 0.13962634, (0.05, 0.5)),
        (("condyle", (-0.022, -0.3946, 0.0272)), ("calcaneus", ACHILLES)),
    ),
    "soleus": Part(
        *(0.2758, 3549.0, 0.05, 0.25, 0.43633231, (0.0, 0.75)),
        (("tibia", (-0.0024, -0.1533, 0.0071)), ("calcaneus", ACHILLES)),
    ),
    "tibialis anterior": Part(
        *(0.0801, 905.0, 0.098, 0.223, 0.08726646, (0.0, 0.6)),
        (
            *(("tibia", (0.0179, -0.1624, 0.0115)), ("tibia", (0.0329, -0.3951, -0.0177))),
            ("calcaneus", (0.1166, 0.0178, -0.0305)),
        ),
    ),
}
ON_THE_SHANK = ("gastrocnemius medial", "gastrocnemius lateral", "soleus", "tibialis anterior")
EXCITATION = {
    "rectus femoris": Motion.linear([0.2, 0.3, 0.75, 0.85], [0.02, 0.5, 0.5, 0.02]),
    "semimembranosus": Motion.linear([0.95, 1.05, 1.5, 1.6], [0.02, 0.3, 0.3, 0.02]),
    **dict.fromkeys(ON_THE_SHANK[:2], 0.05),
    **dict.fromkeys(ON_THE_SHANK[2:], 0.1),  # and what the controller adds
}
GAIN = 3.0  # of the ankle's controller: excitation [1/rad]


def spline_knee_leg(knee: str = "spline", hip: float = 0.8, share: float = 0.3) -> Scene:
    """A shank and a foot swung by six muscles from a thigh that is held, flexed by `hip` [rad].

    knee: "spline", which follows the tibia's published motion, or "revolute", a hinge where the epicondyles are in the
    stretched knee. share: the part of the shank's mass that is in its four muscles.
    """
    spec, shapes = Spec("spline-knee", GRAVITY), contact()
    turn = knee_turn(knee)
    spec.add_body("thigh", None, Fixed(), rotation(Z, hip), shapes=_femur(shapes))
    spec.add_body("shank", "thigh", *_knee(knee), None, _shank(share), shapes=_tibia(shapes))
    spec.add_body("foot", "shank", Revolute(Z), translation(*ANKLE), None, _foot_inertia(), shapes=_foot())
    heaviness = share * SHANK[0] / sum(PARTS[name].ratio for name in ON_THE_SHANK)
    for name, part in PARTS.items():
        _add_muscle(spec, name, part, heaviness * part.ratio)
    for muscle, gain in (("soleus", GAIN), ("tibialis anterior", -GAIN)):
        spec.add_reflex(Reflex(muscle, source="foot", gain=gain), f"ankle to {muscle}")
    spec.add_force(JointLimit("shank", 0.0, BENT / turn, 200.0 * turn**2, transition=0.05))
    spec.add_force(JointSpring("shank", damping=0.2 * turn**2))
    spec.add_force(JointSpring("foot", damping=0.1))
    text = f"Hill muscles with mass extend and flex a {knee} knee, and a controller holds the ankle."
    run = {"rtol": 1e-6, "conservative": False, "activation": 0.02, "excitation": dict(EXCITATION)}
    start = np.array([hip / turn, 0.0])
    return Scene("spline-knee", text, spec, start, np.zeros(2), 2.0, 1e-3, "recursive", **run)


def knee_turn(knee: str) -> float:
    """Flexion of the knee with its coordinate [rad]: the spline's counts segments."""
    if knee not in ("spline", "revolute"):
        raise ValueError(f'spline-knee: knee is "spline" or "revolute", not {knee!r}')
    return SEGMENT if knee == "spline" else 1.0


def _knee(knee: str) -> tuple[Joint, np.ndarray]:
    """The joint from the femur's frame to the tibia's, and its place there."""
    if knee == "spline":
        return spline_knee(), np.eye(4)
    return Revolute((0.0, 0.0, -1.0)), tibia_in_femur(0.0, table(0.0))


def _shank(share: float) -> Inertia:
    """What is left of the shank beside its muscles, in the tibia's frame."""
    if not 0 <= share < 1:
        raise ValueError(
            f"spline-knee: share, of the shank's mass that is in muscles, is from 0 to below 1, not {share!r}"
        )
    mass, centre, moments = SHANK
    left = Inertia((1 - share) * mass, tuple((1 - share) * x for x in moments))
    return Inertia.composite([(left, translation(*centre))])


def _foot_inertia() -> Inertia:
    """Talus, calcaneus and toes as one, in the ankle's frame."""
    frames = [np.zeros(3), np.array(HEEL), np.add(HEEL, TOES)]
    bones = zip(FOOT, frames, strict=True)
    return Inertia.composite(
        [(Inertia(mass, moments), translation(*(x + centre))) for (mass, centre, moments), x in bones]
    )


def _add_muscle(spec: Spec, name: str, part: Part, mass: float) -> None:
    """A muscle with its wrapping surface, if it has one."""
    shapes = contact()
    points = [_point(spec, bone, place) for bone, place in part.points]
    wrap = None
    if name == "rectus femoris":
        radius = float(np.hypot(*(np.array(GROOVE) - shapes.front)))
        wrap = [_roller(shapes.front, radius, 1.0)]
    elif name.startswith("gastrocnemius"):
        wrap = [_roller(shapes.behind, BEHIND, -1.0)]
    best = part.tendon + part.fibre * np.cos(part.pennation)  # length of the path where the fibre is at its best
    belly = Belly(*part.belly, continuous=True, tendon="inextensible", length=best)
    hill = Hill(part.force, part.fibre, part.tendon, part.pennation)
    spec.add_muscle(name, mass, points, wrap, distribution=belly, actuator=hill)


def _point(spec: Spec, bone: str, place: Place) -> tuple[str | None, Place]:
    """(body, place in its frame) of a place in a bone's frame."""
    x = np.array(place)
    if bone == "pelvis":
        return None, tuple((x - HIP).tolist())
    if bone == "condyle":  # half a millimetre outside of the surface
        out = x[:2] - contact().behind
        x[:2] += out * ((BEHIND + 5e-4) / np.hypot(*out) - 1.0)
        return "thigh", tuple(x.tolist())
    body = {"tibia": "shank", "calcaneus": "foot"}[bone]
    x = x + HEEL if bone == "calcaneus" else x
    frame = spec.bodies[body].inertia.frame
    return body, tuple((np.linalg.inv(frame) @ [*x, 1.0])[:3].tolist())


def _roller(centre: np.ndarray, radius: float, side: float) -> Cylinder:
    """A cylinder across the femur's condyles, passed in front (1) or behind (-1)."""
    return Cylinder("thigh", translation(*centre, 0.0), radius=radius, side=(side * radius, 0.0, 0.0))


# --- looks ---------------------------------------------------------------------------------------------------------


def _femur(shapes: Contact) -> list[Shape]:
    """Head, shaft and condyles."""
    top, bottom = (0.0, -0.01, 0.0), (*shapes.front, 0.0)
    rods = [Shape.rod(top, bottom, 0.014, colour=BONE), Shape.sphere(0.024, colour=BONE)]
    return [*rods, _slab(condyle(shapes), 0.035)]


def condyle(shapes: Contact, steps: int = 24) -> np.ndarray:
    """The condyle's outline in the femur's plane, counter-clockwise [m]. (n, 2)"""
    behind = np.linspace(shapes.meeting - 2.6, shapes.meeting, steps)
    front = np.linspace(shapes.meeting, shapes.meeting + 1.2, steps)
    arcs = [shapes.behind + BEHIND * _directions(behind), shapes.front + FRONT * _directions(front)]
    return np.concatenate(arcs)


def _directions(angles: np.ndarray) -> np.ndarray:
    return np.stack([np.sin(angles), -np.cos(angles)], axis=1)


def plateau(shapes: Contact) -> np.ndarray:
    """Both ends of the plateau in the tibia's plane, the one behind first [m]. (2, 2)"""
    along = np.array([np.cos(shapes.slope), np.sin(shapes.slope)])
    return np.array([0.0, shapes.height]) + np.outer([-0.025, 0.025], along)


def _tibia(shapes: Contact) -> list[Shape]:
    """Plateau and shaft, in the tibia's frame."""
    behind, front = plateau(shapes)
    outline = np.array([behind, [0.0, shapes.height - 0.045], front - [0.0, 0.02], front])
    return [_slab(outline, 0.035), Shape.rod((0.0, shapes.height - 0.03, 0.0), ANKLE, 0.012, colour=BONE)]


def _foot() -> list[Shape]:
    """Heel, instep and toes, in the ankle's frame."""
    toes = np.add(HEEL, TOES)
    ends = [
        ((0.0, 0.0, 0.0), np.add(HEEL, (0.0, 0.005, 0.0))),
        ((0.0, 0.0, 0.0), toes),
        (toes, toes + [0.06, 0.0, 0.0]),
    ]
    sole = [(np.add(HEEL, (0.0, 0.005, 0.0)), toes)]
    return [Shape.rod(a, b, 0.014, colour=BONE) for a, b in ends + sole]


def _slab(outline: np.ndarray, half: float) -> Shape:
    """A convex outline, counter-clockwise, as a body of twice a half breadth across z."""
    n = len(outline)
    vertices = np.concatenate([np.column_stack([outline, np.full(n, z)]) for z in (-half, half)])
    turn = [(k, (k + 1) % n) for k in range(n)]
    faces = [(a, b, n + b) for a, b in turn] + [(a, n + b, n + a) for a, b in turn]
    faces += [(n, n + k, n + k + 1) for k in range(1, n - 1)] + [(0, k + 1, k) for k in range(1, n - 1)]
    return Shape.mesh(vertices, np.array(faces), colour=BONE)
