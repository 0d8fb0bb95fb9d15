"""The knee in its plane: how the tibia moves on the femur, as a spline joint, and the shapes that meet there.

Frames are those of S. Delp et al., IEEE Trans. Biomed. Eng. 37:757, 1990: x forwards, y up; the femur's origin is the
centre of its head, the tibia's lies between the epicondyles of the stretched knee. The tibia turns about z by minus the
flexion, and is moved by tx and ty, the tables of the knee in OpenSim's gait models (A. Seth, D. Thelen, F. Anderson, S.
Delp; CC BY 3.0), from the planar knee of G. Yamaguchi and F. Zajac, J. Biomech. 22:1, 1989.

The condyle is a profile of two arcs that meet without a corner, of 32 mm in front, on which the stretched knee stands,
and of 22 mm behind (the medial one of H. Iwaki, V. Pinskerova and M. Freeman, J. Bone Joint Surg. Br. 82:1189, 2000;
not checked against the print); the plateau is flat and slopes backwards by 9 degrees. Where both lie is fitted: the
arcs' centres, the direction of the place where they meet and the plateau's height are those with which the gap between
both, as the tables move them, is nearest to nothing.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..joints import SplineCurve
from ..spatial import rotation, translation

Z = (0.0, 0.0, 1.0)
SEGMENT = np.deg2rad(15.0)  # flexion in a segment of the spline
STRETCHED, BENT = np.deg2rad((-10.0, 120.0))  # range of flexion in which joint and shapes are fitted [rad]
TX = (  # knee angle, which is minus the flexion [rad], and tx [m]
    *((-2.0944, -0.0032), (-1.74533, 0.00179), (-1.39626, 0.00411), (-1.0472, 0.0041)),
    *((-0.698132, 0.00212), (-0.349066, -0.001), (-0.174533, -0.0031), (0.197344, -0.005227)),
    *((0.337395, -0.005435), (0.490178, -0.005574), (1.52146, -0.005435), (2.0944, -0.00525)),
)
TY = (
    *((-2.0944, -0.4226), (-1.22173, -0.4082), (-0.523599, -0.399), (-0.349066, -0.3976)),
    *((-0.174533, -0.3966), (0.159149, -0.395264), (2.0944, -0.396)),
)
FRONT, BEHIND = 0.032, 0.022  # radii of the condyle [m]
SLOPE = np.deg2rad(9.0)  # of the plateau


def table(flexion: np.ndarray) -> np.ndarray:
    """(tx, ty) of the tables, joined by natural cubic splines [m]. (n, 2)"""
    from scipy.interpolate import CubicSpline

    splines = [CubicSpline(*zip(*pairs, strict=True), bc_type="natural") for pairs in (TX, TY)]
    return np.stack([spline(-np.asarray(flexion)) for spline in splines], axis=-1)


def entries() -> list[tuple[int, float, float]]:
    """(axis, flexion, value) of the entries of the tables within the fitted range. [rad], [m]"""
    tables = [(axis, -angle, value) for axis, pairs in enumerate((TX, TY)) for angle, value in pairs]
    return [entry for entry in tables if STRETCHED <= entry[1] < BENT + 1e-4]


def tibia_in_femur(flexion: float, place: np.ndarray) -> np.ndarray:
    """The pose of the tibia at a place (x, y) [m]. (4, 4)"""
    return translation(*place, 0.0) @ rotation(Z, -flexion)


@cache
def spline_knee() -> SplineCurve:
    """The joint, whose coordinate is the flexion in segments of 15 degrees: an open curve from 0 to 120 degrees.

    Control frames that turn by equal steps turn it in proportion to its coordinate, exactly. Their places are found by
    steps of Gauss and Newton, as if they were weighted by the basis functions, which they nearly are.
    """
    segments = round(BENT / SEGMENT)
    turns = SEGMENT * np.arange(-1, segments + 2)
    flexion = np.linspace(STRETCHED, BENT, 66)
    wanted, weights = table(flexion), _basis(flexion / SEGMENT, segments)
    places = table(turns)
    for _ in range(8):
        curve = _curve(turns, places)
        off = wanted - [curve.Q(np.array([q]))[:2, 3] for q in flexion / SEGMENT]
        places = places + np.linalg.lstsq(weights, off, rcond=None)[0]
    return _curve(turns, places)


def _curve(turns: np.ndarray, places: np.ndarray) -> SplineCurve:
    frames = [tibia_in_femur(turn, place) for turn, place in zip(turns, places, strict=True)]
    return SplineCurve(np.array(frames), closed=False)


def _basis(q: np.ndarray, segments: int) -> np.ndarray:
    """Weights of the control frames of an open uniform cubic B-spline. (n, segments + 3)"""
    first = np.clip(np.floor(q).astype(int), 0, segments - 1)
    u = q - first
    rows = np.stack([(1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3], axis=1) / 6
    weights = np.zeros((len(q), segments + 3))
    weights[np.arange(len(q))[:, None], first[:, None] + np.arange(4)] = rows
    return weights


class Contact(NamedTuple):
    """Condyle and plateau: the centre of the arc behind, in the femur [m], and the direction, seen from there, in which
    the arcs meet, to the front of straight down [rad]; the plateau's height [m] and backward slope [rad], in the tibia.
    """

    x: float
    y: float
    meeting: float
    height: float
    slope: float

    @property
    def behind(self) -> np.ndarray:
        """Centre of the arc behind, in the femur [m]. (2,)"""
        return np.array([self.x, self.y])

    @property
    def front(self) -> np.ndarray:
        """Centre of the arc in front, in the femur [m]. (2,)"""
        return self.behind - (FRONT - BEHIND) * _down(self.meeting)

    def gap(self, flexion: float, place: np.ndarray) -> float:
        """The gap between condyle and plateau with the tibia at a place (x, y) in the femur [m]; negative: overlap."""
        towards = _down(self.slope - flexion)  # the plateau, from the femur
        on_plateau = np.asarray(place) - self.height * _down(-flexion)
        angle = np.arctan2(towards[0], -towards[1])
        reach = self.front @ towards + FRONT if angle > self.meeting else self.behind @ towards + BEHIND
        return float(on_plateau @ towards - reach)


def _down(angle: float) -> np.ndarray:
    """Straight down, turned to the front by an angle [rad]. (2,)"""
    return np.array([np.sin(angle), -np.cos(angle)])


@cache
def contact(slope: float = SLOPE) -> Contact:
    """The shapes, where the published motion leaves the least gap between them; the plateau slopes backwards [rad]."""
    from scipy.optimize import least_squares

    flexion = np.linspace(0.0, BENT, 25)
    places = table(flexion)

    def gaps(numbers: np.ndarray) -> list[float]:
        shapes = Contact(*numbers, slope)
        return [shapes.gap(angle, place) for angle, place in zip(flexion, places, strict=True)]

    start, scale = np.array([-0.005, -0.405, 0.0, -0.03]), np.array([0.01, 0.01, 0.3, 0.01])
    found = least_squares(gaps, start, x_scale=scale, xtol=1e-12, ftol=1e-12, gtol=1e-15)
    return Contact(*found.x.tolist(), slope)
