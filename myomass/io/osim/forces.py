"""Forces of .osim files that are not muscles, each read by a function of its class."""

from collections.abc import Callable

from ...recordings.xml import Element
from .contact import CONTACTS
from .reader import Reader

FORCES: dict[str, Callable[[Reader, Element], None]] = {}  # by class; adds what the element says to the spec

FORCES |= CONTACTS
