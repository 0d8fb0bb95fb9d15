"""Saint Venant and Kirchhoff: Hooke's law between Green's strain E = (F^T F - I)/2 and its stress.

    psi = mu E:E + lam/2 tr(E)^2,    P = F (2 mu E + lam tr(E) I)

Right where strains are small, however far elements turn. It is weak against compression: flat and inverted elements
are taken, but little or nothing pushes them back (P of an element that is a point is zero, and a mirrored one is at
rest).
"""

from dataclasses import dataclass
from typing import ClassVar

from ..._jit import kernel
from ...spatial.algebra import matmul
from ...spatial.brief import brief
from .base import Material, fill_strain_slopes, hooke, strain


@kernel
def energy(params, at, F):
    """mu E:E + lam/2 tr(E)^2."""
    e, trace = strain(F)
    square = e[0] * e[0] + e[3] * e[3] + e[5] * e[5] + 2.0 * (e[1] * e[1] + e[2] * e[2] + e[4] * e[4])
    return 0.25 * params[at] * square + 0.125 * params[at + 1] * trace * trace


@kernel
def stress(params, at, F):
    """F (2 mu E + lam tr(E) I)."""
    e, trace = strain(F)
    return matmul(F, hooke(params[at], params[at + 1], e, trace))


@kernel
def slopes(params, at, F, A):
    """Fill dP/dF."""
    e, trace = strain(F)
    fill_strain_slopes(params[at], params[at + 1], F, F, hooke(params[at], params[at + 1], e, trace), A)


@brief
@dataclass(frozen=True)
class SaintVenantKirchhoff(Material):
    """Hooke's law in large rotations: for small strains; compressed elements may collapse and stay so."""

    energy: ClassVar = energy
    stress: ClassVar = stress
    slopes: ClassVar = slopes
