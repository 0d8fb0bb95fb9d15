"""The list of families of muscle curves, and how kernels reach them. A new one is its own file and one line here.

Each is compiled by itself, when a model first has such a muscle. A user's own, in a file of their own, is added by
`register_curves`.
"""

from collections.abc import Callable, Iterable

from numba.core import types

from ...._jit import Choice
from .base import KERNELS, Curves
from .degroote import DeGrooteFregly2016
from .millard import Millard2012
from .thelen import Thelen2003

CURVES: list[type[Curves]] = [Millard2012, Thelen2003, DeGrooteFregly2016]
for kind, family in enumerate(CURVES):
    family.kind = kind


def _number(params: types.Type, *args: types.Type) -> types.Type:
    """The number type of a result: complex if any number is."""
    return max((params.dtype, *args), key=lambda t: (isinstance(t, types.Complex), t.bitwidth))


def _pair(params: types.Type, at: types.Type, *args: types.Type) -> types.Type:
    return types.UniTuple(_number(params, *args), 2)


def _single(params: types.Type, at: types.Type, *args: types.Type) -> types.Type:
    return _number(params, *args)


def _choice(name: str, member: str, returns: Callable[..., types.Type]) -> Choice:
    return Choice(__name__, name, [getattr(family, member) for family in CURVES], returns)


CHOICES = {
    "active": _choice("active_curve", "active", _pair),
    "passive": _choice("passive_curve", "passive", _pair),
    "tendon": _choice("tendon_curve", "tendon", _pair),
    "velocity": _choice("velocity_curve", "velocity", _pair),
    "inverse": _choice("inverse_curve", "inverse", _single),
    "passive_energy": _choice("passive_stored", "passive_energy", _single),
    "tendon_energy": _choice("tendon_stored", "tendon_energy", _single),
}
active_curve, passive_curve, tendon_curve, velocity_curve, inverse_curve, passive_stored, tendon_stored = (
    CHOICES[member].call for member in KERNELS
)


def register_curves(family: type[Curves]) -> None:
    """Add a user's own family of curves to those that muscles can have."""
    family.kind = len(CURVES)
    CURVES.append(family)
    for member, choice in CHOICES.items():
        choice.add(getattr(family, member))


def demand_curves(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the kernels of these families."""
    kinds = list(kinds)
    for choice in CHOICES.values():
        choice.demand(kinds)
