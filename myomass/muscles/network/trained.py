"""A trained network that places a muscle's mass on a wrapped path, as a file and as a muscle keep it.

The network is a multilayer perceptron with tanh between its layers. Its weights are float32; kernels calculate with
them in float64. muscles/network/ tells what goes in and what comes out, and trains new ones.
"""

import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...spatial.brief import brief

FORMAT = 1
WIDTH, HIDDEN = 256, 3072  # at most: units of a layer, of all hidden layers
OUTSIDE = ("warn", "error", "ignore")


class Variable(NamedTuple):
    """One of a problem's own variables: its name in messages, its unit, and how its value is printed."""

    name: str
    unit: str
    said: Callable[[float], float] = float


def nothing(own: np.ndarray) -> np.ndarray:
    """`derive` of a problem without derived variables. (n, 0)"""
    return own[:, :0]


class Problem(NamedTuple):
    """What a network learns: for which surfaces, from which variables and how many marks, to how many outputs.

    Derived variables are no inputs, but have a range too: `derive` makes them of rows of the own ones.
    """

    name: str
    surfaces: tuple[str, ...]
    own: tuple[Variable, ...]
    marks: int
    outputs: int
    derived: tuple[Variable, ...] = ()
    derive: Callable[[np.ndarray], np.ndarray] = nothing

    @property
    def ranged(self) -> tuple[Variable, ...]:
        """All variables that have a range: own and derived ones."""
        return self.own + self.derived

    @property
    def inputs(self) -> int:
        """Number of inputs of its networks: own variables, the fraction of the path, marks."""
        return len(self.own) + 1 + self.marks


class BrokenFile(ValueError):
    """A file of weights that cannot be used."""


def write_whole(path: str | Path, told: dict, arrays: dict[str, np.ndarray]) -> Path:
    """Write FILE.npz with `told`, kept as JSON; an older file is replaced only when the new one is complete."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez_compressed(file, told=np.array(json.dumps(told)), **arrays)
    part.replace(path)
    return path


@dataclass(frozen=True, eq=False)
class Weights:
    """A trained network: its layers, the range of its own variables, and how it was made."""

    problem: str
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]  # (matrix (inputs, outputs), offsets (outputs,)) each
    centre: np.ndarray  # of the inputs, (inputs,)
    spread: np.ndarray
    low: np.ndarray  # of the own and derived variables, (ranged,)
    high: np.ndarray
    about: dict = field(default_factory=dict)  # seed, threshold, samples, errors

    @property
    def sizes(self) -> list[int]:
        """Numbers of inputs, units of each hidden layer, and outputs."""
        return [len(self.centre), *(len(offsets) for _, offsets in self.layers)]

    @cached_property
    def digest(self) -> str:
        """Hash of all numbers, as text."""
        numbers = [self.centre, self.spread, self.low, self.high, *(part for layer in self.layers for part in layer)]
        return sha256(b"".join(np.ascontiguousarray(part, float).tobytes() for part in numbers)).hexdigest()

    def save(self, path: str | Path) -> Path:
        """Write FILE.npz; an older file is replaced only when the new one is complete."""
        arrays = {"centre": self.centre, "spread": self.spread, "low": self.low, "high": self.high}
        for k, (matrix, offsets) in enumerate(self.layers):
            arrays[f"matrix_{k}"], arrays[f"offsets_{k}"] = np.float32(matrix), np.float32(offsets)
        told = {"format": FORMAT, "problem": self.problem, "layers": len(self.layers), "about": self.about}
        return write_whole(path, told, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Weights":
        """A network from FILE.npz. Raises BrokenFile if that holds none."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path} with a network's weights")
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                told = json.loads(str(file["told"]))
                if told["format"] != FORMAT:
                    raise BrokenFile(f"{path} has format {told['format']}, and this version reads {FORMAT}")
                layers = tuple((file[f"matrix_{k}"], file[f"offsets_{k}"]) for k in range(told["layers"]))
                kept = [np.asarray(file[key], float) for key in ("centre", "spread", "low", "high")]
                problem, about = told["problem"], told["about"]
        except BrokenFile:
            raise
        except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
            raise BrokenFile(f"{path} is not a complete file of a network's weights ({type(error).__name__})") from None
        weights = cls(problem, layers, *kept, about)
        weights.check(str(path))
        return weights

    def check(self, what: str) -> None:
        """Raise an error if sizes do not fit together or are too large, or a number is not finite."""
        vectors = self.centre, self.spread, self.low, self.high, *(offsets for _, offsets in self.layers)
        fits = len(self.layers) > 1 and all(part.ndim == 1 and np.isfinite(part).all() for part in vectors)
        fits = fits and self.spread.shape == self.centre.shape and self.low.shape == self.high.shape
        for (matrix, offsets), size in zip(self.layers, self.sizes if fits else (), strict=False):
            fits = fits and matrix.shape == (size, len(offsets)) and bool(np.isfinite(matrix).all())
        if not (fits and (self.spread > 0).all()):
            raise BrokenFile(f"{what}: the layers of the network do not fit together, or are not finite")
        if max(hidden := self.sizes[1:-1], default=0) > WIDTH or sum(hidden) > HIDDEN:
            raise ValueError(
                f"{what}: a network has at most {WIDTH} units in a layer and {HIDDEN} in all, not {hidden}"
            )

    def parameters(self, problem: Problem) -> list[float]:
        """All that kernels read: sizes, ranges, then the layers, with the scaling of inputs in the first."""
        hidden = [len(offsets) for _, offsets in self.layers[:-1]]
        counts = [len(problem.own), problem.marks, problem.outputs, len(self.low), len(hidden), *hidden]
        numbers = [np.array(counts, float), self.low, self.high]
        for k, (matrix, offsets) in enumerate(self.layers):
            matrix, offsets = matrix.astype(float), offsets.astype(float)
            if k == 0:
                matrix = matrix / self.spread[:, None]
                offsets = offsets - self.centre @ matrix
            numbers += [matrix.ravel(), offsets]
        return np.concatenate(numbers).tolist()


