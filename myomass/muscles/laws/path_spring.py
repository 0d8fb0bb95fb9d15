"""A spring along a path, with damping in proportion to its force: T = k (L - L0)(1 + d Ldot) where L > L0, else 0."""

from dataclasses import dataclass
from typing import ClassVar

from ..._jit import kernel
from ...model.joint_checks import not_negative
from ...spatial.brief import brief
from .base import TensionLaw


@kernel
def law(params, at, t, L, Ldot):
    """(k (L - L0)(1 + d Ldot), k (L - L0)^2/2), both zero where the path is slack. params[at:]: k, L0, d."""
    k, stretch = params[at], L - params[at + 1]
    if stretch.real <= 0.0:
        return L * 0.0, L * 0.0
    return k * stretch * (1.0 + params[at + 2] * Ldot), 0.5 * k * stretch * stretch


@brief
@dataclass(frozen=True, eq=False)
class PathSpring(TensionLaw):
    """Pulls where the path is longer than `rest_length` [m]: stiffness [N/m] times stretch times 1 + dissipation Ldot.

    Dissipation [s/m]. A path that shortens faster than 1/dissipation is pushed.
    """

    stiffness: float
    rest_length: float
    dissipation: float = 0.0
    law: ClassVar = law

    def parameters(self) -> list[float]:
        """(stiffness, rest length, dissipation), checked."""
        return [not_negative(getattr(self, name), name) for name in ("stiffness", "rest_length", "dissipation")]
