"""Everything must stand still, at the end of a run or at some times of it."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...spatial.brief import brief
from ..rollout import Rollout
from .base import Misses, Task
from .rows import rows_at


@brief
class Rest(Task):
    """Sum of the squares of all rates of coordinates [rad/s or m/s]. at: None, the end of the run; or times [s]."""

    def __init__(self, at: float | Sequence[float] | None = None):
        self.at = at

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        for row in rows_at(rollout, self.at, "Rest"):
            yield Misses(row, rollout.qdot[row], qdot=np.eye(rollout.model.ndof))
