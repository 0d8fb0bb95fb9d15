"""Torques and excitations must be small."""

from collections.abc import Iterator

import numpy as np

from ...spatial.brief import brief
from ..rollout import Rollout
from .base import Misses, Task


@brief
class Effort(Task):
    """Squared joint torques [N m or N], summed over the joints and integrated over the run [s]."""

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        roots, one = np.sqrt(np.diff(rollout.t)), np.eye(rollout.model.ndof)
        for step, root in enumerate(roots.tolist()):
            tau = rollout.torques(step)
            yield Misses(step, root * tau, tau=root * one, h=0.5 / root * tau)


@brief
class Near(Task):
    """Squared distance of what went into a run from a value: regularisation.

    name: "q", "qdot", "tau", "excitation" or a number of the model that is differentiated by, as in `wrt`. value: None
    is zero. scale: in which distances are measured, one number or one for each.
    """

    def __init__(self, name: str, value: float | np.ndarray | None = None, scale: float | np.ndarray = 1.0):
        self.name, self.wanted, self.scale = name, value, np.asarray(scale, float)
        if not (self.scale > 0).all():
            raise ValueError(f"Near: the scale must be positive, and is {scale!r}")

    def terms(self, rollout: Rollout) -> Iterator[Misses]:
        """What is missed, and how it changes."""
        given = rollout.given(self.name)
        try:
            wanted = np.broadcast_to(0.0 if self.wanted is None else np.asarray(self.wanted, float), given.shape)
            scale = np.broadcast_to(self.scale, given.shape)
        except ValueError:
            raise ValueError(f"Near: value and scale for {self.name!r} must be of shape {given.shape}") from None
        if not np.isfinite(wanted).all():
            raise ValueError(f"Near: the value for {self.name!r} must be finite numbers")
        yield Misses(0, ((given - wanted) / scale).ravel(), given={self.name: np.diag(1.0 / scale.ravel())})
