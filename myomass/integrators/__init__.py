"""Integrators by name: objects with their order and what they can hold. A new one is its own file and a line here."""

from .base import FAILED, OK, Adaptive, FixedStep, Integrator, Maximal, accelerate_at, stand_at
from .dormand_prince import RECURSIVE, REDMAX
from .euler import EULER
from .implicit import BDF1, BDF2, SDIRK2
from .rk4 import RK4
from .semi_implicit import SEMI_IMPLICIT
from .symplectic import SYMPLECTIC

MAXIMAL = Maximal("maximal", order=1)  # its steps are in run/maximal_stepper.py
INTEGRATORS: dict[str, Integrator] = {
    method.name: method
    for method in (RECURSIVE, REDMAX, RK4, SEMI_IMPLICIT, SYMPLECTIC, EULER, BDF1, BDF2, SDIRK2, MAXIMAL)
}


def register_integrator(method: FixedStep) -> None:
    """Add an integrator to those that `simulate` knows by name."""
    INTEGRATORS[method.name] = method


__all__ = [
    "FAILED",
    "INTEGRATORS",
    "OK",
    "Adaptive",
    "FixedStep",
    "Integrator",
    "Maximal",
    "accelerate_at",
    "stand_at",
]


def __dir__() -> list[str]:
    return __all__
