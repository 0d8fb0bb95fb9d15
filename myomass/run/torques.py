"""Joint torques of a run, whatever its model: constant ones, and those of steps, belong to the joints that they were
given for.

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
    """Torques that stay, those of each step, or a function tau(t, q, qdot), asked in the coordinates in force.

    grid: the times between the steps of the run, where they are of a fixed length.
    """

    def __init__(self, model: Model, tau: Given | None, grid: np.ndarray | None = None):
        self.model = model  # whose joints they were given for
        self.controller = Controller(model, tau) if callable(tau) else None
        steps = None if grid is None else len(grid) - 1
        given = np.zeros(model.ndof) if tau is None else tau
        self.given = None if callable(tau) else self._checked(model, given, steps)

    @property
    def error(self) -> BaseException | None:
        """What the function raised, if it did."""
        return None if self.controller is None else self.controller.error

    def at(self, model: Model, start: State) -> tuple[np.ndarray, int, np.ndarray]:
        """(torques at the start, address of the function, torques of each step) of a model from which a run goes on.

        There is no function at the address NO_CONTROLLER, and there are no rows if torques are not those of steps.
        """
        no_steps = np.zeros((0, model.ndof))
        if self.controller is not None:
            self.controller.model = model
            tau = self.controller.torques(start.t, start.q, start.qdot)
            return self._checked(model, tau), self.controller.address, no_steps
        if model is self.model or same_joints(model, self.model):
            if self.given.ndim == 2:
                return self.given[0].copy(), NO_CONTROLLER, self.given
            return self.given.copy(), NO_CONTROLLER, no_steps
        if self.given.any():
            raise ValueError(
                f"simulate: tau was given for the joints of model {self.model.name!r}, and at {start.t:.6g} s the run "
                "goes over to a model with others; give a function tau(t, q, qdot) instead"
            )
        return np.zeros(model.ndof), NO_CONTROLLER, no_steps

    @staticmethod
    def _checked(model: Model, tau: np.ndarray | None, steps: int | None = None) -> np.ndarray:
        if isinstance(tau, (np.ndarray, list, tuple)) and len(tau) and np.ndim(tau[0]) == 1:
            if steps is None:
                raise ValueError(
                    "simulate: torques of each step belong to integrators with a fixed step; give (ndof,) numbers, a "
                    "function tau(t, q, qdot), or another integrator"
                )
            tau = check_array(
                "tau", tau, (steps, model.ndof), f"the run has {steps} steps and {model.ndof} degrees of freedom"
            )
        else:
            tau = check_vector(model, "tau", tau)
        if np.iscomplexobj(tau):
            raise ValueError("simulate: tau must be real")
        check_finite(tau=tau)
        return tau.astype(float)
