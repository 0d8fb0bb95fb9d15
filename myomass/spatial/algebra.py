"""Vectors, 3x3 matrices and symmetric 3x3 matrices as small tuples: the algebra every kernel is written in.

A vector is (x, y, z); a matrix is three rows; a symmetric matrix is its upper triangle (xx, xy, xz, yy, yz, zz). Tuples
live in registers, so these names cost nothing once compiled.
"""

from .._jit import kernel


@kernel
def load3(a):
    """Vector from an array of 3."""
    return (a[0], a[1], a[2])


@kernel
def store3(a, v):
    """Write a vector into an array of 3."""
    a[0] = v[0]
    a[1] = v[1]
    a[2] = v[2]


@kernel
def load33(A):
    """Matrix from a 3x3 array."""
    return ((A[0, 0], A[0, 1], A[0, 2]), (A[1, 0], A[1, 1], A[1, 2]), (A[2, 0], A[2, 1], A[2, 2]))


@kernel
def store33(A, M):
    """Write a matrix into a 3x3 array."""
    store3(A[0], M[0])
    store3(A[1], M[1])
    store3(A[2], M[2])


@kernel
def load6(a):
    """Symmetric matrix (or any six numbers) from an array of 6."""
    return (a[0], a[1], a[2], a[3], a[4], a[5])


@kernel
def store6(a, s):
    """Write six numbers into an array of 6."""
    a[0] = s[0]
    a[1] = s[1]
    a[2] = s[2]
    a[3] = s[3]
    a[4] = s[4]
    a[5] = s[5]


@kernel
def add(a, b):
    """a + b, vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """a - b, vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def neg(a):
    """-a, vector."""
    return (-a[0], -a[1], -a[2])


@kernel
def scale(s, a):
    """s a, scalar times vector."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def add_scaled(a, s, b):
    """a + s b, vectors."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def dot(a, b):
    """a . b (no conjugate: complex numbers carry derivatives here)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """a x b, vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def mul(A, v):
    """A v, matrix times vector."""
    return (dot(A[0], v), dot(A[1], v), dot(A[2], v))


@kernel
def mul_T(A, v):
    """A^T v, transposed matrix times vector."""
    return (
        A[0][0] * v[0] + A[1][0] * v[1] + A[2][0] * v[2],
        A[0][1] * v[0] + A[1][1] * v[1] + A[2][1] * v[2],
        A[0][2] * v[0] + A[1][2] * v[1] + A[2][2] * v[2],
    )


@kernel
def matmul(A, B):
    """A B, matrices."""
    return (mul_T(B, A[0]), mul_T(B, A[1]), mul_T(B, A[2]))


@kernel
def transpose(A):
    """A^T, matrix."""
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


@kernel
def add33(A, B):
    """A + B, matrices."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


@kernel
def add6(a, b):
    """a + b, symmetric matrices."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def mul_sym(s, v):
    """s v, symmetric matrix times vector."""
    return (
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2],
        s[1] * v[0] + s[3] * v[1] + s[4] * v[2],
        s[2] * v[0] + s[4] * v[1] + s[5] * v[2],
    )


@kernel
def rotate_sym(R, s):
    """R s R^T, a symmetric matrix seen in other axes."""
    x, y, z = mul_sym(s, R[0]), mul_sym(s, R[1]), mul_sym(s, R[2])
    return (dot(R[0], x), dot(R[0], y), dot(R[0], z), dot(R[1], y), dot(R[1], z), dot(R[2], z))


@kernel
def downdate_sym(s, d, u):
    """s - d u u^T, symmetric matrix less a scaled square."""
    x, y, z = d * u[0], d * u[1], d * u[2]
    return (
        s[0] - x * u[0],
        s[1] - x * u[1],
        s[2] - x * u[2],
        s[3] - y * u[1],
        s[4] - y * u[2],
        s[5] - z * u[2],
    )


@kernel
def downdate(A, d, u, v):
    """A - d u v^T, matrix less a scaled product of vectors."""
    return (
        add_scaled(A[0], -d * u[0], v),
        add_scaled(A[1], -d * u[1], v),
        add_scaled(A[2], -d * u[2], v),
    )


@kernel
def hat_sym(r, s):
    """[r] s, cross-product matrix times symmetric matrix."""
    return (
        (r[1] * s[2] - r[2] * s[1], r[1] * s[4] - r[2] * s[3], r[1] * s[5] - r[2] * s[4]),
        (r[2] * s[0] - r[0] * s[2], r[2] * s[1] - r[0] * s[4], r[2] * s[2] - r[0] * s[5]),
        (r[0] * s[1] - r[1] * s[0], r[0] * s[3] - r[1] * s[1], r[0] * s[4] - r[1] * s[2]),
    )


@kernel
def turn_z(R, c, s):
    """R Rz: turn the first two columns about the third by the angle whose cosine and sine are given."""
    return (
        (c * R[0][0] + s * R[0][1], c * R[0][1] - s * R[0][0], R[0][2]),
        (c * R[1][0] + s * R[1][1], c * R[1][1] - s * R[1][0], R[1][2]),
        (c * R[2][0] + s * R[2][1], c * R[2][1] - s * R[2][0], R[2][2]),
    )
