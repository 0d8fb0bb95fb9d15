"""Penalty joint limits: a spring and damper that act beyond [lower, upper] only.

The damping grows from nothing over the first bit beyond: a force that jumped would leave an implicit step without
solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Force, Law
from ..model.joint_checks import check_single_chart, not_negative, per_dof
from ..spatial.brief import brief
from ..spatial.checks import check_positive
from .base import ramp


@kernel
def law(params, at, t, q, qdot):
    """(-k (q - limit) - d qdot beyond a limit, k (q - limit)^2/2). params[at:]: k, d, lower, upper, transition."""
    k, d, lower, upper, width = params[at], params[at + 1], params[at + 2], params[at + 3], params[at + 4]
    over = q * 0.0
    if q.real < lower:
        over = q - lower
        return -k * over - d * ramp(-over, width) * qdot, 0.5 * k * over * over
    if q.real > upper:
        over = q - upper
        return -k * over - d * ramp(over, width) * qdot, 0.5 * k * over * over
    return over, over


@brief
@dataclass(eq=False)
class JointLimit(Force):
    """Lower and upper limit of a joint's coordinates [rad or m], held by stiffness and damping beyond them.

    The damping grows up to `transition` [rad or m] beyond the limit. It also holds back a joint that returns.
    """

    body: str
    lower: float | Sequence[float]
    upper: float | Sequence[float]
    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0
    transition: float = 1e-4
    law: ClassVar = law
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[Law]:
        """One law for each degree of freedom of the joint; an infinite limit never acts."""
        check_single_chart(model, self.body, "a joint limit")
        keys = ("stiffness", "damping", "lower", "upper")
        values = [per_dof(model, self.body, getattr(self, key), key) for key in keys]
        for what, numbers in zip(keys[:2], values[:2], strict=True):
            for number in numbers:
                not_negative(number, what)
        if not (values[2] <= values[3]).all():
            raise ValueError(f"the lower limit {self.lower!r} must not exceed the upper one {self.upper!r}")
        if (np.isinf(values[2]) & (values[2] == values[3])).any():
            raise ValueError(f"the limits {self.lower!r} and {self.upper!r} exclude every position of the joint")
        values.append(np.full(len(values[0]), check_positive(self.transition, "transition")))
        start = model.dof(self.body).start
        return [Law(self.kind, start + i, row) for i, row in enumerate(np.transpose(values))]
