"""The folder that machine code is kept in: where it is, whether it can be trusted, and how it stays small.

Stored machine code is a pickle, and reading a pickle runs what it says. So the folder and every file in it must belong
to the user (or to root) and be writable by nobody else, as ssh asks of its keys.
"""

import contextlib
import os
import re
import shutil
import stat
import sys
import time
from functools import cache
from pathlib import Path

import numba

UNUSED_FOR, DAY = 60 * 86400.0, 86400.0  # after which a file is removed; how often that is looked at [s]
ENDING, HALF_WRITTEN, PRUNED = ".kernel", ".tmp", "last-pruned"
OLD_LAYOUT = re.compile(r"[0-9a-f]{16}")  # folders of version 0.1.0


def cache_root() -> Path:
    """Folder of all caches: MYOMASS_CACHE_DIR, else XDG_CACHE_HOME/myomass, else ~/.cache/myomass."""
    if chosen := os.environ.get("MYOMASS_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "myomass"


def cache_folder() -> Path:
    """Folder of the machine code for this Python and this Numba."""
    python = ".".join(map(str, sys.version_info[:3]))
    return cache_root() / f"kernels-python-{python}-numba-{numba.__version__}"


@cache
def say(sentence: str) -> None:
    """One sentence on standard error, once per process."""
    with contextlib.suppress(OSError, ValueError):  # it may be closed
        print(f"myomass: {sentence}", file=sys.stderr)


@cache
def usable_folder() -> Path | None:
    """The cache folder, made if need be; None, with a sentence, if it cannot be made or cannot be trusted."""
    root, folder = cache_root(), cache_folder()
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _close_to_others(root)
        folder.mkdir(mode=0o700, exist_ok=True)
        objection = objection_to(root) or objection_to(folder)
    except OSError as error:
        say(f"cannot write {folder} ({error.strerror}); compiling for this process only")
        return None
    if objection:
        say(f"{objection}; compiling for this process only")
        return None
    return folder


def _close_to_others(root: Path) -> None:
    """Take the right to write from others in our own default folder; one that the user has named is left as it is.

    Version 0.1.0 made it as the system's defaults have it, which on many systems lets a group write. Files that others
    may have put there meanwhile are theirs, and so are never read.
    """
    if os.name == "nt" or os.environ.get("MYOMASS_CACHE_DIR"):
        return
    known = root.stat()
    if known.st_uid == os.geteuid() and known.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        root.chmod(0o700)


def objection_to(path: Path | int) -> str | None:
    """Why a folder or an open file must not be trusted, with the way out; None if it may be."""
    if os.name == "nt":
        return None
    known = os.stat(path)  # noqa: PTH116 (a number of an open file has no stat method)
    what = "a stored kernel" if isinstance(path, int) else str(path)
    if known.st_uid not in (0, os.geteuid()):
        return f"{what} belongs to another user, whose code would be run (set MYOMASS_CACHE_DIR to a folder of yours)"
    if known.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{what} can be written by other users, whose code would be run (`chmod go-w` ends that)"
    return None


def prune(root: Path, now: float | None = None) -> None:
    """Remove what has not been used for 60 days, at most once a day; whatever stands in the way is left alone.

    Only what has our names is touched: stored kernels, files that were never finished, and the folders of version 0.1.0
    with nothing but Numba's files in them.
    """
    now = time.time() if now is None else now
    stamp = root / PRUNED
    with contextlib.suppress(OSError):
        if stamp.exists() and now - stamp.stat().st_mtime < DAY:
            return
        stamp.touch()
        for folder in root.iterdir():
            if folder.is_symlink() or not folder.is_dir():
                continue
            if OLD_LAYOUT.fullmatch(folder.name):
                _prune_old_layout(folder, now)
            elif folder.name.startswith("kernels-"):
                _prune_kernels(folder, now)


def _prune_kernels(folder: Path, now: float) -> None:
    for path in folder.iterdir():
        limit = {ENDING: UNUSED_FOR, HALF_WRITTEN: DAY, ".json": UNUSED_FOR}.get(path.suffix)
        with contextlib.suppress(OSError):
            if limit is not None and now - path.stat().st_mtime > limit:
                path.unlink()
    if folder != cache_folder():
        with contextlib.suppress(OSError):
            folder.rmdir()  # only if nothing is left in it


def _prune_old_layout(folder: Path, now: float) -> None:
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    ours = all(path.suffix in (".nbi", ".nbc") or ".tmp." in path.name for path in files)
    last = max([folder.stat().st_mtime, *(path.stat().st_mtime for path in files)])
    if ours and now - last > UNUSED_FOR:
        shutil.rmtree(folder, ignore_errors=True)


def file_safe(name: str) -> str:
    """A name as a part of a file's name."""
    return re.sub(r"[^\w.]", "", name)[-120:]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that others see either all of it or none: under another name first, then renamed."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns():x}{HALF_WRITTEN}")
    try:
        with open(temporary, "xb", opener=_only_ours) as file:
            file.write(content)
        os.replace(temporary, path)  # noqa: PTH105 (what tests replace by a full disk)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _only_ours(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
