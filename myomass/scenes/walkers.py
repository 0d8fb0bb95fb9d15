"""Passive walkers down a slope: legs with point masses, hinges about -y, feet that neither slip nor bounce.

Angles are to the vertical, positive where a leg's foot is further down the slope than the hip: x points
down the slope, z up. The left leg stands on the world's origin, the right one swings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ..algorithms import forward_kinematics
from ..joints import Revolute
from ..model import Model, Spec, State
from ..run.events import Event
from ..spatial import Inertia, se3, translation
from ..spatial.checks import check_numbers, check_positive
from ..walking import Phase, ReturnMap
from ..walking.landing import landed

HINGE = Revolute((0.0, -1.0, 0.0))
STEEPEST = 0.7  # slope [rad]
FALLEN = 0.2  # cosine of the angle of a leg to the slope's normal, at which the walker has fallen


@dataclass(frozen=True)
class Compass:
    """Two straight legs that share the mass of the hip (Goswami et al. 1996; Stepien et al. 2012, Table 1).

    q = (angle of the left leg, angle of the right leg less that of the left one).
    """

    slope: float = 0.0524  # [rad]
    gravity: float = 9.8  # [m/s^2]
    hip_mass: float = 2.0  # [kg]
    leg_mass: float = 1.0  # of each leg [kg]
    length: float = 1.0  # of a leg [m]
    offset: float = 0.5  # of a leg's mass from the hip [m]

    def __post_init__(self) -> None:
        """Raise a ValueError about a parameter that makes no sense."""
        check_walker(self, "compass-walker", ("gravity", "hip_mass", "leg_mass", "length", "offset"))
        if self.offset > self.length:
            raise ValueError(
                f"compass-walker: the offset of the mass from the hip, {self.offset:g} m, exceeds the leg's length, "
                f"{self.length:g} m"
            )

    @cached_property
    def inertia(self) -> Inertia:
        """Inertia of a leg with its half of the hip, in a frame at the hip."""
        half, leg = Inertia.point(self.hip_mass / 2), Inertia.point(self.leg_mass)
        return Inertia.composite([(half, translation(0, 0, 0)), (leg, translation(0, 0, -self.offset))])

    @cached_property
    def foot(self) -> np.ndarray:
        """Place of the foot in a leg's own frame [m]. (3,)"""
        return (se3.inverse(self.inertia.frame) @ (0.0, 0.0, -self.length, 1.0))[:3]

    @property
    def normal(self) -> np.ndarray:
        """Unit normal of the slope, upwards. (3,)"""
        return slope_normal(self.slope)

    def spec(self) -> Spec:
        """The walker as it stands on its left foot."""
        spec, up = Spec("compass-walker", gravity=(0.0, 0.0, -self.gravity)), translation(0, 0, self.length)
        spec.add_body("left", None, HINGE, None, up, self.inertia)
        spec.add_body("right", "left", HINGE, up, None, self.inertia)
        return spec

    @property
    def guess(self) -> np.ndarray:
        """(q, qdot) near the state just after a strike of the gait with one step per period. (4,)

        Steps grow as the cube root of the slope (Garcia et al. 1998); the factors are fitted to the gaits of the
        default masses on slopes from 0.2 to 6 degrees.
        """
        z, rate = np.cbrt(self.slope), np.sqrt(self.gravity / self.length)
        half, leg, hip = z * (0.7125 + 0.0321 * z), -z * (1.175 - 1.7 * z**2), z**3 * (4.9 - 4.0 * z**2)
        return np.array([half - self.slope, -2.0 * half, leg * rate, hip * rate])

    def phase(self) -> Phase:
        """A step: until the swinging foot strikes the slope ahead of the other; the legs then exchange names."""
        model = self.spec().compile()

        def transition(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            hung = landed(model, q, qdot, HINGE, body="right", place=self.foot)
            return exchanged(hung.q), exchanged(hung.qdot)

        guard = foot_height(model, "right", self.foot, self.normal)
        return Phase(model, guard, transition, is_ahead, has_fallen, "swing")

    def return_map(self, **limits: float) -> ReturnMap:
        """From just after a strike to just after the next one, the standing leg being called left again."""
        return ReturnMap([self.phase()], **limits)


def check_walker(walker: object, name: str, positive: Sequence[str]) -> None:
    """Raise a ValueError about a number that must be positive, or a slope that is too steep or rises."""
    for key in positive:
        check_positive(getattr(walker, key), f"{name}: {key}")
    slope = float(check_numbers(walker.slope, f"{name}: slope [rad]", ()))
    if not 0.0 < slope < STEEPEST:
        raise ValueError(f"{name}: the slope is in rad, between 0 and {STEEPEST:g}, and is {slope:g}")


def fall(slope: float) -> Event:
    """The event that stops the run when the standing leg lies down."""
    return Event(partial(_upright, slope), "stop", direction=-1, kind="fall")


def _upright(slope: float, state: State, model: Model) -> float:
    bearing = int(np.argmax(model.parents < 0))
    return float(np.cos(state.q[model.dof(bearing).start] + slope)) - FALLEN


def slope_normal(slope: float) -> np.ndarray:
    """Unit normal of a slope [rad] that falls along x, upwards. (3,)"""
    return np.array([np.sin(slope), 0.0, np.cos(slope)])


def foot_height(model: Model, body: str, place: np.ndarray, normal: np.ndarray) -> Callable:
    """guard(q, qdot): height of a body's place over the slope through the origin [m]."""
    i = model.body(body)

    def height(q: np.ndarray, qdot: np.ndarray) -> float:
        E = forward_kinematics(model, q)[i]
        return normal @ (E[:3, :3] @ place + E[:3, 3])

    return height


def exchanged(x: np.ndarray) -> np.ndarray:
    """(leg that stands, hip) from (hip, leg that stands), with the sign of the hip's angle changed."""
    return np.array([x[1], -x[0]])


def is_ahead(q: np.ndarray, qdot: np.ndarray) -> bool:
    """True if the swinging leg is ahead of the standing one, so that it does not scuff."""
    return q[1] > 0.0


def has_fallen(q: np.ndarray, qdot: np.ndarray) -> bool:
    """True if the standing leg lies on the ground."""
    return abs(q[0]) > 0.5 * np.pi
