"""Rotations: exp, log, hat and vee of SO(3), and the Jacobian of exp with its derivative.

    exp([w]) = I + a [w] + b [w]^2,        a = sin t / t,  b = (1 - cos t) / t^2,  c = (t - sin t) / t^3,  t = |w|
    R^T dR   = [S(w) dw],                  S(w) = I - b [w] + c [w]^2

The coefficients are even functions of t, so they are functions of x = t^2: a power series below x = 4, closed forms
above, and where they meet both are good to a few units in the last place. Nothing is switched off near zero, so every
derivative survives there (Gallego and Yezzi 2015, in the compact form; supplement Eq. 36-41).
"""

from math import factorial

import numpy as np

from .._jit import kernel
from .algebra import add, add_scaled, cross, dot, matmul, mul_T, neg, scale, sub, transpose
from .checks import check_numbers

SERIES_BELOW = 4.0  # squared angle
TERMS = 12
A_SERIES = tuple((-1.0) ** k / factorial(2 * k + 1) for k in range(TERMS))
B_SERIES = tuple((-1.0) ** k / factorial(2 * k + 2) for k in range(TERMS))
C_SERIES = tuple((-1.0) ** k / factorial(2 * k + 3) for k in range(TERMS))
DB_SERIES = tuple((-1.0) ** k * k / factorial(2 * k + 2) for k in range(1, TERMS))
DC_SERIES = tuple((-1.0) ** k * k / factorial(2 * k + 3) for k in range(1, TERMS))
DDB_SERIES = tuple((-1.0) ** k * k * (k - 1) / factorial(2 * k + 2) for k in range(2, TERMS + 1))
DDC_SERIES = tuple((-1.0) ** k * k * (k - 1) / factorial(2 * k + 3) for k in range(2, TERMS + 1))
ATAN_SERIES = tuple((-1.0) ** k / (2 * k + 1) for k in range(10))


@kernel
def horner(x, coefficients):
    """Polynomial in x, lowest coefficient first."""
    y = x * 0.0
    for k in range(len(coefficients) - 1, -1, -1):
        y = y * x + coefficients[k]
    return y


@kernel
def angle_coefficients(x):
    """(a, b, c) of the squared angle x: sin t/t, (1 - cos t)/t^2, (t - sin t)/t^3."""
    if x.real < SERIES_BELOW:
        return horner(x, A_SERIES), horner(x, B_SERIES), horner(x, C_SERIES)
    t = np.sqrt(x)
    a = np.sin(t) / t
    h = np.sin(0.5 * t) / t
    return a, 2.0 * h * h, (1.0 - a) / x


@kernel
def angle_slopes(x, a, b, c):
    """(db/dx, dc/dx) of the coefficients above at the squared angle x."""
    if x.real < SERIES_BELOW:
        return horner(x, DB_SERIES), horner(x, DC_SERIES)
    return (a - 2.0 * b) / (2.0 * x), (b - 3.0 * c) / (2.0 * x)


@kernel
def angle_curvatures(x, b, c, db, dc):
    """(d2b/dx2, d2c/dx2) of the coefficients above at the squared angle x."""
    if x.real < SERIES_BELOW:
        return horner(x, DDB_SERIES), horner(x, DDC_SERIES)
    return (0.5 * (c - b) - 4.0 * db) / (2.0 * x), (db - 5.0 * dc) / (2.0 * x)


@kernel(entry=True)
def rotation_exp(w):
    """R = exp([w]), the rotation by |w| about w. [rad] -> 3x3"""
    x = dot(w, w)
    a, b, _ = angle_coefficients(x)
    return rotation_of(w, a, b)


@kernel
def rotation_of(w, a, b):
    """I + a [w] + b [w]^2 with its coefficients given."""
    bx, by, bz = b * w[0], b * w[1], b * w[2]
    xx, yy, zz = bx * w[0], by * w[1], bz * w[2]
    xy, xz, yz = bx * w[1], bx * w[2], by * w[2]
    ax, ay, az = a * w[0], a * w[1], a * w[2]
    return (
        (1.0 - yy - zz, xy - az, xz + ay),
        (xy + az, 1.0 - xx - zz, yz - ax),
        (xz - ay, yz + ax, 1.0 - xx - yy),
    )


