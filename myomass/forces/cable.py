"""Strain-based tension along a line through points: k (l - L)/L + d ldot/L. A spring-damper pushes too, a cable not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force, Point
from ..model.joint_checks import not_negative
from ..spatial.brief import brief
from ..spatial.checks import check_positive
from .base import check_points, ramp
from .line import measure_line, pull_line


@kernel(inline=False)
def formula(params, at, points):
    """Write the pull of each point's neighbours; returns the energy k e^2 L/2 of the strain e = l/L - 1.

    params[at:]: k, d, L, and, if it only pulls, the strain over which its damping sets in (otherwise 0).
    """
    k, d, rest, transition = params[at], params[at + 1], params[at + 2], params[at + 3]
    length, rate = measure_line(points)
    pull_line(points, length * 0.0)
    zero = length * 0.0
    strain = length / rest - 1.0
    tension = k * strain + d * rate / rest
    if transition > 0.0:
        if strain.real <= 0.0:
            return zero
        tension = k * strain + d * ramp(strain, transition) * rate / rest
        if tension.real <= 0.0:
            tension = zero
    pull_line(points, tension)
    return 0.5 * k * strain * strain * rest


@brief
@dataclass(eq=False)
class Cable(Force):
    """A massless cable through `points`, (body, place in its frame [m]) each, that pulls only.

    Stiffness [N] is tension per strain, damping [N s] tension per strain rate, `rest_length` in m. The damping grows up
    to the strain `transition`: a force that jumped would leave an implicit step without a solution.
    """

    points: Sequence[Point]
    stiffness: float
    rest_length: float
    damping: float = 0.0
    transition: float = 1e-4
    formula: ClassVar = formula
    drawn: ClassVar[str] = "cable"

    def parts(self, model: Model) -> list[Element]:
        """One element, of all the points."""
        points = check_points(self.points, 2)
        return [Element(self.kind, points, [*self.numbers(), check_positive(self.transition, "transition")])]

    def numbers(self) -> list[float]:
        """(stiffness, damping, rest length), checked."""
        rest = check_positive(self.rest_length, "rest_length [m]")
        return [not_negative(self.stiffness, "stiffness"), not_negative(self.damping, "damping"), rest]


class SpringDamper(Cable):
    """A spring and damper along the line through points, two as a rule: as a cable, but pushing too."""

    drawn = "spring"

    def parts(self, model: Model) -> list[Element]:
        """One element, of all the points."""
        return [Element(self.kind, check_points(self.points, 2), [*self.numbers(), 0.0])]
