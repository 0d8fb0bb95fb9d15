"""Jets: numbers and vectors with their first and second derivative along a motion, (x, xdot, xddot).

The algebra in which paths of muscles are written: one source gives place, velocity and acceleration, and with complex
numbers in it the derivatives of all three. Where a caller has no use for the second derivative the compiler drops it.
"""

import numpy as np

from .._jit import kernel
from .algebra import add, cross, dot, load3, scale, store3, sub
from .trig import cos_sin


@kernel
def fixed(x):
    """The jet of a number that does not move."""
    return (x, x * 0.0, x * 0.0)


@kernel
def fixed3(v):
    """The jet of a vector that does not move."""
    still = scale(0.0, v)
    return (v, still, still)


@kernel
def j_add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def j_sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def j_mul(a, b):
    """a b."""
    return (a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2])


@kernel
def j_inverse(a):
    """1 / a."""
    x = 1.0 / a[0]
    xdot = -x * x * a[1]
    return (x, xdot, -x * (x * a[2] + 2.0 * xdot * a[1]))


@kernel
def j_div(a, b):
    """a / b."""
    inverse = 1.0 / b[0]
    x = a[0] * inverse
    xdot = (a[1] - x * b[1]) * inverse
    return (x, xdot, (a[2] - x * b[2] - 2.0 * xdot * b[1]) * inverse)


@kernel
def j_sqrt(a):
    """Square root of a jet whose value is positive."""
    x = np.sqrt(a[0])
    inverse = 1.0 / x
    xdot = 0.5 * a[1] * inverse
    return (x, xdot, (0.5 * a[2] - xdot * xdot) * inverse)


@kernel
def j_cos_sin(a):
    """(cos a, sin a)."""
    c, s = cos_sin(a[0])
    square = a[1] * a[1]
    return (c, -s * a[1], -s * a[2] - c * square), (s, c * a[1], c * a[2] - s * square)


@kernel
def j_scale(s, a):
    """s a with s a plain number."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def j_part(v, k):
    """Component k of a vector's jet."""
    return (v[0][k], v[1][k], v[2][k])


@kernel
def j_vector(x, y, z):
    """The jet of a vector, from those of its three components."""
    return ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))


@kernel
def v_add(a, b):
    """a + b, vectors."""
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))


@kernel
def v_sub(a, b):
    """a - b, vectors."""
    return (sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]))


@kernel
def v_mul(s, a):
    """s a, a jet times a vector."""
    x = scale(s[0], a[0])
    xdot = add(scale(s[1], a[0]), scale(s[0], a[1]))
    return (x, xdot, add(add(scale(s[2], a[0]), scale(2.0 * s[1], a[1])), scale(s[0], a[2])))


@kernel
def v_scale(s, a):
    """s a with s a plain number."""
    return (scale(s, a[0]), scale(s, a[1]), scale(s, a[2]))


@kernel
def v_dot(a, b):
    """a . b."""
    x = dot(a[0], b[0])
    return (x, dot(a[1], b[0]) + dot(a[0], b[1]), dot(a[2], b[0]) + 2.0 * dot(a[1], b[1]) + dot(a[0], b[2]))


@kernel
def v_cross(a, b):
    """a x b."""
    xdot = add(cross(a[1], b[0]), cross(a[0], b[1]))
    xddot = add(add(cross(a[2], b[0]), scale(2.0, cross(a[1], b[1]))), cross(a[0], b[2]))
    return (cross(a[0], b[0]), xdot, xddot)


@kernel
def v_unit(a):
    """(a / |a|, |a|)."""
    length = j_sqrt(v_dot(a, a))
    return v_mul(j_inverse(length), a), length


@kernel(inline=False)
def angle_of(y, x):
    """The angle of (x, y) in (-pi, pi], for numbers of any type: exact to first order in an imaginary part."""
    rough = np.arctan2(y.real, x.real)
    c, s = cos_sin(rough)
    return rough + (y * c - x * s) / (x * c + y * s)


@kernel
def j_angle(y, x):
    """The angle of (x, y) in (-pi, pi], a jet."""
    square = x[0] * x[0] + y[0] * y[0]
    rate = (x[0] * y[1] - y[0] * x[1]) / square
    growth = 2.0 * (x[0] * x[1] + y[0] * y[1]) * rate
    return (angle_of(y[0], x[0]), rate, (x[0] * y[2] - y[0] * x[2] - growth) / square)


@kernel(inline=False)
def smooth_step(x):
    """x^3 (10 - 15 x + 6 x^2) from 0 to 1, where its first two derivatives vanish; 1 beyond."""
    if x[0].real >= 1.0:
        return fixed(x[0] * 0.0 + 1.0)
    square = j_mul(x, x)
    rest = j_add(fixed(x[0] * 0.0 + 10.0), j_add(j_scale(-15.0, x), j_scale(6.0, square)))
    return j_mul(j_mul(x, square), rest)


@kernel
def jet3(x):
    """Rows of an array as the jet of a vector."""
    return (load3(x[0]), load3(x[1]), load3(x[2]))


@kernel
def jet(x):
    """Three numbers as a jet."""
    return (x[0], x[1], x[2])


@kernel
def store_jet(x, v, second):
    """Write a vector's jet into rows or, without `second`, its first derivative alone."""
    store3(x[1], v[1])
    if second:
        store3(x[0], v[0])
        store3(x[2], v[2])
