"""Penalty contact of points with a plane, with regularised Coulomb friction.

Below the plane, at height z < 0:  (-k z - d n.v) n, which never pulls, and against the sliding velocity s the smaller
of kt |s| (sticking, as a viscous creep) and mu k |z| (sliding). The damping grows from nothing over the first bit of
depth: a force that jumped would leave an implicit step without solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force
from ..model.joint_checks import not_negative
from ..spatial.algebra import add_scaled, dot, load3, scale, store3
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers, check_positive
from .base import check_body, ramp


@kernel
def formula(params, at, points):
    """Write the force of the plane on a point; returns the energy k z^2/2.

    params[at:]: normal (3), n.origin, k, d, kt, mu, transition.
    """
    point, normal = points[0], load3(params[at : at + 3])
    k, d, kt, mu, transition = params[at + 4], params[at + 5], params[at + 6], params[at + 7], params[at + 8]
    z = dot(normal, load3(point.x)) - params[at + 3]
    if z.real >= 0.0:
        store3(point.f, scale(z * 0.0, normal))
        return z * 0.0
    v = load3(point.v)
    rise = dot(normal, v)
    push = -k * z - d * ramp(-z, transition) * rise
    if push.real < 0.0:
        push = z * 0.0
    slide = add_scaled(v, -rise, normal)
    drag = kt + z * 0.0
    square, bound = dot(slide, slide), -mu * k * z
    if kt * kt * square.real > bound.real * bound.real:
        drag = bound / np.sqrt(square)
    store3(point.f, add_scaled(scale(push, normal), -drag, slide))
    return 0.5 * k * z * z


@brief
@dataclass(eq=False)
class Ground(Force):
    """The plane z = 0 of the frame `plane` (default: the world's), against points of a body.

    `size` takes the corners of a cuboid of that size about the centre of mass, `points` any others [m, body's frame].
    Stiffness k [N/m] and damping d [N s/m] along the normal, friction coefficient mu, and kt [N s/m], the viscosity of
    a point that sticks: large is firm. The damping grows up to the depth `transition` [m].
    """

    body: str
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0
    sticking: float = 0.0
    transition: float = 1e-4
    size: Sequence[float] | None = None
    points: Sequence[Sequence[float]] | None = None
    plane: np.ndarray = field(default_factory=lambda: np.eye(4))
    formula: ClassVar = formula
    drawn: ClassVar = "ground"

    def parts(self, model: Model) -> list[Element]:
        """One element for each point."""
        if (self.size is None) == (self.points is None):
            raise ValueError("give either the size of a cuboid or the points that can touch")
        if self.points is None:
            half = 0.5 * check_numbers(self.size, "size [m]", (3,))
            if (half <= 0).any():
                raise ValueError(f"size [m] must be positive, and is {self.size!r}")
            places = half * np.array(list(product((-1, 1), repeat=3)))
        else:
            places = check_numbers(self.points, "points [m]", (None, 3))
        if self.friction and not self.sticking:
            raise ValueError("friction needs sticking [N s/m] too: how firmly a point sticks before it slides")
        E, body = check_frame(self.plane, "plane"), check_body(self.body, "the ground")
        normal = E[:3, 2]
        numbers = [not_negative(getattr(self, key), key) for key in ("stiffness", "damping", "sticking", "friction")]
        parameters = [*normal, normal @ E[:3, 3], *numbers, check_positive(self.transition, "transition [m]")]
        return [Element(self.kind, [(body, place)], parameters) for place in places]
