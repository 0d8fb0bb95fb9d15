"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

from .columns import angles_in_radians, columns_for
from .loads import ExternalForce, ExternalLoads, read_loads, write_loads
from .smooth import Spline, lowpass, resample
from .storage import read_table, write_table
from .table import Table

__all__ = [
    "ExternalForce",
    "ExternalLoads",
    "Spline",
    "Table",
    "angles_in_radians",
    "columns_for",
    "lowpass",
    "read_loads",
    "read_table",
    "resample",
    "write_loads",
    "write_table",
]


def __dir__() -> list[str]:
    return __all__
