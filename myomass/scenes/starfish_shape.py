"""The shape of a starfish: a fine surface, a coarse cage of tetrahedra around it, both of their own making.

Five tapering arms lie along the x axis and every 72 degrees from it, their axes AXIS above the ground. The fine
surface is where a distance vanishes: arms of elliptical section, joined smoothly, cut flat below and knobbly above. The
cage has sections of 3 x 3 nodes across each arm, the middle one on its axis, where the bones are, and one node at its
tip; it is its own mirror image, and comes to lie on itself by a fifth of a turn.
"""

from functools import cache

import numpy as np

from ..deformables import TetMesh
from ..deformables.stuffing import wedges

ARMS, TURN = 5, 0.4 * np.pi
AXIS = 0.012  # height of the bones [m]
LENGTH = 0.143  # of an arm, from the centre to the middle of its round end [m]
ROOT, TIP = 0.029, 0.0085  # half the width of an arm at the centre and there [m]
FLAT = 0.72  # height of a section, of its width
BLEND = 0.012  # over which arms, and sides and underside, melt into each other [m]
KNOBS, KNOB = 0.0125, 0.0009  # distance and height of knobs [m]
SECTIONS = 0.042, 0.068, 0.092, 0.115, 0.139  # places of sections along an arm: the joints, and the last bone's end [m]
END = 0.1625  # of the cage [m]
MARGIN = 0.0015  # between the surface and the cage [m]
SPACING = 0.00389  # of the fine surface [m]
PER_ARM = 43  # nodes of the cage
AROUND = np.array([(0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1)])  # nodes around a section


def half_width(along: np.ndarray) -> np.ndarray:
    """Half the width of an arm at a distance from the centre [m]."""
    return ROOT + (TIP - ROOT) * np.clip(along / LENGTH, 0.0, 1.0)


def distance(places: np.ndarray) -> np.ndarray:
    """About the distance of places (k, 3) from the surface, negative inside [m]. (k,)"""
    angles = TURN * np.arange(ARMS)[:, None]
    x, y, z = places[:, 0], places[:, 1], places[:, 2] - AXIS
    along, across = x * np.cos(angles) + y * np.sin(angles), y * np.cos(angles) - x * np.sin(angles)
    beyond = along - np.clip(along, 0.0, LENGTH)
    arms = np.sqrt(beyond**2 + across**2 + (z / FLAT) ** 2) - half_width(along)
    knobs = np.cos(2.0 * np.pi * along / KNOBS) * np.cos(2.0 * np.pi * across / KNOBS)
    arms -= KNOB * knobs * np.clip(z / AXIS, 0.0, 1.0)
    soft = 0.25 * BLEND
    nearest = arms.min(axis=0)
    joined = nearest - soft * np.log(np.exp((nearest - arms) / soft).sum(axis=0))
    under = -places[:, 2]
    over = np.clip(0.5 * (1.0 + (under - joined) / soft), 0.0, 1.0)  # a smooth maximum
    return joined + over * (under - joined) + soft * over * (1.0 - over)


@cache
def surface() -> tuple[np.ndarray, np.ndarray]:
    """(vertices (k, 3) [m], triangles seen from outside (f, 3)) of the fine surface."""
    reach = LENGTH + 2.0 * TIP
    filled = TetMesh.fill_distance(distance, (-reach, -reach, -0.005), (reach, reach, 0.04), SPACING)
    used, faces = np.unique(filled.surface, return_inverse=True)
    return filled.nodes[used], faces.reshape(-1, 3)


@cache
def cage() -> TetMesh:
    """The coarse mesh around the surface. Nodes: the three of the middle's column, then those of each arm."""
    nodes = np.concatenate([_column(0.0, 0.0), *(_arm_places(arm) for arm in range(ARMS))])
    corners = np.concatenate([_arm_wedges(arm) for arm in range(ARMS)])
    tips = [_arm_tip(arm) for arm in range(ARMS)]
    tets = np.concatenate([wedges(corners, _ranks(len(nodes))), *tips])
    turned = np.linalg.det(nodes[tets[:, 1:]] - nodes[tets[:, :1]]) < 0.0
    return TetMesh(nodes, np.where(turned[:, None], tets[:, [0, 2, 1, 3]], tets))


def axis_node(arm: int, section: int) -> int:
    """The node of the cage on an arm's axis in a section; the one after the last section is the tip."""
    first = 3 + arm * PER_ARM
    return first + (6 + 9 * (section - 1) if section else 0)


