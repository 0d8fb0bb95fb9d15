"""The bridge between two cylinders, and which of them a string touches.

Unknown is the place y on the second cylinder where the bridge ends: its angle about the axis, and its height. A string
from a over the first cylinder to y leaves it at x(y); one from x over the second to b reaches it at y'(x). Both are
closed forms, and y' = y. Following them in turn shortens the string and leads there from anywhere; Newton's method,
whenever it brings y' nearer to y, leads there fast.

A cylinder's frame is about its axis z; shape holds both radii, and the rotation and origin of the second frame in the
first. Each string turns about each axis in a given sense.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add, mul, mul_T, sub
from ...spatial.jets import fixed, fixed3, j_cos_sin, j_part, j_scale, j_sub, j_vector, v_dot
from .circle import choose_turn
from .cylinder import across
from .helix import contact, cross_z, string

NONE, FIRST, LAST, BOTH = 0, 1, 2, 3  # cases, by which cylinders are touched
SLACK = 1e-6  # [rad] of a condition violated by rounding where two cases meet
STEPS = 100
CLOSE = 1e-13  # sine of the angle between y' and y, and their difference in height by the radius


@kernel
def into_second(shape, v):
    """The jet of a place in the first frame, in coordinates of the second."""
    return mul_T(shape[2], sub(v[0], shape[3])), mul_T(shape[2], v[1]), mul_T(shape[2], v[2])


@kernel
def into_first(shape, v):
    """The jet of a place in the second frame, in coordinates of the first."""
    return add(mul(shape[2], v[0]), shape[3]), mul(shape[2], v[1]), mul(shape[2], v[2])


@kernel(inline=False)
def strings(shape, senses, a, b, angle, height):
    """(the string from a to y, that from x to b, y), jets; b, y and the second string in the second frame."""
    c, s = j_cos_sin(angle)
    y = j_vector(j_scale(shape[1], c), j_scale(shape[1], s), height)
    first = string(shape[0], senses[0], a, into_first(shape, y))
    return first, string(shape[1], senses[1], into_second(shape, first[1]), b), y


@kernel(inline=False)
def residual(shape, senses, a, b, angle, height):
    """(sine of the turn from y to y', its cosine, y' - y along the axis), jets."""
    _, last, y = strings(shape, senses, a, b, angle, height)
    over = 1.0 / (shape[1] * shape[1])
    cosine = j_scale(over, v_dot(across(y), across(last[0])))
    return j_scale(over, cross_z(y, last[0])), cosine, j_sub(j_part(last[0], 2), height)


@kernel(inline=False)
def linearise(shape, senses, a, b, angle, height):
    """(the residual, the inverse of its derivatives by angle and height, by rows)."""
    o = angle * 0.0
    e, cosine, f = residual(shape, senses, a, b, (angle, o + 1.0, o), fixed(height))
    p, _, q = residual(shape, senses, a, b, fixed(angle), (height, o + 1.0, o))
    over = 1.0 / (e[1] * q[1] - p[1] * f[1])
    return (e[0], cosine[0], f[0]), (q[1] * over, -p[1] * over, -f[1] * over, e[1] * over)


@kernel(inline=False)
def settle(shape, senses, a, b, y):
    """(angle, height, whether it converged) of the bridge's end on the second cylinder, real, from the guess y."""
    angle, height = np.arctan2(y[1], y[0]), y[2]
    before = np.inf
    for _ in range(STEPS):
        e, D = linearise(shape, senses, fixed3(a), fixed3(b), angle, height)
        off = abs(e[0]) + abs(e[2]) / shape[1]
        if off <= CLOSE:
            return angle, height, True
        if off < before and e[1] > 0.0:
            angle, height = angle - D[0] * e[0] - D[1] * e[2], height - D[2] * e[0] - D[3] * e[2]
            before = off
        else:
            angle, height = angle + np.arctan2(e[0], e[1]), height + e[2]
            before = np.inf
    return angle, height, False


@kernel(inline=False)
def presses(r, sense, a, b):
    """The angle of contact of a string from a to b on a cylinder; infinite where an end is inside."""
    square = r * r
    if a[0] * a[0] + a[1] * a[1] < square or b[0] * b[0] + b[1] * b[1] < square:
        return np.inf
    return contact(r, sense, a, b)


