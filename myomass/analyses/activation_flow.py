"""Where activations come to in a time at a constant excitation: the exact flow of first-order activation dynamics.

Piecewise dynamics (muscles/hill/activation.py) have closed forms. With z(a) = 0.5 + 1.5 a, upwards and downwards,

    -1.5 a - z(u) ln(u - a)  grows by  h/rise,             (a - u)/z(a)  shrinks by  exp(-z(u) h/fall)

Smooth dynamics are integrated. The flow grows with a and with u, so a muscle at a can be anywhere in between the flows
of the least and of the largest excitation after the time h, and which excitation brings it there is one root.
"""

import numpy as np

from .._jit import kernel
from ..muscles.hill.activation import SMOOTH, rate_and_slope

FINE = 0.02  # step of the integration, of the shorter time constant
MOST_ROOTS = 100
CLOSE = 1e-15


@kernel
def rise_to(u, a, time):
    """(activation, slope by a) after so many time constants of rising from a to u."""
    z, y = 0.5 + 1.5 * u, u - a
    if y <= 0.0:
        return a, np.exp(-time / z)
    aim = z * np.log(y) - 1.5 * y - time  # what z ln y - 1.5 y has come down to after the time
    y_before, x = y, np.log(y) - time / z
    for _ in range(MOST_ROOTS):  # Newton's method in x = ln y, from where all steps go one way
        y = np.exp(x)
        step = (z * x - 1.5 * y - aim) / (z - 1.5 * y)
        x -= step
        if abs(step) <= CLOSE * (1.0 + abs(x)):
            break
    y = np.exp(x)
    after = u - y
    return after, y / y_before * (0.5 + 1.5 * a) / (0.5 + 1.5 * after)


@kernel
def fall_to(u, a, time):
    """(activation, slope by a) after so many time constants of falling from a to u."""
    z, here = 0.5 + 1.5 * u, 0.5 + 1.5 * a
    left = np.exp(-z * time)
    w = (a - u) / here * left
    return (u + 0.5 * w) / (1.0 - 1.5 * w), left * (z / here / (1.0 - 1.5 * w)) ** 2


@kernel
def integrate(hill, u, a, h):
    """(activation, slope by a) after the time h at the excitation u, by Runge-Kutta steps."""
    count = int(np.ceil(h / (FINE * min(hill.rise, hill.fall)))) + 1
    step, slope = h / count, 1.0
    for _ in range(count):
        k1, d1 = rate_and_slope(hill, u, a)
        k2, d2 = rate_and_slope(hill, u, a + 0.5 * step * k1)
        k3, d3 = rate_and_slope(hill, u, a + 0.5 * step * k2)
        k4, d4 = rate_and_slope(hill, u, a + step * k3)
        s1 = d1 * slope
        s2 = d2 * (slope + 0.5 * step * s1)
        s3 = d3 * (slope + 0.5 * step * s2)
        s4 = d4 * (slope + step * s3)
        a += step * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        slope += step * (s1 + 2.0 * s2 + 2.0 * s3 + s4) / 6.0
    return a, slope


@kernel
def flow(hill, u, a, h):
    """(activation, slope by a) after the time h [s] at the excitation u, a being within the clip."""
    if hill.dynamics == SMOOTH:
        return integrate(hill, u, a, h)
    if u > a:
        return rise_to(u, a, h / hill.rise)
    return fall_to(u, a, h / hill.fall)


@kernel(entry=True)
def flows_along(hills, u, a, h, after, slopes):
    """Fill after and slopes, (rows, muscles), from activations a, times h (rows,) and excitations u (muscles,)."""
    for row in range(a.shape[0]):
        for i in range(hills.shape[0]):
            after[row, i], slopes[row, i] = flow(hills[i], u[i], a[row, i], h[row])


@kernel(entry=True)
def excitations_along(hills, low, high, a, h, u):
    """Fill u, the constant excitations, within low and high, that lead from each row of a to the next."""
    for row in range(u.shape[0]):
        for i in range(hills.shape[0]):
            near, far, aim = low[i], high[i], a[row + 1, i]
            for _ in range(MOST_ROOTS):
                middle = 0.5 * (near + far)
                if flow(hills[i], middle, a[row, i], h[row])[0] < aim:
                    near = middle
                else:
                    far = middle
                if far - near <= CLOSE:
                    break
            u[row, i] = 0.5 * (near + far)
