"""The kernel decorator.

A kernel is a plain Python function over scalars, small tuples and arrays that Numba compiles. It allocates nothing,
takes its scratch as arguments, calls only other kernels and scalar maths, and does not care whether numbers are
float32, float64 or complex128. With ``NUMBA_DISABLE_JIT=1`` every kernel is the Python function it was written as.
"""

from collections.abc import Callable

import numba
from llvmlite import ir
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from .cache import KernelCache
from .progress import follow

DISABLED = bool(numba.config.DISABLE_JIT)


class _Inner(CPUDispatcher):
    """A kernel that only other kernels call: it has no way in from Python, which runs it as plain Python instead."""

    def __call__(self, *args):
        """The function as it was written."""
        return self.py_func(*args)


def kernel(function: Callable | None = None, *, entry: bool = False, inline: bool = True) -> Callable:
    """Compile a function as a kernel.

    A kernel is inlined where it is called, unless ``inline=False`` (large ones off the hot path: it keeps compilation
    short and the hot loop small) or ``entry=True``, which marks one that Python calls and whose machine code is kept on
    disk. Products and sums may be fused (one rounding instead of two); nothing else about floating point is relaxed.
    """
    if function is None:
        return lambda marked: kernel(marked, entry=entry, inline=inline)
    forced = inline and not entry
    bare = {} if entry else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # compiles in two thirds of the time
    options = {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": forced, "_nrt": False}
    compiled = numba.njit(**options, **bare)(function)
    if bare and not DISABLED:
        compiled.__class__ = _Inner
    if entry and not DISABLED:
        compiled._cache = KernelCache(compiled)
    return compiled


def choose(kernels: list[Callable]) -> Callable:
    """A kernel chosen(kind, *args) that calls kernels[kind](*args).

    Written out as one flat chain of comparisons: nested closures would have the compiler optimise the last joint once
    per level (measured: 60 s instead of 34 s).
    """
    names = {"__name__": __name__} | {f"kernel_{kind}": member for kind, member in enumerate(kernels)}
    lines = [f"    if kind == {kind}: return kernel_{kind}(*args)" for kind in range(len(kernels) - 1)]
    source = "\n".join(["def chosen(kind, *args):", *lines, f"    return kernel_{len(kernels) - 1}(*args)"])
    exec(source, names)
    return kernel(names["chosen"], inline=False)


def address_of(entry: Callable, types: tuple) -> int:
    """Address of an entry kernel's machine code for arguments of these types, compiled or taken from the disk."""
    entry.compile(types)
    compiled = entry.overloads[types]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)


def caller(returns: Callable, plain: Callable) -> Callable:
    """A function call(address, kind, a, b, c, d, e) for kernels: calls what `address_of` gave the address of.

    returns(types of a to e) is the type of the answer; without compilation plain(kind, a, b, c, d, e) is called.
    """
    if DISABLED:
        return lambda address, kind, *args: plain(kind, *args)

    @intrinsic
    def call(typing_context, address, kind, a, b, c, d, e):
        answer = returns(a, b, c, d, e)

        def generate(context, builder, signature, values):
            inputs = [context.get_value_type(given) for given in signature.args[2:]]
            prototype = ir.FunctionType(context.get_value_type(answer), inputs)
            function = builder.inttoptr(values[0], prototype.as_pointer())
            return builder.call(function, values[2:])

        return answer(address, kind, a, b, c, d, e), generate

    return call


follow()
