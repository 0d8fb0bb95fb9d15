"""Spherical in Euler angles: Q = (R_i(q1) R_j(q2) R_k(q3), 0), any of the 12 charts ijk (dissertation section 4.5.5).

    S = (s1 s2 s3; 0),  s3 = e_k,  s2 = R_k^T e_j,  s1 = R_k^T R_j^T e_i,   d s_a/d q_b = s_a x s_b  for a < b

|det S| is |cos q2| for three different axes and |sin q2| otherwise. Where it falls to 1/2 the joint moves to the chart
with the largest one, which is at least sqrt(2/3). The chart in use is the joint's only parameter.
"""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add, cross, dot, load3, matmul, mul_T, scale
from .base import Joint, add_partial, set_column

CHARTS = tuple(
    (i, j, k) for i in range(3) for j in range(3) for k in range(3) if i != j and j != k
)  # XYX, XYZ, XZX, XZY, YXY, ...
CHART_NAMES = tuple("".join("XYZ"[axis] for axis in chart) for chart in CHARTS)
SWITCH_BELOW = 0.5  # |det S|
SINGULAR = 0.1  # |det S|, below which rates of a chart lose digits


@kernel
def unit(axis, o):
    """Unit vector of a coordinate axis, in the number type of the zero o."""
    return (o + (axis == 0), o + (axis == 1), o + (axis == 2))


@kernel
def axis_rotation(axis, angle):
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    o, one = angle * 0.0, angle * 0.0 + 1.0
    if axis == 0:
        return ((one, o, o), (o, c, -s), (o, s, c))
    if axis == 1:
        return ((c, o, s), (o, one, o), (-s, o, c))
    return ((c, -s, o), (s, c, o), (o, o, one))


