"""Constraints of .osim files, each read by a function of its class."""

from collections.abc import Callable

from ...recordings.xml import Element
from .reader import Reader

CONSTRAINTS: dict[str, Callable[[Reader, Element], None]] = {}  # by class; adds what the element says to the spec
