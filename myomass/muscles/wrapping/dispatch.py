"""The list of wrapping surfaces, and how kernels reach them. A new one is its own file and one line here.

Their kernels are called by address: each is compiled by itself, when a model first has such a surface, and not again as
a part of every kernel that a path occurs in.
"""

from functools import cache

import numpy as np
from numba.core import types

from ..._jit import DISABLED, address_of, caller, kernel
from ..network.perceptron import network_addresses
from ..network.table import COLUMNS as SEEN
from ..network.table import WEIGHTS
from .base import COLUMNS
from .capped_cylinder import CappedCylinder
from .cylinder import Cylinder
from .double_cylinder import DoubleCylinder
from .ellipsoid import Ellipsoid
from .sphere import Sphere
from .torus import Torus

SURFACES = (Cylinder, Sphere, CappedCylinder, Ellipsoid, Torus, DoubleCylinder)
NETWORK = len(SURFACES)  # row of addresses of the network's own kernels
SOLVE, FOLLOW, RATES, POINT, PLACE, SEE = range(6)  # columns of addresses

for kind, surface in enumerate(SURFACES):
    surface.kind = kind
    if not hasattr(surface, "rates"):
        surface.rates = surface.follow
    if surface.problem is not None:
        surface.shipped = WEIGHTS / f"{surface.problem.name}.npz"


def _vectors(number: types.Type, count: int) -> types.Type:
    """Type of a tuple of so many vectors."""
    return types.UniTuple(types.UniTuple(number, 3), count)


call_solve = caller(lambda params, at, a, b, g: types.int64, lambda kind, *args: SURFACES[kind].solve(*args))
call_follow = caller(lambda params, at, a, b, g: types.none, lambda kind, *args: SURFACES[kind].follow(*args))
call_rates = caller(lambda params, at, a, b, g: types.none, lambda kind, *args: SURFACES[kind].rates(*args))
call_point = caller(
    lambda params, at, arc, g, xi: _vectors(xi.dtype, 3), lambda kind, *args: SURFACES[kind].point(*args)
)
call_place = caller(
    lambda params, at, arc, g, xi: _vectors(xi.dtype, 2), lambda kind, *args: SURFACES[kind].place(*args)
)
call_see = caller(lambda params, at, a, b, n: types.int64, lambda kind, *args: SURFACES[kind].see(*args))


@kernel
def solve_surface(kind, addresses, params, at, a, b, g):
    """`solve` of a kind of surface."""
    return call_solve(addresses[kind, SOLVE], kind, params, at, a, b, g)


@kernel
def follow_surface(kind, addresses, params, at, a, b, g):
    """`follow` of a kind of surface."""
    call_follow(addresses[kind, FOLLOW], kind, params, at, a, b, g)


@kernel
def rates_on_surface(kind, addresses, params, at, a, b, g):
    """`rates` of a kind of surface."""
    call_rates(addresses[kind, RATES], kind, params, at, a, b, g)


@kernel
def point_on_surface(kind, addresses, params, at, arc, g, xi):
    """`point` of a kind of surface."""
    return call_point(addresses[kind, POINT], kind, params, at, arc, g, xi)


@kernel
def place_on_surface(kind, addresses, params, at, arc, g, xi):
    """`place` of a kind of surface."""
    return call_place(addresses[kind, PLACE], kind, params, at, arc, g, xi)


@kernel
def see_surface(kind, addresses, params, at, a, b, n):
    """`see` of a kind of surface: what a network is told of it."""
    return call_see(addresses[kind, SEE], kind, params, at, a, b, n)


@cache
def _addresses(kind: int, scalar: type, stored: type, seen: bool) -> tuple[int, ...]:
    """Addresses of a surface's kernels for numbers of a type, its parameters stored as another."""
    number, params = types.complex128, types.Array(getattr(types, stored.__name__), 1, "C")
    if scalar is not np.complex128:
        number = getattr(types, scalar.__name__)
    vector, g = types.UniTuple(number, 3), types.NestedArray(number, (3, COLUMNS))
    given = {
        "solve": (params, types.int64, vector, vector, g),
        "follow": (params, types.int64, _vectors(number, 3), _vectors(number, 3), g),
        "rates": (params, types.int64, _vectors(number, 3), _vectors(number, 3), g),
        "point": (params, types.int64, types.int64, g, vector),
        "place": (params, types.int64, types.int64, g, vector),
    }
    if seen:
        n = types.NestedArray(number, (3, SEEN))
        given["see"] = (params, types.int64, _vectors(number, 3), _vectors(number, 3), n)
    return tuple(address_of(getattr(SURFACES[kind], name), args) for name, args in given.items())


def surface_addresses(kinds: np.ndarray, networks: np.ndarray, scalar: type, stored: type) -> np.ndarray:
    """Addresses for kernels, by kind and function; 0 for what a model does not have. (kinds + 1, 6)

    networks: where those of the kinds start, -1 for none.
    """
    table = np.zeros((len(SURFACES) + 1, 6), np.int64)
    seen = set(kinds[networks >= 0].tolist())
    for kind in set(kinds[kinds >= 0].tolist()) if not DISABLED else ():
        found = _addresses(kind, scalar, stored, kind in seen)
        table[kind, : len(found)] = found
    if seen:
        own = network_addresses(scalar, stored)
        table[NETWORK, : len(own)] = own
    return table
