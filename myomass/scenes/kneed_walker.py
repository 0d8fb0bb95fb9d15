"""A passive walker with knees: the swinging knee is free until it strikes its stop, then both legs are straight.

Point masses and point feet (Chen 2007, after McGeer 1990). Angles as in walkers.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..dynamics import mass_matrix
from ..joints import Fixed
from ..model import Model, Spec
from ..spatial import Inertia, translation
from ..spatial.checks import check_numbers, check_positive
from ..walking import Phase, ReturnMap
from ..walking.impact import stopped
from ..walking.landing import landed
from .walkers import HINGE, check_walker, exchanged, foot_height, has_fallen, is_ahead, slope_normal

Jump = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class KneedWalker:
    """Thigh and shank of each leg, the hip's mass shared by the thighs; the left leg stands with its knee locked.

    q = (angle of the left leg, angle of the right thigh less that, angle of the right shank less that of its thigh): a
    bent knee is negative.
    """

    slope: float = 0.0504  # [rad]
    gravity: float = 9.81  # [m/s^2]
    hip_mass: float = 0.5  # [kg]
    thigh_mass: float = 0.5  # [kg]
    shank_mass: float = 0.05  # [kg]
    shank: tuple[float, float] = (0.375, 0.125)  # from the foot to its mass, and from there to the knee [m]
    thigh: tuple[float, float] = (0.175, 0.325)  # from the knee to its mass, and from there to the hip [m]

    def __post_init__(self) -> None:
        """Raise a ValueError about a parameter that makes no sense."""
        check_walker(self, "kneed-walker", ("gravity", "hip_mass", "thigh_mass", "shank_mass"))
        for part in ("shank", "thigh"):
            for length in check_numbers(getattr(self, part), f"kneed-walker: {part}, two lengths [m],", (2,)):
                check_positive(length, f"kneed-walker: each length of the {part}")

    @cached_property
    def foot(self) -> np.ndarray:
        """Place of the foot in a shank's own frame [m]. (3,)"""
        return np.array([0.0, 0.0, -self.shank[0]])

    @property
    def normal(self) -> np.ndarray:
        """Unit normal of the slope, upwards. (3,)"""
        return slope_normal(self.slope)

    def spec(self, straight: bool = False) -> Spec:
        """The walker as it stands on its left foot, the right knee free or locked."""
        half, mass = Inertia.point(self.hip_mass / 2), Inertia.point(self.thigh_mass)
        thigh = Inertia.composite([(half, translation(0, 0, 0)), (mass, translation(0, 0, -self.thigh[1]))])
        shank, shin, femur = Inertia.point(self.shank_mass), sum(self.shank), sum(self.thigh)
        spec = Spec("kneed-walker", gravity=(0.0, 0.0, -self.gravity))
        spec.add_body("left_shank", None, HINGE, None, translation(0, 0, self.shank[0]), shank)
        spec.add_body("left_thigh", "left_shank", Fixed(), translation(0, 0, shin), translation(0, 0, femur), thigh)
        spec.add_body("right_thigh", "left_thigh", HINGE, translation(0, 0, femur), None, thigh)
        knee, below = Fixed() if straight else HINGE, translation(0, 0, -self.shank[1])
        spec.add_body("right_shank", "right_thigh", knee, translation(0, 0, -femur), below, shank)
        return spec

    @property
    def guess(self) -> np.ndarray:
        """(q, qdot) near the state just after a heel strike of the default walker's gait. (6,)"""
        leg, hip, rate = 0.1877, -0.4761, np.sqrt(self.gravity / 9.81)
        return np.array([leg, hip, 0.0, -1.1014 * rate, 1.0615 * rate, 0.0])

    def phases(self) -> tuple[Phase, Phase]:
        """From heel strike to knee strike, and from there, with a straight leg, to the next heel strike."""
        bent, straight = self.spec().compile(), self.spec(straight=True).compile()
        guard = foot_height(straight, "right_shank", self.foot, self.normal)
        return (
            Phase(bent, lambda q, qdot: -q[2], self._knee_strike(bent), None, has_fallen, "bent knee"),
            Phase(straight, guard, self._heel_strike(straight), is_ahead, has_fallen, "straight knee"),
        )

    def return_map(self, **limits: float) -> ReturnMap:
        """From just after a heel strike to just after the next one, the standing leg being called left again."""
        return ReturnMap(self.phases(), **limits)

    def _knee_strike(self, bent: Model) -> Jump:
        """The transition in which the knee stops, by an impulse in it (mm.walking.impact with joints="right_shank")."""

        def transition(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            M = mass_matrix(bent, q)
            after, _ = stopped(M, M @ qdot, np.array([[0.0, 0.0, 1.0]]), np.zeros(1))
            return q[:2], after[:2]

        return transition

    def _heel_strike(self, straight: Model) -> Jump:
        """The transition in which the right foot lands, knees locked; legs exchange names, the knee behind is freed."""

        def transition(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            hung = landed(straight, q, qdot, HINGE, body="right_shank", place=self.foot)
            return np.append(exchanged(hung.q), 0.0), np.append(exchanged(hung.qdot), 0.0)

        return transition