def _ring(arm: int, section: int) -> np.ndarray:
    """The nodes around a section, in the order of AROUND; the first section shares its sides with its neighbours'."""
    if section:
        return axis_node(arm, section) + 1 + np.arange(8)
    middle, left, right = axis_node(arm, 0), axis_node(arm, 0) + 3, axis_node((arm - 1) % ARMS, 0) + 3
    return np.array([middle + 1, right + 1, right, right + 2, middle + 2, left + 2, left, left + 1])


def _ranks(nodes: int) -> np.ndarray:
    """Which nodes wedges are cut from first: by their places in a section and by sections, so that all arms, and both
    sides of each, are cut alike. (n,)"""
    order = np.full(nodes, 100)
    for arm in range(ARMS):
        for k in range(len(SECTIONS)):
            order[_ring(arm, k)] = np.where(AROUND[:, 0] == 0, 30, np.where(AROUND[:, 1] == 0, 10, 20)) + k
            order[axis_node(arm, k)] = k
    return order * nodes + np.arange(nodes)


def _arm_wedges(arm: int) -> np.ndarray:
    """Wedges between a middle, a section and the next: a triangle and the one opposite to it. (k, 6)"""
    made = []
    for k in range(len(SECTIONS) - 1):
        (one, other), middles = (_ring(arm, k), _ring(arm, k + 1)), (axis_node(arm, k), axis_node(arm, k + 1))
        for i in range(8):
            j = (i + 1) % 8
            made.append([middles[0], one[i], one[j], middles[1], other[i], other[j]])
    middle, ring = axis_node(arm, 0), _ring(arm, 0)
    for side, up, down in ((2, 1, 3), (6, 7, 5)):
        made.append([0, middle, ring[side], 1, ring[0], ring[up]])
        made.append([0, middle, ring[side], 2, ring[4], ring[down]])
    return np.array(made)


def _arm_tip(arm: int) -> np.ndarray:
    """Tetrahedra between the last section and the tip."""
    last, ring = len(SECTIONS) - 1, _ring(arm, len(SECTIONS) - 1)
    return np.array([[axis_node(arm, last), ring[i], ring[(i + 1) % 8], axis_node(arm, last + 1)] for i in range(8)])


def _arm_places(arm: int) -> np.ndarray:
    """Places of an arm's nodes: middle column of its first section, column to the next arm, sections, tip. (43, 3)"""
    notch = _notch()
    rows = [_column(SECTIONS[0], 0.0), _column(notch * np.cos(0.5 * TURN), notch * np.sin(0.5 * TURN))]
    for along in SECTIONS[1:]:
        wide = 1.1 * half_width(np.array(along)) + MARGIN
        above, below = _heights(along)
        beside = np.where(AROUND[:, 1] == 0, 1.0, 0.8) * wide * AROUND[:, 0]
        up = np.select([AROUND[:, 1] > 0, AROUND[:, 1] < 0], [above, below], AXIS)
        up = np.where((AROUND[:, 1] > 0) & (AROUND[:, 0] != 0), AXIS + 0.8 * (up - AXIS), up)
        rows += [[(along, 0.0, AXIS)], np.column_stack([np.full(8, along), beside, up])]
    own = np.concatenate([*rows, [(END, 0.0, AXIS)]])
    c, s = np.cos(TURN * arm), np.sin(TURN * arm)
    return np.column_stack([c * own[:, 0] - s * own[:, 1], s * own[:, 0] + c * own[:, 1], own[:, 2]])


def _heights(along: float) -> tuple[float, float]:
    """Heights of the cage above and below an arm's axis [m]."""
    thick = 1.1 * FLAT * float(half_width(np.array(along)))
    return AXIS + thick + MARGIN, max(AXIS - thick, 0.0) - MARGIN


def _column(x: float, y: float) -> np.ndarray:
    """Three places one above the other: on the bones' height, above, below. (3, 3)"""
    above, below = _heights(float(np.hypot(x, y)))
    return np.array([(x, y, AXIS), (x, y, above), (x, y, below)])


@cache
def _notch() -> float:
    """How far from the centre the cage is between two arms [m]: the fine surface, and the margin."""
    reach = np.linspace(0.0, 0.1, 2001)
    way = np.array([np.cos(0.5 * TURN), np.sin(0.5 * TURN), 0.0])
    outside = distance(reach[:, None] * way + (0.0, 0.0, AXIS)) > 0.0
    return float(reach[outside.argmax()]) + 2.0 * MARGIN
