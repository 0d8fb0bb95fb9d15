"""The rotation nearest to a 3x3 matrix, of numbers of any type: R maximises tr(R^T F) over all rotations.

With singular values s1 >= s2 >= |s3| of F, the last with the sign of det F, and S = R^T F symmetric:

    H = tr(S) I - S,    det H = (s1 + s2)(s2 + s3)(s3 + s1),    R^T dR = [w],  H w = axial(R^T dF - dF^T R)

So R is unique, and smooth, wherever s2 + s3 > 0: for flat F too (s3 = 0), and for inverted F (s3 < 0) unless it
mirrors (s3 = -s2). Where F has no more than one dimension left, or mirrors, several rotations are equally near; R is
one of them. First R is the closed form of Markley (1993, FOAM), with the largest root of a quartic by Newton's method;
close to where it is not unique, the quaternion to which powers of Davenport's 4x4 matrix converge. Newton's method on
rotations ends it, in all of the number, so that complex steps through it are exact.
"""

import numpy as np

from .._jit import kernel
from .algebra import add_scaled, cross, dot, matmul, mul_sym, scale, transpose
from .so3 import rotation_of

UNIQUE = 1e-8  # (s2 + s3)/|F| below which R does not count as unique
CLOSED = 1e-4  # the same, below which the closed form loses too many digits
SMALL = 1e-10  # [rad] a step of Newton's method after which one more is exact
STEPS = 40
CLEAR = 1.01  # how much longer counts as longer
SQUARINGS = 32  # enough for what is unique; more would only tell rounding apart


@kernel
def scaled33(s, A):
    """s A, matrix."""
    return (scale(s, A[0]), scale(s, A[1]), scale(s, A[2]))


@kernel
def cofactor(F):
    """d det F/dF: the rows are cross products of F's rows."""
    return (cross(F[1], F[2]), cross(F[2], F[0]), cross(F[0], F[1]))


@kernel
def inner(A, B):
    """A : B, the sum of products of entries."""
    return dot(A[0], B[0]) + dot(A[1], B[1]) + dot(A[2], B[2])


@kernel
def axial(A):
    """Of A - A^T = [a]: a."""
    return (A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1])


@kernel
def turning(R, F):
    """(upper triangle of H^-1, axial(R^T F)); H^-1 is zero where R is not unique. |F| must be about 1."""
    B = matmul(transpose(R), F)
    xy, xz, yz = 0.5 * (B[0][1] + B[1][0]), 0.5 * (B[0][2] + B[2][0]), 0.5 * (B[1][2] + B[2][1])
    a, b, c = B[1][1] + B[2][2], B[2][2] + B[0][0], B[0][0] + B[1][1]
    p, q, r = b * c - yz * yz, a * c - xz * xz, a * b - xy * xy  # H = (a, -xy, -xz; b, -yz; c)
    u, v, w = xy * c + xz * yz, xy * yz + b * xz, a * yz + xy * xz
    det = a * p - xy * u - xz * v
    minors = (p + q + r).real  # det/minors is between a third and one of the least eigenvalue, s2 + s3
    definite = a.real > 0.0 and r.real > 0.0 and minors > 0.5 * UNIQUE
    if definite and det.real > UNIQUE * minors:
        over = 1.0 / det
    else:
        over = det * 0.0
    return (p * over, u * over, v * over, q * over, w * over, r * over), axial(B)


@kernel
def closed_form(F, square):
    """(R, det H) by the largest root of Davenport's quartic, real; R is no rotation where det H is zero."""
    C, det = cofactor(F), dot(F[0], cross(F[1], F[2]))
    adjoint = inner(C, C)
    root = np.sqrt(3.0 * square)
    for _ in range(STEPS):
        rest = root * root - square
        slope = 4.0 * root * rest - 8.0 * det
        if slope <= 0.0:
            break
        step = (rest * rest - 8.0 * det * root - 4.0 * adjoint) / slope
        root -= step
        if abs(step) <= 1e-15 * root:
            break
    k = 0.5 * (root * root - square)
    z = k * root - det
    o = 1.0 / z if z > 0.0 else z
    FFF = matmul(F, matmul(transpose(F), F))
    a, b = o * (k + square), o * root
    x = add_scaled(add_scaled(scale(a, F[0]), b, C[0]), -o, FFF[0])
    y = add_scaled(add_scaled(scale(a, F[1]), b, C[1]), -o, FFF[1])
    return (x, y, cross(x, y)), z


