"""Ligaments: tension by a curve of the relative length, or by one of strain that bends and then rises straight.

With the strain e = L/L0 - 1, the transition strain e_t and the linear stiffness k, that of Blankevoort et al. is

    T = k e^2/(2 e_t) for 0 < e < e_t,      k (e - e_t/2) above,      plus the damping d edot s(e/0.01) if it lengthens

where s(x) = x^3 (10 - 15 x + 6 x^2) rises from 0 to 1.

L. Blankevoort, J.H. Kuiper, R. Huiskes, H.J. Grootenboer, Articular contact in a three-dimensional model of the knee,
Journal of Biomechanics 24 (1991).
"""

from dataclasses import dataclass
from typing import ClassVar

from ..._jit import kernel
from ...model.joint_checks import not_negative
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ...spatial.motion import Motion, value_at
from ...spatial.primitive import primitive
from .base import TensionLaw

DAMPED_FROM = 0.01  # strain from which the damping acts in full


@kernel(inline=False)
def curved(params, at, t, L, Ldot):
    """(F c(L/L0), its integral over L) where L > L0, else zero.

    params[at:]: F, L0, where the curve's integral starts, the curve, its integral.
    """
    force, rest = params[at], params[at + 1]
    if L.real <= rest:
        return L * 0.0, L * 0.0
    x, first = L / rest, at + int(params[at + 2])
    o = L * 0.0
    stored = value_at(params, first, x) - value_at(params, first, o + 1.0)
    return force * value_at(params, at + 3, x), force * rest * stored


@brief
@dataclass(frozen=True, eq=False)
class Ligament(TensionLaw):
    """Pulls with `force` [N] times a curve of its path's length over `rest_length` [m], where that is above 1.

    The curve is an mm.Motion, a function of the relative length in place of time.
    """

    rest_length: float
    force: float
    curve: Motion
    law: ClassVar = curved

    def parameters(self) -> list[float]:
        """(force, rest length, the numbers of the curve and of its integral), checked."""
        if not isinstance(self.curve, Motion):
            raise ValueError(f"curve must be an mm.Motion, of the relative length, and is {self.curve!r}")
        curve, stored = self.curve.parameters(), primitive(self.curve).parameters()
        numbers = [not_negative(self.force, "force"), check_positive(self.rest_length, "rest_length [m]")]
        return [*numbers, 3.0 + len(curve), *curve, *stored]


@kernel(inline=False)
def bent(params, at, t, L, Ldot):
    """(tension, energy) by Blankevoort's curve of strain. params[at:]: L0, k, e_t, d."""
    rest, k, transition, damping = params[at], params[at + 1], params[at + 2], params[at + 3]
    strain, rate = L / rest - 1.0, Ldot / rest
    if strain.real <= 0.0:
        return L * 0.0, L * 0.0
    if strain.real < transition:
        square = strain * strain
        tension, stored = 0.5 * k * square / transition, k * square * strain / (6.0 * transition)
    else:
        beyond = strain - 0.5 * transition
        tension, stored = k * beyond, 0.5 * k * beyond * beyond + k * transition * transition / 24.0
    if rate.real > 0.0:
        x = strain / DAMPED_FROM
        rise = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)
        tension += damping * rate * (rise if x.real < 1.0 else 0.0 * x + 1.0)
    return tension, rest * stored


@brief
@dataclass(frozen=True, eq=False)
class BlankevoortLigament(TensionLaw):
    """Pulls beyond `slack_length` [m]: first with the square of the strain, from the strain `transition` on linearly.

    Stiffness [N] is tension per strain of the linear part; damping [N s] tension per strain rate, while it lengthens.
    """

    slack_length: float
    stiffness: float
    transition: float = 0.06
    damping: float = 0.003
    law: ClassVar = bent

    def parameters(self) -> list[float]:
        """(slack length, stiffness, transition, damping), checked."""
        slack = check_positive(self.slack_length, "slack_length [m]")
        stiffness, damping = not_negative(self.stiffness, "stiffness"), not_negative(self.damping, "damping")
        return [slack, stiffness, check_positive(self.transition, "transition"), damping]
