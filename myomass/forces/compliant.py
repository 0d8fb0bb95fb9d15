"""What compliant contacts of a sphere with a half-space or another sphere share: where they meet, and friction.

Of two materials with stiffnesses E_A and E_B [Pa], k_i = E_i^(2/3) and s_A = k_B/(k_A + k_B) is the share of the
indentation that A gives way; the two act as one of stiffness k = k_A s_A, dissipation c = c_A s_A + c_B s_B, and
coefficients of friction mu = 2 mu_A mu_B/(mu_A + mu_B) (Sherman, Seth and Delp 2011, Simbody's theory of contact).

In parameters: radius of A, radius of B (0: a half-space), effective radius, s_A, k, c, mu_s, mu_d, mu_v, v_t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Element, Force, Point
from ..model.joint_checks import not_negative
from ..spatial.algebra import add, add_scaled, cross, dot, load3, neg, scale, store3, sub
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers, check_positive

SIZE = 10  # how many parameters both kinds have in common


@kernel
def meet(params, at, points):
    """(normal from B to A, indentation [m], negative where they are apart).

    points: the centre of A; that of B, or a point of the half-space's surface; and the tip of its normal there.
    """
    apart = sub(load3(points[0].x), load3(points[1].x))
    reach = params[at] + params[at + 1]
    if params[at + 1] == 0.0:
        normal = sub(load3(points[2].x), load3(points[1].x))
        return normal, reach - dot(normal, apart)
    square = dot(apart, apart)
    if square.real <= 0.0:
        return apart, square * 0.0 - reach
    length = np.sqrt(square)
    return scale(1.0 / length, apart), reach - length


@kernel
def meeting_place(params, at, points, normal, indentation):
    """Where two bodies that touch push on each other: the stiffer one keeps its shape. [m], world"""
    return add_scaled(load3(points[0].x), -(params[at] - params[at + 3] * indentation), normal)


@kernel
def slip_at(points, place, normal):
    """(speed at which A and B approach each other, sliding velocity of A against B) at a place. [m/s]"""
    arms = sub(place, load3(points[0].x)), sub(place, load3(points[1].x))
    a = add(load3(points[0].v), cross(load3(points[0].w), arms[0]))
    b = add(load3(points[1].v), cross(load3(points[1].w), arms[1]))
    v = sub(a, b)
    rise = dot(normal, v)
    return -rise, add_scaled(v, -rise, normal)


@kernel
def drag_of(params, at, square):
    """Friction for a unit normal force, over the sliding speed [s/m]; `square` is that of the speed.

    min(v/v_t, 1) (mu_d + 2 (mu_s - mu_d)/(1 + (v/v_t)^2)) + mu_v v, divided by v.
    """
    static, dynamic, viscous, v_t = params[at + 6], params[at + 7], params[at + 8], params[at + 9]
    share = square / (v_t * v_t)
    coefficient = dynamic + 2.0 * (static - dynamic) / (1.0 + share)
    if share.real < 1.0:
        return coefficient / v_t + viscous
    return coefficient / np.sqrt(square) + viscous


@kernel
def push_apart(points, place, force):
    """Write the force on A at a place, and its opposite on B."""
    store3(points[0].f, force)
    store3(points[0].n, cross(sub(place, load3(points[0].x)), force))
    store3(points[1].f, neg(force))
    store3(points[1].n, cross(force, sub(place, load3(points[1].x))))
    still = scale(0.0, force)
    store3(points[2].f, still)
    store3(points[2].n, still)


@brief
@dataclass(eq=False)
class CompliantContact(Force):
    """Base of compliant contacts of a sphere with a half-space or with another sphere.

    sphere: (body, centre in its frame [m]), body None for the world. other: (body, pose), the half-space below z = 0
    of that frame, or with other_radius (body, centre) of a sphere. stiffness: plane strain modulus [Pa] of the two
    materials; dissipation [s/m]; friction: coefficients, the viscous one in s/m. One number serves both materials, two
    are those of the sphere and of the other. transition_velocity [m/s]: where friction is at its largest.
    """

    sphere: Point
    radius: float
    other: Point
    stiffness: float | Sequence[float]
    other_radius: float | None = None
    dissipation: float | Sequence[float] = 0.0
    static_friction: float | Sequence[float] = 0.0
    dynamic_friction: float | Sequence[float] = 0.0
    viscous_friction: float | Sequence[float] = 0.0
    transition_velocity: float = 0.01
    drawn: ClassVar = "push"

    def numbers(self) -> list[float]:
        """Further parameters of a kind of contact."""
        return []

    def check(self) -> None:
        """Raise an error if something of the contact is not what it should be."""
        self._element()

    def parts(self, model: Model) -> list[Element]:
        """One element, of three points."""
        return [self._element()]

    def _element(self) -> Element:
        sphere, other = (_named(getattr(self, key), key) for key in ("sphere", "other"))
        if sphere[0] == other[0]:
            raise ValueError(f"both sides of a contact are on {sphere[0]!r}, on which it would do nothing")
        centre = check_numbers(sphere[1], "the sphere's centre [m]", (3,))
        radius = check_positive(self.radius, "radius [m]")
        if self.other_radius is None:
            E = check_frame(other[1], "the half-space's pose")
            places, radii = (E[:3, 3], E[:3, 3] + E[:3, 2]), (radius, 0.0, radius)
        else:
            place = check_numbers(other[1], "the other sphere's centre [m]", (3,))
            second = check_positive(self.other_radius, "other_radius [m]")
            places, radii = (place, place), (radius, second, radius * second / (radius + second))
        points = [(sphere[0], centre), *((other[0], place) for place in places)]
        return Element(self.kind, points, [*radii, *self._material(), *self.numbers()], turns=True)

    def _material(self) -> list[float]:
        """s_A, k, c, the coefficients of friction and the transition velocity."""
        both = {key: _two(getattr(self, key), key) for key in ("stiffness", "dissipation")}
        for number in both["stiffness"]:
            check_positive(number, "stiffness [Pa]")
        k_a, k_b = (number ** (2.0 / 3.0) for number in both["stiffness"])
        share = k_b / (k_a + k_b)
        c_a, c_b = both["dissipation"]
        mu = []
        for key in ("static_friction", "dynamic_friction", "viscous_friction"):
            a, b = _two(getattr(self, key), key)
            mu.append(2.0 * a * b / (a + b) if a + b > 0.0 else 0.0)
        v_t = check_positive(self.transition_velocity, "transition_velocity [m/s]")
        return [share, k_a * share, c_a * share + c_b * (1.0 - share), *mu, v_t]


def _named(given: Point, what: str) -> tuple[str | None, object]:
    try:
        body, place = given
    except (TypeError, ValueError):
        raise ValueError(f"`{what}` is (body, place), body None for the world, and is {given!r}") from None
    return body, place


def _two(given: float | Sequence[float], what: str) -> list[float]:
    """The numbers of the sphere's and of the other's material."""
    pair = [given, given] if np.ndim(given) == 0 else list(given)
    if len(pair) != 2:
        raise ValueError(f"{what} is one number, or two (the sphere's and the other's), and is {given!r}")
    return [not_negative(number, what) for number in pair]
