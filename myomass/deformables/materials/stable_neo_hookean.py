"""Stable neo-Hookean flesh (Smith, de Goes and Kim 2018): rest-stable, and finite when flat or inverted.

    psi = m/2 (I - 3) - m/2 log((I + 1)/4) + l/2 ((J - a)^2 - (1 - a)^2),    I = |F|^2, J = det F, a = 1 + 3 m/(4 l)
    P   = m (1 - 1/(I + 1)) F + l (J - a) dJ/dF

m = 4/3 mu and l = lam + 5/6 mu make it Hooke's law at rest. J pushes inverted elements back through flatness. An
element that is a point has neither force nor stiffness: it stays until something moves it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import add_scaled, cross, dot, scale
from ...spatial.brief import brief
from ...spatial.polar import cofactor, inner
from .base import Material

SHEAR, VOLUME, PREFERRED = 2, 3, 4  # where params have m, l and a


@kernel
def energy(params, at, F):
    """psi, zero at rest."""
    m, v, a = params[at + SHEAR], params[at + VOLUME], params[at + PREFERRED]
    square, J = inner(F, F), dot(F[0], cross(F[1], F[2]))
    rest = 1.0 - a
    return 0.5 * (m * (square - 3.0 - np.log(0.25 * (square + 1.0))) + v * (J - 1.0) * (J - 1.0 + 2.0 * rest))


@kernel
def stress(params, at, F):
    """m (1 - 1/(I + 1)) F + l (J - a) dJ/dF."""
    C = cofactor(F)
    s = params[at + SHEAR] * (1.0 - 1.0 / (inner(F, F) + 1.0))
    p = params[at + VOLUME] * (dot(F[0], C[0]) - params[at + PREFERRED])
    return (
        add_scaled(scale(s, F[0]), p, C[0]),
        add_scaled(scale(s, F[1]), p, C[1]),
        add_scaled(scale(s, F[2]), p, C[2]),
    )


@kernel
def slopes(params, at, F, A):
    """Fill dP/dF."""
    m, v, C = params[at + SHEAR], params[at + VOLUME], cofactor(F)
    over = 1.0 / (inner(F, F) + 1.0)
    p = v * (dot(F[0], C[0]) - params[at + PREFERRED])
    bend = 2.0 * m * over * over
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for n in range(3):
                    A[3 * i + j, 3 * k + n] = bend * F[i][j] * F[k][n] + v * C[i][j] * C[k][n]
    for i in range(9):
        A[i, i] += m * (1.0 - over)
    for i in range(3):  # d2J/dF_ij dF_kn = e_ikr e_jns F_rs
        for j in range(3):
            after = p * F[i][j]
            k, n, r, s = (i + 1) % 3, (j + 1) % 3, (i + 2) % 3, (j + 2) % 3
            A[3 * k + n, 3 * r + s] += after
            A[3 * r + s, 3 * k + n] += after
            A[3 * k + s, 3 * r + n] -= after
            A[3 * r + n, 3 * k + s] -= after


@brief
@dataclass(frozen=True)
class StableNeoHookean(Material):
    """For flesh and large strains: keeps its volume, and recovers from flat and inverted elements."""

    energy: ClassVar = energy
    stress: ClassVar = stress
    slopes: ClassVar = slopes

    def own(self) -> tuple[float, ...]:
        """(m, l, a)."""
        mu, lam = self.lame
        shear, volume = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu
        return shear, volume, 1.0 + 0.75 * shear / volume
