"""Revolute: a turn by q about an axis, Q = (R(axis, q), 0), S = (axis; 0) (supplement Eq. 29-30; 30 is misprinted)."""

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

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The angle nearest to a rotation. (1,)"""
        a, R = self.axis, E[:3, :3]
        twice_sine = a[0] * (R[2, 1] - R[1, 2]) + a[1] * (R[0, 2] - R[2, 0]) + a[2] * (R[1, 0] - R[0, 1])
        return np.array([np.arctan2(twice_sine, R[0, 0] + R[1, 1] + R[2, 2] - a @ R @ a)])
