"""Spline surface: a frame on a tensor-product cubic spline surface, q = (q1, q2) (supplement section 5.3, Alg. 5).

Six spline functions f_k(q) = b(q2)^T C_k b(q1) give translation x, y, z and then XYZ Euler angles (the first index of
C_k goes with q2):

    Q = (R_x(f4) R_y(f5) R_z(f6), (f1, f2, f3)),     S_i = ( sum_a s_a d_i f_a ; R^T d_i (f1, f2, f3) )

with s_a the columns of the Euler joint, d s_a/d f_b = s_a x s_b for a < b, and any basis b (spatial/bases.py). Packed
as [rows, columns, C_1 ... C_6], after the mark of the basis.
"""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, cross, mul_T, scale, sub
from ..spatial.bases import BEZIER, NAMES, basis, basis_of, count_segments, header, number_of, segment_of, window_step
from ..spatial.checks import check_numbers
from .base import Joint, add_partial, set_column
from .spherical_euler import CHART_NAMES, euler

XYZ = CHART_NAMES.index("XYZ")


@kernel
def weighted(params, at, columns, b2, b1):
    """b2^T C b1 over the 4x4 control values that start at `at` in rows of `columns`."""
    total = b1[0] * 0.0
    for i in range(4):
        row = at + i * columns
        total += b2[i] * (
            b1[0] * params[row] + b1[1] * params[row + 1] + b1[2] * params[row + 2] + b1[3] * params[row + 3]
        )
    return total


@kernel
def three(params, at, stride, columns, weights):
    """Values of three spline functions, `stride` numbers apart, with the weights (b2, b1)."""
    b2, b1 = weights
    return (
        weighted(params, at, columns, b2, b1),
        weighted(params, at + stride, columns, b2, b1),
        weighted(params, at + 2 * stride, columns, b2, b1),
    )


@kernel
def patch(params, at, q1, q2):
    """(first control value, stride, columns, b(q1), b(q2)) of the 4x4 patch that (q1, q2) lies in."""
    kind, at = basis_of(params, at)
    rows, columns, step = int(params[at]), int(params[at + 1]), window_step(kind)
    i = segment_of(q2, count_segments(kind, rows), False)
    j = segment_of(q1, count_segments(kind, columns), False)
    first = at + 2 + step * (i * columns + j)
    return first, rows * columns, columns, basis(kind, q1 - j), basis(kind, q2 - i)


@kernel
def twist_along(s, R, turn, shift):
    """The twist ( s1 turn1 + s2 turn2 + s3 turn3 ; R^T shift )."""
    w = add_scaled(add_scaled(scale(turn[0], s[0]), turn[1], s[1]), turn[2], s[2])
    return w, mul_T(R, shift)


@kernel(inline=False)
def partial(s, R, first, second, third):
    """d_j S_i from d_i f, d_j f and d_ij f, each as (turn, shift)."""
    turn_i, turn_j = first[0], second[0]
    w, v = twist_along(s, R, third[0], third[1])
    w = add_scaled(w, turn_i[0] * turn_j[1], cross(s[0], s[1]))
    w = add_scaled(w, turn_i[0] * turn_j[2], cross(s[0], s[2]))
    w = add_scaled(w, turn_i[1] * turn_j[2], cross(s[1], s[2]))
    omega_j, _ = twist_along(s, R, turn_j, second[1])
    return w, sub(v, cross(omega_j, mul_T(R, first[1])))


