"""Stored machine code as it is loaded: the LLVM code beside it is looked at only if another kernel links it.

Numba stores with the machine code of a function its LLVM code, which is larger and is parsed at every start, although
only a kernel that is compiled later and calls the function has a use for it. Here what Numba parses is a stub that
names the functions of the real one, and the real one waits as it was stored.
"""

import re

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult


def reduced(compiled: CompileResult) -> tuple:
    """What to store of a kernel: Numba's own form of it with a stub in place of LLVM code, and that code."""
    (name, kind, (machine_code, llvm_code)), *rest = compiled._reduce()
    return ((name, kind, (machine_code, stub_of(compiled.library._get_module_for_linking()))), *rest), llvm_code


def rebuilt(stored: tuple, target_context) -> CompileResult:
    """The kernel again, ready to be called."""
    payload, llvm_code = stored
    compiled = CompileResult._rebuild(target_context, *payload)
    compiled.library.__class__ = LoadedLibrary
    compiled.library._shared_module = None
    compiled.library.llvm_code = llvm_code
    compiled.library._reload_init.update(compiled.reload_init)  # a kernel that links it has the same needs
    return compiled


def stub_of(module: llvm.ModuleRef) -> bytes:
    """A module with empty functions of the same names: Numba notes which symbols a library defines."""
    functions = [f"define void {_quoted(f.name)}() {{ ret void }}" for f in module.functions if not f.is_declaration]
    values = [f"{_quoted(g.name)} = global i8 0" for g in module.global_variables if not g.is_declaration]
    return llvm.parse_assembly("\n".join(values + functions)).as_bitcode()


def _quoted(name: str) -> str:
    """A name as LLVM's language writes it."""
    escaped = re.sub(rb"[^\w.$-]", lambda found: b"\\%02X" % found[0][0], name.encode())
    return f'@"{escaped.decode()}"'


class LoadedLibrary(JITCodeLibrary):
    """A library that came from the disk."""

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        """Its LLVM code, for a kernel that calls it and is being compiled."""
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self.llvm_code)
        return self._shared_module