@cache
def _shipped(path: Path) -> Weights:
    """Weights that the package contains, read once."""
    return Weights.load(path)


@brief
@dataclass(frozen=True)
class Network:
    """smoothing=mm.Network(...): a network places the mass. `weights` is a file; None takes those of the package.

    outside: what happens where an input leaves the range that the network was trained in, "warn", "error" or "ignore".
    """

    weights: str | Path | Weights | None = None
    outside: str = "warn"

    def __post_init__(self) -> None:
        """Raise a ValueError if `outside` is none of these."""
        if self.outside not in OUTSIDE:
            raise ValueError(f"outside is one of {', '.join(map(repr, OUTSIDE))}, not {self.outside!r}")

    def weights_for(self, surface: str, problem: Problem | None, shipped: Path | None) -> Weights:
        """The weights. Raises a ValueError if they were not trained for this surface."""
        if problem is None or shipped is None:
            raise ValueError(f"there is no network for the surface {surface}; take smoothing 'blend'")
        given = self.weights
        if isinstance(given, Weights):
            weights = given
            weights.check("the network")
        else:
            weights = _shipped(shipped) if given is None else Weights.load(given)
        if weights.problem != problem.name:
            raise ValueError(
                f"the weights{'' if isinstance(given, Weights) else f' in {given}'} are those of a "
                f"{weights.problem}, and the path wraps a {surface}, which needs those of a {problem.name}"
            )
        wanted = [problem.inputs, problem.outputs, len(problem.ranged)]
        if [weights.sizes[0], weights.sizes[-1], len(weights.low)] != wanted:
            raise BrokenFile(
                f"the network has {weights.sizes[0]} inputs, {weights.sizes[-1]} outputs, {len(weights.low)} ranges, "
                f"and one for a {problem.name} needs {wanted[0]}, {wanted[1]} and {wanted[2]}"
            )
        return weights
