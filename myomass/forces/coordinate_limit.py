"""Limits of one coordinate whose stiffness grows smoothly beyond them, over a transition of width w:

    k(x) = K s(x/w),    s(y) = y^3 (10 - 15 y + 6 y^2),    force -k(x) x - d s(x/w) qdot    at x beyond a limit

so that the force and its slope are continuous. The energy is the integral of k(x) x, K w^2 (2 y^5 - 5/2 y^6 + 6/7 y^7)
within the transition and K (x^2/2 - w^2/7) beyond.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Force, Law
from ..model.joint_checks import coordinate_named, not_negative
from ..spatial.brief import brief
from ..spatial.checks import check_positive


@kernel
def resist(K, d, x, rate, width):
    """(force towards the limit, energy) at a depth x beyond it that grows at `rate`."""
    if x.real >= width:
        return K * x + d * rate, K * (0.5 * x * x - width * width / 7.0)
    y = x / width
    cube = y * y * y
    share = cube * (10.0 - 15.0 * y + 6.0 * y * y)
    return share * (K * x + d * rate), K * width * width * cube * y * y * (2.0 - 2.5 * y + 6.0 / 7.0 * y * y)


@kernel(inline=False)
def law(params, at, t, q, qdot):
    """(force, energy). params[at:]: lower and upper limit, stiffness beyond each, damping beyond each, transition."""
    lower, upper, width = params[at], params[at + 1], params[at + 6]
    if q.real > upper:
        force, stored = resist(params[at + 3], params[at + 5], q - upper, qdot, width)
        return -force, stored
    if q.real < lower:
        return resist(params[at + 2], params[at + 4], lower - q, -qdot, width)
    return q * 0.0, q * 0.0


@brief
@dataclass(eq=False)
class CoordinateLimit(Force):
    """Lower and upper limit [rad or m] of the `coordinate` of this name, held by stiffness and damping beyond them.

    Both grow from nothing to their full values over `transition` [rad or m], smoothly. Stiffness and damping are one
    number each, or two, for the lower and the upper limit [N m/rad or N/m, N m s/rad or N s/m].
    """

    coordinate: str
    lower: float
    upper: float
    stiffness: "float | tuple[float, float]"
    damping: "float | tuple[float, float]" = 0.0
    transition: float = 1e-3
    law: ClassVar = law
    named: ClassVar = ("coordinate",)

    def parts(self, model: Model) -> list[Law]:
        """One law; an infinite limit never acts."""
        limits = [float(self.lower), float(self.upper)]
        if not limits[0] <= limits[1] or limits[0] == np.inf or limits[1] == -np.inf:
            raise ValueError(f"the lower limit {self.lower!r} must not exceed the upper one {self.upper!r}")
        pairs = [_both(getattr(self, name), name) for name in ("stiffness", "damping")]
        numbers = [*limits, *pairs[0], *pairs[1], check_positive(self.transition, "transition")]
        return [Law(self.kind, coordinate_named(model, self.coordinate, "a limit"), numbers)]


def _both(given: "float | tuple[float, float]", what: str) -> list[float]:
    """Two numbers, for the lower and the upper limit."""
    pair = [given] * 2 if np.ndim(given) == 0 else list(given)
    if len(pair) != 2:
        raise ValueError(f"{what} must be one number, or two, for the lower and the upper limit, and is {given!r}")
    return [not_negative(x, what) for x in pair]
