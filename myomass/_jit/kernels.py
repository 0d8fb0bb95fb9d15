"""The kernel decorator: inner kernels, units and entries; and choices among the kinds of a family.

A kernel is a plain Python function over scalars, small tuples, arrays and bundles that Numba compiles. It allocates
nothing, takes its scratch as arguments, calls only other kernels and scalar maths, and does not care whether numbers
are float32, float64 or complex128. With ``NUMBA_DISABLE_JIT=1`` every kernel is the Python function it was written as;
with ``MYOMASS_DIRECT_CALLS=1`` every call is a direct one, as a target without function pointers needs it.
"""

import copy
import hashlib
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import sigutils, types
from numba.core.registry import CPUDispatcher

from .bundle import DISABLED
from .cache import KernelCache
from .doors import Door
from .linking import InnerCompiler, UnitCode, WholeCompiler
from .progress import follow

DIRECT = os.environ.get("MYOMASS_DIRECT_CALLS", "0") != "0"  # units are linked like inner kernels: no pointers


@dataclass(frozen=True)
class Recall:
    """Have a unit's machine code at hand: what cached code that calls it asks for before it is loaded."""

    module: str
    name: str
    args: tuple

    def __call__(self) -> None:
        """Compile the unit, or take it from the disk."""
        _units[self.module, self.name].compile(self.args)


