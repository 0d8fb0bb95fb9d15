"""Spring and damper on a joint's coordinates: -k (q - rest) - d qdot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Force, Law
from ..model.joint_checks import check_single_chart, not_negative, per_dof
from ..spatial.brief import brief
from ..spatial.checks import check_numbers


@kernel
def law(params, at, t, q, qdot):
    """(-k (q - rest) - d qdot, k (q - rest)^2/2). params[at:]: k, d, rest."""
    k, d, rest = params[at], params[at + 1], params[at + 2]
    stretch = q - rest
    return -k * stretch - d * qdot, 0.5 * k * stretch * stretch


@brief
@dataclass(eq=False)
class JointSpring(Force):
    """Stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m] of a body's joint; each one number or one per dof.

    On a ball joint it acts on the rotation vector, which takes the short way round and jumps at half a turn.
    """

    body: str
    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    rest: float | Sequence[float] = 0.0  # [rad or m]
    law: ClassVar = law
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[Law]:
        """One law for each degree of freedom of the joint."""
        check_single_chart(model, self.body, "a joint spring")
        values = [per_dof(model, self.body, getattr(self, key), key) for key in ("stiffness", "damping", "rest")]
        for what, numbers in zip(("stiffness", "damping"), values[:2], strict=True):
            for number in numbers:
                not_negative(number, what)
        check_numbers(values[2], "rest", values[2].shape)
        start = model.dof(self.body).start
        return [Law(self.kind, start + i, row) for i, row in enumerate(np.transpose(values))]
