"""A body that is stretched along the axes of the frame that its inertia is described in: x' = S x there.

A place in the body's own frame (centre of mass, principal axes, at F in that frame) goes to F'^-1 S F x, since the own
frame moves too. With the second moments J = tr(I)/2 1 - I of its mass about the centre, a body whose matter is
stretched with it and that then weighs m' has

    c' = S c,   J' = (m'/m) S J S,   I' = tr(J') 1 - J'
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..spatial.brief import brief
from ..spatial.inertia import Inertia
from ..spatial.se3 import inverse

EVEN = 1e-9  # relative difference of factors that are the same
STRAIGHT = 1e-9  # of a rotation whose axes keep their directions


@brief
@dataclass(frozen=True, eq=False)
class Stretch:
    """How a body is stretched: its three factors, and its own frame before and after. (4, 4)"""

    factors: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @property
    def even(self) -> bool:
        """Are the three factors the same?"""
        return is_even(self.factors)

    @property
    def turns(self) -> bool:
        """Do the body's own axes change their directions?"""
        return np.abs(self.before[:3, :3] - self.after[:3, :3]).max() > STRAIGHT

    @property
    def still(self) -> bool:
        """Does everything stay where it is?"""
        return bool((self.factors == 1.0).all()) and np.array_equal(self.before, self.after)

    def point(self, p: Sequence[float]) -> np.ndarray:
        """A place in the body's own frame. (3,)"""
        if self.still:
            return np.array(p, float)
        x = self.before[:3, :3] @ np.asarray(p, float) + self.before[:3, 3]
        return self.after[:3, :3].T @ (self.factors * x - self.after[:3, 3])

    def direction(self, d: Sequence[float]) -> np.ndarray:
        """A direction that stays as it is, in the body's own frame. (3,)"""
        return self.after[:3, :3].T @ self.before[:3, :3] @ np.asarray(d, float)

    def pose(self, E: np.ndarray) -> np.ndarray:
        """A frame in the body's own frame: its origin goes along, its axes stay. (4, 4)"""
        if self.still:
            return np.array(E, float)
        made = np.eye(4)
        made[:3, :3] = self.after[:3, :3].T @ self.before[:3, :3] @ E[:3, :3]
        made[:3, 3] = self.point(E[:3, 3])
        return made

    def along(self, E: np.ndarray | None = None) -> np.ndarray:
        """By how much lengths along the axes of a frame in the body's own frame grow. (3,)"""
        axes = self.before[:3, :3] if E is None else self.before[:3, :3] @ E[:3, :3]
        return np.linalg.norm(self.factors[:, None] * axes, axis=0)

    def keeps_axes(self, E: np.ndarray) -> bool:
        """Do the axes of a frame stay orthogonal, so that its coordinates grow one by one?"""
        axes = self.before[:3, :3] @ E[:3, :3]
        M = axes.T @ (self.factors[:, None] * axes)
        return np.abs(M - np.diag(np.diag(M))).max() <= EVEN * self.factors.max()


def is_even(numbers: np.ndarray) -> bool:
    """Are numbers the same?"""
    return bool(np.ptp(numbers) <= EVEN * np.abs(numbers).max())


def stretched_inertia(old: Inertia, factors: np.ndarray, mass: float, rule: str) -> tuple[Inertia, bool]:
    """(the inertia of a stretched body of a mass, is it one that a rigid body can have); rule as of `scale`."""
    ratio, R = mass / old.mass, old.frame[:3, :3]
    if is_even(factors):
        grown = tuple((ratio * factors[0] ** 2 * np.array(old.moments)).tolist())
        return Inertia(mass, grown, moved(old.frame, factors), strict=old.strict), True
    centre, matrix = factors * old.frame[:3, 3], R * np.array(old.moments) @ R.T
    if rule == "cylinder":
        matrix = _as_cylinder(matrix, old.mass, ratio, factors)
    else:
        J = 0.5 * np.trace(matrix) * np.eye(3) - matrix
        J = ratio * factors[:, None] * J * factors
        matrix = np.trace(J) * np.eye(3) - J
    try:
        return _inertia(mass, centre, matrix, old.strict), True
    except ValueError:
        return _inertia(mass, centre, matrix, False), False


def _inertia(mass: float, centre: np.ndarray, matrix: np.ndarray, strict: bool) -> Inertia:
    if np.abs(matrix - np.diag(np.diag(matrix))).max() > 0.0:
        return Inertia.from_matrix(mass, centre, matrix, strict=strict)
    frame = np.eye(4)
    frame[:3, 3] = centre
    return Inertia(mass, tuple(np.diag(matrix).tolist()), frame, strict=strict)


def _as_cylinder(matrix: np.ndarray, mass: float, ratio: float, factors: np.ndarray) -> np.ndarray:
    """The inertia of a cylinder about an end, whose axis is that of the least moment, as OpenSim takes bodies to be."""
    axis = int(np.argmin(np.diag(matrix)))
    across = [k for k in range(3) if k != axis]
    square = max(2.0 * matrix[axis, axis] / mass, 0.0)
    other = matrix[across[0], across[0]]
    length = max(3.0 * (other - 0.25 * mass * square) / mass, 0.0) * factors[axis] ** 2
    square *= factors[across[0]] * factors[across[1]]
    made = ratio * factors[:, None] * matrix * factors
    made[axis, axis] = 0.5 * ratio * mass * square
    for k in across:
        made[k, k] = ratio * mass * (length / 3.0 + 0.25 * square)
    return made


def own_frame(inertia: Inertia | None) -> np.ndarray:
    """Where a body's own frame is in the frame that its inertia is described in. (4, 4)"""
    return np.eye(4) if inertia is None else inertia.frame


def moved(E: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """A pose whose origin is stretched. (4, 4)"""
    made = E.copy()
    made[:3, 3] = factors * E[:3, 3]
    return made


def hung(E: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """The pose E of a stretched frame in another one, which keeps its place in the stretched frame. (4, 4)"""
    return inverse(moved(inverse(E), factors))
