"""Ellipsoidal: the frame turns about x, y and z while its origin slides on an ellipsoid, as at the shoulder blade.

    R = R_x(q_0) R_y(q_1) R_z(q_2),   p = (r_x, r_y, r_z) R e_z, component by component

S_w has the columns R_z^T R_y^T e_x, R_z^T e_y, e_z, and S_v = R^T dp/dq.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, cross, load3, matmul, mul_T, scale
from ..spatial.checks import check_numbers
from .base import Joint, add_partial, set_column


@kernel
def by_component(r, v):
    """The products of the components of two vectors."""
    return r[0] * v[0], r[1] * v[1], r[2] * v[2]


@kernel
def on_ellipsoid(params, at, q, dof):
    """(R, p, axes of the turns in the moved frame, dp/dq_0, dp/dq_1, second derivatives 00, 01, 11 of p)."""
    r = load3(params[at : at + 3])
    o, one = q.dtype.type(0), q.dtype.type(1)
    c0, s0, c1, s1 = np.cos(q[dof]), np.sin(q[dof]), np.cos(q[dof + 1]), np.sin(q[dof + 1])
    c2, s2 = np.cos(q[dof + 2]), np.sin(q[dof + 2])
    R12 = ((c1, o, s1), (s0 * s1, c0, -s0 * c1), (-c0 * s1, s0, c0 * c1))
    R = matmul(R12, ((c2, -s2, o), (s2, c2, o), (o, o, one)))
    axes = ((c1 * c2, -c1 * s2, s1), (s2, c2, o), (o, o, one))
    p = by_component(r, (s1, -s0 * c1, c0 * c1))
    first, second = by_component(r, (o, -c0 * c1, -s0 * c1)), by_component(r, (c1, s0 * s1, -c0 * s1))
    bends = by_component(r, (o, s0 * c1, -c0 * c1)), by_component(r, (o, c0 * s1, s0 * s1))
    return R, p, axes, first, second, (*bends, by_component(r, (-s1, s0 * c1, -c0 * c1)))


@kernel
def slopes(R, b, turns, dp, along):
    """How the columns (two with S_v) change while the angles change by `along`, and dp/dq_0, dp/dq_1 by `dp`.

    turns: S_v of the first two columns. Returns (w_0, v_0, w_1, v_1).
    """
    w2 = scale(-along[2], b[2])
    w1 = add_scaled(w2, -along[1], b[1])
    w = add_scaled(w1, -along[0], b[0])
    v0, v1 = add(mul_T(R, dp[0]), cross(w, turns[0])), add(mul_T(R, dp[1]), cross(w, turns[1]))
    return cross(w1, b[0]), v0, cross(w2, b[1]), v1


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S and Sdot."""
    R, p, b, first, second, bend = on_ellipsoid(params, at, q, dof)
    rate = (qdot[dof], qdot[dof + 1], qdot[dof + 2])
    turns = mul_T(R, first), mul_T(R, second)
    dp = add_scaled(scale(rate[0], bend[0]), rate[1], bend[1]), add_scaled(scale(rate[0], bend[1]), rate[1], bend[2])
    w0, v0, w1, v1 = slopes(R, b, turns, dp, rate)
    o = q.dtype.type(0)
    none = (o, o, o)
    set_column(dofs[dof], (b[0], turns[0]), (w0, v0))
    set_column(dofs[dof + 1], (b[1], turns[1]), (w1, v1))
    set_column(dofs[dof + 2], (b[2], none), (none, none))
    return R, p


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS[m, k] = d S_k/d q_m."""
    R, _, b, first, second, bend = on_ellipsoid(params, at, q, dof)
    turns = mul_T(R, first), mul_T(R, second)
    o, one = q.dtype.type(0), q.dtype.type(1)
    for m in range(3):
        along = (one if m == 0 else o, one if m == 1 else o, one if m == 2 else o)
        dp0 = add_scaled(scale(along[0], bend[0]), along[1], bend[1])
        dp1 = add_scaled(scale(along[0], bend[1]), along[1], bend[2])
        w0, v0, w1, v1 = slopes(R, b, turns, (dp0, dp1), along)
        add_partial(dS[m, 0], w0, v0)
        add_partial(dS[m, 1], w1, v1)


class Ellipsoidal(Joint):
    """Turns about x, y and z by q [rad], its origin on an ellipsoid of these `radii` [m] along the turned z."""

    ndof = 3
    motion: ClassVar = motion
    partials: ClassVar = partials
    units, solid = ("rad",) * 3, "ball"

    def __init__(self, radii: Sequence[float]):
        self.radii = check_numbers(radii, "Ellipsoidal: the radii [m]", (3,)).astype(float)
        if (self.radii < 0).any():
            raise ValueError(f"Ellipsoidal: the radii must not be negative, and are {self.radii.tolist()}")

    def parameters(self) -> np.ndarray:
        """The radii. (3,)"""
        return self.radii

    def __repr__(self) -> str:
        return f"Ellipsoidal({self.radii.tolist()})"