@kernel
def squared44(A):
    """A A over its trace, of a symmetric 4x4 matrix (upper triangle by rows)."""
    a, b, c, d, e, f, g, h, i, j = A
    aa, bb = a * a + b * b + c * c + d * d, b * b + e * e + f * f + g * g
    cc, dd = c * c + f * f + h * h + i * i, d * d + g * g + i * i + j * j
    o = 1.0 / (aa + bb + cc + dd)
    ab, ac, ad = a * b + b * e + c * f + d * g, a * c + b * f + c * h + d * i, a * d + b * g + c * i + d * j
    bc, bd, cd = b * c + e * f + f * h + g * i, b * d + e * g + f * i + g * j, c * d + f * g + h * i + i * j
    return (o * aa, o * ab, o * ac, o * ad, o * bb, o * bc, o * bd, o * cc, o * cd, o * dd)


@kernel
def by_powers(F, size):
    """A rotation that maximises tr(R^T F), real, unique or not: powers of Davenport's matrix, made positive."""
    t, m = F[0][0] + F[1][1] + F[2][2], 2.0 * size
    x, y, z = F[2][1] - F[1][2], F[0][2] - F[2][0], F[1][0] - F[0][1]
    A = (
        m + t, x, y, z,
        m + 2.0 * F[0][0] - t, F[0][1] + F[1][0], F[0][2] + F[2][0],
        m + 2.0 * F[1][1] - t, F[1][2] + F[2][1],
        m + 2.0 * F[2][2] - t,
    )  # fmt: skip
    for _ in range(SQUARINGS):
        A = squared44(A)
    q, best = (A[0], A[1], A[2], A[3]), CLEAR * A[0]  # the longest column; of equal ones the first
    if A[4] > best:
        q, best = (A[1], A[4], A[5], A[6]), CLEAR * A[4]
    if A[7] > best:
        q, best = (A[2], A[5], A[7], A[8]), CLEAR * A[7]
    if A[9] > best:
        q = (A[3], A[6], A[8], A[9])
    v = (q[1], q[2], q[3])
    o = 2.0 / (q[0] * q[0] + dot(v, v))
    # I + 2 (q0 [v] + [v]^2)/|q|^2
    return rotation_of(v, o * q[0], o)


@kernel
def upright(R):
    """Two rows made orthonormal, and their cross product."""
    x = scale(1.0 / np.sqrt(dot(R[0], R[0])), R[0])
    y = add_scaled(R[1], -dot(R[1], x), x)
    y = scale(1.0 / np.sqrt(dot(y, y)), y)
    return (x, y, cross(x, y))


@kernel
def real_of(F):
    """Real parts of a matrix."""
    return (
        (F[0][0].real, F[0][1].real, F[0][2].real),
        (F[1][0].real, F[1][1].real, F[1][2].real),
        (F[2][0].real, F[2][1].real, F[2][2].real),
    )


@kernel(inline=False)
def nearest_rotation(F):
    """(R, H^-1): the rotation nearest to F, and with it dR = R [H^-1 axial(R^T dF - dF^T R)].

    H^-1 is the upper triangle of a symmetric matrix, and zero where R is not unique: there R is held.
    """
    real = real_of(F)
    square = inner(real, real)
    o = F[0][0] * 0.0
    if not square > 0.0:
        return ((o + 1.0, o, o), (o, o + 1.0, o), (o, o, o + 1.0)), (o, o, o, o, o, o)
    shrink = 1.0 / np.sqrt(square)
    real, whole = scaled33(shrink, real), scaled33(shrink, F)
    guess, z = closed_form(real, 1.0)
    guess = upright(guess) if z > CLOSED else by_powers(real, 1.0)
    R = scaled33(o + 1.0, guess)
    for _ in range(STEPS):
        inverse, off = turning(R, whole)
        w = mul_sym(inverse, off)
        a = 1.0 / (1.0 + 0.25 * dot(w, w))
        R = matmul(R, rotation_of(w, a, 0.5 * a))
        if abs(w[0].real) + abs(w[1].real) + abs(w[2].real) <= SMALL:
            break
    a, b, c, d, e, f = turning(R, whole)[0]
    return R, (shrink * a, shrink * b, shrink * c, shrink * d, shrink * e, shrink * f)


@kernel(entry=True)
def nearest_rotation_of(F):
    """The rotation nearest to a matrix of any number type, as a tuple of rows, for Python."""
    R, _ = nearest_rotation(F)
    return R
