"""Revolute: a turn by q about an axis, Q = (R(axis, q), 0), S = (axis; 0) (supplement Eq. 29-30; 30 is misprinted)."""

from math import atan2
from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import AxisJoint, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot of the turn about z."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    set_column(dofs[dof], ((o, o, one), none), (none, none))
    c, s = np.cos(q[dof]), np.sin(q[dof])
    return ((c, -s, o), (s, c, o), (o, o, one)), none


class Revolute(AxisJoint):
    """Turn about `axis` through the joint's origin; q in rad."""

    motion: ClassVar = motion
    units, solid, free = ("rad",), "pin", (2,)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The angle nearest to the rotation of the pose E [rad]. (1,)"""
        (x, y, z), (X, Y, Z, _) = self.axis.tolist(), E.tolist()
        sine = x * (Z[1] - Y[2]) + y * (X[2] - Z[0]) + z * (Y[0] - X[1])  # twice, as the cosine below
        along = x * (x * X[0] + y * X[1] + z * X[2]) + y * (x * Y[0] + y * Y[1] + z * Y[2])
        cosine = X[0] + Y[1] + Z[2] - along - z * (x * Z[0] + y * Z[1] + z * Z[2])
        return np.array([atan2(sine, cosine)])
