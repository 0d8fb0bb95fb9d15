"""What all elements of a ForceSet share: whether they act, what they hang on, and numbers that must make sense."""

import numpy as np

from ...model.elements import Force
from ...recordings.xml import Element
from .reader import Reader

DEGREE = np.pi / 180.0


def is_on(element: Element) -> bool:
    """Does a force act? Newer files say `appliesForce`, older ones `isDisabled`."""
    return element.flag("appliesForce", True) and not element.flag("isDisabled", False)


def number(element: Element, tag: str, default: float | None = None, *, negative: bool = True) -> float:
    """A finite number of an element; without a default it must be there, and unless `negative` be zero or more."""
    found = element.numbers(tag, None if default is None else [default], 1)
    if found is None:
        element.fail(f"the {element.tag} {element.name!r} does not say its <{tag}>")
    value, at = float(found[0]), element.find(tag) or element
    if not np.isfinite(value):
        at.fail(f"<{tag}> of {element.name!r} must be a finite number, and is {value:g}")
    if value < 0 and not negative:
        at.fail(f"<{tag}> of {element.name!r} must not be negative, and is {value:g}")
    return value


def socket(element: Element, *names: str) -> str | None:
    """The text by which an element names what it hangs on: a socket, a connector of 30501, or a plain tag."""
    connectors = {one.name: one.text_of("connectee_name", "") for one in element.find("connectors") or ()}
    for name in names:
        text = element.text_of(f"socket_{name}") or connectors.get(name) or element.text_of(name)
        if text:
            return text
    return None


def end_of(reader: Reader, element: Element, *names: str) -> tuple[str | None, np.ndarray]:
    """(body, None for the world; pose in its own frame) of the frame that an element hangs on."""
    text = socket(element, *names)
    if not text:
        element.fail(f"the {element.tag} {element.name!r} does not say its <{names[0]}>")
    return reader.frame(text, element, f"/forceset/{element.name}")


def add(reader: Reader, element: Element, force: Force) -> None:
    """Add a force under the element's name."""
    reader.spec.add_force(force, element.name)
