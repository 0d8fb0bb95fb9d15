"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

from .table import Table

__all__ = ["Table"]


def __dir__() -> list[str]:
    return __all__
