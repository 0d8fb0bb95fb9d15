"""Translational: translation in space without turning (supplement Eq. 27; S = (0; I), Eq. 28 is misprinted)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import Joint, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot of a translation along x, y and z."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    x, y, z = (one, o, o), (o, one, o), (o, o, one)
    set_column(dofs[dof], (none, x), (none, none))
    set_column(dofs[dof + 1], (none, y), (none, none))
    set_column(dofs[dof + 2], (none, z), (none, none))
    return (x, y, z), (q[dof], q[dof + 1], q[dof + 2])


class Translational(Joint):
    """Translation in x, y and z; q in m."""

    ndof = 3
    motion: ClassVar = motion
    units, free = ("m",) * 3, (3, 4, 5)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The position of the pose E [m]. (3,)"""
        return E[:3, 3].copy()

    def __repr__(self) -> str:
        return "Translational()"
