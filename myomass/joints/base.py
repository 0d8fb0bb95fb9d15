"""What a joint is: the protocol that every file of this folder follows.

A joint moves a frame by Q(q), 4x4. Its Jacobian S, 6 x ndof, gives the twist S qdot of the moved frame, in that frame.
A joint of its own kind is a class with three kernels:

    motion(params, at, q, qdot, dof, dofs) -> (R, p)    Q; writes the columns of S and Sdot into dofs[dof:]
    partials(params, at, q, dof, dS)                    adds dS[m, k] = d S_k / d q_m, six numbers each
    reparameterise(params, at, q, qdot, dof, q_before, qdot_before) -> bool
                                                        moves to a better chart, in place; True if it did

``params[at:]`` holds what `parameters()` returned, ``q[dof:]`` the joint's coordinates; a row before, if there is one
(its arrays are not empty), comes along into the new chart. Most joints need no chart, and
those with constant S no partials: the two below serve them. What plots, pictures and maximal coordinates need to know
of a joint it says itself, as `units`, `solid` and `free`; whoever says nothing is plotted without units and not drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import store3
from ..spatial.brief import brief
from ..spatial.checks import unit_axis

MOST_DOFS = 6  # most degrees of freedom of one joint
INTERNAL = {
    "motion",
    "partials",
    "reparameterise",
    "charts",
    "parameters",
    "links",
    "guesses",
    "suited",
    "free",
    "solid",
}


@kernel
def set_column(column, s, sdot):
    """Write one column of S and of Sdot, each a twist (w, v)."""
    store3(column.s_w, s[0])
    store3(column.s_v, s[1])
    store3(column.sdot_w, sdot[0])
    store3(column.sdot_v, sdot[1])


@kernel
def add_partial(column, w, v):
    """Add the twist (w, v) to dS[m, k], six numbers."""
    for i in range(3):
        column[i] += w[i]
        column[3 + i] += v[i]


@kernel
def no_partials(params, at, q, dof, dS):
    """Partials of a joint whose S is constant: they stay zero."""


@kernel
def one_chart(params, at, q, qdot, dof, q_before, qdot_before):
    """Reparameterisation of a joint with a single chart: does nothing and returns False."""
    return False


@dataclass(frozen=True)
class LinkPart:
    """One link of a joint's chain: a constant frame, then the motion of one joint of its own kind or its inverse."""

    E_before: np.ndarray  # (4, 4)
    joint: "Joint"
    inverted: bool
    dof: int  # first degree of freedom, counted from the whole joint's first


@brief
class Joint:
    """A joint: `ndof`, `parameters()`, and Q, S, Sdot, dS evaluated for arrays."""

    ndof: int
    motion: ClassVar[Callable]
    partials: ClassVar[Callable] = no_partials
    reparameterise: ClassVar[Callable] = one_chart
    charts: ClassVar[int] = 1  # how many there are; if several, the first parameter says which is in use
    units: ClassVar[tuple[str, ...]] = ()  # of its coordinates, "rad" or "m"; those that are not named have "1"
    solid: ClassVar[str | None] = None  # how it is drawn: "pin", "slider", "ball", or nothing
    free: ClassVar[tuple[int, ...] | None] = None  # components of its twist that it leaves free, if always the same

    def __dir__(self) -> list[str]:
        """What is meant for people; kernels and what packs them are not."""
        return [name for name in super().__dir__() if name not in INTERNAL]

    def parameters(self) -> np.ndarray:
        """Numbers that the kernels read. (any,)"""
        return np.zeros(0)

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """The joint as a chain of links, and the constant frame after the last one."""
        return [LinkPart(np.eye(4), self, False, 0)], np.eye(4)

    def Q(self, q: np.ndarray) -> np.ndarray:
        """Q(q), pose of the moved frame. (4, 4)"""
        return self._evaluate(q)[0]

    def S(self, q: np.ndarray) -> np.ndarray:
        """S(q), twist of the moved frame per qdot. (6, ndof)"""
        return self._evaluate(q)[1]

    def Sdot(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """dS/dt at the rates qdot. (6, ndof)"""
        return self._evaluate(q, qdot)[2]

    def dS(self, q: np.ndarray) -> np.ndarray:
        """dS[m] = dS/dq_m. (ndof, 6, ndof)"""
        return self._evaluate(q)[3]

    def locate(self, E: np.ndarray) -> np.ndarray:
        """q at which Q(q) is the pose E (4, 4), or is nearest to it where the joint cannot reach it. (ndof,)"""
        from .locate import search

        return search(self, E)

    def guesses(self) -> list[np.ndarray]:
        """Coordinates from which a search for a pose may start, a list of (ndof,)."""
        rng = np.random.default_rng(0)
        return [np.zeros(self.ndof), *rng.uniform(-2.0, 2.0, (8, self.ndof))]

    def suited(self, E: np.ndarray) -> "Joint":
        """The joint in the chart that suits the pose E; the joint itself where there is only one chart."""
        return self

    def _evaluate(self, q: np.ndarray, qdot: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        from .chain import evaluate

        return evaluate(self, q, qdot)


def frame_with_z_along(axis: np.ndarray) -> np.ndarray:
    """A rotation whose third column is the unit vector `axis`; exact for coordinate axes. (4, 4)"""
    order = np.argsort(np.abs(axis), kind="stable")
    x = np.zeros(3)
    x[order[0]] = 1.0
    x = x - axis * (x @ axis)
    x /= np.linalg.norm(x)
    E = np.eye(4)
    E[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return E


class AxisJoint(Joint):
    """A joint of one degree of freedom whose kernel moves along or about z; constant frames take another axis to z."""

    ndof = 1

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0)):
        self.axis = unit_axis(axis, type(self).__name__)

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """The motion along or about z, between two constant frames."""
        E = frame_with_z_along(self.axis)
        return [LinkPart(E, self, False, 0)], E.T

    def __repr__(self) -> str:
        return f"{type(self).__name__}(axis={self.axis.tolist()})"
