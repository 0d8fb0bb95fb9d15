"""Coordinates that move together: g = q_b - f(q_a), where f is a polynomial c0 + c1 q_a + ... or any mm.Motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._jit import kernel
from ..model import Model
from ..model.elements import Constraint, ConstraintPart, Formula
from ..model.joint_checks import coordinate_of
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion, motion_at
from .base import set_row


@kernel
def polynomial(params, at, t, spots, rows):
    """Row of q_B less a polynomial of q_A. params[at:]: number of coefficients, then the coefficients, lowest first."""
    count = int(params[at])
    q = spots[0].q
    value, slope = q * 0.0, q * 0.0
    for k in range(count, 0, -1):
        slope = slope * q + value
        value = value * q + params[at + k]
    set_row(rows[0], spots[1].q - value, q * 0.0)
    rows[0].c[0] -= slope
    rows[0].c[1] += 1.0


@kernel
def following(params, at, t, spots, rows):
    """Row of q_B less a motion of q_A. params[at:]: the motion."""
    value, slope = motion_at(params, at, spots[0].q)
    set_row(rows[0], spots[1].q - value, spots[1].q * 0.0)
    rows[0].c[0] -= slope
    rows[0].c[1] += 1.0


POLYNOMIAL, FOLLOWING = Formula(polynomial, unit=1), Formula(following, unit=1)


@brief
@dataclass(eq=False)
class Coupling(Constraint):
    """The coordinate of `follower` is a function of that of `leader`: a polynomial c0 + c1 q + c2 q^2 + ... by its
    coefficients, or an mm.Motion of q.

    (0, -1) is a pair of equal gears, (0, 0.5) a finger tip that bends half as far as the joint before it. Both are
    named by their coordinate or by the body that hangs by the joint; joints of several degrees of freedom say which by
    `components` = (of the leader, of the follower).
    """

    leader: str
    follower: str
    coefficients: Sequence[float] | Motion
    components: tuple[int, int] = (0, 0)
    joints: ClassVar = ("leader", "follower")

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row."""
        if not isinstance(self.components, Sequence) or len(self.components) != 2:
            raise ValueError(f"components are two numbers, leader's and follower's, and are {self.components!r}")
        bodies = zip((self.leader, self.follower), self.components, strict=True)
        ends = [coordinate_of(model, body, component, "a coupling") for body, component in bodies]
        if ends[0] == ends[1]:
            raise ValueError(f"a coordinate of {self.leader!r} cannot follow itself")
        if isinstance(self.coefficients, Motion):
            return [ConstraintPart(FOLLOWING, ("",), self.coefficients.parameters(), ends)]
        numbers = check_numbers(self.coefficients, "coefficients", (None,))
        if not len(numbers):
            raise ValueError("a coupling needs coefficients (c0, c1, ...), and has none")
        return [ConstraintPart(POLYNOMIAL, ("",), [len(numbers), *numbers], ends)]
