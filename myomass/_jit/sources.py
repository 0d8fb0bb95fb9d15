"""Which source files the machine code of a kernel can come from, found by a quick look at import lines.

Numba notices a changed function by its own file only, so a caller's stored machine code would survive a change of a
callee in another file. A kernel is therefore stored under a hash of every file that its module imports, directly or
through others: a changed joint recompiles the dynamics, and a changed renderer only what draws.

`from ..x.y import z` leads to x/y.py, and not to the __init__.py of x, which may import all of x; `from ..x import z`
leads to that __init__.py, or to x/z.py if there is one. What is imported for type checkers alone does not count.

A file that was changed since this process began may not be what was imported: kernels that depend on it are neither
stored nor loaded in this process.
"""

import hashlib
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

BEGUN = time.time()  # before any kernel was imported
PACKAGE = Path(__file__).parent.parent
# layers in which no kernel may stand (tests/test_layers.py), and files here that cannot change a kernel's machine code
KERNEL_FREE = ("cli", "human", "recordings", "scenes", "io", "viewer", "warm_up.py", "__main__.py")
ABOUT_STORING = ("cache.py", "folder.py", "loading.py", "progress.py", "sources.py", "times.py")
IMPORT = re.compile(
    r"[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#]*)"
    r"|import[ \t]+(?P<plain>[^\n#]*))"
)
FOR_TYPES = re.compile(r"if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+")


def kernel_sources(package: Path = PACKAGE) -> list[Path]:
    """The package's source files that can change the machine code of a kernel, sorted."""
    return sorted(path for path in package.rglob("*.py") if _counts(path, package))


def _counts(path: Path, package: Path) -> bool:
    parts = path.relative_to(package).parts
    return parts[0] not in KERNEL_FREE and not (parts[0] == "_jit" and parts[-1] in ABOUT_STORING)


@cache
def sources_hash(module: str) -> str | None:
    """Hash of all files that kernels of this module can be made from; None if that cannot be said for sure."""
    files = sources_of(module)
    if not files or not all(map(_is_as_imported, files)):
        return None
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{_told(path)} {_file_hash(path)}\n".encode())
    return digest.hexdigest()


def _told(path: str) -> str:
    """A file's name within the package, else its own: the place where a package is installed does not matter."""
    return path.removeprefix(f"{PACKAGE}{os.sep}") if _is_inside(path) else Path(path).name


def _is_inside(path: str) -> bool:
    """Is it a file of the package?"""
    return path.startswith(f"{PACKAGE}{os.sep}")


def sources_of(module: str) -> frozenset[str]:
    """Paths of the files that kernels of this module can be made from: its own and all that it imports.

    For a module outside the package: its own file, those that it imports from its own package or folder, and all of
    this package's that can hold a kernel.
    """
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not _is_file(path := str(Path(path).resolve())):
        return frozenset()
    if _is_inside(path):
        return _reached(path, str(PACKAGE.parent), PACKAGE.name)
    depth = 0 if module == "__main__" else module.count(".") + (Path(path).name == "__init__.py")
    root = Path(path).parents[depth]
    own = module.partition(".")[0] if depth or "site-packages" in root.parts else None
    return _reached(path, str(root), own) | frozenset(map(str, kernel_sources()))


def _reached(start: str, root: str, own: str | None) -> frozenset[str]:
    """A file and all that it imports from under a root folder, directly or through others."""
    found, waiting = set(), [start]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imports(path, root, own)
    return frozenset(found)


@cache
def _text(path: str) -> bytes:
    return Path(path).read_bytes()


@cache
def _is_as_imported(path: str) -> bool:
    """Is the text that was read the one that Python has imported?"""
    _text(path)
    known = os.stat(path)  # noqa: PTH116 (as quick as can be)
    return max(known.st_mtime, known.st_ctime) < BEGUN


@cache
def _file_hash(path: str) -> str:
    return hashlib.sha256(_text(path)).hexdigest()


@cache
def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 (asked a thousand times)


@cache
def _imports(path: str, root: str, own: str | None) -> tuple[str, ...]:
    """Files that one file imports from under the root; of absolute names only those that begin with `own`, if given."""
    found = {}
    for line in _import_lines(FOR_TYPES.sub("", _text(path).decode(errors="replace"))):
        dots, module, names, plain = line.group("dots", "module", "names", "plain")
        if plain is not None:
            asked = [(name.split()[0], ()) for name in plain.split(",") if name.split()]
        else:
            asked = [(module, _words(names))]
        for name, members in asked:
            if not dots and own not in (None, name.partition(".")[0]):
                continue
            start = path.rsplit(os.sep, len(dots))[0] if dots else root
            found |= dict.fromkeys(_located(start, name, members))
    return tuple(found)


def _import_lines(text: str) -> Iterator[re.Match]:
    """Lines that import something, found by that word: quicker than to try a pattern on every line."""
    at = text.find("import ")
    while at >= 0:
        if line := IMPORT.match(text, text.rfind("\n", 0, at) + 1):
            yield line
        at = text.find("import ", at + 1)


def _words(names: str) -> list[str]:
    """What stands behind `import`, without comments, brackets and new names."""
    without = re.sub(r"#[^\n]*", "", names).strip("() \n")
    return [part.split()[0] for part in without.split(",") if part.split()]


def _located(start: str, name: str, members: Iterable[str]) -> Iterator[str]:
    """Files of a module seen from a folder, or of its members that are modules themselves."""
    place = f"{start}{os.sep}{name.replace('.', os.sep)}" if name else start
    if _is_file(f"{place}.py"):
        found = [f"{place}.py"]
    else:
        inside = [f"{place}{os.sep}{member}" for member in members]
        modules = [f"{each}.py" if _is_file(f"{each}.py") else f"{each}{os.sep}__init__.py" for each in inside]
        found = [each if _is_file(each) else f"{place}{os.sep}__init__.py" for each in modules]
        found = found or [f"{place}{os.sep}__init__.py"]
    return filter(_is_followed, found)


@cache
def _is_followed(path: str) -> bool:
    """Is there such a file, and can it change a kernel's machine code?"""
    return _is_file(path) and (not _is_inside(path) or _counts(Path(path), PACKAGE))
