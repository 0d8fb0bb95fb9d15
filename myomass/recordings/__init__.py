"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

from .storage import read_table, write_table
from .table import Table

__all__ = ["Table", "read_table", "write_table"]


def __dir__() -> list[str]:
    return __all__