@kernel(inline=False)
def euler(chart, q1, q2, q3):
    """(R, s1, s2, s3): rotation and columns of S at three Euler angles."""
    i, j, k = CHARTS[chart]
    o = q1 * 0.0
    Rj, Rk = axis_rotation(j, q2), axis_rotation(k, q3)
    s1, s2, s3 = mul_T(Rk, mul_T(Rj, unit(i, o))), mul_T(Rk, unit(j, o)), unit(k, o)
    return matmul(axis_rotation(i, q1), matmul(Rj, Rk)), s1, s2, s3


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S, Sdot in the chart params[at]."""
    o = q.dtype.type(0)
    none = (o, o, o)
    R, s1, s2, s3 = euler(int(params[at]), q[dof], q[dof + 1], q[dof + 2])
    second, third = qdot[dof + 1], qdot[dof + 2]
    s1dot = add(scale(second, cross(s1, s2)), scale(third, cross(s1, s3)))
    set_column(dofs[dof], (s1, none), (s1dot, none))
    set_column(dofs[dof + 1], (s2, none), (scale(third, cross(s2, s3)), none))
    set_column(dofs[dof + 2], (s3, none), (none, none))
    return R, none


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """d s_a/d q_b = s_a x s_b for a < b."""
    o = q.dtype.type(0)
    none = (o, o, o)
    _, s1, s2, s3 = euler(int(params[at]), q[dof], q[dof + 1], q[dof + 2])
    add_partial(dS[1, 0], cross(s1, s2), none)
    add_partial(dS[2, 0], cross(s1, s3), none)
    add_partial(dS[2, 1], cross(s2, s3), none)


@kernel(inline=False)
def chart_angles(chart, R):
    """Euler angles of R in a chart, q2 in [0, pi] or [-pi/2, pi/2]."""
    i, j, k = CHARTS[chart]
    third = 3 - i - j
    sign = 1.0 if j == (i + 1) % 3 else -1.0
    if i == k:
        q1 = np.arctan2(R[j][i], -sign * R[third][i])
        q3 = np.arctan2(R[i][j], sign * R[i][third])
        q2 = np.arctan2(np.sqrt(R[i][j] * R[i][j] + R[i][third] * R[i][third]), R[i][i])
    else:
        q1 = np.arctan2(-sign * R[j][k], R[k][k])
        q3 = np.arctan2(-sign * R[i][j], R[i][i])
        q2 = np.arctan2(sign * R[i][k], np.sqrt(R[i][i] * R[i][i] + R[i][j] * R[i][j]))
    return q1, q2, q3


@kernel
def chart_quality(chart, R):
    """|det S| of a chart at the rotation R: sqrt(1 - R_ik^2)."""
    entry = R[CHARTS[chart][0]][CHARTS[chart][2]]
    return np.sqrt(max(0.0, 1.0 - entry * entry))


@kernel
def change_chart(old, new, q, qdot, dof):
    """Angles and rates of another chart, keeping rotation and angular velocity."""
    R, s1, s2, s3 = euler(old, q[dof], q[dof + 1], q[dof + 2])
    rate = load3(qdot[dof : dof + 3])
    omega = add(add(scale(rate[0], s1), scale(rate[1], s2)), scale(rate[2], s3))
    q[dof], q[dof + 1], q[dof + 2] = chart_angles(new, R)
    _, s1, s2, s3 = euler(new, q[dof], q[dof + 1], q[dof + 2])
    volume = dot(s1, cross(s2, s3))
    qdot[dof] = dot(omega, cross(s2, s3)) / volume
    qdot[dof + 1] = dot(omega, cross(s3, s1)) / volume
    qdot[dof + 2] = dot(omega, cross(s1, s2)) / volume


@kernel(inline=False)
def reparameterise(params, at, q, qdot, dof, q_before, qdot_before):
    """Move to the best of the 12 charts once |det S| <= 1/2; a row before comes along, its angles next to the new ones.

    The best chart is the one whose |det S|, or the smaller of |det S| now and before, is largest.
    """
    old = int(params[at])
    R = euler(old, q[dof], q[dof + 1], q[dof + 2])[0]
    if chart_quality(old, R) > SWITCH_BELOW:
        return False
    R_before = R
    if q_before.shape[0] > 0:
        R_before = euler(old, q_before[dof], q_before[dof + 1], q_before[dof + 2])[0]
    best, most = 0, -1.0
    for chart in range(len(CHARTS)):
        quality = min(chart_quality(chart, R), chart_quality(chart, R_before))
        if quality > most:
            best, most = chart, quality
    params[at] = best
    change_chart(old, best, q, qdot, dof)
    if q_before.shape[0] > 0:
        change_chart(old, best, q_before, qdot_before, dof)
        for k in range(dof, dof + 3):
            q_before[k] += 2.0 * np.pi * np.floor((q[k] - q_before[k]) / (2.0 * np.pi) + 0.5)
    return True


class SphericalEuler(Joint):
    """Ball joint in Euler angles [rad] of a chart such as "XYZ"; charts are switched between steps."""

    ndof = 3
    motion: ClassVar = motion
    partials: ClassVar = partials
    reparameterise: ClassVar = reparameterise
    charts: ClassVar = len(CHARTS)
    units, solid, free = ("rad",) * 3, "ball", (0, 1, 2)

    def __init__(self, chart: str = "XYZ"):
        if chart not in CHART_NAMES:
            raise ValueError(f"SphericalEuler: {chart!r} is no chart; use one of {', '.join(CHART_NAMES)}")
        self.chart = chart

    def locate(self, E: np.ndarray) -> np.ndarray:
        """The angles of the rotation of the pose E in this chart [rad]. (3,)"""
        return np.array(chart_angles(CHART_NAMES.index(self.chart), E[:3, :3].tolist()))

    def suited(self, E: np.ndarray) -> "SphericalEuler":
        """This joint or, if the pose E is near its singularity, one in the best chart for that."""
        quality = [chart_quality(chart, E[:3, :3].tolist()) for chart in range(len(CHARTS))]
        if quality[CHART_NAMES.index(self.chart)] > SINGULAR:
            return self
        return SphericalEuler(CHART_NAMES[int(np.argmax(quality))])

    def parameters(self) -> np.ndarray:
        """The number of the chart in use. (1,)"""
        return np.array([float(CHART_NAMES.index(self.chart))])

    def __repr__(self) -> str:
        return f"SphericalEuler(chart={self.chart!r})"