@kernel(inline=False)
def surface(params, at, q1, q2):
    """(Q, S1, S2, dS) with dS = (d1 S1, d1 S2 = d2 S1 as mixed pair, d2 S2) of the packed surface."""
    start, stride, columns, b1, b2 = patch(params, at, q1, q2)
    turns = start + 3 * stride
    p = three(params, start, stride, columns, (b2[0], b1[0]))
    angles = three(params, turns, stride, columns, (b2[0], b1[0]))
    R, s1, s2, s3 = euler(XYZ, angles[0], angles[1], angles[2])
    s = (s1, s2, s3)
    d1 = slope(params, start, stride, columns, (b2[0], b1[1]))
    d2 = slope(params, start, stride, columns, (b2[1], b1[0]))
    d11 = slope(params, start, stride, columns, (b2[0], b1[2]))
    d12 = slope(params, start, stride, columns, (b2[1], b1[1]))
    d22 = slope(params, start, stride, columns, (b2[2], b1[0]))
    S = (twist_along(s, R, d1[0], d1[1]), twist_along(s, R, d2[0], d2[1]))
    dS1 = (partial(s, R, d1, d1, d11), partial(s, R, d2, d1, d12))  # d1 S1, d1 S2
    dS2 = (partial(s, R, d1, d2, d12), partial(s, R, d2, d2, d22))  # d2 S1, d2 S2
    return (R, p), S, (dS1, dS2)


@kernel(inline=False)
def slope(params, start, stride, columns, weights):
    """(turn, shift): a derivative of the three angles and of the three translations."""
    turn = three(params, start + 3 * stride, stride, columns, weights)
    return turn, three(params, start, stride, columns, weights)


@kernel
def rate_of(dS1, dS2, rate1, rate2):
    """Sdot of one column: dS1 rate1 + dS2 rate2."""
    w = add(scale(rate1, dS1[0]), scale(rate2, dS2[0]))
    return w, add(scale(rate1, dS1[1]), scale(rate2, dS2[1]))


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S and Sdot of the packed surface."""
    Q, S, dS = surface(params, at, q[dof], q[dof + 1])
    for k in range(2):
        sdot = rate_of(dS[0][k], dS[1][k], qdot[dof], qdot[dof + 1])
        set_column(dofs[dof + k], S[k], sdot)
    return Q


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS[m, k] = d_m S_k of the packed surface."""
    _, _, slopes = surface(params, at, q[dof], q[dof + 1])
    for m in range(2):
        for k in range(2):
            add_partial(dS[m, k], slopes[m][k][0], slopes[m][k][1])


class SplineSurface(Joint):
    """Motion on a surface given by control values (6, rows, columns): x, y, z [m], then XYZ angles [rad].

    q1 runs along the columns over [0, columns - 3], q2 along the rows over [0, rows - 3]. basis: as of a SplineCurve;
    Bezier patches, of 4 x 4 values each, share their edges: over [0, (columns - 1)/3] and [0, (rows - 1)/3].
    """

    ndof = 2
    motion: ClassVar = motion
    partials: ClassVar = partials
    basis = NAMES[0]  # of joints pickled before there were others

    def __init__(self, control: np.ndarray, basis: str = NAMES[0]):
        self.control = check_numbers(control, "SplineSurface: the control values", (6, None, None)).copy()
        shape = self.control.shape
        if min(shape[1:]) < 4:
            raise ValueError(
                f"SplineSurface: the control values need at least 4 rows and columns; the shape is {shape}"
            )
        if number_of(basis, "SplineSurface") == BEZIER and any((n - 1) % 3 for n in shape[1:]):
            raise ValueError(f"SplineSurface: Bezier patches have 3 m + 1 rows and columns; the shape is {shape}")
        self.basis = basis

    @property
    def patches(self) -> tuple[int, int]:
        """How many there are along the rows' and the columns' numbers: the lengths of the ranges of q2 and q1."""
        kind = NAMES.index(self.basis)
        return count_segments(kind, self.control.shape[1]), count_segments(kind, self.control.shape[2])

    def parameters(self) -> np.ndarray:
        """The packed surface. (2 + 6 rows columns,), and one more of another basis than B-splines"""
        return np.concatenate([header(NAMES.index(self.basis)), self.control.shape[1:], self.control.ravel()])

    def guesses(self) -> list[np.ndarray]:
        """The middle of every patch, a list of (2,)."""
        rows, columns = self.patches
        return [np.array([column + 0.5, row + 0.5]) for row in range(rows) for column in range(columns)]

    def __repr__(self) -> str:
        basis = "" if self.basis == NAMES[0] else f", basis={self.basis!r}"
        return f"SplineSurface({self.control.shape[1]} x {self.control.shape[2]}{basis})"
