"""Prismatic: a slide by q along an axis, Q = (I, axis q), S = (0; axis) (supplement Eq. 23-24)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import AxisJoint, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot of the slide along z."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    set_column(dofs[dof], (none, (o, o, one)), (none, none))
    return ((one, o, o), (o, one, o), (o, o, one)), (o, o, q[dof])


class Prismatic(AxisJoint):
    """Slide along `axis`; q in m."""

    motion: ClassVar = motion
    units, solid, free = ("m",), "slider", (5,)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The distance along the axis nearest to the pose E [m]. (1,)"""
        return np.array([self.axis @ E[:3, 3]])