@kernel
def total(wound):
    """Length of a string, as `string` in helix.py returns it."""
    return wound[2][0] + wound[3][0] + wound[4][0]


@kernel(inline=False)
def fit(shape, senses, a, b, limit):
    """(case, length, angle, height) of the string with these senses of turning; case -1: none is below the limit.

    Around both cylinders it is no shorter than around one.
    """
    far_a, far_b = into_second(shape, fixed3(a)), into_second(shape, fixed3(b))
    theta_1, theta_2 = contact(shape[0], senses[0], a, b), contact(shape[1], senses[1], far_a[0], far_b[0])
    if theta_1 <= 0.0 and theta_2 <= 0.0:
        return NONE, 0.0, 0.0, 0.0
    best, found = SLACK, (-1, np.inf, 0.0, 0.0)
    leaves, least = far_a, 0.0
    if theta_1 > 0.0:
        wound = string(shape[0], senses[0], fixed3(a), fixed3(b))
        leaves = into_second(shape, wound[1])
        best = presses(shape[1], senses[1], leaves[0], far_b[0])
        found, least = (FIRST, total(wound), 0.0, 0.0), total(wound)
    if theta_2 > 0.0:
        wound = string(shape[1], senses[1], far_a, far_b)
        excess = presses(shape[0], senses[0], a, into_first(shape, wound[0])[0])
        if total(wound) < found[1] if max(best, excess) <= 0.0 else excess < best:  # both may hold, one far round
            best, found = excess, (LAST, total(wound), 0.0, 0.0)
        least = max(least, total(wound))
    if best <= 0.0:
        return found
    if least >= limit:
        return -1, np.inf, 0.0, 0.0
    guess = string(shape[1], senses[1], leaves, far_b)[0]
    angle, height, holds = settle(shape, senses, a, far_b[0], guess[0])
    first, last, y = strings(shape, senses, fixed3(a), far_b, fixed(angle), fixed(height))
    reached = presses(shape[0], senses[0], a, into_first(shape, y)[0])
    left = presses(shape[1], senses[1], into_second(shape, first[1])[0], far_b[0])
    if holds and -min(reached, left) < min(best, SLACK) and max(reached, left) < np.inf:
        return BOTH, total(first) + last[3][0] + last[4][0], angle, height
    return found if best <= SLACK else (-1, np.inf, 0.0, 0.0)


@kernel(inline=False)
def choose_case(shape, side_1, side_2, a, b):
    """(case, both senses, angle, height): by the sides (whether there is one, and its place), else the shortest way.

    Where no string passes on those sides (the cylinders cut each other there), the other ways are tried as well.
    """
    far_a, far_b = into_second(shape, fixed3(a))[0], into_second(shape, fixed3(b))[0]
    chosen, found = np.inf, (NONE, 1.0, 1.0, 0.0, 0.0)
    if max(presses(shape[0], 1.0, a, b), presses(shape[1], 1.0, far_a, far_b)) == np.inf:
        return found
    sided_1, sided_2 = side_1[0] != 0.0, side_2[0] != 0.0
    sense_1, _ = choose_turn((a[0], a[1]), (b[0], b[1]), shape[0], sided_1, (side_1[1], side_1[2]))
    sense_2, _ = choose_turn((far_a[0], far_a[1]), (far_b[0], far_b[1]), shape[1], sided_2, (side_2[1], side_2[2]))
    for k in range(8):
        on_sides = not (k % 2 == 1 and sided_1) and not (k % 4 >= 2 and sided_2)
        if on_sides == (k >= 4) or (k >= 4 and chosen < np.inf):
            continue
        senses = (sense_1 if k % 2 == 0 else -sense_1, sense_2 if k % 4 < 2 else -sense_2)
        case, length, angle, height = fit(shape, senses, a, b, chosen)
        if case == NONE:
            return NONE, 1.0, 1.0, 0.0, 0.0
        if length < chosen:
            chosen, found = length, (case, senses[0], senses[1], angle, height)
    return found
