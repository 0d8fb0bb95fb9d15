"""What all materials share: their numbers, and the protocol of their kernels.

A material is a file with a subclass of `Material` and three kernels of the deformation gradient F = dx/dX, three rows,
in numbers of any type; `params[at:]` holds mu, lam (Lame's), and what `own` adds:

    energy(params, at, F) -> psi       energy of a unit of volume at rest [J/m^3]; zero at rest
    stress(params, at, F) -> P         its derivative, the first Piola-Kirchhoff stress, three rows [Pa]
    slopes(params, at, F, A)           fills A (9, 9): d P_ij / d F_kl at row 3 i + j and column 3 k + l [Pa]

Close to rest all of them are Hooke's law: psi = mu e:e + lam/2 tr(e)^2 of the small strain e.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ..._jit import kernel
from ...spatial.algebra import dot
from ...spatial.brief import brief
from ...spatial.checks import check_positive

MOST = 0.4999  # Poisson's ratio beyond which linear elements no longer move


@brief
@dataclass(frozen=True)
class Material:
    """Young's modulus [Pa], Poisson's ratio and density [kg/m^3] of an elastic solid without preferred directions."""

    youngs: float
    poisson: float
    density: float
    kind: ClassVar[int] = -1
    energy: ClassVar[Callable]
    stress: ClassVar[Callable]
    slopes: ClassVar[Callable]

    def __post_init__(self) -> None:
        what = type(self).__name__
        for name, unit in (("youngs", "Young's modulus [Pa]"), ("density", "density [kg/m^3]")):
            object.__setattr__(self, name, check_positive(getattr(self, name), f"{what}: {unit}"))
        try:
            ratio = float(self.poisson)
        except (TypeError, ValueError):
            ratio = None
        if ratio is None or not -1.0 < ratio <= MOST:
            raise ValueError(
                f"{what}: Poisson's ratio must be a number above -1 and at most {MOST}, and is {self.poisson!r}"
            )
        object.__setattr__(self, "poisson", ratio)

    @property
    def lame(self) -> tuple[float, float]:
        """(mu, lam), Lame's numbers [Pa]."""
        E, nu = self.youngs, self.poisson
        return E / (2.0 * (1.0 + nu)), E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))

    def own(self) -> tuple[float, ...]:
        """Numbers that the kernels find behind mu and lam."""
        return ()


@kernel
def strain(F):
    """Twice Green's strain, F^T F - I, upper triangle, and its trace."""
    x, y, z = (F[0][0], F[1][0], F[2][0]), (F[0][1], F[1][1], F[2][1]), (F[0][2], F[1][2], F[2][2])
    a, b, c = dot(x, x) - 1.0, dot(y, y) - 1.0, dot(z, z) - 1.0
    return (a, dot(x, y), dot(x, z), b, dot(y, z), c), a + b + c


@kernel
def strain_rate(F, G):
    """Twice Green's strain's change, F^T G + G^T F, upper triangle, and its trace, as F changes by G."""
    x, y, z = (F[0][0], F[1][0], F[2][0]), (F[0][1], F[1][1], F[2][1]), (F[0][2], F[1][2], F[2][2])
    u, v, w = (G[0][0], G[1][0], G[2][0]), (G[0][1], G[1][1], G[2][1]), (G[0][2], G[1][2], G[2][2])
    a, b, c = 2.0 * dot(x, u), 2.0 * dot(y, v), 2.0 * dot(z, w)
    return (a, dot(x, v) + dot(y, u), dot(x, w) + dot(z, u), b, dot(y, w) + dot(z, v), c), a + b + c


@kernel
def hooke(mu, lam, twice, trace):
    """2 mu E + lam tr(E) I as a matrix, of twice a strain E and the trace of that."""
    t = 0.5 * lam * trace
    xy, xz, yz = mu * twice[1], mu * twice[2], mu * twice[4]
    return ((mu * twice[0] + t, xy, xz), (xy, mu * twice[3] + t, yz), (xz, yz, mu * twice[5] + t))


@kernel
def fill_strain_slopes(mu, lam, F, G, S, A):
    """A = d(F S)/dF where S changes by 2 mu dE + lam tr(dE) I, dE = sym(dF^T G):

    A_ij,kl = (i = k) S_jl + lam F_ij G_kl + mu (F_il G_kj + (F G^T)_ik (j = l)).
    """
    for i in range(3):
        for k in range(3):
            across = mu * dot(F[i], G[k])
            for j in range(3):
                for m in range(3):
                    a = lam * F[i][j] * G[k][m] + mu * F[i][m] * G[k][j]
                    if i == k:
                        a += S[j][m]
                    if j == m:
                        a += across
                    A[3 * i + j, 3 * k + m] = a