class _Inner(CPUDispatcher):
    """A kernel that only other kernels call: it has no way in from Python, which runs it as plain Python instead."""

    def __call__(self, *args):
        """The function as it was written."""
        return self.plain(*args)

    @property
    def plain(self) -> Callable:
        """The function as it was written."""
        return self.py_func

    def get_call_template(self, args, kws):
        """Types without literals: True and False, 0 and 1 are not worth machine code of their own."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


class _Unit(_Inner):
    """A kernel with machine code of its own, which others call by a name that is the same in every process."""

    def compile(self, sig):
        """Compile or take from the disk, and publish the address under its name."""
        entry_point = super().compile(sig)
        compiled = self.overloads[tuple(sigutils.normalize_signature(sig)[0])]
        if not hasattr(compiled.library, "published"):
            self._publish(compiled)
        return entry_point

    def compiled_for(self, args: tuple, returns: types.Type):
        """The result of compiling for arguments of these types, what it returns converted to a type."""
        self.compile(returns(*args))
        return self.overloads[args]

    def _publish(self, compiled) -> None:
        args, known = compiled.fndesc.argtypes, compiled.fndesc
        digest = hashlib.sha256(str(args).encode()).hexdigest()[:16]
        described = copy.copy(known)
        described.mangled_name = f"{self.py_func.__module__}.{self.py_func.__qualname__}.{digest}"
        llvm.add_symbol(described.mangled_name, compiled.library.get_pointer_to_function(known.llvm_func_name))
        code = UnitCode(Recall(self.py_func.__module__, self.py_func.__qualname__, args))
        self.targetctx.remove_user_function(compiled.entry_point)
        self.targetctx.insert_user_function(compiled.entry_point, described, [code])
        compiled.library.published = True


_units: dict[tuple[str, str], _Unit] = {}


def kernel(
    function: Callable | None = None,
    *,
    entry: bool = False,
    inline: bool = True,
    unit: bool = False,
    on_demand: Callable[..., types.Type] | types.Type | None = None,
    numbers: tuple[types.Type, ...] = (),
) -> Callable:
    """Compile a function as a kernel.

    Inner (the default): inlined where it is called, or, with ``inline=False``, a function of its own inside of the
    machine code of its callers (large ones off the hot path). ``entry=True``: Python calls it. ``unit=True``: a large
    piece of physics with machine code of its own, compiled once for each number type and called by name.
    ``on_demand=`` (the type that it returns, or a function of the argument types that tells): a unit which is compiled
    only once a model needs it, that is after `demand()` was called on it, and only for these `numbers` if some are
    given. The machine code of entries and units is kept on disk.
    Products and sums may be fused (one rounding instead of two); nothing else about floating point is relaxed.
    """
    if function is None:
        options = {"entry": entry, "inline": inline, "unit": unit, "on_demand": on_demand, "numbers": numbers}
        return lambda marked: kernel(marked, **options)
    if on_demand is not None:
        return _on_demand(function, on_demand, numbers)
    unit = unit and not DISABLED and not DIRECT
    forced = inline and not entry and not unit
    bare = {} if entry else {"no_cpython_wrapper": True}  # compiles in two thirds of the time
    options = {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": forced, "_nrt": False}
    compiler = WholeCompiler if entry or unit else InnerCompiler
    compiled = numba.njit(**options, **bare, no_cfunc_wrapper=True, pipeline_class=compiler)(function)
    if DISABLED:  # machine code does not warn of infinities, and so plain Python does not either
        compiled = np.errstate(all="ignore")(compiled) if entry else compiled
        compiled.is_kernel = True
        return compiled
    if not entry:
        compiled.__class__ = _Unit if unit else _Inner
    if unit:
        _units[function.__module__, function.__qualname__] = compiled
    if entry or unit:
        compiled._cache = KernelCache(compiled, settings=(DIRECT,))
    return compiled


def is_kernel(function: object) -> bool:
    """Was a function marked as a kernel?"""
    return isinstance(function, CPUDispatcher) or getattr(function, "is_kernel", False)


def _on_demand(function: Callable, returns: Callable | types.Type, numbers: tuple) -> Callable:
    """A unit behind a door of its own."""
    if DISABLED or DIRECT:
        made = kernel(function, inline=False)
        made.demand = lambda scalar=None: None
        return made
    names = list(inspect.signature(function).parameters)
    told = returns if callable(returns) and not isinstance(returns, types.Type) else lambda *args: returns
    door = Door(function.__module__, function.__qualname__, len(names), told, numbers)
    door.members.append(kernel(function, unit=True))
    listed = ", ".join(names)
    made = _written(f"def {function.__name__}({listed}): return call(0, {listed})", function.__name__, call=door.call)
    made.py_func.__doc__ = function.__doc__
    made.demand = lambda scalar=None: door.demand((0,), scalar)
    return made


def _written(source: str, name: str, **scope) -> Callable:
    """An inlined kernel of one line."""
    scope["__name__"] = __name__
    exec(source, scope)
    return kernel(scope[name])


class Choice:
    """Kernels of a family, chosen by kind: `call(kind, *args)` for kernels.

    The first `direct` members are compared one by one and stand in the machine code of every caller; the others are
    called through a door, compiled when a model that has one of them demands it. Members can be added at any time.
    """

    def __init__(self, module: str, name: str, members: Sequence[Callable], returns: Callable, direct: int = 0):
        self.members: list[Callable] = []
        self.direct = len(members) if DIRECT else direct
        arity = len(inspect.signature(getattr(members[0], "py_func", members[0])).parameters)
        self.door = None if DISABLED or DIRECT else Door(module, name, arity, returns)
        for member in members:
            self.add(member)
        self.call = self._caller(name, arity)

    def add(self, member: Callable) -> int:
        """Add a kernel; its kind."""
        self.members.append(member)
        if self.door is not None:
            self.door.members.append(_unit_of(member))
        return len(self.members) - 1

    def demand(self, kinds: Iterable[int]) -> None:
        """Have the kernels of these kinds at hand."""
        if self.door is not None:
            self.door.demand(int(kind) for kind in kinds if kind >= self.direct)

    def _caller(self, name: str, arity: int) -> Callable:
        if DISABLED:
            return self._plain
        args = ", ".join(f"a{i}" for i in range(arity))
        scope = {f"kernel_{kind}": member for kind, member in enumerate(self.members[: self.direct])}
        lines = [f"    if kind == {kind}: return kernel_{kind}({args})" for kind in range(self.direct)]
        if self.door is not None:
            scope["call"] = self.door.call
            lines.append(f"    return call(kind, {args})")
        else:
            lines[-1] = f"    return kernel_{self.direct - 1}({args})"
        scope["__name__"] = __name__
        exec("\n".join([f"def {name}(kind, {args}):", *lines]), scope)
        chosen = kernel(scope[name], inline=False)
        chosen.__class__, chosen.choice = _Chosen, self
        return chosen

    def _plain(self, kind: int, *args):
        return self.members[kind](*args)


class _Chosen(_Inner):
    """The kernel that chooses; from Python the member is called as it was written."""

    choice: Choice

    @property
    def plain(self) -> Callable:
        """The choice in plain Python."""
        return self.choice._plain


def _unit_of(member: Callable) -> _Unit:
    """The same kernel as a unit."""
    key = member.py_func.__module__, member.py_func.__qualname__
    known = _units.get(key)  # it may be a function of the same name that was defined before
    return known if known and known.py_func is member.py_func else kernel(member.py_func, unit=True)


follow()
