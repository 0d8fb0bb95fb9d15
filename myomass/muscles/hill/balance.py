"""Where fibre and tendon balance: the equation that all of fibre.py solves, and its solution by Newton's method.

With x = l/l_opt, the fibre's velocity v = v_hat + k (x - x_hat), its height h over l_opt and the path's length L,

    R(x) = (a f_l(x) f_v(v) + f_p(x) + beta v) c - f_t((L - l_opt x c)/slack) = 0,    c = sqrt(1 - (h/x)^2)

k = 0 is an equilibrium at the velocity v_hat; v_hat = 0 and k > 0 an implicit step. R grows through every solution that
is stable: a fibre whose tendon pulls harder lengthens. There is one between the shortest fibre, unless R >= 0 there
already and the fibre stays at it, and the longer one of x_hat and the fibre that leaves the tendon slack.
"""

import numpy as np

from ..._jit import kernel
from .curves.dispatch import active_curve, passive_curve, tendon_curve, velocity_curve

MOST_STEPS = 120
CLOSE = 1e-11  # |R|, and a change of x and v, after whose step of Newton's method the next one is below rounding
ROUNDING = 4e-16
SHRINKING, SURE = 0.1, 0.01  # how a step must shrink to tell of the next one, which it tells to two digits, ...
LOCAL, GENTLE = 0.05, 0.1  # ... and how small it (as a change of x and v) and R must be
SOON, AT_FIRST, LATER = 12, 0.7, 0.3  # what Newton's method must make of |R| in its first steps, and later
LARGE = 1e300


@kernel
def mismatch(hill, params, a, x, v, k, L):
    """(R, dR/dx) where dv/dx = k."""
    h = hill.height / hill.optimal
    c = np.sqrt(1.0 - (h / x) * (h / x))
    fl, fl_slope = active_curve(hill.kind, params, hill.at, x)
    fp, fp_slope = passive_curve(hill.kind, params, hill.at, x)
    fv, fv_slope = velocity_curve(hill.kind, params, hill.at, v, a)
    ft, ft_slope = tendon_curve(hill.kind, params, hill.at, (L - hill.optimal * x * c) / hill.slack)
    pull = a * fl * fv + fp + hill.damping * v
    slope = a * (fl_slope * fv + fl * fv_slope * k) + fp_slope + hill.damping * k
    turn = h * h / (x * x * x * c)  # dc/dx
    return pull * c - ft, slope * c + pull * turn + ft_slope * hill.optimal / (hill.slack * c)


@kernel
def slack_fibre(hill, L):
    """The length over l_opt of the fibre that leaves the tendon just slack, or of the shortest one."""
    along = max((L - hill.slack).real, 0.0)
    height = hill.height.real
    return max(np.sqrt(height * height + along * along), hill.shortest.real) / hill.optimal.real


@kernel
def settles(step, last, close):
    """Is the next step of Newton's method below rounding, as the last two tell? `last` is 0 if there was no other."""
    return last > 0.0 and step < SHRINKING * last and step * step * step <= SURE * close * last * last


@kernel(inline=False)
def solve_balance(hill, params, a, L, x_hat, v_hat, k, guess):
    """(x - x_hat, found) of the balance next to a guess; found is -1 at the shortest fibre, 0 where there is none.

    Newton's method while it makes |R| smaller fast enough and goes uphill, otherwise a bisection; a side of the bracket
    is tried before it is trusted. Numbers of any type: decisions are on real parts, and derivatives follow exactly.
    """
    shortest = hill.shortest.real / hill.optimal.real
    longest = slack_fibre(hill, L)
    if k.real > 0.0:
        longest = max(longest, x_hat.real)
    first, end = shortest - x_hat.real, longest - x_hat.real
    low, high, low_tried, high_tried = first, end, False, False
    zero = (a + L + x_hat + v_hat + k) * 0.0
    d = zero + min(max(guess.real - x_hat.real, first), end)
    scale = 1.0 + k.real
    rounding = ROUNDING * (L / hill.optimal).real
    last, before = 0.0, LARGE
    for n in range(MOST_STEPS):
        error, slope = mismatch(hill, params, a, x_hat + d, v_hat + k * d, k, L)
        R, S = error.real, slope.real
        if R >= 0.0:
            if d.real <= first:
                return zero + first, -1
            high, high_tried = d.real, True
        else:
            if d.real >= end:
                return zero + end, 0
            low, low_tried = d.real, True
        newton = d - error / slope
        step, close = abs(newton.real - d.real), CLOSE / (scale + abs(S)) + rounding
        enough = abs(R) <= (AT_FIRST if n < SOON else LATER) * before or step <= close
        if 0.0 < S < LARGE and low <= newton.real <= high and enough:
            d, before = newton, abs(R)
            if step <= close or settles(step, last, close):
                break
            last = step if step * scale <= LOCAL and before <= GENTLE else 0.0
            continue
        last, before = 0.0, LARGE
        if R >= 0.0 and not low_tried:
            d = zero + first
        elif R < 0.0 and not high_tried:
            d = zero + end
        else:
            d = zero + 0.5 * (low + high)
            if high - low <= close:
                break
    stepped = abs(a.imag) + abs(L.imag) + abs(x_hat.imag) + abs(v_hat.imag) + abs(k.imag)  # a bisection drops it
    if d.imag != 0.0 or stepped > 0.0:
        error, slope = mismatch(hill, params, a, x_hat + d, v_hat + k * d, k, L)
        d -= error / slope
    return d, 1
