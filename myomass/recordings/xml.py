"""XML files of OpenSim, read safely: no document types, no entities, nothing that refers to another file.

Tags such as `HuntCrossleyForce::ContactParameters` are read with a dot, `HuntCrossleyForce.ContactParameters`. Each
element knows its line, so that every complaint about a file can say where.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

COLONS = re.compile(rb"</?[A-Za-z_][\w.-]*(?:::[\w.-]+)+")  # tags that XML itself does not allow
ENCODING = re.compile(rb"<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.-]+)")
COMMA = re.compile(r",(?=\s)")  # one without a blank behind it may be meant as a point
DEEPEST = 100  # elements inside one another
FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Element:
    """An element of an XML file: tag, attributes, text, children, and the file and line where it begins."""

    __slots__ = ("attributes", "children", "file", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], file: str = "", line: int = 0):
        self.tag, self.attributes, self.file, self.line = tag, attributes, file, line
        self.text = ""
        self.children: list[Element] = []

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"Element(<{self.tag}>{name}, line {self.line}, {len(self.children)} children)"

    def __iter__(self) -> Iterator["Element"]:
        return iter(self.children)

    def __len__(self) -> int:
        return len(self.children)

    def __bool__(self) -> bool:
        return True

    @property
    def name(self) -> str:
        """The attribute `name`, empty if there is none."""
        return self.attributes.get("name", "")

    def fail(self, what: str) -> NoReturn:
        """Raise a ValueError that names the file and the line."""
        raise ValueError(f"{self.file}, line {self.line}: {what}")

    @contextmanager
    def at_fault(self) -> Iterator[None]:
        """ValueErrors from inside that name no line of the file get this element's."""
        try:
            yield
        except ValueError as error:
            if str(error).startswith(f"{self.file}, line "):
                raise
            self.fail(f"<{self.tag}> {self.name!r}: {error}")

    def noted(self, what: str) -> str:
        """A line of a report about this element."""
        return f"line {self.line}, {self.tag}{f' {self.name!r}' if self.name else ''}: {what}"

    def find(self, tag: str) -> "Element | None":
        """The first child of this tag, or None."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def find_all(self, tag: str) -> list["Element"]:
        """All children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def descendants(self, tag: str | None = None) -> Iterator["Element"]:
        """All elements of this tag (or all there are) inside this one at any depth, in the file's order."""
        waiting = self.children[::-1]
        while waiting:
            element = waiting.pop()
            waiting += element.children[::-1]
            if tag is None or element.tag == tag:
                yield element

    def text_of(self, tag: str, default: str | None = None) -> str | None:
        """Text of the first child of this tag, without blanks at its ends; the default if there is none."""
        found = self.find(tag)
        return default if found is None else found.text

    def numbers(self, tag: str, default: object = None, count: int | None = None) -> np.ndarray | None:
        """Numbers of the first child of this tag, the default if there is none; `count`: how many there must be."""
        found = self.find(tag)
        if found is None:
            return None if default is None else np.array(default, float)
        return found.as_numbers(count)

    def as_numbers(self, count: int | None = None) -> np.ndarray:
        """The element's own text as numbers, between blanks or commas; `count`: how many there must be."""
        try:
            values = np.array([float(word) for word in COMMA.sub(" ", self.text).split()])
        except ValueError:
            values = None
        if values is None or "_" in self.text:  # Python reads 2_0 as 20
            self.fail(f"<{self.tag}> holds numbers, and is {_shortened(self.text)!r}")
        if np.isnan(values).any():
            self.fail(f"<{self.tag}> holds numbers, and not a number (NaN) is among them: {_shortened(self.text)!r}")
        if count is not None and len(values) != count:
            many = "one number" if count == 1 else f"{count} numbers"
            self.fail(f"<{self.tag}> holds {many}, and is {_shortened(self.text)!r}")
        return values

    def three(self, tag: str, default: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Three finite numbers of the first child of this tag, such as a place; the default if there is none."""
        values = self.numbers(tag, default, 3)
        if not np.isfinite(values).all():
            self.find(tag).fail(f"<{tag}> of {self.name!r} holds finite numbers, and is {values.tolist()}")
        return values

    def flag(self, tag: str, default: bool) -> bool:
        """True or false, as the first child of this tag says; the default if there is none."""
        found = self.find(tag)
        if found is None:
            return default
        if found.text.lower() not in FLAGS:
            found.fail(f"<{tag}> is true or false, and is {_shortened(found.text)!r}")
        return FLAGS[found.text.lower()]


def read_xml(path: str | Path) -> Element:
    """The outermost element of an XML file. What is wrong with the file is told with its line."""
    return parse_xml(read_bytes(path), str(path))


def parse_xml(content: bytes, file: str) -> Element:
    """The outermost element of the content of an XML file; `file` is what complaints call it."""
    content = COLONS.sub(lambda found: found[0].replace(b"::", b"."), content)
    return _Reader(file, _true_encoding(content)).read(content)


def _true_encoding(content: bytes) -> str | None:
    """What a file is encoded in that is not what it says: Latin-1, where it means UTF-8 and is none; None otherwise."""
    told = ENCODING.match(content)
    if content.startswith((b"\xfe\xff", b"\xff\xfe")) or (told and told[1].lower() not in (b"utf-8", b"utf8")):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "iso-8859-1"
    return None


def read_bytes(path: str | Path) -> bytes:
    """The content of a file that is there and is not empty."""
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"the path of a file is wanted, a string or a pathlib.Path, and not {path!r}")
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    content = path.read_bytes()
    if not content.strip():
        raise ValueError(f"{path}, line 1: the file is empty")
    return content


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


class _Reader:
    """The elements that are open while a file is read."""

    def __init__(self, file: str, encoding: str | None = None):
        self.file, self.root = file, None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse

    def fail(self, line: int, what: str) -> NoReturn:
        raise ValueError(f"{self.file}, line {line}: {what}")

    def read(self, content: bytes) -> Element:
        """Read all of it."""
        if not content.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n").startswith(b"<"):
            self.fail(1, "the file is not XML: it does not begin with <")
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            self.explain(error)
        except LookupError as error:
            self.fail(1, f"the file says what it is encoded in, and that is not known: {error}")
        return self.root

    def explain(self, error: expat.ExpatError) -> NoReturn:
        """Say in words what expat found wrong."""
        codes = expat.errors.codes
        inner = self.open[-1] if self.open else None
        if inner and error.code in (
            codes[expat.errors.XML_ERROR_NO_ELEMENTS],
            codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
            codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
        ):
            begun = f"<{inner.tag}> of line {inner.line}"
            self.fail(error.lineno, f"the file ends inside {begun}; it was cut off, or a closing tag is missing")
        if inner and error.code == codes[expat.errors.XML_ERROR_TAG_MISMATCH]:
            self.fail(
                error.lineno, f"</{inner.tag}> should come here: <{inner.tag}> of line {inner.line} is still open"
            )
        fixes = {
            codes[expat.errors.XML_ERROR_INVALID_TOKEN]: "; write &amp; for & and &lt; for <, and no -- in a comment",
            codes[expat.errors.XML_ERROR_MISPLACED_XML_PI]: "; remove what stands before <?xml ...?>",
        }
        why = f"{expat.ErrorString(error.code)}{fixes.get(error.code, '')}"
        self.fail(error.lineno, f"the file is not well-formed XML: {why}")

    def refuse(self, name: str, *about: object) -> None:
        """A document type, in which entities and references to other files stand."""
        line = self.parser.CurrentLineNumber
        self.fail(line, "the file has a document type (<!DOCTYPE ...>), which is not read for safety; remove it")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        element = Element(tag, attributes, self.file, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if len(self.open) > DEEPEST:
            element.fail(f"elements lie more than {DEEPEST} deep inside one another")

    def end(self, tag: str) -> None:
        """An element ends."""
        element = self.open.pop()
        element.text = element.text.strip()

    def characters(self, text: str) -> None:
        """Text between tags."""
        if self.open:
            self.open[-1].text += text
