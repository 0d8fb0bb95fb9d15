"""Torque (or force) on a joint's coordinates: constant, or given at times. A function is simulate's tau."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Force, Law
from ..model.joint_checks import check_single_chart, per_dof
from ..spatial.brief import brief
from ..spatial.checks import check_numbers

HELD, LINEAR = 0, 1


@kernel(inline=False)
def law(params, at, t, q, qdot):
    """(torque at time t, no energy: work is put in); before the first time the first value, after the last the last.

    params[at:]: 1 for linear interpolation or 0 for values that are held, number of values, times, values.
    """
    n = int(params[at + 1])
    times, values = at + 2, at + 2 + n
    i = 0
    while i + 1 < n and params[times + i + 1] <= t:
        i += 1
    torque = params[values + i] + q * 0.0
    if params[at] == LINEAR and i + 1 < n and t > params[times + i]:
        s = (t - params[times + i]) / (params[times + i + 1] - params[times + i])
        torque += s * (params[values + i + 1] - params[values + i])
    return torque, q * 0.0


@brief
@dataclass(eq=False)
class JointTorque(Force):
    """Torque on a body's joint [N m, or N where it slides], one number or one per degree of freedom.

    With rising `times` [s] there is one such entry per time: held until the next time, or interpolated (linear=True).
    """

    body: str
    torque: float | Sequence
    times: Sequence[float] | None = None
    linear: bool = False
    law: ClassVar = law
    joints: ClassVar = ("body",)

    def parts(self, model: Model) -> list[Law]:
        """One law for each degree of freedom of the joint."""
        check_single_chart(model, self.body, "a joint torque")
        times = np.zeros(1) if self.times is None else check_numbers(self.times, "times [s]", (None,))
        if not len(times) or (np.diff(times) <= 0).any():
            raise ValueError(f"times must rise, and are {self.times!r}")
        entries = [self.torque] if self.times is None else list(np.atleast_1d(self.torque))
        if len(entries) != len(times):
            raise ValueError(f"there are {len(times)} times and {len(entries)} torques; give one torque for each time")
        values = np.array([per_dof(model, self.body, entry, "torque") for entry in entries])
        check_numbers(values, "torque", values.shape)
        start, head = model.dof(self.body).start, [float(self.linear), float(len(times))]
        return [Law(self.kind, start + i, [*head, *times, *column]) for i, column in enumerate(values.T)]


def knots(model: Model) -> np.ndarray:
    """Times at which torques given in time jump or bend, sorted [s]."""
    times: list[float] = []
    for law in model.forces.laws[model.forces.laws["kind"] == JointTorque.kind]:
        n = int(model.forces.params[law["at"] + 1])
        times += model.forces.params[law["at"] + 2 : law["at"] + 2 + n].tolist()
    return np.unique(times)
