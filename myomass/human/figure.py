"""A human figure of 16 segments and 40 degrees of freedom, scaled from published tables to a height and a mass.

World: x forward, y left, z up. At q = 0 it stands on z = 0 with its arms hanging, palms to the thighs. Joints of
several degrees of freedom turn by flexion, then abduction or bending, then rotation, each positive on both sides
alike: flexion, abduction, internal rotation, pronation, radial deviation, inversion.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..joints import Composite, Free3D, Joint, Revolute
from ..model import Spec
from ..model.elements import Point
from ..model.spec import UnknownName, known_names
from ..spatial import Inertia, translation
from ..spatial.checks import check_numbers
from .anthropometry import (
    ANKLE_AT,
    BALL_AT,
    BELOW_MALLEOLUS,
    FOOT_BREADTH,
    HIP,
    MALLEOLUS,
    MOTIONS,
    SEGMENTS,
    SHOULDER,
    SHOULDERS,
    STATURE,
    STRENGTHS,
)
from .looks import COLOURS, looks

ROOT = ("x", "y", "z", "turn x", "turn y", "turn z")
HEIGHTS, MASSES = (0.5, 2.5), (5.0, 300.0)  # [m], [kg]
SIDES = {"_l": 1.0, "_r": -1.0}
TREE = {  # segment: parent, joint
    "abdomen": ("pelvis", "lumbar"),
    "thorax": ("abdomen", "thoracic"),
    "head": ("thorax", "neck"),
    "upper_arm": ("thorax", "shoulder"),
    "forearm": ("upper_arm", "elbow"),
    "hand": ("forearm", "wrist"),
    "thigh": ("pelvis", "hip"),
    "shank": ("thigh", "knee"),
    "foot": ("shank", "ankle"),
}
TRUNK, ARM, LEG = ("abdomen", "thorax", "head"), ("upper_arm", "forearm", "hand"), ("thigh", "shank", "foot")


@dataclass(eq=False, repr=False)
class HumanFigure(Spec):
    """The spec of a human figure, with its proportions, points, and names, ranges and strengths of its coordinates."""

    points: dict[str, Point] = field(default_factory=dict)  # by name: (body, place in its frame [m])
    coordinate_names: tuple[str, ...] = ()  # in the order of q, "hip_l flexion"
    ranges: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))  # physiological (lower, upper) [rad], (40, 2)
    strengths: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of joints [N m], infinite of the root, (40,)

    def pose(self, angles: Mapping[str, float]) -> np.ndarray:
        """q with some coordinates [rad or m] by name, the others zero. "hip flexion" is that of both sides. (40,)"""
        if not isinstance(angles, Mapping) or not all(isinstance(name, str) for name in angles):
            raise TypeError(f"pose: give names of coordinates with their values, not {angles!r}")
        q = np.zeros(len(self.coordinate_names))
        for name, value in angles.items():
            joint, _, motion = name.partition(" ")
            both = [f"{joint}{side} {motion}" for side in SIDES]
            found = [i for i, known in enumerate(self.coordinate_names) if known == name or known in both]
            if not found:
                raise UnknownName(f"pose: there is no coordinate {name!r}; {known_names(self.coordinate_names, 40)}")
            q[found] = check_numbers(value, f"pose: {name!r}", ())
        return q


def human_figure(
    height: float = 1.75, mass: float = 75.0, sex: str = "male", *, rotation: Joint | None = None
) -> HumanFigure:
    """A figure of a height [m] and a mass [kg], "male" or "female": masses, centres and radii of de Leva 1996.

    The pelvis, whose joint is midway between the hips, moves by Free3D("TR", rotation). What the table's lengths leave
    of the height is neck. `.points` holds heels, balls and toes, fingertips and the vertex; `.coordinate_names`,
    `.ranges` and `.strengths` say what the degrees of freedom are, how far they go and how strong they are.
    """
    for what, value, (least, most) in (("height [m]", height, HEIGHTS), ("mass [kg]", mass, MASSES)):
        if not least <= check_numbers(value, f"human_figure: the {what}", ()) <= most:
            raise ValueError(f"human_figure: the {what} must be from {least:g} to {most:g}, and is {value!r}")
    if not isinstance(sex, str) or sex not in SEGMENTS:
        raise ValueError(f'human_figure: the sex is "male" or "female", and is {sex!r}')
    body = Body(float(height), float(mass), sex)
    figure = HumanFigure("human-figure", points=body.points())
    body.add(figure, "pelvis", "", Free3D("TR", rotation))
    for segment in TRUNK:
        body.add(figure, segment, "", joint(segment))
    for limb in (ARM, LEG):
        for side in SIDES:
            for segment in limb:
                body.add(figure, segment, side, joint(segment, SIDES[side]))
    figure.coordinate_names, figure.ranges, strengths = coordinates(figure)
    figure.strengths = strengths * (mass * height) / (75.0 * 1.75)
    return figure


def joint(segment: str, side: float = 1.0) -> Joint:
    """The hinges between a segment and its parent, those of the right side (-1) mirrored."""
    axes = [np.array(axis) * (side, 1.0, side) for _, axis, _, _ in MOTIONS[TREE[segment][1]]]
    return Composite(*map(Revolute, axes)) if len(axes) > 1 else Revolute(axes[0])


def coordinates(figure: Spec) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names of the degrees of freedom in their order, how far they go [rad], (n, 2), and how strong they are, (n,)."""
    names, ranges = [f"pelvis {motion}" for motion in ROOT], [(-np.inf, np.inf)] * len(ROOT)
    strengths = [np.inf] * len(ROOT)
    for name in list(figure.bodies)[1:]:
        side = name[-2:] if name[-2:] in SIDES else ""
        joint = TREE[name.removesuffix(side)][1]
        strengths += STRENGTHS[joint]
        for motion, _, lower, upper in MOTIONS[joint]:
            names.append(f"{joint}{side} {motion}")
            ranges.append((np.radians(lower), np.radians(upper)))
    return tuple(names), np.array(ranges), np.array(strengths)


