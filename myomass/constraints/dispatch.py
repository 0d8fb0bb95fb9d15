"""The list of formulas of rows, and the kernel that chooses among them. A new one is its own file and a line here.

A user's own, in a file of their own, is added by `mm.register`.
"""

from collections.abc import Iterable

from numba.core import types

from .._jit import Choice
from ..model.elements import Formula
from . import contact, coupled, distance, driven, joint_friction, joint_rows, loop, stop

FORMULAS: list[Formula] = [
    loop.PIN,
    loop.BALL,
    loop.PARALLEL,
    loop.ALIGNED,
    coupled.POLYNOMIAL,
    driven.JOINT_POSITION,
    driven.JOINT_RATE,
    driven.TWIST_RATE,
    driven.POINT_POSITION,
    driven.POINT_RATE,
    stop.ONE_SIDED,
    contact.ON_PLANE,
    contact.SWEPT,
    joint_friction.COORDINATE,
    joint_friction.TURNING,
    joint_rows.HELD,
    coupled.FOLLOWING,
    distance.DISTANCE,
]
OWN = len(FORMULAS)  # how many the package has

for kind, formula in enumerate(FORMULAS):
    formula.kind = kind


FORMULA = Choice(__name__, "follow_rows", [formula.kernel for formula in FORMULAS], lambda *args: types.none)
follow_formula = FORMULA.call


def register_formula(formula: Formula) -> None:
    """Add a user's own formula of rows to those that models can have."""
    formula.kind = FORMULA.add(formula.kernel)
    FORMULAS.append(formula)


def demand_formulas(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the formulas of these kinds."""
    FORMULA.demand(kinds)
