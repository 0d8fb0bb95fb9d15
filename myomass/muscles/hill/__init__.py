"""Hill-type muscles: their curves (`curves`), activation dynamics, and the equilibrium of fibre and tendon."""

from . import curves
from .spec import Equilibrium, Hill

__all__ = ["Equilibrium", "Hill", "curves"]


def __dir__() -> list[str]:
    return __all__
