"""Reading BVH text: words of the hierarchy with their lines, then all numbers at once.

Files in the wild have Windows line ends, tabs, braces on any line, names with blanks, frames spread over lines, upper
and lower case: all of that is read. What cannot be right is refused with one sentence that names file and line.
"""

import re
from pathlib import Path
from typing import NoReturn

import numpy as np

CHANNELS = {f"{axis}{kind}".lower(): f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"}
WORD = re.compile(r"[{}]|[^\s{}]+")
MOTION = re.compile(r"^[ \t]*MOTION\b", re.IGNORECASE | re.MULTILINE)
BLANKS = re.compile(r"\s*")
HEADS = (
    ("Frames", re.compile(r"Frames[ \t]*:?[ \t]*([^\s]*)[^\n]*", re.IGNORECASE)),
    ("Frame Time", re.compile(r"Frame[ \t]*Time[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)),
)


def read_text(path: Path) -> str:
    """The whole file with "\\n" for every line end."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a BVH file")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    text = path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError(f"{path}: the file is empty")
    return text


def read_tree(path: Path, text: str) -> dict:
    """The fields of a `Bvh`, from the text of a file."""
    found = MOTION.search(text)
    words = Words(path, text[: found.start()] if found else text)
    tree = Tree(words)
    tree.read()
    if not found:
        words.fail(words.last, "the file ends before MOTION: it has no frames, or was cut off")
    width = sum(map(len, tree.channels))
    frame_time, values = read_motion(path, text, found.end(), width)
    ends = tuple(np.array(own).reshape(-1, 3) for own in tree.ends)
    skeleton = {"names": tree.names, "parents": tree.parents, "offsets": tree.offsets, "channels": tree.channels}
    return {**skeleton, "ends": ends, "frame_time": frame_time, "values": values}


def fail(path: Path, line: int, what: str) -> NoReturn:
    """Raise a ValueError that names the file and the line."""
    raise ValueError(f"{path}, line {line}: {what}")


class Words:
    """The words of the hierarchy, one after another, each with its line."""

    def __init__(self, path: Path, text: str):
        lines = text.split("\n")
        self.path = path
        self.words = [(word, i) for i, line in enumerate(lines, 1) for word in WORD.findall(line)]
        self.last = max([i for _, i in self.words], default=1)
        self.at = 0

    def fail(self, line: int, what: str) -> NoReturn:
        """Raise a ValueError that names the file and the line."""
        fail(self.path, line, what)

    @property
    def done(self) -> bool:
        """True if there are no more words."""
        return self.at >= len(self.words)

    def next(self, wanted: str) -> tuple[str, int]:
        """The next word and its line; if there is none, the error says that `wanted` was expected."""
        if self.done:
            self.fail(self.last, f"the file ends where {wanted} should come; it was cut off, or a brace is missing")
        self.at += 1
        return self.words[self.at - 1]

    def take(self, *wanted: str) -> tuple[str, int]:
        """(word, line): the next word in lower case, which must be one of these."""
        word, line = self.next(" or ".join(wanted))
        if word.lower() not in [one.lower() for one in wanted]:
            self.fail(line, f"{' or '.join(wanted)} should come here, not {word!r}")
        return word.lower(), line

    def number(self, what: str) -> float:
        """The next word as a finite number."""
        word, line = self.next(f"a number of {what}")
        value = as_number(word)
        if value is None or not np.isfinite(value):
            self.fail(line, f"{what} needs a number, not {word!r}")
        return value

    def name(self, what: str) -> tuple[str, int]:
        """All words before the next opening brace, as one name, and its line."""
        words, line = [], self.words[self.at - 1][1]
        while True:
            word, here = self.next(f"{{ after the name of a {what}")
            if word == "{":
                return " ".join(words), line
            if word == "}":
                self.fail(here, f"{{ should come after the name of a {what}, not }}")
            words.append(word)


class Tree:
    """The hierarchy as it is read: lists over the joints."""

    def __init__(self, words: Words):
        self.words = words
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[tuple[float, ...]] = []
        self.channels: list[tuple[str, ...]] = []
        self.ends: list[list[tuple[float, ...]]] = []
        self.lines: list[int] = []

    def read(self) -> None:
        """Read HIERARCHY, and the one root with all joints below it."""
        self.words.take("HIERARCHY")
        self.words.take("ROOT")
        self.joint(-1)
        open_joints = [0]
        while open_joints:
            open_joints = self.statement(open_joints)
        if not self.words.done:
            word, line = self.words.next("MOTION")
            if word.lower() == "root":
                self.words.fail(line, "a second ROOT begins here, and one is read; save each root to its own file")
            self.words.fail(line, f"MOTION should come after the root's closing brace, not {word!r}")

    def statement(self, open_joints: list[int]) -> list[int]:
        """Read one statement of the innermost open joint; returns the joints that are open after it."""
        joint = open_joints[-1]
        word, line = self.words.take("JOINT", "End", "CHANNELS", "OFFSET", "}")
        if word == "joint":
            self.joint(joint)
            return [*open_joints, len(self.names) - 1]
        if word == "}":
            return open_joints[:-1]
        if word == "end":
            self.words.name("End Site")
            self.words.take("OFFSET")
            self.ends[joint].append(self.vector("the OFFSET of an End Site"))
            self.words.take("}")
        elif word == "offset":
            self.words.fail(line, f"joint {self.names[joint]!r} has a second OFFSET")
        else:
            self.read_channels(joint, line)
        return open_joints

    def joint(self, parent: int) -> None:
        """Read a joint's name, brace and OFFSET; CHANNELS may come before the OFFSET."""
        name, line = self.words.name("joint")
        if not name:
            self.words.fail(line, "a joint has no name")
        if name in self.names:
            first = self.lines[self.names.index(name)]
            self.words.fail(line, f"a joint is called {name!r}, as that of line {first}; every name must be different")
        self.names.append(name)
        self.parents.append(parent)
        self.lines.append(line)
        self.channels.append(())
        self.ends.append([])
        word, at = self.words.take("OFFSET", "CHANNELS")
        if word == "channels":
            self.read_channels(len(self.names) - 1, at)
            self.words.take("OFFSET")
        self.offsets.append(self.vector(f"the OFFSET of {name!r}"))

    def vector(self, what: str) -> tuple[float, ...]:
        """Read three numbers."""
        return tuple(self.words.number(what) for _ in range(3))

    def read_channels(self, joint: int, line: int) -> None:
        """Read "CHANNELS n" and n names."""
        name = self.names[joint]
        if self.channels[joint]:
            self.words.fail(line, f"joint {name!r} has CHANNELS a second time")
        count = self.words.number(f"CHANNELS of {name!r}")
        if count != int(count) or count < 0:
            self.words.fail(line, f"the CHANNELS of {name!r} are a whole number, not {count:g}")
        found = []
        for _ in range(int(count)):
            word, here = self.words.next(f"a channel of {name!r}")
            if word.lower() not in CHANNELS:
                known = ", ".join(CHANNELS.values())
                self.words.fail(here, f"{name!r} announces {count:g} channels, and {word!r} is none; they are {known}")
            found.append(CHANNELS[word.lower()])
            if found.count(found[-1]) > 1 and found[-1].endswith("position"):
                self.words.fail(here, f"{name!r} has the channel {found[-1]} twice")
        self.channels[joint] = tuple(found)


def as_number(word: str) -> float | None:
    """The number that a word says, or None."""
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def read_motion(path: Path, text: str, at: int, width: int) -> tuple[float, np.ndarray]:
    """(frame time [s], values (frames, width)) of what follows MOTION."""
    heads = {}
    for what, pattern in HEADS:
        at = BLANKS.match(text, at).end()
        line, found = text.count("\n", 0, at) + 1, pattern.match(text, at)
        if found is None:
            here = repr(text[at : at + 40].split()[0]) if at < len(text) else "the end of the file"
            fail(path, line, f'"{what}:" should come here, not {here}')
        value = as_number(found[1])
        if value is None or not np.isfinite(value):
            fail(path, line, f'"{what}:" needs a number, not {found[1]!r}')
        heads[what], at = value, found.end()
        if what == "Frames" and (value < 0 or value != int(value)):
            fail(path, line, f"the number of Frames is a whole one, not {found[1]}")
        if what == "Frame Time" and value <= 0:
            fail(path, line, f"the Frame Time must be positive, and is {value:g} s")
    return heads["Frame Time"], read_values(path, text, at, int(heads["Frames"]), width)


def read_values(path: Path, text: str, at: int, frames: int, width: int) -> np.ndarray:
    """The numbers after position `at` as rows of frames, wherever lines break. (frames, width)"""
    body = text[at:]
    first = text.count("\n", 0, at) + 1
    try:
        values = np.array(list(map(float, body.split())))
    except ValueError:
        _fail_at_word(path, body, first)
    if "_" in body or not np.isfinite(values).all():
        _fail_at_word(path, body, first)
    if len(values) != frames * width:
        _fail_at_count(path, body, first, frames, width)
    return values.reshape(frames, width)


def _fail_at_word(path: Path, body: str, first: int) -> NoReturn:
    """Raise a ValueError that names the first word which is not a finite number."""
    for line, text in enumerate(body.split("\n"), first):
        for word in text.split():
            value = as_number(word)
            if value is None:
                hint = "; write decimals with a point" if as_number(word.replace(",", ".")) is not None else ""
                fail(path, line, f"{word!r} is no number{hint}")
            if not np.isfinite(value):
                fail(path, line, f"a value is {word}; cut that frame out, or fill it in from its neighbours")
    fail(path, first, "the values are no plain numbers")


def _fail_at_count(path: Path, body: str, first: int, frames: int, width: int) -> NoReturn:
    """Raise a ValueError that says where there are too few or too many numbers."""
    counts = [(line, len(text.split())) for line, text in enumerate(body.split("\n"), first)]
    counts = [(line, count) for line, count in counts if count]
    total = sum(count for _, count in counts)
    if not total:
        fail(path, first, f"{frames} frames are announced, and no values follow")
    odd = [(line, count) for line, count in counts if count != width]
    announced = f"{frames} frames of {width} values are announced"
    if odd and len(odd) <= max(1, len(counts) // 2):  # a frame a line, but for a few
        fail(path, odd[0][0], f"{announced}, and this line has {odd[0][1]}")
    rest = f", and {total % width} values more" if width and total % width else ""
    count = total // width if width else 0
    fail(path, counts[-1][0], f'{announced}, and the file ends after {count}{rest}; correct the line "Frames:"')
