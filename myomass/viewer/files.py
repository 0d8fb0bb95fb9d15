"""Checks of files that pictures are written to, before anything is computed."""

import os
from pathlib import Path


def check_target(path: str | Path, endings: tuple[str, ...], what: str) -> Path:
    """The path. Raises a ValueError if no file of this kind can be written there."""
    path = Path(path)
    if path.suffix.lower() not in endings:
        raise ValueError(f"{what} is saved as {' or '.join(endings)}, and the file is {path.name!r}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"{path} cannot be written")
    return path
