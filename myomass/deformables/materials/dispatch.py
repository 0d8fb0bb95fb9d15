"""The list of materials, and how kernels reach them. A new one is its own file and one line here.

Each is compiled by itself, when a body first has it. A user's own, in a file of their own, is added by `mm.register`.
"""

from collections.abc import Iterable

from numba.core import types

from ..._jit import Choice
from .base import Material
from .corotated import CoRotated
from .saint_venant_kirchhoff import SaintVenantKirchhoff
from .stable_neo_hookean import StableNeoHookean

MATERIALS: list[type[Material]] = [CoRotated, StableNeoHookean, SaintVenantKirchhoff]

OWN = len(MATERIALS)  # how many the package has

for kind, material in enumerate(MATERIALS):
    material.kind = kind

CHOICES = {
    "energy": Choice(__name__, "energy", [m.energy for m in MATERIALS], lambda params, at, F: F.dtype.dtype),
    "stress": Choice(__name__, "stress", [m.stress for m in MATERIALS], lambda params, at, F: F),
    "slopes": Choice(__name__, "slopes", [m.slopes for m in MATERIALS], lambda params, at, F, A: types.none),
}
energy_of, stress_of, fill_slopes = (CHOICES[name].call for name in ("energy", "stress", "slopes"))


def register_material(material: type[Material]) -> None:
    """Add a user's own material to those that bodies can have."""
    material.kind = len(MATERIALS)
    MATERIALS.append(material)
    for name, choice in CHOICES.items():
        choice.add(getattr(material, name))


def demand_materials(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the kernels of these materials."""
    kinds = list(kinds)
    for choice in CHOICES.values():
        choice.demand(kinds)
