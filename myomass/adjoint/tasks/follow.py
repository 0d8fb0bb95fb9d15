"""Coordinates, or a point of a body, must follow what was recorded or is wanted, over time."""

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
class Follow(Task):
    """Mean square distance, over some times [s], from given values of coordinates, or from places of a body's point.

    coordinates: names, with values (times, names) [rad or m]; or body and point [m, in the body's frame], with places
    (times, 3) [m]. Values that are NaN are left out.
    """

    def __init__(
        self,
        times: Sequence[float],
        values: Sequence[Sequence[float]],
        coordinates: Sequence[str] | None = None,
        *,
        body: str | None = None,
        point: Sequence[float] | None = None,
    ):
        if (coordinates is None) == (body is None) or (body is None and point is not None):
            raise ValueError("Follow: give the names of coordinates, or a body (and a point of it), and not both")
        self.times = check_numbers(np.atleast_1d(times), "Follow: times", (None,))
        if not len(self.times):
            raise ValueError("Follow: give one time at least")
        self.names = [coordinates] if isinstance(coordinates, str) else coordinates and list(coordinates)
        values = np.asarray(values, float)
        if values.ndim == 1 and self.names is not None and len(self.names) == 1:
            values = values[:, None]
        width = 3 if self.names is None else len(self.names)
        if values.shape != (len(self.times), width):
            raise ValueError(f"Follow: values must be of shape {(len(self.times), width)}, and are {values.shape}")
        if np.isinf(values).any():
            raise ValueError("Follow: a value is infinite")
        point = (0.0, 0.0, 0.0) if point is None else point
        self.values, self.body, self.point = values, body, check_numbers(point, "Follow: point", (3,))

    def check(self, model: Model) -> None:
        """Raise an error if a model lacks what the task is about."""
        for name in self.names or ():
            model.coordinate(name)
        if self.names is None:
            body_index(model, self.body)

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        share = 1.0 / np.sqrt(len(self.times))
        for row, wanted in zip(rows_at(rollout, self.times, "Follow"), self.values, strict=True):
            known = np.isfinite(wanted)
            place, slopes = self._seen(rollout.model_at(row), rollout.q[row])
            yield Misses(row, share * (place - wanted)[known], q=share * slopes[known])

    def _seen(self, model: Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is compared, and its derivatives by q."""
        if self.names is None:
            E = forward_kinematics(model, q)[body_index(model, self.body)]
            return E[:3, :3] @ self.point + E[:3, 3], point_jacobian(model, q, self.body, self.point)[0]
        numbers = [model.coordinate(name) for name in self.names]
        return q[numbers], np.eye(model.ndof)[numbers]
