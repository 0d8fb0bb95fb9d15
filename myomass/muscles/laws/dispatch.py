"""The list of laws of tension, and the kernel that chooses among them. A new law is its own file and one line here."""

from collections.abc import Iterable

import numpy as np
from numba.core import types

from ..._jit import Choice
from ...spatial.motion import kinks
from .base import TensionLaw
from .ideal import IdealActuator
from .ligament import BlankevoortLigament, Ligament
from .path_spring import PathSpring

LAWS: list[type[TensionLaw]] = [IdealActuator, PathSpring, Ligament, BlankevoortLigament]

for kind, member in enumerate(LAWS):
    member.kind = kind


def _tension_and_energy(params, at, t, L, Ldot) -> types.Type:
    return types.UniTuple(L, 2)


LAW = Choice(__name__, "follow_tension", [member.law for member in LAWS], _tension_and_energy)
follow_tension = LAW.call


def demand_laws(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the laws of these kinds."""
    LAW.demand(kinds)


def law_knots(kind: int, params: np.ndarray, at: int) -> set[float]:
    """Times at which a law's tension may have a kink [s]; kind -1: a motion in time."""
    starts = [at] if kind < 0 else LAWS[kind].motions_in(params, at)
    return {t for start in starts for t in kinks(params, start)}
