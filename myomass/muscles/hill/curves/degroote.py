"""The smooth curves of De Groote and Fregly.

    active      sum over i = 1, 2, 3 of c_i exp(-((x - m_i)/(p_i + q_i x))^2 / 2),   x = 1 + (l - 1)/width
    passive     (exp(4 (l - 1)/e0) - exp(4 (0.2 - 1)/e0)) / (exp(4) - exp(4 (0.2 - 1)/e0))
    tendon      0.2 exp(k_T (l - 1)) - 0.2,   k_T = ln(6)/e1: a slack tendon pushes with up to 0.2
    velocity    d1 ln(w + sqrt(w^2 + 1)) + d4,   w = d2 v + d3

F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of direct collocation optimal control problem
formulations for solving the muscle redundancy problem, Ann. Biomed. Eng. 44, 2016; numbers as in OpenSim.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...._jit import kernel
from ....spatial.brief import brief
from ....spatial.checks import check_positive
from .base import Curves

WIDTH, PASSIVE_RATE, FLOOR, PASSIVE_SCALE, TENDON_RATE = range(5)  # columns of params
BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
D1, D2, D3, D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
SHORTEST = 0.2  # where the passive force is zero
SHIFT = 0.2  # of the tendon's force


@kernel
def bell(x, i):
    """(value, slope by x) of one term of the active curve."""
    c, m, p, q = BELLS[i]
    width = p + q * x
    z = (x - m) / width
    value = c * np.exp(-0.5 * z * z)
    return value, -value * z * (1.0 - z * q) / width


@kernel(entry=True)
def active(params, at, x):
    """(value, slope) of the active force over fibre length."""
    width = params[at + WIDTH]
    y = 1.0 + (x - 1.0) / width
    v0, s0 = bell(y, 0)
    v1, s1 = bell(y, 1)
    v2, s2 = bell(y, 2)
    return v0 + v1 + v2, (s0 + s1 + s2) / width


@kernel(entry=True)
def passive(params, at, x):
    """(value, slope) of the passive force over fibre length."""
    rate, scale = params[at + PASSIVE_RATE], params[at + PASSIVE_SCALE]
    grown = np.exp(rate * (x - 1.0))
    return scale * (grown - params[at + FLOOR]), scale * rate * grown


@kernel(entry=True)
def passive_energy(params, at, x):
    """Integral of the passive force from the length where it is zero."""
    rate, floor = params[at + PASSIVE_RATE], params[at + FLOOR]
    return params[at + PASSIVE_SCALE] * ((np.exp(rate * (x - 1.0)) - floor) / rate - floor * (x - SHORTEST))


@kernel(entry=True)
def tendon(params, at, x):
    """(value, slope) of the tendon's force over its length."""
    rate = params[at + TENDON_RATE]
    grown = SHIFT * np.exp(rate * (x - 1.0))
    return grown - SHIFT, rate * grown


@kernel(entry=True)
def tendon_energy(params, at, x):
    """Integral of the tendon's force from its slack length."""
    rate = params[at + TENDON_RATE]
    return SHIFT * ((np.exp(rate * (x - 1.0)) - 1.0) / rate - (x - 1.0))


@kernel(entry=True)
def velocity(params, at, v, a):
    """(value, slope) of the force factor over velocity; the same at every activation."""
    w = D2 * v + D3 + a * 0.0
    root = np.sqrt(w * w + 1.0)
    turned = np.log(w + root) if w.real > 0.0 else -np.log(root - w)
    return D1 * turned + D4, D1 * D2 / root


@kernel(entry=True)
def inverse(params, at, f, a):
    """The velocity of the force factor f."""
    return (np.sinh((f - D4) / D1) - D3) / D2 + a * 0.0


@brief
@dataclass(frozen=True)
class DeGrooteFregly2016(Curves):
    """The smooth curves of De Groote and Fregly: the active one's width, strains of fibre and tendon at F0."""

    active_width: float = 1.0
    passive_strain: float = 0.6
    tendon_strain: float = 0.049

    activation_time: ClassVar[float] = 0.015
    deactivation_time: ClassVar[float] = 0.06
    activation_dynamics: ClassVar[str] = "smooth"
    active: ClassVar = active
    passive: ClassVar = passive
    tendon: ClassVar = tendon
    velocity: ClassVar = velocity
    inverse: ClassVar = inverse
    passive_energy: ClassVar = passive_energy
    tendon_energy: ClassVar = tendon_energy

    def parameters(self, damped: bool) -> list[float]:
        """The numbers that the kernels read, checked; damping changes none of them."""
        names = ("active_width", "passive_strain", "tendon_strain")
        width, e0, e1 = (check_positive(getattr(self, name), f"DeGrooteFregly2016: {name}") for name in names)
        rate = 4.0 / e0
        floor = np.exp(rate * (SHORTEST - 1.0)).item()
        return [width, rate, floor, 1.0 / (np.exp(4.0).item() - floor), np.log(6.0).item() / e1]

    def least_length(self) -> float:
        """Where the passive force becomes negative."""
        return SHORTEST
