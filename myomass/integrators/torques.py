"""Joint torques of a run, whatever its model: constant ones belong to the joints that they were given for."""

from collections.abc import Callable, Sequence

import numpy as np

from ..model import Model, State
from ..model.border import check_finite, check_vector
from ..model.model import same_joints
from .controller import NO_CONTROLLER, Controller

Given = Sequence[float] | np.ndarray | Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Torques:
    """Torques that stay, or a function tau(t, q, qdot), asked in the coordinates of the model in force."""

    def __init__(self, model: Model, tau: Given | None):
        self.model = model  # whose joints they were given for
        self.controller = Controller(model, tau) if callable(tau) else None
        self.constant = None if callable(tau) else self._checked(model, tau)

    @property
    def error(self) -> BaseException | None:
        """What the function raised, if it did."""
        return None if self.controller is None else self.controller.error

    def at(self, model: Model, start: State) -> tuple[np.ndarray, int]:
        """(torques at the start, address of the function) of a model with which a run begins or goes on."""
        if self.controller is not None:
            self.controller.model = model
            tau = self.controller.torques(start.t, start.q, start.qdot)
            return self._checked(model, tau), self.controller.address
        if same_joints(model, self.model):
            return self.constant.copy(), NO_CONTROLLER
        if self.constant.any():
            raise ValueError(
                f"simulate: tau was given for the joints of model {self.model.name!r}, and at {start.t:.6g} s the run "
                "goes over to a model with others; give a function tau(t, q, qdot) instead"
            )
        return np.zeros(model.ndof), NO_CONTROLLER

    @staticmethod
    def _checked(model: Model, tau: np.ndarray | None) -> np.ndarray:
        tau = check_vector(model, "tau", tau)
        if np.iscomplexobj(tau):
            raise ValueError("simulate: tau must be real")
        check_finite(tau=tau)
        return tau.astype(float)
