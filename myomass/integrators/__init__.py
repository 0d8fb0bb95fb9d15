"""Integrators: `FIXED_STEP` lists those of constant step by name; a new one is its own file and one line here."""

from . import rk4, symplectic

FIXED_STEP = {
    "symplectic": symplectic.step,
    "rk4": rk4.step,
}
