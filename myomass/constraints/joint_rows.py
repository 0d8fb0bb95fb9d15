"""Joints as rows, for maximal coordinates: the relative twist of child and parent, free components dropped (Eq. 3.36).

Both ends carry the joint's frame, A on the child, B on the parent. In A's axes a_k, of A against B where A is:

    angular  a_k . (w_A - w_B),     linear  a_k . (v_A - v_B - w_B x (x_A - x_B))
"""

import numpy as np

from .._jit import kernel
from ..joints.dispatch import KINDS
from ..model.elements import Formula
from ..spatial.algebra import add, cross, dot, load3, neg, scale, sub
from .base import axis_of, pull, set_row

WORDS = ("turn x", "turn y", "turn z", "x", "y", "z")
TURNS, SHIFTS = (0, 1, 2), (3, 4, 5)  # what a ball leaves free, and what a translation does


@kernel(inline=False)
def held(params, at, t, spots, rows):
    """Rows of the components of the relative twist that a joint holds: params[at + r] is the component of row r.

    Errors of orientation are sums of cross products of like axes, of the z axes alone where turning about z is free.
    """
    spins = params[at + 6] != 0.0
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    o = apart[0] * 0.0
    error = cross(axis_of(spots[1], 2), axis_of(spots[0], 2))
    if not spins:
        for k in range(2):
            error = add(error, cross(axis_of(spots[1], k), axis_of(spots[0], k)))
        error = scale(0.5, error)
    for r in range(rows.shape[0]):
        component = int(params[at + r])
        axis = axis_of(spots[0], component % 3)
        if component < 3:
            set_row(rows[r], dot(axis, error), o)
            pull(rows[r], 0, (o, o, o), axis)
            pull(rows[r], 1, (o, o, o), neg(axis))
        else:
            set_row(rows[r], dot(axis, apart), o)
            pull(rows[r], 0, axis, (o, o, o))
            pull(rows[r], 1, neg(axis), cross(axis, apart))


HELD = Formula(held)


def held_components(kind: int) -> np.ndarray:
    """Components, 0 to 5, of the relative twist [omega; v] that a kind of joint holds."""
    return np.array([k for k in range(6) if k not in KINDS[kind].free], int)
