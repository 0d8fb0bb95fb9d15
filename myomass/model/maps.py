"""What `Spec.reduce` takes: coordinates q as functions of fewer ones, q = f(Q) (dissertation Sec. 4.6.2).

A spec only keeps these; the package `reduction` checks them against the model's coordinates and packs them for kernels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..spatial.brief import brief
from ..spatial.motion import Motion
from .coordinate import Coordinate

Rule = float | Mapping[str, float | Sequence[float] | Motion]
Function = Callable[[np.ndarray], np.ndarray]


@brief
class CoordinateMap:
    """Base of what `Spec.reduce` takes; those there are: couplings by name, mm.LinearMap and mm.SmoothMap."""


@brief
@dataclass(eq=False)
class Followers(CoordinateMap):
    """Coordinates that follow others: by follower's name a number that it keeps, or {leader: rule} that add up.

    A rule is a factor, the coefficients (c0, c1, ...) of a polynomial of the leader, or an mm.Motion of it.
    """

    rules: Mapping[str, Rule]


@brief
@dataclass(eq=False)
class LinearMap(CoordinateMap):
    """q = offset + matrix @ Q, with Q the new `coordinates`, by name or as mm.model.Coordinate.

    of: names of the coordinates q that the rows give (None: all of them); others stay, and come before the new ones.
    """

    coordinates: Sequence[str | Coordinate]
    matrix: np.ndarray
    offset: np.ndarray | None = None
    of: Sequence[str] | None = None


@brief
@dataclass(eq=False)
class SmoothMap(CoordinateMap):
    """q = function(Q) of the new `coordinates`: any NumPy function that is analytic and takes complex numbers too.

    dq/dQ is its complex step, exact to rounding, and higher derivatives are Cauchy's integrals over circles of complex
    numbers around Q, about 1e-13. If `jacobian`, a function of Q that takes complex numbers and gives dq/dQ, is given,
    it is used, and costs less. Both are tried, against differences, beside `start` (the coordinates' defaults), which
    must lie in their domain. of: as of mm.LinearMap. Kernels call Python for it, several times a step: where a map is
    made of polynomials, splines or sines of single coordinates, couplings by name are far faster.
    """

    coordinates: Sequence[str | Coordinate]
    function: Function
    jacobian: Function | None = None
    start: Sequence[float] | None = None
    of: Sequence[str] | None = None
    name: str | None = None  # by which files know it, once it is registered by mm.register; None: the function's own
