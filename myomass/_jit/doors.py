"""Doors: calls of machine code that is compiled only when a model asks for it.

A door is a table of addresses, one table for each list of argument types that its callers use. A caller's machine code
knows the table by a name, loads an address from it and calls it; what the table holds is compiled, or taken from the
disk, when `demand` says that a model needs it. So a tree without muscles never compiles a muscle, its integrator is the
same machine code as that of a muscled one, and a user's own joint is called like any other.

A call through an empty place raises SystemError instead of jumping nowhere: something forgot to `demand`.
"""

import ctypes
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .bundle import BundleType

PLACES = 256  # most members of a door
NOT_COMPILED = -5  # a status that Numba's wrapper reports as SystemError

_doors: dict[str, "Door"] = {}


class Door:
    """Members called by number, each compiled when it is demanded and a caller of these argument types exists."""

    def __init__(self, module: str, name: str, arity: int, returns: Callable[..., types.Type], numbers: tuple = ()):
        self.module, self.name, self.returns, self.numbers = module, name, returns, numbers
        self.members: list = []  # units
        self.demanded: set[tuple[int, type | None]] = set()  # (kind, number type of the callers' bundles; None: any)
        self.tables: dict[tuple, ctypes.Array] = {}
        _doors[f"{module}.{name}"] = self
        self.call = self._intrinsic(arity)

    def demand(self, kinds: Iterable[int], scalar: type | None = None) -> None:
        """Have the machine code of members at hand, for all callers there are and will be.

        With a number type only for callers that pass bundles in these numbers.
        """
        new = {(kind, scalar) for kind in kinds} - self.demanded
        for args in list(self.tables) if new else ():
            self._fill_all(args, new)
        self.demanded |= new

    def open(self, args: tuple) -> None:
        """Publish the table for arguments of these types."""
        if args in self.tables:
            return
        self.tables[args] = (ctypes.c_void_p * PLACES)()
        llvm.add_symbol(self.symbol(args), ctypes.addressof(self.tables[args]))
        try:
            self._fill_all(args, self.demanded)
        except Exception:  # so that it is said again, and no caller is compiled with an empty place
            del self.tables[args]
            raise

    def symbol(self, args: tuple) -> str:
        """The table's name in machine code."""
        return f"myomass.{self.module}.{self.name}.{hashlib.sha256(str(args).encode()).hexdigest()[:16]}"

    def _fill_all(self, args: tuple, demanded: set[tuple[int, type | None]]) -> None:
        own = next((a.scalar for a in args if isinstance(a, BundleType)), None)
        for kind, scalar in sorted(demanded, key=str):
            if scalar in (None, own):
                self._fill(args, kind)

    def _fill(self, args: tuple, kind: int) -> None:
        if self.numbers and not all(a.dtype in self.numbers for a in args if _holds_numbers(a)):
            return
        member, wanted = self.members[kind], self.returns(*args)
        compiled = member.compiled_for(args, wanted)
        if types.unliteral(compiled.signature.return_type) != wanted:
            where = f"{member.py_func.__module__}.{member.py_func.__qualname__}"
            raise TypeError(f"{where} must return {wanted}, and returns {compiled.signature.return_type}")
        address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        self.tables[args][kind] = address

    def _intrinsic(self, arity: int) -> Callable:
        """call(kind, *args) for kernels, with so many arguments."""
        names = ", ".join(f"a{i}" for i in range(arity))
        scope = {"resolve": self._resolve}
        exec(f"def {self.name}(typing_context, kind, {names}): return resolve(({names},))", scope)
        return intrinsic(scope[self.name])

    def _resolve(self, args: tuple) -> tuple:
        args = tuple(map(types.unliteral, args))
        self.open(args)
        answer = self.returns(*args)

        def generate(context, builder, signature, values):
            context.active_code_library._reload_init.add(OpenDoor(self.module, self.name, args))
            cell_type = ir.ArrayType(cgutils.voidptr_t, PLACES)
            name = self.symbol(args)
            table = builder.module.globals.get(name) or ir.GlobalVariable(builder.module, cell_type, name)
            table.linkage = "external"
            place = builder.gep(table, [ir.Constant(cgutils.intp_t, 0), builder.zext(values[0], cgutils.intp_t)])
            return _call(context, builder, builder.load(place), answer, args, values[1:])

        return answer(types.int64, *args), generate


def _holds_numbers(kind: types.Type) -> bool:
    return isinstance(kind, types.Array) and isinstance(kind.dtype, (types.Float, types.Complex))


def _call(context, builder, address, answer, args, values):
    """Call a kernel at an address as Numba calls its own functions; an empty address is an error."""
    convention = context.call_conv
    prototype = convention.get_function_type(answer, args)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
        builder.ret(ir.Constant(ir.IntType(32), NOT_COMPILED))
    returned = cgutils.alloca_once(builder, convention.get_return_type(answer).pointee)
    builder.store(cgutils.get_null_value(returned.type.pointee), returned)
    error = cgutils.alloca_once(builder, prototype.args[1].pointee)
    packed = convention._get_arg_packer(args).as_arguments(builder, values)
    code = builder.call(builder.bitcast(address, prototype.as_pointer()), [returned, error, *packed])
    status = convention._get_return_status(builder, code, builder.load(error))
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return context.get_returned_value(builder, answer, builder.load(returned))


@dataclass(frozen=True)
class OpenDoor:
    """Publish a door's table: what cached code that calls through it asks for before it is loaded."""

    module: str
    name: str
    args: tuple

    def __call__(self) -> None:
        """Open it."""
        _doors[f"{self.module}.{self.name}"].open(self.args)
