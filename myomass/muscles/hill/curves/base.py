"""What all families of muscle curves share: the protocol of their kernels.

A family is a file with a subclass of `Curves` and these kernels, for numbers of any type. Lengths x are in optimal
fibre lengths (of the tendon: in slack lengths), velocities v in the largest speed of shortening (negative: shortening),
forces in F0; a is the activation. `params` from `at` on are the numbers that the family's `parameters` returned.

    active(params, at, x) -> (value, slope)          force over length of the fully active fibre at rest
    passive(params, at, x) -> (value, slope)         of the fibre that is not active
    tendon(params, at, x) -> (value, slope)          of the tendon
    velocity(params, at, v, a) -> (value, slope)     factor on the active force, and its slope by v; never falls with v
    inverse(params, at, f, a) -> v                   the velocity of this factor
    passive_energy(params, at, x), tendon_energy(params, at, x)    integrals of the curves from where they are zero

A family may have `forces(params, at, x, y) -> (active, passive, tendon)`, the values alone of the first three in one
call, at a fibre's length x and a tendon's y; else it is made of those.

The fibre's equations (fibre.py) count on a tendon curve that never falls, on passive force that is not negative, and on
an active force that is positive or, with damping, not negative.
"""

from typing import Any, ClassVar

from ....spatial.brief import brief

KERNELS = ("active", "passive", "tendon", "velocity", "inverse", "passive_energy", "tendon_energy")


@brief
class Curves:
    """Base of all families of muscle curves; a subclass is a frozen dataclass of its published parameters."""

    kind: ClassVar[int] = -1  # set where it is listed or registered
    damping: ClassVar[float] = 0.0  # what a muscle of this family has unless it says otherwise, as are ...
    activation_time: ClassVar[float] = 0.01  # [s]
    deactivation_time: ClassVar[float] = 0.04  # [s]
    activation_dynamics: ClassVar[str] = "piecewise"
    active: ClassVar[Any]
    passive: ClassVar[Any]
    tendon: ClassVar[Any]
    velocity: ClassVar[Any]
    inverse: ClassVar[Any]
    passive_energy: ClassVar[Any]
    tendon_energy: ClassVar[Any]

    def parameters(self, damped: bool) -> list[float]:
        """The numbers that the kernels read, checked; `damped` if the fibre is, or if the tendon is rigid."""
        raise NotImplementedError

    def least_length(self) -> float:
        """The fibre length, in optimal ones, below which these curves mean nothing."""
        return 0.01
