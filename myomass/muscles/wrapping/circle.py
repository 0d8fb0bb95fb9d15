"""A taut string around a circle, the planar problem behind cylinder and sphere.

Seen from the centre, the end a stands at the distance rho_a; its tangent to the circle of radius r has the length
l_a = sqrt(rho_a^2 - r^2) and touches at the angle beta_a = atan(l_a / r) from a. Turning from a to b by the angle delta
(counter-clockwise, or by 2 pi - delta clockwise), the string lies on the circle for theta = delta - beta_a - beta_b; if
that is negative it does not touch. The sum of both betas is less than pi, so a turn beyond pi always does; less needs
no angle to tell: cos(delta) > cos(beta_a + beta_b).

A held side. Count the angles phi_a and phi_b of both ends from the side, -pi to pi. A turn from a to b, with its sign,
is phi_b - phi_a or differs from that by 2 pi; its middle is phi_a plus half of it. Of the two shorter than 2 pi, one in
each sense, exactly one has its middle on the side's half of the plane, less than pi/2 from the side. The string takes
that one: straight if it is less than beta_a + beta_b, wrapped if it is more, up to a full turn. Ends on different hands
of the line through centre and side are joined by way of the side; where the straight line passes the centre on the far
hand, the string goes round.

The turn is a continuous function of the ends except where the middle is pi/2 from the side: both ends are on the same
hand, phi_a + phi_b = +-pi, and it jumps by 2 pi; and where it reaches 2 pi: both ends are on one ray of the far half,
its sense changes and its length does not. With one end fixed at phi_a, the turn may grow to pi + 2 |phi_a|, and to a
full one if |phi_a| is pi/2 or more.

A side that does not force (unforced): where the straight line clears the circle the string is straight, on either hand;
where it cuts the circle, the string takes the way of a held side. The length jumps where the line begins to cut the
circle from the hand that is not the side's.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.jets import angle_of, j_inverse, j_mul, j_scale, j_sqrt, v_add, v_dot, v_mul
from ..spec import HELD, UNFORCED


@kernel
def behind(a, b, side):
    """True if the smaller turn from a to b has its middle, the direction of a/|a| + b/|b|, on the far half."""
    size_a, size_b = np.hypot(a[0].real, a[1].real), np.hypot(b[0].real, b[1].real)
    along_a = side[0].real * a[0].real + side[1].real * a[1].real
    along_b = side[0].real * b[0].real + side[1].real * b[1].real
    return size_b * along_a + size_a * along_b < 0.0


@kernel(inline=False)
def choose_turn(a, b, r, sided, side):
    """(sense, theta): which way round from a to b, +1 or -1, and the angle of contact, 0 if there is none.

    Without a side (sided = 0) by the smaller turn. With one, between ends on different hands of the line through centre
    and side, by way of the side, however far it turns; on the same hand by the smaller turn (sided = PASSED), or by
    that with its middle on the side's half (sided = HELD, or UNFORCED: where the straight line cuts the circle).
    """
    cross_ab, dot_ab = a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]
    sense = 1.0 if cross_ab.real >= 0.0 else -1.0
    longer = sided >= HELD and behind(a, b, side)
    if sided:
        hand_a = (side[0] * a[1] - side[1] * a[0]).real
        hand_b = (side[0] * b[1] - side[1] * b[0]).real
        if hand_a < 0.0 < hand_b:
            sense = 1.0
        elif hand_b < 0.0 < hand_a:
            sense = -1.0
        elif longer:
            sense = -sense
    cross_ab = sense * cross_ab
    nearest = min((a[0] * a[0] + a[1] * a[1]).real, (b[0] * b[0] + b[1] * b[1]).real)
    if not nearest > (r * r).real:
        return sense, cross_ab * 0.0
    tangent_a, tangent_b = tangent_length(a, r), tangent_length(b, r)
    cosine, sine = r * r - tangent_a * tangent_b, r * (tangent_a + tangent_b)  # of beta_a + beta_b, times rho_a rho_b
    clear = dot_ab.real >= cosine.real and (sided == UNFORCED or (not longer and cross_ab.real >= 0.0))
    if clear:
        return sense, cross_ab * 0.0
    theta = angle_of(cross_ab * cosine - dot_ab * sine, dot_ab * cosine + cross_ab * sine)
    if theta.real < 0.0:
        round_ = longer or cross_ab.real < 0.0
        theta = theta + 2.0 * np.pi if round_ else theta * 0.0  # a tangent line, but for rounding
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
