"""Integrators by name. EXPLICIT and IMPLICIT have steps of a fixed length, ADAPTIVE ones choose it.

A new explicit one is its own file and one line here; one that solves for something is a scheme of implicit.py, or its
own file and a line in rollout.py.
"""

from . import rk4, semi_implicit
from .base import RECURSIVE, REDMAX
from .implicit import BDF1, BDF2, SDIRK2

EXPLICIT = {
    "rk4": rk4.step,
    "semi-implicit": semi_implicit.step,
}
SYMPLECTIC, EULER = -2, -1  # beside the schemes of implicit.py
IMPLICIT = {"symplectic": SYMPLECTIC, "euler": EULER, "bdf1": BDF1, "bdf2": BDF2, "sdirk2": SDIRK2}
ADAPTIVE = {"recursive": RECURSIVE, "redmax": REDMAX}
FIXED_STEP = (*EXPLICIT, *IMPLICIT)
INTEGRATORS = (*ADAPTIVE, *FIXED_STEP)
