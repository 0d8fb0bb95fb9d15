"""Which way a string takes around a capsule: a cylinder of radius r about z, closed by hemispheres at z = -+ half.

Only real numbers: distances rho from the axis, heights z, and angles about the axis counted the way the string turns.
On the cylinder the string is a helix, on a cap a great circle; it crosses the seam between them without a kink. With
the angle u from the end a to the crossing, and a higher than the seam by zeta, the great circle meets the seam with
the slope zeta / (rho sin u), and the helix has the slope H / plane (plane: its length across the axis). Both equal:

    zeta (u + other(u) - D) + C rho sin u = 0

with other(u) the same angle at the other cap, or none. The left side is concave and negative at u = 0, so that
Newton's steps from there rise to the smallest root and cannot miss it. An end that is lower than its cap's centre
(reached only on the longer way around) is replaced by its mirror image in the centre, half a turn away.
"""

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import cross, dot, scale, sub
from .circle import HELD, choose_turn
from .sphere import plane_of

NONE, HELIX_ONLY, CAP_ONLY = 0, 4, 5  # cases; 1, 2, 3: a cap at the start, at the end, at both
SLACK = 1e-6  # [rad] of a condition violated by rounding where two cases meet
STEPS = 60


@kernel(inline=False)
def is_clear(a, b, r, half):
    """True if the straight line from a to b misses the capsule.

    It is nearest to the capsule where it is nearest to the axis or to the centre of a cap.
    """
    d = sub(b, a)
    flat = (d[0], d[1], 0.0)
    nearest = np.inf
    for k in range(3):
        centre = (0.0, 0.0, (k - 1) * half)
        along = flat if k == 1 else d
        s = min(max(dot(sub(centre, a), along) / max(dot(along, along), 1e-300), 0.0), 1.0)
        x, y, z = a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]
        beyond = max(abs(z) - half, 0.0)
        nearest = min(nearest, x * x + y * y + beyond * beyond)
    return nearest >= r * r


@kernel(inline=False)
def crossing(zeta, rho, C, D, kappa):
    """The smallest root u of the equation above, with other(u) = asin(kappa sin u); nan if there is none."""
    u = 0.0
    if not D >= 0.0:
        return np.nan
    for _ in range(STEPS):
        c, s = np.cos(u), np.sin(u)
        inner = kappa * s
        slope = zeta * (1.0 + kappa * c / max(np.sqrt(max(1.0 - inner * inner, 0.0)), 1e-300)) + C * rho * c
        step = (zeta * (D - u - np.arcsin(inner)) - C * rho * s) / slope
        u += step
        if not (slope > 0.0 and u <= np.pi + SLACK):
            return np.nan
        if step <= 1e-15:
            break
    return u


@kernel
def cap_excess(rho, zeta, u, r):
    """By how much an end's arc on its cap is less than zero or more than half a turn [rad]."""
    side = rho * np.sin(u)
    gamma = np.arctan2(np.sqrt(zeta * zeta + side * side), rho * np.cos(u))
    if zeta < 0.0:
        gamma = 2.0 * np.pi - gamma
    theta = gamma - np.arctan2(np.sqrt(rho * rho + zeta * zeta - r * r), r)
    return max(-theta, theta - np.pi)


@kernel(inline=False)
def over_seams(case, rho_a, z_a, rho_b, z_b, turn, r, half):
    """(excess, start, contact) of a string that comes from the upper cap, goes to the lower, or both.

    start is the angle from a to where it reaches the cylinder, contact that on it.
    """
    zeta_a, zeta_b = z_a - half, -half - z_b
    mirror_a, mirror_b = np.pi if zeta_a < 0.0 else 0.0, np.pi if zeta_b < 0.0 else 0.0
    if case == 3:
        k_a, k_b = abs(zeta_a) * rho_b, abs(zeta_b) * rho_a
        kappa = min(k_a, k_b) / max(k_a, k_b, 1e-300)
        C, D = 2.0 * half / r, turn - mirror_a - mirror_b
        u = crossing(abs(zeta_a), rho_a, C, D, kappa) if k_a >= k_b else crossing(abs(zeta_b), rho_b, C, D, kappa)
        if np.isnan(u):
            return np.inf, 0.0, 0.0
        v = np.arcsin(kappa * np.sin(u))
        start, end = (u, v) if k_a >= k_b else (v, u)
        start, end = start + mirror_a, end + mirror_b
        excess = max(cap_excess(rho_a, zeta_a, start, r), cap_excess(rho_b, zeta_b, end, r))
        return max(excess, start + end - turn), start, max(turn - start - end, 0.0)
    rho, zeta, mirror = (rho_a, zeta_a, mirror_a) if case == 1 else (rho_b, zeta_b, mirror_b)
    far_rho, far_z = (rho_b, z_b) if case == 1 else (rho_a, -z_a)
    if not far_rho >= r:
        return np.inf, 0.0, 0.0
    free = np.sqrt(far_rho * far_rho - r * r)
    beta = np.arctan2(free, r)
    fall = half - far_z
    u = mirror + crossing(abs(zeta), rho, fall / r, turn - mirror - beta + free / r, 0.0)
    if np.isnan(u):
        return np.inf, 0.0, 0.0
    contact = turn - u - beta
    leaves = far_z + fall * free / (r * contact + free)
    excess = max(max(cap_excess(rho, zeta, u, r), -contact), max(-half - leaves, -fall) / r)
    return excess, u if case == 1 else beta, contact


