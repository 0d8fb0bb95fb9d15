"""From a capture's joints to bodies with mass: which part of the body a name means, its share of the mass, its solid.

Shares, centres and radii of gyration: de Leva 1996, in `human.anthropometry`. A part of the table that a skeleton has
in several joints (spine, spine1, spine2; foot, toe base) is shared out by their lengths. Names that mean nothing here
count by the volume of a rod. Everything is then scaled to the mass of the whole.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..human.anthropometry import SEGMENTS, Segment
from ..joints.base import frame_with_z_along
from ..model.shape import Shape
from ..spatial.inertia import Inertia
from ..spatial.se3 import translation

DENSITY = 1000.0  # of the body, about that of water [kg/m^3]
SLENDER = 0.125  # radius of a rod by its length, of a segment whose name says nothing
COLLAR_COUNTS = 0.2  # of its length, in sharing out the trunk: an estimate
SHORTEST = 0.02  # of the skeleton's size: what a joint without length counts
LONG = ("upper_arm", "forearm", "thigh", "shank")  # from joint to joint in the table as in captures
PAIRED = (*LONG, "hand", "foot")

# Tried in this order on a name in small letters, without digits, marks and the words left and right.
PATTERNS = tuple(
    (re.compile(pattern), part)
    for pattern, part in (
        (r"finger|thumb|index|middle|ring|pinky|pinkie|hand|wrist|palm|carpal", "hand"),
        (r"forearm|fore_?arm|lowerarm|lowarm|elbow|radius|ulna", "forearm"),
        (r"clavicle|collar|scapula", "collar"),
        (r"upperarm|uparm|humerus|shldr|arm$|armroll|armtwist", "upper_arm"),
        (r"shoulder", "shoulder"),
        (r"foot|ankle|toe|heel|tarsal", "foot"),
        (r"shin|shank|calf|knee|tibia|lowerleg|lowleg", "shank"),
        (r"thigh|femur|upleg|upperleg", "thigh"),
        (r"leg", "leg"),
        (r"hips$|pelvis|buttock|hipjoint|sacrum", "pelvis"),
        (r"hip", "hip"),
        (r"head|neck|skull|jaw|eye", "head"),
        (r"spine|chest|thorax|torso|trunk|back|abdomen|waist|stern|lumbar|thorac", "trunk"),
    )
)
VERTEBRA = re.compile(r"(^|[^a-z])[tl]\d{1,2}($|[^a-z\d])")  # L5, L3, T12, T8
SIDE = re.compile(r"^(left|right|[lr](?=[A-Z_. ]))|[_. ]([lr]|left|right)(?=$|[_. ])", re.IGNORECASE)


def parts_of(names: Sequence[str], parents: np.ndarray) -> list[str | None]:
    """The part of the body that each joint moves, "thigh" or "trunk" for instance; None if its name says nothing.

    Some names mean two things: a left shoulder above a left arm is a collar bone, above an elbow the upper arm; a left
    hip above a knee is a thigh; a left leg below an upper leg is a shank.
    """
    said = [_said(name) for name in names]
    below = [[said[c] for c in np.flatnonzero(parents == j)] for j in range(len(names))]
    parts: list[str | None] = []
    for j, part in enumerate(said):
        above = parts[parents[j]] if parents[j] >= 0 else None
        if part == "shoulder":
            part = "collar" if "upper_arm" in below[j] else "upper_arm"
        elif part == "leg":
            part = "shank" if above == "thigh" else "thigh"
        elif part == "hip":
            part = "thigh" if {"shank", "leg"} & set(below[j]) else "pelvis"
        parts.append(part)
    return parts


def _said(name: str) -> str | None:
    """The part of the body that a name says by itself, or None."""
    name = name.rsplit(":", 1)[-1]
    if VERTEBRA.search(name.lower()):
        return "trunk"
    word = re.sub(r"[\d\W_]+", "", SIDE.sub(" ", name)).lower()
    return next((part for pattern, part in PATTERNS if pattern.search(word)), None)


@dataclass(frozen=True, eq=False)
class Bodies:
    """Lengths [m] and table rows of a skeleton's segments; `tips` are the mean places of children and end sites."""

    parts: list[str | None]
    parents: np.ndarray
    tips: np.ndarray  # in the joint's frame [m], (joints, 3)
    size: float  # of the skeleton [m]
    sex: str

    def shares(self, mass: float) -> np.ndarray:
        """Share of each joint's segment in the mass of the whole, their sum one. (joints,)"""
        table, lengths = SEGMENTS[self.sex], np.maximum(np.linalg.norm(self.tips, axis=1), SHORTEST * self.size)
        groups = self.groups()
        shares = np.zeros(len(self.parts))
        for part, joints in groups:
            if part is None:
                shares[joints] = DENSITY * np.pi * SLENDER**2 * lengths[joints] ** 3 / mass
                continue
            rows = ("thorax", "abdomen") if part == "trunk" else (part,)
            count = sum(other == part for other, _ in groups)
            whole = 0.01 * sum(table[row].mass for row in rows) * (min(count, 2) / count)
            counted = lengths[joints] * [COLLAR_COUNTS if self.parts[j] == "collar" else 1.0 for j in joints]
            shares[joints] = whole * counted / counted.sum()
        return shares / shares.sum()

    def groups(self) -> list[tuple[str | None, list[int]]]:
        """(part of the table, joints that make it up): limbs by joints that hang together, the rest by name."""
        merged = ["trunk" if part == "collar" else part for part in self.parts]
        found: dict[tuple, list[int]] = {}
        first: list[int] = []
        for j, part in enumerate(merged):
            above = self.parents[j]
            first.append(first[above] if part in PAIRED and above >= 0 and merged[above] == part else j)
            found.setdefault((part, first[j] if part in PAIRED else -1), []).append(j)
        return [(part, joints) for (part, _), joints in found.items()]

    def table_row(self, joint: int) -> Segment | None:
        """The table's row of a long segment that this joint makes up alone, else None."""
        alone = [joint] in [joints for part, joints in self.groups() if part in LONG]
        return SEGMENTS[self.sex][self.parts[joint]] if alone else None

    def middle(self, joint: int) -> np.ndarray:
        """The frame midway from a joint to its tip, z along; the joint's own where there is no length. (4, 4)"""
        tip = self.tips[joint]
        length = np.linalg.norm(tip)
        E_jb = frame_with_z_along(tip / length) if length > 0 else np.eye(4)
        E_jb[:3, 3] = 0.5 * tip
        return E_jb

    def solid(self, joint: int, mass: float) -> tuple[Inertia, np.ndarray, Shape]:
        """(inertia, E_jb, shape) of a segment, z from the joint to its tip.

        A long segment has the table's centre and radii. Others are cylinders of the body's density from joint to tip;
        what would be wider than long is a ball.
        """
        tip = self.tips[joint]
        length = float(np.linalg.norm(tip))
        ball = (0.75 * mass / (np.pi * DENSITY)) ** (1 / 3)
        radius = np.sqrt(mass / (np.pi * DENSITY * length)) if length > 0 else np.inf
        if radius > 0.5 * length:
            return Inertia.sphere(ball, mass=mass), translation(*0.5 * tip), Shape.sphere(ball)
        row, E_jb = self.table_row(joint), frame_with_z_along(tip / length)
        middle, inertia = 0.5, Inertia.cylinder(radius, length, mass=mass)
        if row is not None:
            middle = 0.01 * row.centre
            across, along = np.mean(np.square(row.radii[:2])), row.radii[2] ** 2
            inertia = Inertia(mass, tuple(mass * (0.01 * length) ** 2 * np.array([across, across, along])))
        E_jb[:3, 3] = middle * tip
        shape = Shape.capsule(radius, length, frame=translation(0, 0, (0.5 - middle) * length))
        return inertia, E_jb, shape
