"""A synthetic walking clip, so that every example and test has one: nobody was captured for it.

The centre of mass follows a smooth path: forward at a speed that is highest in double support, up and down twice a
cycle, to the side of the foot that stands; the pelvis moves so that it does, to a few Fourier terms. Feet land on their
heels, lie flat, roll over the ball and swing ahead, all of it with continuous accelerations and without slipping.
Thighs and shanks follow from hip and ankle, arms swing against the legs.
Lengths are those of a man of the mean stature in de Leva's table; amplitudes and times are round figures, chosen here.
"""

from functools import cache

import numpy as np

from ..human.anthropometry import (
    ANKLE_AT,
    BALL_AT,
    BELOW_MALLEOLUS,
    HIP,
    MALLEOLUS,
    SEGMENTS,
    SHOULDER,
    SHOULDERS,
    STATURE,
)
from ..spatial.checks import check_positive
from .bvh import Bvh
from .mocap import AXES, Capture

CYCLE, STRIDE = 1.1, 1.28  # [s], [m]: from one landing of a foot to its next
STANCE = 0.62  # part of the cycle in which a foot is on the ground
FLAT = (0.12, 0.38)  # part of the cycle at which its sole comes down, and at which it leaves
LANDING, LEAVING = np.radians(15.0), np.radians(50.0)  # pitch of the foot, toes up and heel up
LIFT = 0.02  # of the swinging foot, more than the smooth path between leaving and landing has [m]
ANKLE_AHEAD = 0.24  # of the stride, of a flat foot's ankle ahead of where the pelvis was when it landed
BOB, SWAY, SURGE = 0.02, 0.02, 0.15  # amplitudes of the centre of mass: up [m], aside [m], forward [m/s]
TERMS, ROUNDS = 8, 30  # of Fourier's series of the pelvis about the centre of mass, and of finding it
YAW, LEAN = np.radians(5.0), np.radians(3.0)  # of the pelvis about the vertical; of the trunk, forward
ARM, ELBOW = np.radians(20.0), np.radians(25.0)  # swing of the upper arm; bend of the elbow
EXTENDED = 0.99  # largest part of a straight leg's length that is used
FEET_APART = 0.5  # of the distance of the hips
TURNS = ("Zrotation", "Xrotation", "Yrotation")
PLACE = ("Xposition", "Yposition", "Zposition")

_LENGTH = {name: 1e-3 * row.length for name, row in SEGMENTS["male"].items()}  # [m]
_STATURE = 1e-3 * STATURE["male"]
ANKLE = MALLEOLUS * _STATURE - 1e-3 * BELOW_MALLEOLUS  # height of the joint above the sole [m]
HEEL, BALL, TOE = ((part - ANKLE_AT) * _LENGTH["foot"] for part in (0.0, BALL_AT, 1.0))  # ahead of the ankle [m]


def sample_walk(cycles: float = 3.0, rate: float = 100.0) -> Bvh:
    """A figure that walks, in cm and degrees, y up, towards +z; `rate` [Hz]. Synthetic: see the top of the file.

    The left foot lands at the start, the right one half a cycle later.
    """
    cycles, rate = check_positive(cycles, "sample_walk: cycles"), check_positive(rate, "sample_walk: rate [Hz]")
    phase = np.arange(1 + int(cycles * CYCLE * rate)) / (CYCLE * rate)
    places, world = _poses(phase, _terms())
    columns = [100.0 * places]
    for name, (parent, _, _) in _skeleton().items():
        R = world[name] if parent is None else world[parent].swapaxes(1, 2) @ world[name]
        columns.append(_angles(R))
    return _clip(np.hstack(columns), rate)


def _clip(values: np.ndarray, rate: float) -> Bvh:
    """A BVH of the skeleton with these values."""
    skeleton = _skeleton()
    names = list(skeleton)
    parents = [-1 if parent is None else names.index(parent) for parent, _, _ in skeleton.values()]
    offsets = [100.0 * np.array(offset) for _, offset, _ in skeleton.values()]
    ends = [100.0 * np.reshape(end, (-1, 3)) for _, _, end in skeleton.values()]
    channels = [(*PLACE, *TURNS), *[TURNS] * (len(names) - 1)]
    return Bvh(names, parents, offsets, channels, ends, 1.0 / rate, values)


