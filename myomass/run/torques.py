"""Joint torques of a run, whatever its model: constant ones belong to the joints that they were given for.

A function sees (t, q, qdot) and returns tau. What it raises cannot pass through machine code: it is kept, the torques
become NaN, the run stops there and the loop raises it.
"""

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from ..integrators.controller import NO_CONTROLLER, PROTOTYPE
from ..model import Model, State
from ..model.border import check_array, check_finite, check_vector
from ..model.model import same_joints

Given = Sequence[float] | np.ndarray | Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Controller:
    """A Python function tau(t, q, qdot) with an address."""

    def __init__(self, model: Model, function: Callable[[float, np.ndarray, np.ndarray], np.ndarray]):
        self.model, self.function = model, function
        self.error: BaseException | None = None
        self._callback = PROTOTYPE(self._call)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value

    def torques(self, t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """What the function answers to copies of its arguments, checked. (ndof,)"""
        what, n = f"the torque function's answer at {t:g} s", self.model.ndof
        answer = check_array(what, self.function(t, q.copy(), qdot.copy()), (n,), f"there are {n} degrees of freedom")
        if np.iscomplexobj(answer):
            raise ValueError(f"{what} must be real")
        check_finite(**{what: answer})
        return answer

    def _call(self, t: float, q, qdot, z, tau) -> None:
        """What machine code calls. After an error it gives up at once, and so does the run."""
        try:
            n = self.model.ndof
            q, qdot, tau = (np.ctypeslib.as_array(pointer, shape=(n,)) for pointer in (q, qdot, tau))
            tau[:] = np.nan
            if self.error is None:
                tau[:] = self.torques(t, q, qdot)
        except BaseException as error:  # kept for the driver; ctypes would print it and go on
            self.error = self.error or error


class Torques:
    """Torques that stay, or a function tau(t, q, qdot), asked in the coordinates of the model in force."""

    def __init__(self, model: Model, tau: Given | None):
        self.model = model  # whose joints they were given for
        self.controller = Controller(model, tau) if callable(tau) else None
        self.constant = np.zeros(model.ndof) if tau is None else None if callable(tau) else self._checked(model, tau)

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
        if model is self.model or same_joints(model, self.model):
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
