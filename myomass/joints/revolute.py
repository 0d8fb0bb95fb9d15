"""Revolute: a turn by q about an axis, Q = (R(axis, q), 0), S = (axis; 0) (supplement Eq. 29-30, erratum 2).

The kernel knows the z axis only: the link's constant frames carry any other axis onto it.
"""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.checks import unit_axis
from .base import Joint, LinkPart, frame_with_z_along, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot of the turn about z."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    set_column(dofs[dof], ((o, o, one), none), (none, none))
    c, s = np.cos(q[dof]), np.sin(q[dof])
    return ((c, -s, o), (s, c, o), (o, o, one)), none


class Revolute(Joint):
    """Turn about `axis` through the joint's origin; q in rad."""

    ndof = 1
    motion: ClassVar = motion

    def __init__(self, axis=(0.0, 0.0, 1.0)):
        self.axis = unit_axis(axis, type(self).__name__)

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """A turn about z between two constant frames."""
        E = frame_with_z_along(self.axis)
        return [LinkPart(E, self, False, 0)], E.T

    def __repr__(self) -> str:
        return f"{type(self).__name__}(axis={self.axis.tolist()})"
