"""Integrators by name. EXPLICIT and IMPLICIT have steps of a fixed length, ADAPTIVE ones choose it.

A new explicit one is its own file and one line here; an implicit one is a scheme of implicit.py.
"""

from . import rk4, semi_implicit, symplectic
from .base import RECURSIVE, REDMAX
from .implicit import BDF1, BDF2, SDIRK2

EXPLICIT = {
    "rk4": rk4.step,
    "symplectic": symplectic.step,
    "semi-implicit": semi_implicit.step,
}
LINEARLY_IMPLICIT = -1
IMPLICIT = {"euler": LINEARLY_IMPLICIT, "bdf1": BDF1, "bdf2": BDF2, "sdirk2": SDIRK2}
ADAPTIVE = {"recursive": RECURSIVE, "redmax": REDMAX}
FIXED_STEP = (*EXPLICIT, *IMPLICIT)
INTEGRATORS = (*ADAPTIVE, *FIXED_STEP)
