"""Calls of Python from kernels, for layers that are Python functions: void f(layer, order) at an address."""

import ctypes

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .._jit import DISABLED

PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


@intrinsic
def call_back(typing_context, address, layer, order):
    """Call void f(int64 layer, int64 order) at an address."""

    def generate(context, builder, signature, args):
        whole = ir.IntType(64)
        prototype = ir.FunctionType(ir.VoidType(), [whole, whole])
        builder.call(builder.inttoptr(args[0], prototype.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


if DISABLED:

    def call_back(address, layer, order):
        """The same in plain Python."""
        PROTOTYPE(int(address))(int(layer), int(order))
