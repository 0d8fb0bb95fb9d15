"""Joint torques from a Python function, called from inside kernels through its address.

The function sees (t, q, qdot) and returns tau. What it raises cannot pass through machine code: it is kept, the torques
become NaN, the run stops there and the driver raises it.
"""

import ctypes
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .._jit import DISABLED, kernel
from ..model import Model
from ..model.border import check_array, check_finite

NUMBERS = ctypes.POINTER(ctypes.c_double)
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS)
NO_CONTROLLER = 0


@intrinsic
def call_address(typing_context, address, t, q, qdot, tau):
    """Call void f(double t, double* q, double* qdot, double* tau) at an address."""

    def generate(context, builder, signature, args):
        number = ir.DoubleType()
        prototype = ir.FunctionType(ir.VoidType(), [number] + 3 * [number.as_pointer()])
        function = builder.inttoptr(args[0], prototype.as_pointer())
        arrays = zip(signature.args[2:], args[2:], strict=True)
        data = [context.make_array(kind)(context, builder, array).data for kind, array in arrays]
        builder.call(function, [args[1], *data])
        return context.get_dummy_value()

    return types.void(address, t, q, qdot, tau), generate


if DISABLED:

    def call_address(address, t, q, qdot, tau):
        """The same in plain Python."""
        PROTOTYPE(address)(t, *(x.ctypes.data_as(NUMBERS) for x in (q, qdot, tau)))


@kernel
def update_torques(t, q, qdot, control):
    """Ask the controller, if there is one, for tau. control = (tau, address)"""
    tau, address = control
    if address != NO_CONTROLLER:
        call_address(address, t, q, qdot, tau)


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

    def _call(self, t: float, *pointers) -> None:
        """What machine code calls. After an error it gives up at once, and so does the run."""
        try:
            q, qdot, tau = (np.ctypeslib.as_array(pointer, shape=(self.model.ndof,)) for pointer in pointers)
            tau[:] = np.nan
            if self.error is None:
                tau[:] = self.torques(t, q, qdot)
        except BaseException as error:  # kept for the driver; ctypes would print it and go on
            self.error = self.error or error