@kernel
def dexp(w, d, b, c):
    """S(w) d = d - b w x d + c w x (w x d): body angular velocity of exp([w]) when w changes at the rate d."""
    wd = cross(w, d)
    return add_scaled(add_scaled(d, -b, wd), c, cross(w, wd))


@kernel(entry=True)
def rotation_jacobian(w):
    """S(w), the Jacobian of exp, as a matrix: R^T dR = [S(w) dw]."""
    o = w[0] * 0.0
    _, b, c = angle_coefficients(dot(w, w))
    x = dexp(w, (o + 1.0, o, o), b, c)
    y = dexp(w, (o, o + 1.0, o), b, c)
    z = dexp(w, (o, o, o + 1.0), b, c)
    return transpose((x, y, z))


@kernel
def dexp_slope(w, d, e, coefficients):
    """Derivative of S(w) d along e. coefficients = (b, c, db/dx, dc/dx)"""
    b, c, db, dc = coefficients
    wd, ed = cross(w, d), cross(e, d)
    wwd = cross(w, wd)
    xdot = 2.0 * dot(w, e)
    first = add_scaled(scale(-xdot * db, wd), -b, ed)
    second = add_scaled(scale(xdot * dc, wwd), c, add(cross(e, wd), cross(w, ed)))
    return add(first, second)


@kernel
def dexp_bias_slope(w, d, e, coefficients):
    """Derivative along e of the bias dS(w)/dt d at the rate d. coefficients = (c, db/dx, dc/dx, d2b/dx2, d2c/dx2)"""
    c, db, dc, ddb, ddc = coefficients
    wd, ed = cross(w, d), cross(e, d)
    wwd, x, along, xdot = cross(w, wd), 2.0 * dot(w, d), 2.0 * dot(e, d), 2.0 * dot(w, e)
    first = add_scaled(scale(-along * db - x * xdot * ddb, wd), -x * db, ed)
    second = add_scaled(scale(along * dc + x * xdot * ddc, wwd), x * dc, add(cross(e, wd), cross(w, ed)))
    third = add_scaled(scale(xdot * dc, cross(d, wd)), c, cross(d, ed))
    return add(first, add(second, third))


@kernel
def left_slope(w, e, coefficients):
    """Derivative along e of L(w) = exp([w]) S(w) = I + b [w] + c [w]^2. coefficients = (b, c, db/dx, dc/dx)"""
    b, c, db, dc = coefficients
    x, xdot = dot(w, w), 2.0 * dot(w, e)
    h = add_scaled(scale(xdot * db, w), b, e)
    d, g = xdot * dc * x + c * xdot, add_scaled(scale(0.5 * xdot * dc, w), c, e)  # g w^T + w g^T - d I
    xy, xz, yz = g[0] * w[1] + w[0] * g[1], g[0] * w[2] + w[0] * g[2], g[1] * w[2] + w[1] * g[2]
    return (
        (2.0 * g[0] * w[0] - d, xy - h[2], xz + h[1]),
        (xy + h[2], 2.0 * g[1] * w[1] - d, yz - h[0]),
        (xz - h[1], yz + h[0], 2.0 * g[2] * w[2] - d),
    )


