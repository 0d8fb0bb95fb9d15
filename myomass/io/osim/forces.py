"""Forces of .osim files that are not muscles, each read by a function of its class."""

from collections.abc import Callable

from ...recordings.xml import Element
from .actuators import ACTUATORS
from .contact import CONTACTS
from .paths import has_path
from .reader import Reader
from .springs import SPRINGS
from .switches import is_on
from .tensions import add_path

Reading = Callable[[Reader, Element], None]


def _without_expression(reader: Reader, element: Element) -> None:
    reader.note(element, "a force by an expression; expressions are not evaluated, so it is left out")


def _external(reader: Reader, element: Element) -> None:
    reader.note(element, "a force from a recording, which an analysis is given apart from the model; left out")


UNREAD: dict[str, Reading] = {
    "ExpressionBasedCoordinateForce": _without_expression,
    "ExpressionBasedPointToPointForce": _without_expression,
    "ExpressionBasedBushingForce": _without_expression,
    "ExternalForce": _external,
}


def _switched(read: Reading) -> Reading:
    """The same, for a force that may be switched off."""

    def wrapped(reader: Reader, element: Element) -> None:
        if is_on(element):
            read(reader, element)
        else:
            reader.note(element, "it is switched off; left out")

    return wrapped


FORCES: dict[str, Reading] = {  # by class; adds what the element says to the spec
    tag: _switched(read) for tag, read in (ACTUATORS | SPRINGS | CONTACTS | UNREAD).items()
}

__all__ = ["FORCES", "add_path", "has_path"]
