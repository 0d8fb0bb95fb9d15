"""Universal: bending about x, then about the turned y; no twist (supplement Eq. 32-35)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from .base import Joint, add_partial, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot: S = (c2 0 s2; 0 1 0)."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    c1, s1, c2, s2 = np.cos(q[dof]), np.sin(q[dof]), np.cos(q[dof + 1]), np.sin(q[dof + 1])
    rate = qdot[dof + 1]
    set_column(dofs[dof], ((c2, o, s2), none), ((-s2 * rate, o, c2 * rate), none))
    set_column(dofs[dof + 1], ((o, one, o), none), (none, none))
    return ((c2, o, s2), (s1 * s2, c1, -s1 * c2), (-c1 * s2, s1, c1 * c2)), none


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS[m, k] = d S_k/d q_m: the first column turns with the second angle."""
    o = q.dtype.type(0)
    c2, s2 = np.cos(q[dof + 1]), np.sin(q[dof + 1])
    add_partial(dS[1, 0], (-s2, o, c2), (o, o, o))


class Universal(Joint):
    """Bending about x and y; q in rad."""

    ndof = 2
    motion: ClassVar = motion
    partials: ClassVar = partials
    units, solid = ("rad",) * 2, "ball"

    def locate(self, E: np.ndarray) -> np.ndarray:
        """Both angles of a rotation without twist, the second in [-pi, pi]. (2,)"""
        return np.array([np.arctan2(E[2, 1], E[1, 1]), np.arctan2(E[0, 2], E[0, 0])])

    def __repr__(self) -> str:
        return "Universal()"
