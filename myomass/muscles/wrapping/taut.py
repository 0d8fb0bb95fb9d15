"""The taut path from a over a geodesic to b, the problem behind ellipsoid and torus.

The line from a touches at P where f = 0 and g.(P - a) = 0 (g = grad f), on a curve, the contour seen from a; from there
the geodesic starts in the direction P - a and ends after `sigma` steps at Q. Two unknowns, how far P is along the
contour (p, seen across the path) and sigma, meet two conditions: at Q the line to b touches, g.(b - Q) = 0, and goes on
straight, (n x t).(b - Q) = 0. Newton's method finds them. With jets the same formulas give derivatives along a motion,
first of p and sigma, then of everything.

The table g keeps points of the geodesic, one for each step; any other point is one shorter step away.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add_scaled, cross, dot, load3, scale, sub
from ...spatial.jets import (
    fixed,
    fixed3,
    j_add,
    j_div,
    j_mul,
    j_scale,
    j_sqrt,
    j_sub,
    v_add,
    v_cross,
    v_dot,
    v_mul,
    v_scale,
    v_sub,
    v_unit,
)
from .base import ARC, ENTRY, EXIT, LENGTH, PRIVATE, SPAN, START, WRAPPED, get, get3, length_jet, put, put3
from .geodesic import PACE, step
from .levels import level

SIGMA, STRIDE, STIFF, LEVER, TILT, SLOPE = range(PRIVATE, PRIVATE + 6)
NODE, WIDTH = PRIVATE + 6, 7  # place (3), unit tangent (3) and distance from P along the geodesic
STEPS = 12  # at most, within the surface's guess; a few more while Newton's method moves Q
LINES, FEW, ROUGH = 7, 6, 4  # of the extrapolation: over a whole step, from the nearest node, far from the solution
TRIALS, STRIDES, NEAR, CLOSE, POLISH = 30, 2.0, 1e-7, 1e-14, 3  # squared angles at Q [rad^2]; iterations after CLOSE


@kernel(inline=False)
def unit(a):
    """(a / |a|, |a|) of a vector's jet, as a function that is not inlined."""
    return v_unit(a)


@kernel(inline=False)
def settle(kind, params, at, a, P, rounds):
    """P moved onto the surface and the contour seen from a, not across the path, jets.

    A round of Newton's method with the values' slopes; each makes one more derivative exact.
    """
    for _ in range(rounds):
        T = v_sub(P, a)
        f, g, HT = level(kind, params, at, P, T)
        n, t = g[0], T[0]
        contour = v_dot(g, T)
        nn, nt, tn, tt = dot(n, n), dot(n, t), dot(n, HT[0]) + dot(n, n), dot(t, HT[0]) + dot(n, t)
        inverse = 1.0 / (nn * tt - nt * tn)
        along_n = j_scale(-inverse, j_sub(j_scale(tt, f), j_scale(nt, contour)))
        along_t = j_scale(-inverse, j_sub(j_scale(nn, contour), j_scale(tn, f)))
        P = v_add(P, v_add(v_mul(along_n, fixed3(n)), v_mul(along_t, fixed3(t))))
    return P


@kernel
def keep(g, i, x, t, s):
    """Write node i into the table: place, unit tangent and distance from P."""
    c = NODE + WIDTH * i
    for k in range(3):
        g[k, c], g[k, c + 1], g[k, c + 2] = x[k][0], x[k][1], x[k][2]
        g[k, c + 3], g[k, c + 4], g[k, c + 5] = t[k][0], t[k][1], t[k][2]
        g[k, c + 6] = s[k]


@kernel
def whole_steps(sigma):
    """Number of whole steps before the last one, which is shorter."""
    return int(min(max(np.ceil(sigma.real) - 1.0, 0.0), STEPS + 1.0))


@kernel(inline=False)
def trial(kind, params, at, b, P, t, sigma, lines, g):
    """(touch, aim, slope, angle) at Q, where the geodesic from P along t ends: jets, then values; and all nodes.

    touch and aim are the conditions at Q, slope the derivative of the first by sigma; angle^2 what is left to turn.
    """
    x, V, s = P, v_scale(g[0, STRIDE], t), j_scale(0.0, sigma)
    root = unit(level(kind, params, at, x, V)[1])[1]
    speed = j_div(fixed(g[0, STRIDE]), j_mul(root, j_sqrt(root)))
    last = whole_steps(sigma[0])
    keep(g, 0, x, t, s)
    for i in range(last + 1):
        time = fixed(sigma[0] * 0.0 + 1.0)
        if i == last:
            time = j_sub(sigma, fixed(sigma[0] * 0.0 + last))
        x, V, run = step(kind, params, at, x, V, time, PACE, lines)
        s, t = j_add(s, j_mul(speed, run)), unit(V)[0]
        keep(g, i + 1, x, t, s)
    _, grad, HV = level(kind, params, at, x, V)
    away = v_sub(b, x)
    off = sub(t[0], unit(away)[0][0])
    angle = off[0].real ** 2 + off[1].real ** 2 + off[2].real ** 2
    return v_dot(grad, away), v_dot(v_cross(unit(grad)[0], t), away), dot(HV[0], away[0]), angle


@kernel(inline=False)
def across(kind, params, at, a, P):
    """(t, n x t) at P: unit vectors along and across the path, in real numbers."""
    t = sub(P, a)
    _, g, _ = level(kind, params, at, fixed3(P), fixed3(t))
    side = cross(g[0], t)
    return scale(1.0 / np.sqrt(dot(t, t)), t), scale(1.0 / np.sqrt(dot(side, side)), side)


