"""Curves of Hill-type muscles, the names of `mm.curves`: force over length and velocity, by published families."""

from .base import Curves
from .dispatch import CURVES, DeGrooteFregly2016, Millard2012, Schutte1993, Thelen2003, register_curves

__all__ = [
    "CURVES",
    "Curves",
    "DeGrooteFregly2016",
    "Millard2012",
    "Schutte1993",
    "Thelen2003",
    "register_curves",
]


def __dir__() -> list[str]:
    return __all__
