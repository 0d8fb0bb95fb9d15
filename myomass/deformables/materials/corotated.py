"""Co-rotated elasticity: Hooke's law in the axes of the rotation R that is nearest to F.

    psi   = mu |F - R|^2 + lam/2 tr(R^T F - I)^2
    P     = 2 mu (F - R) + lam tr(R^T F - I) R
    dP/dF = 2 mu I + lam R R^T + (lam tr(R^T F - I) - 2 mu) dR/dF,   dR/dF = sum over m, n of (H^-1)_mn T_m T_n^T

with T_m = R [e_m], matrices as vectors of 9, and R and H of spatial/polar.py. R is a rotation for flat and inverted F
too, so that inverted elements are pushed back. The stiffness has (s2 + s3) in a denominator: it grows without bound
towards elements that are collapsed to a line or a point, or mirrored (s3 = -s2). There no rotation is the nearest: the
force is that of one of those that are equally near, and the stiffness that of R held.
"""

from dataclasses import dataclass
from typing import ClassVar

from ..._jit import kernel
from ...spatial.algebra import add_scaled, scale
from ...spatial.brief import brief
from ...spatial.polar import inner, nearest_rotation
from .base import Material


@kernel
def energy(params, at, F):
    """mu |F - R|^2 + lam/2 tr(R^T F - I)^2."""
    R, _ = nearest_rotation(F)
    D = (add_scaled(F[0], -1.0, R[0]), add_scaled(F[1], -1.0, R[1]), add_scaled(F[2], -1.0, R[2]))
    t = inner(R, D)
    return params[at] * inner(D, D) + 0.5 * params[at + 1] * t * t


@kernel
def stress(params, at, F):
    """2 mu (F - R) + lam tr(R^T F - I) R."""
    R, _ = nearest_rotation(F)
    m = 2.0 * params[at]
    D = (add_scaled(F[0], -1.0, R[0]), add_scaled(F[1], -1.0, R[1]), add_scaled(F[2], -1.0, R[2]))
    s = params[at + 1] * inner(R, D)
    return (
        add_scaled(scale(m, D[0]), s, R[0]),
        add_scaled(scale(m, D[1]), s, R[1]),
        add_scaled(scale(m, D[2]), s, R[2]),
    )


@kernel
def slopes(params, at, F, A):
    """Fill dP/dF."""
    m, lam = 2.0 * params[at], params[at + 1]
    R, H = nearest_rotation(F)
    s = lam * (inner(R, F) - 3.0) - m
    for k in range(3):
        for n in range(3):
            row, r = 3 * k + n, lam * R[k][n]
            t = turned(R[k], n)
            h = (
                s * (H[0] * t[0] + H[1] * t[1] + H[2] * t[2]),
                s * (H[1] * t[0] + H[3] * t[1] + H[4] * t[2]),
                s * (H[2] * t[0] + H[4] * t[1] + H[5] * t[2]),
            )
            for i in range(3):
                u = R[i]  # T_1 = (0, u2, -u1), T_2 = (-u2, 0, u0), T_3 = (u1, -u0, 0) in this row
                A[row, 3 * i] = r * u[0] - h[1] * u[2] + h[2] * u[1]
                A[row, 3 * i + 1] = r * u[1] + h[0] * u[2] - h[2] * u[0]
                A[row, 3 * i + 2] = r * u[2] - h[0] * u[1] + h[1] * u[0]
            A[row, row] += m


@kernel
def turned(r, n):
    """Entry n of r [e_m], m = 1, 2, 3: what T_m have in the row r of R."""
    o = r[0] * 0.0
    if n == 0:
        return (o, -r[2], r[1])
    if n == 1:
        return (r[2], o, -r[0])
    return (-r[1], r[0], o)


@brief
@dataclass(frozen=True)
class CoRotated(Material):
    """Hooke's law in the axes of each element: the cheapest that is right for small strains and large rotations."""

    energy: ClassVar = energy
    stress: ClassVar = stress
    slopes: ClassVar = slopes
