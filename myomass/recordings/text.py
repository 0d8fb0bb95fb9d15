"""Text files of numbers: their lines, the numbers in them, and complaints that name the file and the line."""

import math
from pathlib import Path
from typing import NoReturn

from .xml import read_bytes

NOT_A_NUMBER = {"-nan(ind)", "nan(ind)", "-nan", "1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind", "1.#qnan0", "-1.#ind00"}
CONTROLS = set(range(32)) - set(b"\t\n\x0b\x0c\r\x1a")  # bytes that no text holds


def complain(file: str | Path, line: int, what: str) -> NoReturn:
    """Raise a ValueError that names the file and the line."""
    raise ValueError(f"{file}, line {line}: {what}")


def shortened(text: str, most: int = 40) -> str:
    """A text as it is quoted in a complaint."""
    text = " ".join(text.split())
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")


def target(path: str | Path, what: str, endings: tuple[str, ...]) -> Path:
    """The path of a file to be written, whose ending is one of these and whose folder is there; what: "a table is"."""
    path = Path(path)
    if path.suffix.lower() not in endings:
        article = "an" if endings[0] == ".xml" else "a"
        raise ValueError(f"{what} written to {article} {' or '.join(endings)} file, and {path} is called otherwise")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} in")
    return path


def demand(given: object, kind: type, who: str) -> None:
    """Raise an error unless what is to be written is of the right class."""
    if not isinstance(given, kind):
        raise TypeError(f"{who} writes mm.recordings.{kind.__name__}, and is given {type(given).__name__}")


def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file that is there and holds text."""
    content = read_bytes(path)
    if CONTROLS & set(content[:4096]) or b"\0" in content:
        complain(path, 1, "the file is not text; .mot, .sto and .trc files are")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def number(word: str) -> float | None:
    """A word of a file as a number, NaN in any of its spellings; None if it is no number."""
    word = word.strip()
    if word.lower() in NOT_A_NUMBER:
        return math.nan
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def whole_number(word: str) -> int | None:
    """A word of a file as a whole number that is not negative; None if it is none."""
    value = number(word)
    return int(value) if value is not None and math.isfinite(value) and value >= 0 and value == int(value) else None


def parse_numbers(words: list[str], names: tuple[str, ...], file: str | Path, line: int) -> list[float]:
    """The numbers of a row, an empty word as NaN. Complains about the first that is none, with its column's name."""
    values = []
    for word, name in zip(words, names, strict=True):
        value = math.nan if not word.strip() else number(word)
        if value is None:
            complain(file, line, f"the column {name!r} holds {shortened(word)}, which is no number")
        values.append(value)
    return values