@kernel(inline=False)
def over_cap(a, b, up, turn, r, half):
    """Excess of a string over one cap only, the upper or (up = -1) the lower."""
    centre = (0.0, 0.0, up * half)
    a, b = sub(a, centre), sub(b, centre)
    n = plane_of(a, b, True, (0.0, 0.0, up))
    gamma = np.arctan2(dot(cross(a, b), n), dot(a, b))
    if turn > np.pi:
        n, gamma = scale(-1.0, n), 2.0 * np.pi - gamma
    theta, lowest = gamma, np.inf
    for k in range(2):
        x, turning = (a, n) if k == 0 else (b, scale(-1.0, n))
        free = np.sqrt(dot(x, x) - r * r)
        theta -= np.arctan2(free, r)
        lowest = min(lowest, up * (r * x[2] + free * cross(turning, x)[2]) / dot(x, x))
    return max(max(-theta, theta - np.pi), -lowest)


@kernel
def around(rho_a, z_a, rho_b, z_b, turn, r, half):
    """(excess, start, contact) of a string on the cylinder only."""
    if not (rho_a >= r and rho_b >= r):
        return np.inf, 0.0, 0.0
    free_a, free_b = np.sqrt(rho_a * rho_a - r * r), np.sqrt(rho_b * rho_b - r * r)
    beta = np.arctan2(free_a, r)
    theta = turn - beta - np.arctan2(free_b, r)
    grade = (z_b - z_a) / (free_a + r * theta + free_b)
    highest = max(abs(z_a + grade * free_a), abs(z_b - grade * free_b))
    return max(-theta, (highest - half) / r), beta, theta


@kernel(inline=False)
def search(rho_a, z_a, rho_b, z_b, turn, r, half, held):
    """(case, up, start, contact) of the string in one sense of turning; case -1: there is none, it would slip off.

    up is the sign of the cap at a (or opposite to that at b). The first case that fits is the shortest. On a held side,
    beyond half a turn, a string that comes to a cap from below its seam does not count: it runs over the cap's middle,
    or around the far end, and none that is held becomes it.
    """
    held = held and turn > np.pi
    a, b = (rho_a, 0.0, z_a), (rho_b * np.cos(turn), rho_b * np.sin(turn), z_b)
    if turn <= np.pi and is_clear(a, b, r, half):
        return NONE, 1.0, 0.0, 0.0
    excess, beta, theta = around(rho_a, z_a, rho_b, z_b, turn, r, half)
    best, found = SLACK, (-1, 1.0, 0.0, 0.0)
    if excess < best:
        best, found = excess, (HELIX_ONLY, 1.0, beta, theta)
    for k in range(0 if held else 2):
        up = 1.0 if (z_a + z_b >= 0.0) == (k == 0) else -1.0
        excess = over_cap(a, b, up, turn, r, half) if best > 0.0 else np.inf
        if excess < best:
            best, found = excess, (CAP_ONLY, up, 0.0, 0.0)
    for k in range(2 if turn > np.pi and not held else 1):
        up = 1.0 if (z_a >= z_b) == (k == 0) else -1.0
        low_a, low_b = up * z_a < half, -up * z_b < half
        for case in range(1, 4):
            if best > 0.0 and not (held and ((low_a and case != 2) or (low_b and case != 1))):
                excess, start, contact = over_seams(case, rho_a, up * z_a, rho_b, up * z_b, turn, r, half)
                if excess < best:
                    best, found = excess, (case, up, start, contact)
    return found


@kernel(inline=False)
def choose_case(a, b, r, half, sided, side):
    """(case, up, sense, where the helix starts, where it ends): the shorter way, or that nearer to the side.

    On one cap only, sense tells the shorter way (1) from the longer in the plane of both ends and its centre.
    """
    if not (is_clear(a, a, r, half) and is_clear(b, b, r, half)):
        return NONE, 1.0, 1.0, 0.0, 0.0
    rho_a, rho_b = np.hypot(a[0], a[1]), np.hypot(b[0], b[1])
    origin = np.arctan2(a[1], a[0])
    delta = np.arctan2(b[1], b[0]) - origin
    if delta < 0.0:
        delta += 2.0 * np.pi
    sense = 1.0 if delta <= np.pi else -1.0
    if sided:
        sense, _ = choose_turn((a[0], a[1]), (b[0], b[1]), 0.0, sided, side)
    for _ in range(2):
        turn = delta if sense > 0.0 else 2.0 * np.pi - delta
        case, up, start, contact = search(rho_a, a[2], rho_b, b[2], turn, r, half, sided == HELD)
        if case == CAP_ONLY:
            return case, up, 1.0 if turn <= np.pi else -1.0, 0.0, 0.0
        if case >= 0:
            return case, up, sense, origin + sense * start, origin + sense * (start + contact)
        sense = -sense
    return NONE, 1.0, sense, 0.0, 0.0