@kernel
def quaternion_of(R):
    """(w, v), the unit quaternion of R with w >= 0, from its largest component (no loss near any angle)."""
    t0 = 1.0 + R[0][0] + R[1][1] + R[2][2]
    t1 = 1.0 + R[0][0] - R[1][1] - R[2][2]
    t2 = 1.0 - R[0][0] + R[1][1] - R[2][2]
    t3 = 1.0 - R[0][0] - R[1][1] + R[2][2]
    if t0.real >= t1.real and t0.real >= t2.real and t0.real >= t3.real:
        k = 0.5 / np.sqrt(t0)
        w = t0 * k
        v = ((R[2][1] - R[1][2]) * k, (R[0][2] - R[2][0]) * k, (R[1][0] - R[0][1]) * k)
    elif t1.real >= t2.real and t1.real >= t3.real:
        k = 0.5 / np.sqrt(t1)
        w = (R[2][1] - R[1][2]) * k
        v = (t1 * k, (R[1][0] + R[0][1]) * k, (R[0][2] + R[2][0]) * k)
    elif t2.real >= t3.real:
        k = 0.5 / np.sqrt(t2)
        w = (R[0][2] - R[2][0]) * k
        v = ((R[1][0] + R[0][1]) * k, t2 * k, (R[2][1] + R[1][2]) * k)
    else:
        k = 0.5 / np.sqrt(t3)
        w = (R[1][0] - R[0][1]) * k
        v = ((R[0][2] + R[2][0]) * k, (R[2][1] + R[1][2]) * k, t3 * k)
    if w.real < 0.0:
        return -w, neg(v)
    return w, v


@kernel(entry=True)
def rotation_log(R):
    """w = log R, the rotation vector with |w| <= pi. 3x3 -> [rad]"""
    w, v = quaternion_of(R)
    x = dot(v, v)
    if x.real < 0.01 * (w * w).real:
        tangent = x / (w * w)
        return scale(2.0 * horner(tangent, ATAN_SERIES) / w, v)
    n = np.sqrt(x)
    half = np.arctan(n / w) if n.real < w.real else 0.5 * np.pi - np.arctan(w / n)
    return scale(2.0 * half / n, v)


@kernel
def orthonormal(R):
    """The rotation next to a matrix that is one but for rounding: R (3 I - R^T R)/2, one Newton step."""
    S = matmul(transpose(R), R)
    return (
        sub(scale(1.5, R[0]), scale(0.5, mul_T(S, R[0]))),
        sub(scale(1.5, R[1]), scale(0.5, mul_T(S, R[1]))),
        sub(scale(1.5, R[2]), scale(0.5, mul_T(S, R[2]))),
    )


@kernel
def wrapped(w, turns):
    """A vector of the same rotation, whole turns shorter: (1 - 2 pi turns/|w|) w (supplement, end of section 4.7)."""
    return scale(1.0 - 2.0 * np.pi * turns / np.sqrt(dot(w, w)), w)


@kernel
def dexp_inverse(w, u, k):
    """S(w)^-1 u = u + (1/2) w x u + k w x (w x u), k = (1 - a/(2b))/|w|^2."""
    wu = cross(w, u)
    return add_scaled(add_scaled(u, 0.5, wu), k, cross(w, wu))


# --- for arrays, in Python ------------------------------------------------------------------------------------------


def exp(omega: np.ndarray) -> np.ndarray:
    """R = exp([omega]), rotation vector [rad], (3,), to rotation matrix, (3, 3)."""
    return np.array(rotation_exp(tuple(check_numbers(omega, "so3.exp: omega", (3,), real=False))))


def log(R: np.ndarray) -> np.ndarray:
    """omega = log R, rotation matrix, (3, 3), to rotation vector of length at most pi [rad], (3,)."""
    return np.array(rotation_log(tuple(map(tuple, check_numbers(R, "so3.log: R", (3, 3), real=False)))))


def hat(a: np.ndarray) -> np.ndarray:
    """[a], the cross-product matrix: hat(a) @ b = a x b. (3, 3)"""
    x, y, z = check_numbers(a, "so3.hat: a", (3,), real=False)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def vee(A: np.ndarray) -> np.ndarray:
    """a with hat(a) = A; of a matrix that is not skew, its skew part's. (3,)"""
    A = check_numbers(A, "so3.vee: A", (3, 3), real=False)
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def jacobian(omega: np.ndarray) -> np.ndarray:
    """S(omega), R^T dR = [S d omega]: body angular velocity per rate of the rotation vector. (3, 3)"""
    return np.array(rotation_jacobian(tuple(check_numbers(omega, "so3.jacobian: omega", (3,), real=False))))
