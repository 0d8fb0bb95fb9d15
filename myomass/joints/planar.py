"""Planar: translation in the x-y plane of the joint's frame (supplement Eq. 25-26)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import Joint, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot of a translation along x and y."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    set_column(dofs[dof], (none, (one, o, o)), (none, none))
    set_column(dofs[dof + 1], (none, (o, one, o)), (none, none))
    return ((one, o, o), (o, one, o), (o, o, one)), (q[dof], q[dof + 1], o)


class Planar(Joint):
    """Translation in x and y; q in m."""

    ndof = 2
    motion: ClassVar = motion
    units, free = ("m",) * 2, (3, 4)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """(x, y) of the pose E [m]. (2,)"""
        return E[:2, 3].copy()

    def __repr__(self) -> str:
        return "Planar()"
