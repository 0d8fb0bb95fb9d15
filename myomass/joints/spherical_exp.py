"""Spherical in exponential coordinates: Q = (exp([q]), 0), S = (I - b [q] + c [q]^2; 0) (supplement Eq. 36-41).

The chart is singular at |q| = 2 pi. Beyond 1.5 pi the vector is replaced by the shorter one of the same rotation,
q <- (1 - 2 pi/|q|) q, and qdot by the rate that gives the same angular velocity.
"""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import dot, load3, store3
from ..spatial.se3 import log_coefficient
from ..spatial.so3 import (
    angle_coefficients,
    angle_slopes,
    dexp,
    dexp_inverse,
    dexp_slope,
    rotation_log,
    rotation_of,
    wrapped,
)
from .base import Joint, add_partial, set_column

WRAP_BEYOND = 1.5 * np.pi  # [rad]


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot; column k of S is S(q) e_k."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    none = (o, o, o)
    w, wdot = load3(q[dof : dof + 3]), load3(qdot[dof : dof + 3])
    x = dot(w, w)
    a, b, c = angle_coefficients(x)
    db, dc = angle_slopes(x, a, b, c)
    coefficients = (b, c, db, dc)
    for k in range(3):
        e = (one if k == 0 else o, one if k == 1 else o, one if k == 2 else o)
        set_column(dofs[dof + k], (dexp(w, e, b, c), none), (dexp_slope(w, e, wdot, coefficients), none))
    return rotation_of(w, a, b), none


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS[m, k] = derivative of S(q) e_k along e_m."""
    o, one = q.dtype.type(0), q.dtype.type(1)
    w = load3(q[dof : dof + 3])
    x = dot(w, w)
    a, b, c = angle_coefficients(x)
    db, dc = angle_slopes(x, a, b, c)
    for m in range(3):
        along = (one if m == 0 else o, one if m == 1 else o, one if m == 2 else o)
        for k in range(3):
            e = (one if k == 0 else o, one if k == 1 else o, one if k == 2 else o)
            add_partial(dS[m, k], dexp_slope(w, e, along, (b, c, db, dc)), (o, o, o))


@kernel
def wrap(q, qdot, dof, turns):
    """Take whole turns off the rotation vector, keeping rotation and angular velocity."""
    w = load3(q[dof : dof + 3])
    _, b, c = angle_coefficients(dot(w, w))
    omega = dexp(w, load3(qdot[dof : dof + 3]), b, c)
    w = wrapped(w, turns)
    store3(q[dof : dof + 3], w)
    store3(qdot[dof : dof + 3], dexp_inverse(w, omega, log_coefficient(dot(w, w))))


@kernel(inline=False)
def reparameterise(params, at, q, qdot, dof, q_before, qdot_before):
    """Wrap q to the short way round once |q| > 1.5 pi, and a row before by as many turns."""
    w = load3(q[dof : dof + 3])
    if dot(w, w) <= WRAP_BEYOND * WRAP_BEYOND:
        return False
    turns = np.floor(np.sqrt(dot(w, w)) / (2.0 * np.pi) + 0.5)
    wrap(q, qdot, dof, turns)
    if q_before.shape[0] > 0:
        wrap(q_before, qdot_before, dof, turns)
    return True


class SphericalExp(Joint):
    """Ball joint; q is the rotation vector in rad, wrapped between steps."""

    ndof = 3
    motion: ClassVar = motion
    partials: ClassVar = partials
    reparameterise: ClassVar = reparameterise
    units, solid, free = ("rad",) * 3, "ball", (0, 1, 2)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The rotation vector of the pose E, no longer than pi [rad]. (3,)"""
        return np.array(rotation_log(tuple(map(tuple, E[:3, :3].tolist()))))

    def __repr__(self) -> str:
        return "SphericalExp()"
