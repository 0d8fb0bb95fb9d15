"""A taut string around a circle, the planar problem behind cylinder and sphere.

Seen from the centre, the end a stands at the distance rho_a; its tangent to the circle of radius r has the length
l_a = sqrt(rho_a^2 - r^2) and touches at the angle beta_a = atan(l_a / r) from a. Turning from a to b by the angle delta
(counter-clockwise, or by 2 pi - delta clockwise), the string lies on the circle for theta = delta - beta_a - beta_b; if
that is negative it does not touch. The sum of both betas is less than pi, so a turn beyond pi always does; less needs
no angle to tell: cos(delta) > cos(beta_a + beta_b).
"""

import numpy as np

from ..._jit import kernel
from ...spatial.jets import angle_of, j_inverse, j_mul, j_scale, j_sqrt, v_add, v_dot, v_mul


@kernel(inline=False)
def choose_turn(a, b, r, sided, side):
    """(sense, theta): which way round from a to b, +1 or -1, and the angle of contact, 0 if there is none.

    The smaller turn; but between ends on different hands of the line through centre and side, that by way of the side,
    however far it turns.
    """
    cross_ab, dot_ab = a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]
    sense = 1.0 if cross_ab.real >= 0.0 else -1.0
    if sided:
        hand_a = (side[0] * a[1] - side[1] * a[0]).real
        hand_b = (side[0] * b[1] - side[1] * b[0]).real
        if hand_a < 0.0 < hand_b:
            sense = 1.0
        elif hand_b < 0.0 < hand_a:
            sense = -1.0
    cross_ab = sense * cross_ab
    nearest = min((a[0] * a[0] + a[1] * a[1]).real, (b[0] * b[0] + b[1] * b[1]).real)
    if not nearest > (r * r).real:
        return sense, cross_ab * 0.0
    tangent_a, tangent_b = tangent_length(a, r), tangent_length(b, r)
    cosine, sine = r * r - tangent_a * tangent_b, r * (tangent_a + tangent_b)  # of beta_a + beta_b, times rho_a rho_b
    if cross_ab.real >= 0.0 and dot_ab.real >= cosine.real:
        return sense, cross_ab * 0.0
    theta = angle_of(cross_ab * cosine - dot_ab * sine, dot_ab * cosine + cross_ab * sine)
    if theta.real < 0.0:
        theta = theta + 2.0 * np.pi if cross_ab.real < 0.0 else theta * 0.0  # a tangent line, but for rounding
    return sense, theta


@kernel
def tangent_length(a, r):
    """Length of the tangent from a point in the plane to the circle."""
    return np.sqrt(a[0] * a[0] + a[1] * a[1] - r * r)


@kernel
def touch(a, side, r):
    """(P, l): where the tangent from a touches, on the side of a turned by a quarter, and its length; jets."""
    square = v_dot(a, a)
    length = j_sqrt((square[0] - r * r, square[1], square[2]))
    inverse = j_scale(r, j_inverse(square))
    return v_add(v_mul(j_scale(r, inverse), a), v_mul(j_mul(length, inverse), side)), length
