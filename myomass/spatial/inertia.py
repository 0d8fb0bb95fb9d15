"""Mass and principal moments of a body, and of the shapes people build bodies from.

An `Inertia` is what a body has about its centre of mass along its principal axes: mass and three moments. `frame` says
where that centre and those axes are in the frame the shape was described in; for the simple shapes it is the identity.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from . import se3
from .checks import check_frame, check_numbers, check_positive
from .mesh import mass_integrals
from .so3 import hat

TRIANGLE = 1e-9  # relative slack of Ix + Iy >= Iz
ROUNDING = 1e-12  # a computed moment that is negative by less than this part of the largest is zero


def _mass(mass: float | None, density: float | None, volume: float) -> float:
    """Mass [kg], given as such or as a density [kg/m^3] times a volume."""
    if (mass is None) == (density is None):
        raise ValueError("Inertia: give either mass or density")
    if mass is None:
        mass = check_positive(density, "Inertia: the density") * volume
    return check_positive(mass, "Inertia: the mass")


@dataclass(frozen=True, eq=False, repr=False)
class Inertia:
    """Mass [kg] and principal moments [kg m^2] about the centre of mass."""

    mass: float
    moments: tuple[float, float, float]
    frame: np.ndarray = field(default_factory=lambda: np.eye(4))  # principal frame in the shape's frame
    shape: tuple = field(default=())  # (name, dimensions), for drawing
    strict: bool = True  # False: moments that no rigid body has are taken as they are, as some files hold them

    def __post_init__(self) -> None:
        mass = check_positive(self.mass, "Inertia: the mass")
        moments = check_numbers(self.moments, "Inertia: the moments (Ix, Iy, Iz)", (3,))
        if (moments < 0).any():
            raise ValueError(f"Inertia: a principal moment is negative: {moments.tolist()}")
        largest = moments.max()
        if self.strict and 2 * largest - moments.sum() > TRIANGLE * largest:
            raise ValueError(
                f"Inertia: the moments {moments.tolist()} belong to no body: the largest exceeds the sum of the others"
            )
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "moments", tuple(moments.tolist()))
        object.__setattr__(self, "frame", check_frame(self.frame, "Inertia: the frame"))

    def __eq__(self, other: object) -> bool:
        """True if mass, moments and frame are equal."""
        if not isinstance(other, Inertia):
            return NotImplemented
        same = self.mass == other.mass and self.moments == other.moments
        return same and np.array_equal(self.frame, other.frame)

    __hash__ = None

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass:g}, moments={tuple(float(f'{m:.6g}') for m in self.moments)})"

    def matrix(self) -> np.ndarray:
        """M_i = diag(Ix, Iy, Iz, m, m, m), the maximal inertia. (6, 6)"""
        return np.diag([*self.moments, self.mass, self.mass, self.mass])

    @classmethod
    def cuboid(cls, size: Sequence[float], *, mass: float | None = None, density: float | None = None) -> "Inertia":
        """Box with full side lengths `size` [m]."""
        x, y, z = _sizes(size, "cuboid", "sides")
        m = _mass(mass, density, x * y * z)
        moments = (m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y))
        return cls(m, moments, shape=("cuboid", (x, y, z)))

    @classmethod
    def sphere(cls, radius: float, *, mass: float | None = None, density: float | None = None) -> "Inertia":
        """Solid ball of a radius [m]."""
        r = check_positive(radius, "Inertia.sphere: the radius")
        m = _mass(mass, density, 4 / 3 * np.pi * r * r * r)
        return cls(m, (0.4 * m * r * r,) * 3, shape=("sphere", (r,)))

    @classmethod
    def ellipsoid(
        cls, semiaxes: Sequence[float], *, mass: float | None = None, density: float | None = None
    ) -> "Inertia":
        """Solid ellipsoid with three semi-axes [m]."""
        a, b, c = _sizes(semiaxes, "ellipsoid", "semi-axes")
        m = _mass(mass, density, 4 / 3 * np.pi * a * b * c)
        moments = (m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b))
        return cls(m, moments, shape=("ellipsoid", (a, b, c)))

    @classmethod
    def cylinder(
        cls, radius: float, length: float, *, mass: float | None = None, density: float | None = None
    ) -> "Inertia":
        """Solid cylinder along z with a radius and a length [m]."""
        r, h = (
            check_positive(radius, "Inertia.cylinder: the radius"),
            check_positive(length, "Inertia.cylinder: the length"),
        )
        m = _mass(mass, density, np.pi * r * r * h)
        across = m / 12 * (3 * r * r + h * h)
        return cls(m, (across, across, m / 2 * r * r), shape=("cylinder", (r, h)))

    @classmethod
    def capsule(
        cls, radius: float, length: float, *, mass: float | None = None, density: float | None = None
    ) -> "Inertia":
        """Cylinder along z of a length [m] between two half balls of a radius [m]."""
        r, h = (
            check_positive(radius, "Inertia.capsule: the radius"),
            check_positive(length, "Inertia.capsule: the length"),
        )
        middle, balls = np.pi * r * r * h, 4 / 3 * np.pi * r * r * r
        m = _mass(mass, density, middle + balls)
        m_c, m_s = m * middle / (middle + balls), m * balls / (middle + balls)
        along = m_c * r * r / 2 + m_s * 0.4 * r * r
        across = m_c * (3 * r * r + h * h) / 12 + m_s * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
        return cls(m, (across, across, along), shape=("capsule", (r, h)))

    @classmethod
    def point(cls, mass: float) -> "Inertia":
        """A point mass [kg]."""
        return cls(mass, (0.0, 0.0, 0.0), shape=("point", ()))

    @classmethod
    def from_matrix(
        cls, mass: float, centre: np.ndarray, matrix: np.ndarray, shape: tuple = (), *, strict: bool = True
    ) -> "Inertia":
        """Any body: mass, centre of mass [m] and 3x3 inertia about it [kg m^2], in one common frame."""
        matrix = check_numbers(matrix, "Inertia.from_matrix: the inertia", (3, 3))
        centre = check_numbers(centre, "Inertia.from_matrix: the centre", (3,))
        if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
            raise ValueError("Inertia.from_matrix: the inertia matrix is not symmetric")
        moments, axes = np.linalg.eigh(matrix)
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        rounding = ROUNDING * np.abs(moments).max()
        moments = np.where((moments < 0) & (moments > -rounding), 0.0, moments)
        return cls(mass, tuple(moments), se3.pose(axes, centre), shape, strict)

    @classmethod
    def composite(cls, parts: Iterable[tuple["Inertia", np.ndarray]]) -> "Inertia":
        """Several inertias, each with its pose (4, 4) in a common frame, as one."""
        parts = list(parts)
        if not parts:
            raise ValueError("Inertia.composite: give at least one (inertia, pose)")
        for i, part in enumerate(parts):
            if not isinstance(part, Sequence) or len(part) != 2 or not isinstance(part[0], Inertia):
                raise ValueError(f"Inertia.composite: part {i} must be a pair (inertia, pose), and is {part!r}")
        poses = [check_frame(E, f"Inertia.composite: pose {i}") @ part.frame for i, (part, E) in enumerate(parts)]
        masses = np.array([part.mass for part, _ in parts])
        centres = np.array([E[:3, 3] for E in poses])
        centre = masses @ centres / masses.sum()
        total = np.zeros((3, 3))
        for (part, _), E, x in zip(parts, poses, centres - centre, strict=True):
            total += E[:3, :3] @ np.diag(part.moments) @ E[:3, :3].T - part.mass * hat(x) @ hat(x)
        return cls.from_matrix(masses.sum(), centre, total, ("composite", tuple((p.shape, E) for p, E in parts)))

    @classmethod
    def mesh(
        cls, vertices: np.ndarray, faces: np.ndarray, *, mass: float | None = None, density: float | None = None
    ) -> "Inertia":
        """Solid inside a closed triangle mesh: vertices (n, 3) [m], faces (k, 3) counter-clockwise from outside."""
        volume, centre, matrix = mass_integrals(vertices, faces)
        m = _mass(mass, density, volume)
        return cls.from_matrix(m, centre, m / volume * matrix, ("mesh", (np.array(vertices), np.array(faces))))


def _sizes(size: Sequence[float], shape: str, what: str) -> tuple[float, ...]:
    """Three lengths. Raises a ValueError unless they are positive."""
    sizes = tuple(np.atleast_1d(size))
    if len(sizes) != 3:
        raise ValueError(f"Inertia.{shape}: give three {what}, not {len(sizes)}")
    return tuple(check_positive(s, f"Inertia.{shape}: each of the {what}") for s in sizes)
