"""Spatial transform: a frame turned about three axes and shifted along three, each by a function of a coordinate.

    Q = (R, p),   R = R(a_1, f_1) R(a_2, f_2) R(a_3, f_3),   p = f_4 a_4 + f_5 a_5 + f_6 a_6

Every f_k is a motion of one of the joint's coordinates, and a coordinate may drive several axes: anatomical joints. In
the moved frame the axes are b_3 = a_3, b_2 = R_3^T a_2, b_1 = R_3^T R_2^T a_1 and b_k = R^T a_k of the shifts. With the
angular velocity w = sum over the turns of f_k' qdot b_k:

    S_c = sum over c's axes of f_k' b_k,      b_k' = -w_k x b_k

where w_3 = 0, w_2 = f_3' qdot b_3, w_1 = w_2 + f_2' qdot b_2, and w_k = w for the shifts.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, cross, load3, matmul, mul_T, scale, store3
from ..spatial.checks import unit_axis
from ..spatial.motion import Motion, as_motion, curve_at
from ..spatial.so3 import rotation_of
from .base import MOST_DOFS, Joint, add_partial, set_column

AXES = 6
AXIS, COORDINATE, CURVE = 1, 1 + 3 * AXES, 1 + 4 * AXES  # where params keep them; the number of coordinates comes first
HEAD = 1 + 5 * AXES


@kernel
def coordinate_of_axis(params, at, k):
    """Which of the joint's coordinates drives axis k; -1: none."""
    return int(params[at + COORDINATE + k])


@kernel
def guide(params, at, k, q, dof):
    """(f, f', f'') of axis k."""
    c = coordinate_of_axis(params, at, k)
    x = q[dof + c] if c >= 0 else q.dtype.type(0)
    return curve_at(params, at + int(params[at + CURVE + k]), x)


@kernel
def guides(params, at, q, dof):
    """(f, f', f'') of all axes."""
    return (
        guide(params, at, 0, q, dof),
        guide(params, at, 1, q, dof),
        guide(params, at, 2, q, dof),
        guide(params, at, 3, q, dof),
        guide(params, at, 4, q, dof),
        guide(params, at, 5, q, dof),
    )


@kernel
def axis(params, at, k):
    """Unit vector a_k."""
    i = at + AXIS + 3 * k
    return params[i], params[i + 1], params[i + 2]


@kernel
def turn_about(a, angle):
    """R(a, angle)."""
    return rotation_of(a, np.sin(angle), 1.0 - np.cos(angle))


@kernel
def frame(params, at, f):
    """(R, p, the six axes in the moved frame)."""
    R3 = turn_about(axis(params, at, 2), f[2][0])
    R23 = matmul(turn_about(axis(params, at, 1), f[1][0]), R3)
    R = matmul(turn_about(axis(params, at, 0), f[0][0]), R23)
    x, y, z = axis(params, at, 3), axis(params, at, 4), axis(params, at, 5)
    p = add_scaled(add_scaled(scale(f[3][0], x), f[4][0], y), f[5][0], z)
    o = f[0][0] * 0.0
    own = add((o, o, o), axis(params, at, 2))
    b = mul_T(R23, axis(params, at, 0)), mul_T(R3, axis(params, at, 1)), own, mul_T(R, x), mul_T(R, y), mul_T(R, z)
    return R, p, b


@kernel
def turned_axes(b, first, second, third):
    """How fast the six axes turn in the moved frame while the three angles grow at these rates."""
    o = first * 0.0
    w2 = scale(-third, b[2])
    w1 = add_scaled(w2, -second, b[1])
    w = add_scaled(w1, -first, b[0])
    return cross(w1, b[0]), cross(w2, b[1]), (o, o, o), cross(w, b[3]), cross(w, b[4]), cross(w, b[5])


@kernel
def rate_of(params, at, k, f, qdot, dof):
    """f_k' qdot."""
    c = coordinate_of_axis(params, at, k)
    return f[k][1] * qdot[dof + c] if c >= 0 else f[k][1] * 0.0


