"""The list of wrapping surfaces, and how kernels reach them. A new one is its own file and one line here.

Each is compiled by itself, when a model first has such a surface, and not as a part of every kernel that a path occurs
in. A user's own, in a file of their own, is added by `mm.register`.
"""

from collections.abc import Callable, Iterable

from numba.core import types

from ..._jit import Choice, kernel
from ..network.table import WEIGHTS
from .base import Surface
from .capped_cylinder import CappedCylinder
from .cylinder import Cylinder
from .double_cylinder import DoubleCylinder
from .ellipsoid import Ellipsoid
from .finite_cylinder import FiniteCylinder
from .sphere import Sphere
from .torus import Torus

SURFACES: list[type[Surface]] = [Cylinder, Sphere, CappedCylinder, Ellipsoid, Torus, DoubleCylinder, FiniteCylinder]
OWN = len(SURFACES)  # how many the package has


@kernel
def unseen(params, at, a, b, n):
    """`see` of a surface that no network was trained for: returns 0."""
    return 0


def _complete(surface: type[Surface], kind: int) -> None:
    """Number a surface, and give it the default of each kernel that it does not have."""
    surface.kind = kind
    if not hasattr(surface, "rates"):
        surface.rates = surface.follow
    if not hasattr(surface, "see"):
        surface.see = unseen
    if surface.problem is not None and surface.shipped is None:
        surface.shipped = WEIGHTS / f"{surface.problem.name}.npz"


for kind, surface in enumerate(SURFACES):
    _complete(surface, kind)


def _vectors(number: types.Type, count: int) -> types.Type:
    """Type of a tuple of so many vectors."""
    return types.UniTuple(types.UniTuple(number, 3), count)


def _choice(name: str, returns: Callable[..., types.Type]) -> Choice:
    return Choice(__name__, name, [getattr(surface, name) for surface in SURFACES], returns)


CHOICES = {
    "solve": _choice("solve", lambda params, at, a, b, g: types.int64),
    "follow": _choice("follow", lambda params, at, a, b, g: types.none),
    "rates": _choice("rates", lambda params, at, a, b, g: types.none),
    "point": _choice("point", lambda params, at, arc, g, xi: _vectors(xi.dtype, 3)),
    "place": _choice("place", lambda params, at, arc, g, xi: _vectors(xi.dtype, 2)),
    "see": _choice("see", lambda params, at, a, b, n: types.int64),
}
solve_surface, follow_surface, rates_on_surface = (CHOICES[name].call for name in ("solve", "follow", "rates"))
point_on_surface, place_on_surface, see_surface = (CHOICES[name].call for name in ("point", "place", "see"))


def register_surface(surface: type[Surface]) -> None:
    """Add a user's own wrapping surface to those that models can have."""
    _complete(surface, len(SURFACES))
    SURFACES.append(surface)
    for name, choice in CHOICES.items():
        choice.add(getattr(surface, name))


def demand_surfaces(kinds: Iterable[int], seen: Iterable[int]) -> None:
    """Compile, or load from the cache, the kernels of these surfaces, and `see` of those `seen` by a network."""
    for name, choice in CHOICES.items():
        choice.demand(seen if name == "see" else kinds)
