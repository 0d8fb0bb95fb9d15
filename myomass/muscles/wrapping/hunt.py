"""The search for a geodesic where Newton's method, in two unknowns, did not find it: in one, between two places.

From a place P on the contour seen from a the geodesic is given; it can be left towards b where b comes into sight, at
a known Q. There it misses b by some angle, to the left or to the right. Between two places that miss it on different
sides lies one that does not: it is found by halving, and then handed to Newton's method. Of all that are found the
shortest is taken.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add, dot, load3, scale, store3
from ...spatial.jets import fixed, fixed3, v_cross, v_dot, v_scale, v_sub
from .base import ARC, ENTRY, LENGTH
from .geodesic import PACE, step
from .levels import level
from .taut import ROUGH, SIGMA, STEPS, STRIDE, across, settle, solve_from, unit

HALVINGS, SECANTS = 30, 6
MISS, LEAST, LAST, KEPT = ARC, ARC + 1, ARC + 2, ARC + 5  # in the second row, where columns of arcs are free meanwhile
FAR = 1e6  # squared distance from the centre, against those of the ends
ENOUGH = 1e-3  # angle by which b is missed from where Newton's method is begun


@kernel
def astray(P, a, b):
    """True if a place has left the surface's neighbourhood, from where no iteration comes back; also for nan.

    It is given up before its numbers overflow: complex ones raise an error where they are divided by zero.
    """
    return not dot(P, P).real < FAR * (dot(a, a).real + dot(b, b).real)


@kernel
def in_sight(kind, params, at, b, x, V):
    """How far b is above the tangent plane at x, times the gradient's size; negative: out of sight."""
    _, grad, _ = level(kind, params, at, x, V)
    return v_dot(grad, v_sub(b, x))[0].real


@kernel(inline=False)
def shoot(kind, params, at, a, b, P, g):
    """(sigma, miss, P): P moved onto the contour, how far the geodesic runs from there until b comes into sight, and
    the sine of the angle by which it misses b then; nan if b does not come into sight ahead. Needs: STRIDE.
    """
    P = settle(kind, params, at, fixed3(a), fixed3(P), 4)[0]
    if astray(P, a, b):
        return np.nan, np.nan, P
    t, _ = across(kind, params, at, a, P)
    x, V, there = fixed3(P), v_scale(g[0, STRIDE], fixed3(t)), fixed3(b)
    one = fixed(g[0, STRIDE] * 0.0 + 1.0)
    before = in_sight(kind, params, at, there, x, V)
    for i in range(STEPS):
        y, W, _ = step(kind, params, at, x, V, one, PACE, ROUGH)
        now = in_sight(kind, params, at, there, y, W)
        if before < 0.0 <= now:
            low, high, time = 0.0, 1.0, 1.0
            for _ in range(SECANTS):
                time = low + (high - low) * min(max(before / (before - now), 0.1), 0.9)
                y, W, _ = step(kind, params, at, x, V, (one[0] * time, one[1], one[2]), PACE, ROUGH)
                height = in_sight(kind, params, at, there, y, W)
                if height < 0.0:
                    low, before = time, height
                else:
                    high, now = time, height
            away, ahead = unit(v_sub(there, y))[0], unit(W)[0]
            if not dot(away[0], ahead[0]).real > 0.0:
                return np.nan, np.nan, P
            normal = unit(level(kind, params, at, y, W)[1])[0]
            return i + time, v_dot(v_cross(normal, ahead), away)[0].real, P
        if astray(y[0], a, b):
            return np.nan, np.nan, P
        x, V, before = y, W, now
    return np.nan, np.nan, P


@kernel(inline=False)
def between(kind, params, at, a, b, P, miss_p, R, miss_r, g):
    """Solve from between the places P and R, which miss b on different sides; returns arcs as `solve_from` does.

    Needs: STRIDE, long enough for STEPS of them to reach b.
    """
    stride = g[0, STRIDE]
    for _ in range(HALVINGS):
        weight = min(max(miss_p / (miss_p - miss_r), 0.2), 0.8)
        sigma, miss, Q = shoot(kind, params, at, a, b, add(scale(1.0 - weight, P), scale(weight, R)), g)
        if not abs(miss) <= max(abs(miss_p), abs(miss_r)):
            return -1
        if abs(miss) < ENOUGH:
            g[0, SIGMA], g[0, STRIDE] = stride * 0.0 + sigma, stride
            return solve_from(kind, params, at, a, b, Q, g)
        if miss * miss_p > 0.0:
            P, miss_p = Q, miss
        else:
            R, miss_r = Q, miss
    return -1


@kernel(inline=False)
def hunt(kind, params, at, a, b, begun, P, g):
    """Shoot from P, and between it and the last P that this was called with; keep in g the shortest path found.

    Needs: STRIDE. Leaves: the last shot (MISS, LAST) and the best solution (LEAST, KEPT) in g. begun false: no place P.
    """
    miss = np.nan
    if begun:
        _, miss, P = shoot(kind, params, at, a, b, P, g)
    before, R = g[1, MISS].real, load3(g[1, LAST : LAST + 3])
    if before * miss < 0.0:
        stride = g[0, STRIDE]
        arcs = between(kind, params, at, a, b, R, before, P, miss, g)
        if arcs > 0 and g[0, LENGTH].real < g[1, LEAST].real:
            g[1, LEAST], g[1, KEPT], g[1, KEPT + 1] = g[0, LENGTH], g[0, SIGMA], stride
            store3(g[1, KEPT + 2 : KEPT + 5], load3(g[0, ARC + ENTRY : ARC + ENTRY + 3]))
    g[1, MISS] = miss
    store3(g[1, LAST : LAST + 3], P)


@kernel
def start_hunt(g):
    """Nothing found yet, and no last shot."""
    g[1, MISS], g[1, LEAST] = np.nan, np.inf


@kernel
def end_hunt(kind, params, at, a, b, g):
    """Solve again for the shortest path found; returns its arcs, or -1, with a length of nan, if there is none."""
    g[0, LENGTH] = np.nan
    if not g[1, LEAST].real < np.inf:
        return -1
    g[0, SIGMA], g[0, STRIDE] = g[1, KEPT], g[1, KEPT + 1]
    return solve_from(kind, params, at, a, b, load3(g[1, KEPT + 2 : KEPT + 5]), g)
