"""A point of a body must be at a place, at the end of a run or at some times of it."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...algorithms import forward_kinematics, point_jacobian
from ...algorithms.jacobian import body_index
from ...model import Model
from ...spatial.brief import brief
from ...spatial.checks import check_numbers
from ..rollout import Rollout
from .base import Misses, Task
from .rows import rows_at


@brief
class Reach(Task):
    """The distance of a body's point [m, in the body's frame] from a target [m], squared.

    at: None, the end of the run; a time, or several [s]. target: one place, or one for each of the times.
    """

    def __init__(
        self,
        body: str,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        target: Sequence[float] = (0.0, 0.0, 0.0),
        at: float | Sequence[float] | None = None,
    ):
        self.body, self.at = body, at
        self.point = check_numbers(point, "Reach: point", (3,))
        targets = np.atleast_2d(np.asarray(target, dtype=object)).tolist()
        self.targets = check_numbers(targets, "Reach: target", (None, 3))
        count = 1 if at is None else np.size(at)
        if len(self.targets) not in (1, count):
            raise ValueError(f"Reach: give one target, or one for each of the {count} times, not {len(self.targets)}")

    def check(self, model: Model) -> None:
        """Raise an error if a model lacks what the task is about."""
        body_index(model, self.body)

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        rows = rows_at(rollout, self.at, "Reach")
        targets = np.broadcast_to(self.targets, (len(rows), 3))
        for row, target in zip(rows, targets, strict=True):
            model, q = rollout.model_at(row), rollout.q[row]
            E = forward_kinematics(model, q)[body_index(model, self.body)]
            place = E[:3, :3] @ self.point + E[:3, 3]
            yield Misses(row, place - target, q=point_jacobian(model, q, self.body, self.point)[0])