class Body:
    """Lengths [m], masses [kg] and places of one height, mass and sex; places are in the segment's joint frame."""

    def __init__(self, height: float, mass: float, sex: str):
        self.height, self.table, scale = height, SEGMENTS[sex], height / STATURE[sex]  # [m/mm]
        self.mass, self.sex = mass, sex
        paired = (*ARM, *LEG)
        self.whole = sum(row.mass * (2 if name in paired else 1) for name, row in self.table.items())
        self.length = {name: scale * row.length for name, row in self.table.items()}
        self.ankle = MALLEOLUS * height - scale * BELOW_MALLEOLUS
        self.hip = self.ankle + self.length["shank"] + self.length["thigh"]
        trunk = self.length["pelvis"] + self.length["abdomen"]
        self.shoulder = scale * SHOULDERS[sex] - trunk
        self.neck = height - self.hip - trunk - self.length["thorax"] - self.length["head"]
        self.vertex = 0.5 * self.neck + self.length["head"]

    def place(self, segment: str, side: float) -> np.ndarray:
        """Joint of a segment in its parent's joint frame, that of the pelvis in the world [m]. (3,)"""
        places = {
            "pelvis": (0.0, 0.0, self.hip),
            "head": (0.0, 0.0, self.length["thorax"] + 0.5 * self.neck),
            "upper_arm": (0.0, side * SHOULDER * self.height, self.shoulder),
            "thigh": (0.0, side * HIP * self.height, 0.0),
        }
        upwards = 1.0 if segment in TRUNK else -1.0
        return np.array(places[segment] if segment in places else (0, 0, upwards * self.length[TREE[segment][0]]))

    def centre(self, segment: str) -> np.ndarray:
        """Centre of mass in the joint frame [m]; that of the foot halfway between ankle and sole. (3,)"""
        part, length = 0.01 * self.table[segment].centre, self.length[segment]
        if segment == "foot":
            return np.array([(part - ANKLE_AT) * length, 0.0, -0.5 * self.ankle])
        if segment == "head":
            return np.array([0.0, 0.0, self.vertex - part * length])
        return np.array([0.0, 0.0, -part * length if segment in (*ARM, *LEG) else (1.0 - part) * length])

    def inertia(self, segment: str) -> Inertia:
        """Mass [kg] and moments about x, y and z [kg m^2] of a segment.

        The table's forearm and hand are those of palms turned forward, a quarter turn from here. Its foot points down:
        the sagittal axis is the vertical one here.
        """
        row = self.table[segment]
        mass, (forward, across, along) = self.mass * row.mass / self.whole, row.radii
        radii = {
            "forearm": (across, forward, along),
            "hand": (across, forward, along),
            "foot": (along, across, forward),
        }.get(segment, row.radii)
        moments = mass * (0.01 * self.length[segment] * np.array(radii)) ** 2
        return Inertia(mass, tuple(moments))

    def add(self, figure: Spec, segment: str, side: str, joint: Joint) -> None:
        """Add a segment to the figure."""
        parent = None if segment == "pelvis" else TREE[segment][0]
        parent = f"{parent}{side}" if parent in (*ARM, *LEG) else parent
        sign, centre = SIDES.get(side, 1.0), self.centre(segment)
        frames = translation(*self.place(segment, sign)), translation(*centre)
        shapes = looks(self, segment, sign, translation(*-centre))
        inertia = self.inertia(segment)
        figure.add_body(f"{segment}{side}", parent, joint, *frames, inertia, shapes=shapes, colour=COLOURS[segment])

    def points(self) -> dict[str, Point]:
        """Places for contacts and targets, in the frames of their bodies."""
        places = {"vertex": ("head", (0.0, 0.0, self.vertex))}
        half, foot = 0.5 * FOOT_BREADTH * self.height, self.length["foot"]
        for side, sign in SIDES.items():
            along = {"heel": 0.0, "ball": BALL_AT, "toe": 1.0}
            for name, part in along.items():
                places[name + side] = (f"foot{side}", ((part - ANKLE_AT) * foot, 0.0, -self.ankle))
            for name, y in (("ball_inner", -sign * half), ("ball_outer", sign * half)):
                places[name + side] = (f"foot{side}", ((BALL_AT - ANKLE_AT) * foot, y, -self.ankle))
            places[f"fingertip{side}"] = (f"hand{side}", (0.0, 0.0, -self.length["hand"]))
        return {
            name: (body, tuple((np.array(place) - self.centre(body.removesuffix("_l").removesuffix("_r"))).tolist()))
            for name, (body, place) in places.items()
        }