@kernel
def slope_along(params, at, k, f, m):
    """f_k' if coordinate m drives axis k, else 0."""
    return f[k][1] if coordinate_of_axis(params, at, k) == m else f[k][1] * 0.0


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, and S and Sdot, a sum over the axes that each coordinate drives."""
    f = guides(params, at, q, dof)
    R, p, b = frame(params, at, f)
    first, second = rate_of(params, at, 0, f, qdot, dof), rate_of(params, at, 1, f, qdot, dof)
    bdot = turned_axes(b, first, second, rate_of(params, at, 2, f, qdot, dof))
    o = q.dtype.type(0)
    none = (o, o, o)
    for c in range(int(params[at])):
        set_column(dofs[dof + c], (none, none), (none, none))
    for k in range(AXES):
        c = coordinate_of_axis(params, at, k)
        if c >= 0:
            column = dofs[dof + c]
            s, sdot = scale(f[k][1], b[k]), add_scaled(scale(f[k][2] * qdot[dof + c], b[k]), f[k][1], bdot[k])
            if k < 3:
                store3(column.s_w, add(load3(column.s_w), s))
                store3(column.sdot_w, add(load3(column.sdot_w), sdot))
            else:
                store3(column.s_v, add(load3(column.s_v), s))
                store3(column.sdot_v, add(load3(column.sdot_v), sdot))
    return R, p


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS[m, c] = sum over c's axes of f_k' db_k/dq_m, and of f_k'' b_k where c is m."""
    f = guides(params, at, q, dof)
    _, _, b = frame(params, at, f)
    o = q.dtype.type(0)
    none = (o, o, o)
    for m in range(int(params[at])):
        first, second = slope_along(params, at, 0, f, m), slope_along(params, at, 1, f, m)
        db = turned_axes(b, first, second, slope_along(params, at, 2, f, m))
        for k in range(AXES):
            c = coordinate_of_axis(params, at, k)
            if c >= 0:
                s = scale(f[k][1], db[k])
                if c == m:
                    s = add_scaled(s, f[k][2], b[k])
                add_partial(dS[m, c], s if k < 3 else none, none if k < 3 else s)


class SpatialTransform(Joint):
    """Three turns, then three shifts of the frame, each by a function of one of the joint's coordinates.

    axes: six directions, of the turns [angles in rad] one after the other, each in the frame turned so far, and of the
    shifts [m] in the frame at rest. functions: for each axis a number or an mm.Motion, whose variable is the coordinate
    that `coordinates` numbers (None: the function must be a number). Made for anatomical joints and OpenSim's
    CustomJoint; `SpatialTransform.gimbal()` is three turns about x, y and z, `SpatialTransform.floating()` moves too.
    """

    motion: ClassVar = motion
    partials: ClassVar = partials

    def __init__(
        self,
        axes: Sequence[Sequence[float]],
        functions: Sequence[Motion | float],
        coordinates: Sequence[int | None],
    ):
        if not len(axes) == len(functions) == len(coordinates) == AXES:
            raise ValueError("SpatialTransform: give six axes, functions and coordinates: three turns, three shifts")
        self.axes = tuple(unit_axis(a, f"SpatialTransform: axis {k}") for k, a in enumerate(axes))
        self.functions = tuple(as_motion(f, f"SpatialTransform: function {k}") for k, f in enumerate(functions))
        self.coordinates = tuple(None if c is None else int(c) for c in coordinates)
        driven = sorted({c for c in self.coordinates if c is not None})
        self.ndof = len(driven)
        if driven != list(range(self.ndof)) or self.ndof > MOST_DOFS:
            raise ValueError(f"SpatialTransform: coordinates are numbered 0, 1, ... without a gap, not {driven}")
        for k, (function, c) in enumerate(zip(self.functions, self.coordinates, strict=True)):
            if c is None and function.moves:
                raise ValueError(f"SpatialTransform: function {k} moves, and needs a coordinate")

    @classmethod
    def gimbal(cls) -> "SpatialTransform":
        """Turns about x, then the turned y and z: q are those angles [rad]."""
        line, axes = Motion.line(1.0), np.eye(3)
        return cls([*axes, *axes], [line, line, line, 0.0, 0.0, 0.0], [0, 1, 2, None, None, None])

    @classmethod
    def floating(cls) -> "SpatialTransform":
        """A gimbal that also moves along x, y and z of the frame at rest: q are angles [rad], then places [m]."""
        axes = np.eye(3)
        return cls([*axes, *axes], [Motion.line(1.0)] * AXES, range(AXES))

    def parameters(self) -> np.ndarray:
        """The number of coordinates, axes, the coordinate and the place of each function, and the functions."""
        numbers = [function.parameters() for function in self.functions]
        starts = HEAD + np.cumsum([0, *map(len, numbers[:-1])])
        driven = [-1 if c is None else c for c in self.coordinates]
        return np.concatenate([[self.ndof], *self.axes, driven, starts, *numbers])

    def units_of(self) -> tuple[str, ...]:
        """The unit of each coordinate: "rad" or "m" where it is itself an angle or a shift, else "1"."""
        units = []
        for c in range(self.ndof):
            own = [k for k in range(AXES) if self.coordinates[k] == c and self.functions[k].is_identity]
            units.append("1" if not own else "rad" if own[0] < 3 else "m")
        return tuple(units)

    def __repr__(self) -> str:
        return f"SpatialTransform({self.ndof} coordinates)"
