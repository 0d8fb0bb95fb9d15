"""A model's reduction as arrays: q = f_1(f_2(... Q)), layer after layer.

A layer gives each of its coordinates as a sum of terms, offset_i + sum_t c_t x_j or phi_t(x_j), with phi an mm.Motion
in `params`; or it is a Python function (`functions`).
"""

from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from ..joints.records import as_records
from ..model.coordinate import Coordinate
from ..model.maps import SmoothMap
from .functions import Smooth

TERMS, FUNCTION = 0, 1  # kinds of layers
ARRAYS = ("layers", "terms", "offsets", "params", "passed")


@cache
def layer_dtype() -> np.dtype:
    """Record of a layer: its kind, first term and number of terms, where offsets begin, and widths of both sides."""
    names = ("kind", "term", "count", "offset", "wide", "narrow")  # of the coordinates that it gives, and takes
    return np.dtype([(name, "i8") for name in names], align=True)


@cache
def term_dtype() -> np.dtype:
    """Record of a term: which coordinate it adds to, of which it is a function, which (-1: a factor), the factor."""
    return np.dtype([("to", "i8"), ("of", "i8"), ("at", "i8"), ("factor", "f8")], align=True)


@dataclass(frozen=True, eq=False)
class FunctionLayer:
    """A layer that Python evaluates: a map, the coordinates that it gives, and where the others come from."""

    given: SmoothMap
    gives: np.ndarray  # which of the layer's coordinates the function gives
    takes: np.ndarray  # of which it takes
    stays: np.ndarray  # (given, taken) of those that stay, (n, 2)

    @property
    def law(self) -> Smooth:
        """Its function with derivatives."""
        return Smooth.of(self.given, len(self.gives), len(self.takes), f"the map {name_of_map(self.given)!r}")


def name_of_map(given: SmoothMap) -> str:
    """The name that files know a map by."""
    return given.name or getattr(given.function, "__name__", type(given.function).__name__)


@dataclass(frozen=True, eq=False)
class Reduction:
    """How all joints' coordinates q follow from the model's own, Q."""

    layers: np.ndarray  # records of layer_dtype, from Q to q
    terms: np.ndarray  # records of term_dtype
    offsets: np.ndarray
    params: np.ndarray  # of motions, one after another
    passed: np.ndarray  # which of Q each joint's coordinate is, -1 if it is none, (joint_dofs,)
    units: tuple[str, ...]  # of Q
    joint_coordinates: tuple[Coordinate, ...] = ()  # names and defaults of q, where there are some
    functions: tuple[FunctionLayer, ...] = field(default=())  # of the layers that are functions, in order

    @cached_property
    def support(self) -> np.ndarray:
        """Which of Q each joint's coordinate may change with. (joint_dofs, N)"""
        known, functions = np.eye(self.ndof, dtype=bool), iter(self.functions)
        for layer in self.layers:
            found = np.zeros((int(layer["wide"]), self.ndof), bool)
            if layer["kind"] == FUNCTION:
                function = next(functions)
                found[function.stays[:, 0]] = known[function.stays[:, 1]]
                found[function.gives] = known[function.takes].any(axis=0)
            for term in self.terms[layer["term"] : layer["term"] + layer["count"]]:
                found[term["to"]] |= known[term["of"]]
            known = found
        return known

    @property
    def starts(self) -> np.ndarray:
        """Of the rows of J among `columns`. (joint_dofs + 1,)"""
        return np.concatenate([[0], np.cumsum(self.support.sum(axis=1))]).astype(np.int64)

    @property
    def columns(self) -> np.ndarray:
        """Where each row of J has entries, row after row."""
        return np.nonzero(self.support)[1].astype(np.int64)

    @property
    def ndof(self) -> int:
        """N, how many coordinates Q there are."""
        return int(self.layers["narrow"][0])

    def __reduce__(self) -> tuple:
        arrays = [np.asarray(getattr(self, key)) for key in ARRAYS]
        return restored, (*arrays, self.units, self.joint_coordinates, self.functions)


def restored(layers: np.ndarray, terms: np.ndarray, *rest) -> Reduction:
    """A reduction of plain arrays, in the record types that kernels are compiled for."""
    return Reduction(as_records(layers, layer_dtype()), as_records(terms, term_dtype()), *rest)
