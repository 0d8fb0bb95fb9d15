"""Force plates of .c3d files: force on the person, centre of pressure and free torque, from what sensors measured.

In the frame of a plate, whose origin is the middle of its surface, with f the force and m the moment about that origin:

    point = (-m_y, m_x, 0) / f_z,      torque = (0, 0, m_z - point_x f_y + point_y f_x)

A file's ORIGIN is the vector from where the sensors measure to the middle of the surface (types 2 and 4), or half the
distances between the sensors, and their depth (type 3). After the C3D format's user guide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..spatial.brief import brief

KNOWN = {2: 6, 3: 8, 4: 6}  # types -> channels
UNKNOWN = "types 2, 3 and 4 are known"


@brief
@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A force plate: its type, corners of its surface [m], (4, 3), origin [m], and its analog channels by number.

    calibration: of type 4, (6, 6), from the channels to force and moment. moment_unit: of moments, as measured [N m].
    """

    type: int
    corners: np.ndarray
    origin: np.ndarray
    channels: Sequence[int]
    calibration: np.ndarray | None = None
    moment_unit: float = 1.0

    @property
    def centre(self) -> np.ndarray:
        """The middle of the surface in the laboratory [m]. (3,)"""
        return self.corners.mean(axis=0)

    @property
    def R(self) -> np.ndarray:
        """Axes of the plate as columns, in the laboratory. (3, 3)"""
        a, b, c, d = self.corners
        x = a + d - b - c
        z = np.cross(x, a + b - c - d)
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)

    def wrench(self, channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] and moment [N m] about the middle of the surface, in the plate's frame. (rows, 3) each"""
        x = channels[:, self.channels]
        origin = self.origin.copy()
        if self.type == 3:
            f, m = _of_corner_sensors(x, origin)
            origin[:2] = 0.0
            return f, m - np.cross(_to_surface(origin), f)
        if self.type == 4:
            x = x @ self.calibration.T
        f, m = x[:, :3], x[:, 3:] * self.moment_unit
        return f, m - np.cross(_to_surface(origin), f)

    def measured(self, channels: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force [N], point [m] and free torque [N m] in the laboratory, of all analog channels. (rows, 3) each

        Where the plate is pressed with less than the threshold [N], force and torque are zero, the point its middle.
        """
        f, m = self.wrench(channels)
        pressed = np.abs(f[:, 2]) >= max(threshold, np.finfo(float).tiny)
        f, m = f * pressed[:, None], m * pressed[:, None]
        fz = np.where(pressed, f[:, 2], 1.0)
        x, y = -m[:, 1] / fz, m[:, 0] / fz
        zero = np.zeros(len(f))
        torque = np.stack([zero, zero, m[:, 2] - x * f[:, 1] + y * f[:, 0]], axis=1)
        point = np.stack([x, y, zero], axis=1)
        return f @ self.R.T, self.centre + point @ self.R.T, torque @ self.R.T


def _to_surface(origin: np.ndarray) -> np.ndarray:
    """From the sensors to the surface: z of a plate points down, and files that say otherwise mean the same."""
    return origin if origin[2] <= 0 else -origin


def _of_corner_sensors(x: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the sensors' middle, of fx12, fx34, fy14, fy23, fz1, fz2, fz3, fz4 at (+-a, +-b)."""
    a, b = origin[:2]
    x12, x34, y14, y23, z1, z2, z3, z4 = x.T
    f = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=1)
    m = [b * (z1 + z2 - z3 - z4), a * (z2 + z3 - z1 - z4), b * (x34 - x12) + a * (y14 - y23)]
    return f, np.stack(m, axis=1)
