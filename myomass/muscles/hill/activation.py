"""Activation dynamics: how the activation a follows the excitation u.

Piecewise (Thelen 2003, as in OpenSim), A = a within [least, 1]:

    adot = (u - A)/tau,    tau = rise (0.5 + 1.5 A) if u > A, otherwise fall/(0.5 + 1.5 A)

Smooth (De Groote, Kinney, Rao, Fregly 2016):

    adot = (u - a) ((1/2 + f)/(rise z) + (1/2 - f) z/fall),    f = tanh(b (u - a))/2,    z = 0.5 + 1.5 a

Excited (Zajac 1989, as in Schutte's muscles), rising the faster the larger u is:

    adot = (u - a) (1/fall + u (1/rise - 1/fall)) if u > a, otherwise (u - a)/fall
"""

import numpy as np

from ..._jit import kernel

PIECEWISE, SMOOTH, EXCITED = 0, 1, 2
B = 0.1  # of the smooth form
MOST_STEPS = 60
CLOSE = 1e-9  # a step of Newton's method after which the next one is below rounding


@kernel
def clip_excitation(hill, u):
    """U within [least, 1]: an excitation, or an activation as forces use it."""
    if u.real < hill.least.real:
        return u * 0.0 + hill.least
    if u.real > 1.0:
        return u * 0.0 + 1.0
    return u


@kernel
def piecewise_rate(hill, u, a):
    """(adot, its slope by a) [1/s] of the piecewise form."""
    A = clip_excitation(hill, a)
    inside = 1.0 if hill.least.real <= a.real <= 1.0 else 0.0
    z, d = 0.5 + 1.5 * A, u - A
    if d.real > 0.0:
        rate = d / (hill.rise * z)
        return rate, -inside * (1.0 / hill.rise + 1.5 * rate) / z
    return d * z / hill.fall, inside * (1.5 * d - z) / hill.fall


@kernel
def smooth_rate(hill, u, a):
    """(adot, its slope by a) [1/s] of the smooth form."""
    z, d = 0.5 + 1.5 * a, u - a
    tanh = np.tanh(B * d)
    up, down = (0.5 + 0.5 * tanh) / (hill.rise * z), (0.5 - 0.5 * tanh) * z / hill.fall
    turn = 0.5 * B * (1.0 - tanh * tanh)  # -df/da
    slope = -turn / (hill.rise * z) - 1.5 * up / z + turn * z / hill.fall + 1.5 * down * z / (z * z)
    return d * (up + down), d * slope - up - down


@kernel
def excited_rate(hill, u, a):
    """(adot, its slope by a) [1/s] of the form that rises with the excitation."""
    slow = 1.0 / hill.fall + u * 0.0
    if u.real > a.real:
        slow = slow + u * (1.0 / hill.rise - 1.0 / hill.fall)
    return (u - a) * slow, a * 0.0 - slow


@kernel
def rate_and_slope(hill, u, a):
    """(adot, its slope by a) [1/s]."""
    if hill.dynamics == SMOOTH:
        return smooth_rate(hill, u, a)
    if hill.dynamics == EXCITED:
        return excited_rate(hill, u, a)
    return piecewise_rate(hill, u, a)


@kernel
def activation_rate(hill, u, a):
    """Adot [1/s] at the excitation u."""
    return rate_and_slope(hill, u, a)[0]


@kernel
def activation_step(hill, alpha, a_hat, u):
    """A such that a = a_hat + adot(u, a)/alpha: an implicit step, by Newton's method between brackets.

    adot falls with a and is zero at u, so the solution lies between a_hat and u; where u cannot be reached, because the
    activation is clipped, adot is constant beyond the clip and the solution is an explicit step at most.
    """
    rate, slope = rate_and_slope(hill, u, a_hat)
    reached = hill.dynamics != PIECEWISE or hill.least.real <= u.real <= 1.0
    other = u.real if reached else (a_hat + rate / alpha).real
    low, high = min(a_hat.real, other), max(a_hat.real, other)
    a = a_hat + u * 0.0
    for _ in range(MOST_STEPS):
        error = alpha * (a - a_hat) - rate
        if error.real > 0.0:
            high = min(high, a.real)
        else:
            low = max(low, a.real)
        aim = a - error / (alpha - slope)
        if not (low <= aim.real <= high):
            aim = a * 0.0 + 0.5 * (low + high)
        moved = abs(aim.real - a.real)
        a = aim
        rate, slope = rate_and_slope(hill, u, a)
        if moved <= CLOSE:
            break
    return a - (alpha * (a - a_hat) - rate) / (alpha - slope)
