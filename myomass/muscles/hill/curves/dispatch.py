"""The list of families of muscle curves, and how kernels reach them. A new one is its own file and one line here.

Each is compiled by itself, when a model first has such a muscle. A user's own, in a file of their own, is added by
`register_curves`.
"""

from collections.abc import Callable, Iterable

from numba.core import types

from ...._jit import Choice, kernel
from .base import KERNELS, Curves
from .degroote import DeGrooteFregly2016
from .millard import Millard2012
from .schutte import Schutte1993
from .thelen import Thelen2003

CURVES: list[type[Curves]] = [Millard2012, Thelen2003, DeGrooteFregly2016, Schutte1993]
OWN = len(CURVES)  # how many the package has


def _complete(family: type[Curves], kind: int) -> None:
    """Number a family, and make `forces` of its curves if it has none of its own."""
    family.kind = kind
    if hasattr(family, "forces"):
        return
    active, passive, tendon = family.active, family.passive, family.tendon

    def forces(params, at, x, y):
        """(active, passive) forces at the fibre's length x, the tendon's at its own y."""
        return active(params, at, x)[0], passive(params, at, x)[0], tendon(params, at, y)[0]

    forces.__module__, forces.__qualname__ = family.__module__, f"{family.__name__}.forces"
    family.forces = kernel(forces, entry=True)


for kind, family in enumerate(CURVES):
    _complete(family, kind)


def _number(params: types.Type, *args: types.Type) -> types.Type:
    """The number type of a result: complex if any number is."""
    return max((params.dtype, *args), key=lambda t: (isinstance(t, types.Complex), t.bitwidth))


def _pair(params: types.Type, at: types.Type, *args: types.Type) -> types.Type:
    return types.UniTuple(_number(params, *args), 2)


def _triple(params: types.Type, at: types.Type, *args: types.Type) -> types.Type:
    return types.UniTuple(_number(params, *args), 3)


def _single(params: types.Type, at: types.Type, *args: types.Type) -> types.Type:
    return _number(params, *args)


def _choice(name: str, member: str, returns: Callable[..., types.Type]) -> Choice:
    return Choice(__name__, name, [getattr(family, member) for family in CURVES], returns)


CHOICES = {
    "active": _choice("active_curve", "active", _pair),
    "passive": _choice("passive_curve", "passive", _pair),
    "tendon": _choice("tendon_curve", "tendon", _pair),
    "forces": _choice("forces_at", "forces", _triple),
    "velocity": _choice("velocity_curve", "velocity", _pair),
    "inverse": _choice("inverse_curve", "inverse", _single),
    "passive_energy": _choice("passive_stored", "passive_energy", _single),
    "tendon_energy": _choice("tendon_stored", "tendon_energy", _single),
}
active_curve, passive_curve, tendon_curve, velocity_curve, inverse_curve, passive_stored, tendon_stored = (
    CHOICES[member].call for member in KERNELS
)
forces_at = CHOICES["forces"].call


def register_curves(family: type[Curves]) -> None:
    """Add a user's own family of curves to those that muscles can have."""
    _complete(family, len(CURVES))
    CURVES.append(family)
    for member, choice in CHOICES.items():
        choice.add(getattr(family, member))


def demand_curves(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the kernels of these families."""
    kinds = list(kinds)
    for choice in CHOICES.values():
        choice.demand(kinds)