def _skeleton() -> dict[str, tuple[str | None, tuple, tuple]]:
    """By name: parent, offset from it and end site [m]; x left, y up, z forward, arms held out."""
    back = 1e-3 * SHOULDERS["male"]
    hip, shoulder = HIP * _STATURE, SHOULDER * _STATURE
    neck, head = 0.04, _LENGTH["head"]
    tree = {
        "Hips": (None, (0, 0, 0), ()),
        "Spine": ("Hips", (0, 0.3 * back, 0), ()),
        "Spine1": ("Spine", (0, 0.35 * back, 0), ()),
        "Neck": ("Spine1", (0, 0.35 * back + neck, 0), ()),
        "Head": ("Neck", (0, neck, 0), (0, head, 0)),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        tree |= {
            f"{side}Shoulder": ("Spine1", (0.2 * sign * shoulder, 0.35 * back, 0), ()),
            f"{side}Arm": (f"{side}Shoulder", (0.8 * sign * shoulder, 0, 0), ()),
            f"{side}ForeArm": (f"{side}Arm", (sign * _LENGTH["upper_arm"], 0, 0), ()),
            f"{side}Hand": (f"{side}ForeArm", (sign * _LENGTH["forearm"], 0, 0), (sign * _LENGTH["hand"], 0, 0)),
        }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        tree |= {
            f"{side}UpLeg": ("Hips", (sign * hip, 0, 0), ()),
            f"{side}Leg": (f"{side}UpLeg", (0, -_LENGTH["thigh"], 0), ()),
            f"{side}Foot": (f"{side}Leg", (0, -_LENGTH["shank"], 0), ()),
            f"{side}ToeBase": (f"{side}Foot", (0, -ANKLE, BALL), (0, 0, TOE - BALL)),
        }
    return tree


@cache
def _terms() -> np.ndarray:
    """Fourier's series of the pelvis about the centre of mass in a cycle, found by repetition [m]. (TERMS, 3)"""
    grid, terms = np.arange(200) / 200.0, np.zeros((TERMS, 3), complex)
    spec = Capture(_clip(np.zeros((1, 3 * len(_skeleton()) + 3)), 1.0), scale=0.01).spec()
    for _ in range(ROUNDS):
        pelvis, world = _poses(grid, terms)
        places, centre = {None: pelvis}, 0.0
        for name, (parent, offset, _) in _skeleton().items():
            places[name] = places[parent] + (0.0 if parent is None else world[parent] @ offset)
            own, body = np.argsort(AXES["y"]), spec.bodies[name]
            centre = centre + body.inertia.mass * (places[name] + world[name] @ body.E_jb[own, 3])
        away = pelvis - centre / sum(body.inertia.mass for body in spec.bodies.values())
        terms = 2.0 * np.fft.rfft(away, axis=0)[1 : TERMS + 1] / len(grid)
    return terms


def _poses(phase: np.ndarray, terms: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(places of the pelvis [m], (rows, 3); rotations of all joints in the world, (rows, 3, 3) each) at phases."""
    grid = np.linspace(0.0, 1.0, 401)
    height = min((_reach(grid, side, terms) - _pelvis(grid, terms)[:, 1]).min() for side in (0, 1))
    pelvis = _pelvis(phase, terms) + (0.0, height, 0.0)
    turn = 2.0 * np.pi * (phase - _MIDDLE)
    world = {"Hips": _turn(1, -YAW * np.cos(turn))}
    world["Spine"] = _turn(0, LEAN + 0.0 * phase)
    world["Spine1"] = _turn(1, YAW * np.cos(turn)) @ world["Spine"]
    world["Neck"] = world["Head"] = _turn(1, 0.0 * phase)
    for side, name in enumerate(("Left", "Right")):
        sign = 1.0 - 2.0 * side
        own = phase - 0.5 * side
        swing = _turn(0, sign * ARM * np.cos(turn))  # back when the own leg is ahead
        hang = _turn(2, -sign * 0.5 * np.pi + 0.0 * phase)
        world[f"{name}Shoulder"] = world["Spine1"]
        world[f"{name}Arm"] = swing @ hang
        bend = _turn(0, -ELBOW * (1.0 - 0.4 * sign * np.cos(turn)))
        world[f"{name}ForeArm"] = world[f"{name}Hand"] = swing @ bend @ hang
        ankle, pitch, toe = _foot(own, sign)
        ankle[:, 2] += 0.5 * side * STRIDE
        hip = pelvis + sign * HIP * _STATURE * world["Hips"][:, :, 0]
        world[f"{name}UpLeg"], world[f"{name}Leg"] = _leg(hip, ankle)
        world[f"{name}Foot"], world[f"{name}ToeBase"] = _turn(0, -pitch), _turn(0, -toe)
    return pelvis, world


_MIDDLE = 0.5 * (STANCE - 0.5)  # phase in the middle of double support


def _pelvis(phase: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Path of the pelvis but for its mean height [m]: that of the centre of mass and the series. (rows, 3)"""
    twice, rate = 4.0 * np.pi * (phase - _MIDDLE), 4.0 * np.pi / CYCLE
    aside = SWAY * np.cos(2.0 * np.pi * (phase - _MIDDLE - 0.25))
    path = np.column_stack([aside, -BOB * np.cos(twice), STRIDE * phase + SURGE / rate * np.sin(twice)])
    return path + (np.exp(2j * np.pi * np.outer(phase, np.arange(1, TERMS + 1))) @ terms).real


def _reach(phase: np.ndarray, side: int, terms: np.ndarray) -> np.ndarray:
    """The highest pelvis from which a leg reaches its ankle [m]. (rows,)"""
    sign = 1.0 - 2.0 * side
    ankle = _foot(phase - 0.5 * side, sign)[0] + (0.0, 0.0, 0.5 * side * STRIDE)
    yaw = _turn(1, -YAW * np.cos(2.0 * np.pi * (phase - _MIDDLE)))
    away = ankle - _pelvis(phase, terms) - sign * HIP * _STATURE * yaw[:, :, 0]
    leg = EXTENDED * (_LENGTH["thigh"] + _LENGTH["shank"])
    return ankle[:, 1] + np.sqrt(leg**2 - away[:, 0] ** 2 - away[:, 2] ** 2)


def _foot(phase: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ankle [m] (rows, 3), pitch of the foot and of the toes [rad], up) at phases from a landing of its own."""
    step = np.floor(phase)
    now = phase - step
    path = np.where((now < STANCE)[:, None], _standing(now), _swinging(now))
    up, ahead, pitch, toe = path.T
    aside = np.full_like(now, sign * FEET_APART * HIP * _STATURE)
    return np.column_stack([aside, up, ahead + STRIDE * step]), pitch, toe


def _standing(now: np.ndarray) -> np.ndarray:
    """(ankle up, ankle ahead, pitch of the foot, pitch of the toes) of a foot on the ground. (rows, 4)

    It turns about its heel, lies flat, turns about its ball.
    """
    landing = LANDING * _rise(1.0 - now / FLAT[0])
    leaving = -LEAVING * _rise((now - FLAT[1]) / (STANCE - FLAT[1]))
    pitch, pivot = landing + leaving, np.where(now < FLAT[0], HEEL, BALL)
    c, s = np.cos(pitch), np.sin(pitch)
    up, ahead = ANKLE * c - pivot * s, pivot - pivot * c - ANKLE * s
    return np.column_stack([up, ANKLE_AHEAD * STRIDE + ahead, pitch, landing])


def _rise(u: np.ndarray) -> np.ndarray:
    """From 0 at u = 0, and at rest there, to 1 at u = 1 with the slope 1.2 and without curvature. (rows,)"""
    u = np.maximum(u, 0.0)
    return u**3 * (5.2 - 6.6 * u + 2.4 * u**2)


def _swinging(now: np.ndarray) -> np.ndarray:
    """(ankle up, ankle ahead, pitch of the foot, pitch of the toes) of a foot in the air. (rows, 4)

    Quintics from how it leaves the ground to how it lands, with some lift.
    """
    step = 1e-4
    ends = [_jet(_standing(STANCE - step * np.arange(4.0)), -step), _jet(_standing(step * np.arange(4.0)), step)]
    ends[1][0, 1] += STRIDE
    span = 1.0 - STANCE
    s = (now - STANCE) / span
    powers = np.array([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0]], float)
    last = np.array([[1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5], [0, 0, 2, 6, 12, 20]], float)
    given = np.concatenate(ends) * np.tile([[1.0], [span], [span**2]], (2, 1))
    coefficients = np.linalg.solve(np.concatenate([powers, last]), given)
    path = s[:, None] ** np.arange(6.0) @ coefficients
    path[:, 0] += LIFT * 64.0 * np.clip(s * (1.0 - s), 0.0, None) ** 3
    return path


def _jet(rows: np.ndarray, h: float) -> np.ndarray:
    """Value, slope and curvature at the first of four rows h apart. (3, any)"""
    a, b, c, d = rows
    return np.array([a, (-11 * a + 18 * b - 9 * c + 2 * d) / (6 * h), (2 * a - 5 * b + 4 * c - d) / h**2])


def _leg(hip: np.ndarray, ankle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotations of thigh and shank between two places, the knee bent forward. (rows, 3, 3) each"""
    thigh, shank = _LENGTH["thigh"], _LENGTH["shank"]
    along = ankle - hip
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / length
    across = np.array([1.0, 0.0, 0.0]) - along[:, :1] * along
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    forward = np.cross(along, across)
    cosine = (thigh**2 + length**2 - shank**2) / (2 * thigh * length)
    upper = cosine * along + np.sqrt(1.0 - cosine**2) * forward
    lower = (along * length - thigh * upper) / shank
    return tuple(np.stack([across, -y, np.cross(across, -y)], axis=2) for y in (upper, lower))


def _turn(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotations about a coordinate axis. (rows, 3, 3)"""
    R = np.zeros((len(angle), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[:, axis, axis] = 1.0
    R[:, i, i] = R[:, j, j] = np.cos(angle)
    R[:, j, i] = np.sin(angle)
    R[:, i, j] = -R[:, j, i]
    return R


def _angles(R: np.ndarray) -> np.ndarray:
    """Angles about z, x and y in this order [degree]. (rows, 3)"""
    x = np.arcsin(np.clip(R[:, 2, 1], -1.0, 1.0))
    z, y = np.arctan2(-R[:, 0, 1], R[:, 1, 1]), np.arctan2(-R[:, 2, 0], R[:, 2, 2])
    return np.degrees(np.unwrap(np.column_stack([z, x, y]), axis=0))
