"""Fixed: no motion, Q = I, S is 6 x 0 (supplement section 4.1)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import Joint


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q = I."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    return ((one, o, o), (o, one, o), (o, o, one)), (o, o, o)


class Fixed(Joint):
    """The body is welded to its parent."""

    ndof = 0
    motion: ClassVar = motion
    free = ()

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The empty vector of coordinates. (0,)"""
        return np.zeros(0)

    def __repr__(self) -> str:
        return "Fixed()"
