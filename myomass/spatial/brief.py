"""One line about a thing: its class and its fields, arrays by their shape, and nothing that has its default value."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

MOST_NUMBERS = 4  # of an array or list that is written out
MOST_CHARACTERS = 150
Class = TypeVar("Class", bound=type)


def brief(cls: Class) -> Class:
    """Give a class (a dataclass, a named tuple, or one with plain attributes) a `repr` of one line."""
    cls.__repr__ = one_line
    return cls


def counted(count: int, what: str) -> str:
    """A number and what it counts: "1 note", "2 notes"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def one_line(thing: Any) -> str:
    """The class and its fields, as far as they fit on a line."""
    told = ""
    for name, value in _fields(thing):
        part = f"{name}={in_short(value)}"
        if len(told) + len(part) > MOST_CHARACTERS:
            told += ", ..."
            break
        told += f", {part}" if told else part
    return f"{type(thing).__name__}({told})"


def in_short(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, (bool, str, type(None))):
        return repr(value)
    if isinstance(value, np.ndarray) and value.ndim:
        return _numbers(value) if value.ndim == 1 and value.size <= MOST_NUMBERS else f"<{_shape(value)}>"
    if isinstance(value, (float, complex, np.number, np.ndarray)):
        return f"{value:.6g}" if not isinstance(value, np.ndarray) else f"{value.item():.6g}"
    if isinstance(value, Mapping):
        return f"<{len(value)} items>"
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return _listed(value)
    if isinstance(value, Callable) and hasattr(value, "__name__"):
        return value.__name__
    told = repr(value)
    return told if "\n" not in told and len(told) <= MOST_CHARACTERS // 2 else f"<{type(value).__name__}>"


def _listed(values: Sequence) -> str:
    if len(values) > MOST_NUMBERS:
        return f"<{len(values)} items>"
    told = ", ".join(map(in_short, values))
    if isinstance(values, list):
        return f"[{told}]"
    return f"({told},)" if len(values) == 1 else f"({told})"


def _numbers(values: np.ndarray) -> str:
    return f"[{', '.join(map(in_short, values.tolist()))}]"


def _shape(values: np.ndarray) -> str:
    return "x".join(map(str, values.shape)) + (" array" if values.ndim > 1 else " numbers")


def _fields(thing: Any) -> Iterator[tuple[str, Any]]:
    """Names and values that a person would ask for; of a dataclass those that differ from their defaults."""
    if is_dataclass(thing):
        for field in fields(thing):
            value = getattr(thing, field.name)
            usual = field.default_factory() if field.default_factory is not MISSING else field.default
            if field.repr and not field.name.startswith("_") and not _same(value, usual):
                yield field.name, value
    elif isinstance(thing, tuple):
        yield from zip(thing._fields, thing, strict=True)
    else:
        yield from ((name, value) for name, value in vars(thing).items() if not name.startswith("_"))


def _same(value: Any, usual: Any) -> bool:
    if value is usual:
        return True
    if isinstance(value, np.ndarray) and isinstance(usual, np.ndarray):
        return value.size == usual.size == 0
    plain = (bool, int, float, str, tuple)
    return isinstance(value, plain) and type(value) is type(usual) and repr(value) == repr(usual)
