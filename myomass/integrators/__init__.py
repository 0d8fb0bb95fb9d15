"""Integrators by name. EXPLICIT and IMPLICIT have steps of a fixed length, ADAPTIVE ones choose it.

A new one is its own file (or, if it is implicit, a scheme of implicit.py), a line here and one in rollout.py.
"""

from .base import RECURSIVE, REDMAX
from .implicit import BDF1, BDF2, SDIRK2

EXPLICIT = ("rk4", "semi-implicit")
SYMPLECTIC, EULER = -2, -1  # beside the schemes of implicit.py
IMPLICIT = {"symplectic": SYMPLECTIC, "euler": EULER, "bdf1": BDF1, "bdf2": BDF2, "sdirk2": SDIRK2}
ADAPTIVE = {"recursive": RECURSIVE, "redmax": REDMAX}
MAXIMAL = "maximal"  # in coordinates of its own
FIXED_STEP = (*EXPLICIT, *IMPLICIT, MAXIMAL)
INTEGRATORS = (*ADAPTIVE, *FIXED_STEP)
BOUND = tuple(name for name in INTEGRATORS if name != "symplectic")  # those that hold constraints
