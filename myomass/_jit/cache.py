"""Machine code kept on disk: one file for each kernel and each list of argument types.

A file's name says which kernel it holds, and hashes everything that its machine code can depend on: the types of the
arguments, the processor, the compiler and its settings, and the sources (sources.py). So nothing is ever out of date,
there is no index to keep, and processes that compile the same kernel at the same time write the same file. A file that
cannot be read for any reason counts as absent: the kernel is compiled again, and the file replaced.
"""

import contextlib
import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from .folder import (
    DAY,
    ENDING,
    cache_folder,
    cache_root,
    file_safe,
    objection_to,
    prune,
    say,
    usable_folder,
    write_whole,
)
from .loading import rebuilt, reduced
from .sources import PACKAGE, sources_hash

MAGIC = b"myomass kernel 1\n"
HASH_BYTES = hashlib.sha256().digest_size


class KernelCache(_Cache):
    """The stored machine code of one kernel, as Numba's dispatcher asks for it."""

    def __init__(self, kernel: Dispatcher, *, module: str | None = None, settings: tuple = ()):
        """module: where it was written, if its function's `__module__` does not say; settings: more that it depends on.

        The settings must read the same in every process: numbers and strings.
        """
        self.function = kernel.py_func
        self.settings = (*settings, *sorted((key, str(value)) for key, value in kernel.targetoptions.items()))
        self.module = module or self.function.__module__
        self.name = f"{self.module}.{self.function.__qualname__}"
        self.enable()

    @property
    def cache_path(self) -> str:
        """The folder that the files are in."""
        return str(cache_folder())

    def enable(self) -> None:
        """Load and save from now on."""
        self.enabled = True

    def disable(self) -> None:
        """Neither load nor save from now on."""
        self.enabled = False

    def flush(self) -> None:
        """Forget all that is stored of this kernel."""
        folder = usable_folder()
        for path in folder.glob(f"{file_safe(self.name)}-*{ENDING}") if folder else ():
            path.unlink(missing_ok=True)

    def load_overload(self, sig, target_context) -> CompileResult | None:
        """The machine code for these types, or None."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        stored = None if path is None else read(path)
        with contextlib.suppress(Exception):  # anything may be wrong with it, and compiling is always right
            if stored is not None and stored[0] == tuple(getattr(sig, "args", sig)):
                return rebuilt(stored[1:], target_context)
        return None

    def save_overload(self, sig, data: CompileResult) -> None:
        """Keep machine code for these types; if that fails, say so once and go on."""
        path = self._path(sig, data.codegen)
        if path is None or any(not lifted.can_cache for lifted in data.lifted) or data.library.has_dynamic_globals:
            return
        content = dumps((tuple(data.signature.args), *reduced(data)))
        try:
            write_whole(path, MAGIC + hashlib.sha256(content).digest() + content)
        except OSError as error:
            if not (os.name == "nt" and path.exists()):  # there, what another process is reading cannot be replaced
                say(f"cannot write {path.parent} ({error.strerror}); compiling for this process only")
        _prune_once()

    def _path(self, sig, codegen) -> Path | None:
        """The file for these types; None if there can be none."""
        told = str(sig)
        sources = _sources(self.function, self.module)
        folder = usable_folder() if self.enabled and sources and " at 0x" not in told else None
        if folder is None:
            return None
        parts = (told, codegen.magic_tuple(), compiler(), self.settings, _identity(self.function), sources)
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
        return folder / f"{file_safe(self.name)}-{digest}{ENDING}"


@cache
def compiler() -> tuple:
    """What compiles, and how it is set."""
    config = numba.config
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, sys.platform)
    settings = (int(config.OPT), config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.LOOP_VECTORIZE)
    return versions + settings + (config.SLP_VECTORIZE,)


def _identity(function: Callable) -> tuple:
    """What tells a function from others of its module with the same name: its code, and what it is closed over."""
    code = function.__code__
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    named = [(name, _full_name(called)) for name, called in _called(function)]
    values = [dumps(cell) for cell in cells if not isinstance(cell, Dispatcher)]
    return (function.__qualname__, code.co_firstlineno, code.co_code, code.co_names, named, values)


def _called(function: Callable) -> Iterator[tuple[str, Dispatcher]]:
    """The kernels that a function names, as globals or as variables that it is closed over."""
    known = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in known:
        if isinstance(cell.cell_contents, Dispatcher):
            yield name, cell.cell_contents
    for name in function.__code__.co_names:
        if isinstance(value := function.__globals__.get(name), Dispatcher):
            yield name, value


def _full_name(called: Dispatcher) -> str:
    return f"{called.py_func.__module__}.{called.py_func.__qualname__}"


def _sources(function: Callable, module: str) -> str | None:
    """Hash of the sources of a kernel: its module's, and those of kernels from outside the package that it reaches."""
    own = sources_hash(module)
    outside = {other: sources_hash(other) for other in _modules_outside(function) - {module}}
    if own is None or None in outside.values():
        return None
    return repr((own, sorted(outside.items())))


def _modules_outside(function: Callable) -> set[str]:
    """Modules outside the package whose kernels a function reaches: those that were registered."""
    seen, waiting, found = set(), [function], set()
    while waiting:
        function = waiting.pop()
        if function not in seen:
            seen.add(function)
            waiting += [called.py_func for _, called in _called(function)]
            if function.__module__.partition(".")[0] != PACKAGE.name:
                found.add(function.__module__)
    return found


def read(path: Path) -> tuple | None:
    """What a file holds; None if it is absent, damaged, or not to be trusted."""
    try:
        with path.open("rb") as file:
            if objection := objection_to(file.fileno()):
                say(objection)
                return None
            content = file.read()
            unused = time.time() - os.fstat(file.fileno()).st_mtime
        stored = content[len(MAGIC) + HASH_BYTES :]
        if content[: -len(stored)] != MAGIC + hashlib.sha256(stored).digest():
            return None
        if unused > DAY:
            with contextlib.suppress(OSError):
                os.utime(path)
        return pickle.loads(stored)
    except Exception:  # a damaged pickle may raise anything
        return None


@cache
def _prune_once() -> None:
    """Remove what is long unused, the first time that this process stores something."""
    prune(cache_root())
