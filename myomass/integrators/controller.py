"""Torques and excitations from Python functions, called from inside kernels through their addresses.

run/torques.py and run/excitations.py make them.
"""

import ctypes

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .._jit import DISABLED

NUMBERS = ctypes.POINTER(ctypes.c_double)
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
NO_CONTROLLER = 0


@intrinsic
def call_address(typing_context, address, t, q, qdot, z, out):
    """Call void f(double t, double* q, double* qdot, double* z, double* out) at an address."""

    def generate(context, builder, signature, args):
        number = ir.DoubleType()
        prototype = ir.FunctionType(ir.VoidType(), [number] + 4 * [number.as_pointer()])
        function = builder.inttoptr(args[0], prototype.as_pointer())
        arrays = zip(signature.args[2:], args[2:], strict=True)
        data = [context.make_array(kind)(context, builder, array).data for kind, array in arrays]
        builder.call(function, [args[1], *data])
        return context.get_dummy_value()

    return types.void(address, t, q, qdot, z, out), generate


if DISABLED:

    def call_address(address, t, q, qdot, z, out):
        """The same in plain Python."""
        PROTOTYPE(address)(t, *(x.ctypes.data_as(NUMBERS) for x in (q, qdot, z, out)))
