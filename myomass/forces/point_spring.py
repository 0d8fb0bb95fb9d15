"""Spring and damper of no rest length between two points: k (x2 - x1) + d (v2 - v1)."""

from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force, Point
from ..model.joint_checks import not_negative
from ..spatial.algebra import add, dot, load3, neg, scale, store3, sub
from ..spatial.brief import brief


@kernel
def formula(params, at, points):
    """Write the forces that pull the two points together; returns the energy k |x2 - x1|^2/2."""
    k, d = params[at], params[at + 1]
    apart = sub(load3(points[1].x), load3(points[0].x))
    pull = add(scale(k, apart), scale(d, sub(load3(points[1].v), load3(points[0].v))))
    store3(points[0].f, pull)
    store3(points[1].f, neg(pull))
    return 0.5 * k * dot(apart, apart)


@brief
@dataclass(eq=False)
class PointSpring(Force):
    """Pulls the points `a` and `b` together: (body, place in its frame [m]), body None for the world.

    Stiffness [N/m], damping [N s/m]. A stiff one closes a loop softly.
    """

    a: Point
    b: Point
    stiffness: float
    damping: float = 0.0
    formula: ClassVar = formula
    drawn: ClassVar = "spring"

    def parts(self, model: Model) -> list[Element]:
        """One element, of two points."""
        numbers = [not_negative(self.stiffness, "stiffness"), not_negative(self.damping, "damping")]
        return [Element(self.kind, [self.a, self.b], numbers)]
