"""The kernel decorator, the folder its machine code is cached in, and the one line a cold start prints.

A kernel is a plain Python function over scalars, small tuples and arrays that Numba compiles. It allocates nothing,
takes its scratch as arguments, calls only other kernels and scalar maths, and does not care whether numbers are
float32, float64 or complex128. With ``NUMBA_DISABLE_JIT=1`` every kernel is the Python function it was written as.

Numba notices a changed function by its own file's date only, so a caller's cached machine code would survive a change
of a callee in another file. The cache therefore lives in a folder named by the hash of every source that can hold a
kernel: another source, another folder.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numba
from llvmlite import ir
from numba.core import event
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

PACKAGE = Path(__file__).parent
# layers in which no kernel may stand (tests/test_layers.py)
KERNEL_FREE = ("cli", "human", "scenes", "io", "viewer")
DISABLED = bool(numba.config.DISABLE_JIT)


def kernel_sources(package: Path = PACKAGE) -> list[Path]:
    """The package's source files that can change the machine code of a kernel, sorted."""
    files = (path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in KERNEL_FREE)
    return sorted(files)


def source_hash(package: Path = PACKAGE) -> str:
    """Hash of the kernel sources and of the compiler with its settings: the name of the cache folder."""
    compiler = (numba.__version__, sys.version_info[:3], numba.config.OPT, numba.config.BOUNDSCHECK)
    digest = hashlib.sha256(repr(compiler).encode())
    for path in kernel_sources(package):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder of all caches: MYOMASS_CACHE_DIR, else XDG_CACHE_HOME/myomass, else ~/.cache/myomass."""
    if chosen := os.environ.get("MYOMASS_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "myomass"


CACHE_DIR = cache_root() / source_hash()


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
    if entry and not DISABLED and cache_is_usable():
        _cache_on_disk(compiled)
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


@cache
def cache_is_usable() -> bool:
    """Can the cache folder be written? If not, say so once: Numba's own fallback would not notice changed callees."""
    try:
        CACHE_DIR.mkdir(parents=True, exist_ok=True)
        usable = os.access(CACHE_DIR, os.W_OK)
    except OSError:
        usable = False
    if not usable:
        print(f"myomass: cannot write {CACHE_DIR}; compiling for this process only", file=sys.stderr)
    return usable


def _cache_on_disk(compiled: Callable) -> None:
    """Point one kernel's cache at our folder, leaving the cache of the user's own Numba functions alone."""
    users_choice = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_DIR)
    try:
        compiled.enable_caching()
    finally:
        numba.config.CACHE_DIR = users_choice


class _ColdStart(event.Listener):
    """Says once per process that kernels are being compiled, when the first of ours is."""

    said = False

    def on_start(self, event: event.Event) -> None:
        """One line on standard error, for our own kernels only."""
        if self.said or not event.data["dispatcher"].py_func.__module__.startswith("myomass"):
            return
        self.said = True
        print("myomass: compiling kernels, once for each function used; later starts are fast ...", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Nothing to say: the work that follows shows that compilation has ended."""


event.register("numba:compile", _ColdStart())
