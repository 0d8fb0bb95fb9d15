"""Viscous damping of a body: -d (omega; v) at its centre of mass."""

from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force
from ..model.joint_checks import not_negative
from ..spatial.algebra import load3, scale, store3
from ..spatial.brief import brief
from .base import check_body


@kernel
def formula(params, at, points):
    """Write force -d_v v and moment -d_w omega; returns no energy. params[at:]: d_v, d_w."""
    body = points[0]
    store3(body.f, scale(-params[at], load3(body.v)))
    store3(body.n, scale(-params[at + 1], load3(body.w)))
    return points[0].x[0] * 0.0


@brief
@dataclass(eq=False)
class BodyDamping(Force):
    """A body in a viscous medium: `linear` [N s/m] times its velocity, `angular` [N m s/rad] times its spin."""

    body: str
    linear: float
    angular: float
    formula: ClassVar = formula

    def parts(self, model: Model) -> list[Element]:
        """One element, at the centre of mass."""
        numbers = [not_negative(self.linear, "linear"), not_negative(self.angular, "angular")]
        centre = (check_body(self.body, "damping"), (0.0, 0.0, 0.0))
        return [Element(self.kind, [centre], numbers, turns=True, stores=False)]