@kernel(inline=False)
def solve_from(kind, params, at, a, b, P, g):
    """Newton's method, with shorter steps where a whole one does not help, from P, SIGMA and STRIDE nearby.

    Returns the number of arcs: -1, with a length of nan, where no path is found. At the end p and the direction at P
    are improved in turn, so that `follow` starts from exact values.
    """
    still_a, sigma, best, share, left, lines = fixed3(a), g[0, SIGMA], np.inf, 1.0, POLISH, ROUGH
    P = settle(kind, params, at, still_a, fixed3(P), 3)[0]
    base, origin, side, p, more = P, sigma, P, sigma, sigma
    g[0, LENGTH] = np.nan
    for _ in range(TRIALS):
        t, new_side = across(kind, params, at, a, P)
        foot, ahead = fixed3(P), (t, new_side, scale(0.0, t))
        if left > 0:
            foot = settle(kind, params, at, still_a, (P, new_side, scale(0.0, P)), 2)
            ahead = unit(v_sub(foot, still_a))[0]
        touch, aim, slope, angle = trial(kind, params, at, fixed3(b), foot, ahead, fixed(sigma), lines, g)
        if left == 0:
            g[0, LEVER] = -aim[1]
            return store(a, b, sigma, g)
        share *= 0.5
        if angle < best or best < CLOSE:
            best, share, base, origin, side = angle, 1.0, P, sigma, new_side
            p = -aim[0] / aim[1]
            more = -(touch[0] + touch[1] * p) / slope
            if best < NEAR and lines == ROUGH:
                best, lines = np.inf, LINES
        if best < CLOSE:
            left -= 1
            g[0, STIFF], g[0, TILT], g[0, SLOPE] = -aim[1], touch[1], slope
        if left > 0:
            reach = share / max(1.0, abs(more.real) / STRIDES, abs(p.real) / (STRIDES * g[0, STRIDE].real))
            P = settle(kind, params, at, still_a, fixed3(add_scaled(base, reach * p, side)), 3)[0]
            sigma = origin + reach * more
    return -1


@kernel
def store(a, b, sigma, g):
    """Write the values of the solved path into the table, from its nodes; returns the number of arcs."""
    last = NODE + WIDTH * (whole_steps(sigma) + 1)
    first, rest = sub(load3(g[0, NODE : NODE + 3]), a), sub(b, load3(g[0, last : last + 3]))
    g[0, SIGMA], g[0, ARC + START] = sigma, np.sqrt(dot(first, first))
    g[0, WRAPPED] = g[0, ARC + SPAN] = g[0, last + 6]
    g[0, LENGTH] = g[0, ARC + START] + g[0, WRAPPED] + np.sqrt(dot(rest, rest))
    for k in range(3):
        g[0, ARC + ENTRY + k], g[0, ARC + EXIT + k] = g[0, NODE + k], g[0, last + k]
    return 1 if sigma.real > 0.0 else 0


@kernel(inline=False)
def follow_from(kind, params, at, a, b, g):
    """Derivatives of sigma and p, one more at a time, then of the nodes and the whole path."""
    P, still = load3(g[0, ARC + ENTRY : ARC + ENTRY + 3]), g[0, SIGMA] * 0.0
    last = NODE + WIDTH * (whole_steps(g[0, SIGMA]) + 1)
    _, side = across(kind, params, at, a[0], P)
    Q, end = load3(g[0, last : last + 3]), load3(g[0, last + 3 : last + 6])
    _, end_side = across(kind, params, at, sub(Q, end), Q)
    p = (dot(end_side, b[1]) + g[0, LEVER] * dot(side, a[1]) / g[0, ARC + START]) / g[0, STIFF]
    p_2, sigma = still, fixed(g[0, SIGMA])
    foot, t_a, start = a, a, sigma
    for pass_ in range(3):
        foot = settle(kind, params, at, a, (P, scale(p, side), scale(p_2, side)), 2)
        t_a, start = unit(v_sub(foot, a))
        touch, aim, _, _ = trial(kind, params, at, b, foot, t_a, sigma, LINES, g)
        if pass_ == 0:
            sigma = (sigma[0], -touch[1] / g[0, SLOPE], still)
        elif pass_ == 1:
            p_2 = aim[2] / g[0, STIFF]
            sigma = (sigma[0], sigma[1], -(touch[2] + g[0, TILT] * p_2) / g[0, SLOPE])
    t_b, rest = unit(v_sub(b, get3(g, last)))
    length = length_jet(g[0, LENGTH], a, b, t_a, t_b)
    span = j_sub(length, j_add(start, rest))
    put(g, LENGTH, length)
    put(g, WRAPPED, span)
    put(g, ARC + SPAN, span)
    put(g, ARC + START, start)
    put3(g, ARC + ENTRY, foot)
    put3(g, ARC + EXIT, get3(g, last))


@kernel
def point_from(kind, params, at, g, xi):
    """The jet of the place at the fraction xi: a short step along the geodesic from the nearest node."""
    along = j_sub(j_mul(xi, get(g, LENGTH)), get(g, ARC + START))
    c, steps = NODE, whole_steps(g[0, SIGMA]) + 1
    for i in range(1, steps + 1):
        if abs((along[0] - g[0, NODE + WIDTH * i + 6]).real) < abs((along[0] - g[0, c + 6]).real):
            c = NODE + WIDTH * i
    return step(kind, params, at, get3(g, c), get3(g, c + 3), j_sub(along, get(g, c + 6)), 0.0, FEW)[0]
