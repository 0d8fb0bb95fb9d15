"""Hard limits of a joint's coordinates: q - lower >= 0, upper - q >= 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Constraint, ConstraintPart, Formula
from ..model.joint_checks import check_single_chart, per_dof
from ..spatial.brief import brief
from .base import set_row


@kernel
def one_sided(params, at, t, spots, rows):
    """Row s (q - limit) >= 0. params[at:]: s, +1 for a lower and -1 for an upper limit, then the limit."""
    set_row(rows[0], params[at] * (spots[0].q - params[at + 1]), spots[0].q * 0.0)
    rows[0].c[0] += params[at]


ONE_SIDED = Formula(one_sided, unit=0)


@brief
@dataclass(eq=False)
class JointStop(Constraint):
    """A joint's coordinates stay between lower and upper [rad or m], as against a wall (plastic, no bounce).

    One number serves all degrees of freedom of the joint; infinite ones are no limit. For soft limits see `JointLimit`.
    """

    body: str
    lower: float | Sequence[float] = -np.inf
    upper: float | Sequence[float] = np.inf
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row for each limit that is finite."""
        check_single_chart(model, self.body, "a stop")
        lower, upper = (per_dof(model, self.body, x, key) for x, key in ((self.lower, "lower"), (self.upper, "upper")))
        if not (lower < upper).all():
            raise ValueError(f"the lower limit {self.lower!r} must be below the upper one {self.upper!r}")
        start, made = model.dof(self.body).start, []
        for i in range(len(lower)):
            for word, s, limit in (("lower", 1.0, lower[i]), ("upper", -1.0, upper[i])):
                if np.isfinite(limit):
                    word = word if len(lower) == 1 else f"{word} {i}"
                    made.append(ConstraintPart(ONE_SIDED, (word,), (s, limit), (start + i,), unilateral=True))
        if not made:
            raise ValueError("a stop needs a finite lower or upper limit")
        return made
