"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

from .smooth import Spline, lowpass, resample
from .table import Table

__all__ = ["Spline", "Table", "lowpass", "resample"]


def __dir__() -> list[str]:
    return __all__
