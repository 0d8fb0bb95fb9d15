"""A muscle that leaves a cylinder (Wang 2022, Fig. 6.8), looked at with many networks: what they make of the kink.

The cylinder has radius 1 about z, and all lengths are in radii. The origin is fixed, the insertion moves along x, at
the height where the middle of the muscle is what touches last. Seen are x of this middle and its derivative by x of the
insertion. A file keeps many networks, each one row of float32 numbers, to be small.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from myomass.algorithms.rnea_partials import STEP
from myomass.muscles.network.evaluation import learned_places
from myomass.muscles.network.sampling import SUBJECTS, Ends, Traced, trace
from myomass.muscles.network.trained import Weights, write_whole

DATA = Path(__file__).parent / "data" / "network_sizes.npz"
DEPTHS, WIDTHS = (1, 2, 3, 4, 6, 8, 10, 12), (32, 64)
COMPARED, THRESHOLDS, DEPTH = (0.05, 0.01), (0.01, 0.03, 0.05, 0.1, 0.2), 6  # of Fig. 6.9 and 6.10; of Fig. 6.11
SUBJECT = SUBJECTS["circle"]
ORIGIN = np.array([-1.1, -1.5, 0.0])
ABOVE = (-1.0, 1.0, 0.0)  # the side on which the muscle passes
SWEEP, LOOKS, MIDDLE = (-1.4, 1.6), 1501, 0.5  # x of the insertion, at so many places; alpha


class Design(NamedTuple):
    """A network of these experiments."""

    width: int
    depth: int
    threshold: float

    @property
    def name(self) -> str:
        """Name of the network in files."""
        layers = "layer" if self.depth == 1 else "layers"
        return f"{self.depth} {layers} of {self.width}, threshold {100 * self.threshold:g} %"


class Kept(NamedTuple):
    """A trained network, and its error on validation samples as it learned."""

    weights: Weights
    history: dict[str, list[float]]  # "step", "error"


class Look(NamedTuple):
    """The middle of the muscle and its derivative, at places of the insertion."""

    x: np.ndarray  # (looks, 3)
    J: np.ndarray  # dx/d x_ins, (looks, 3)


class Scene(NamedTuple):
    """The sweep: x of the insertion, exact paths, and the same with a complex step of the insertion along x."""

    x: np.ndarray  # (looks,)
    ends: Ends
    traced: Traced

    @property
    def share(self) -> np.ndarray:
        """Part of the path that lies on the cylinder. (looks,)"""
        return np.abs((self.traced.wrapped / self.traced.length).real)

    @property
    def exact(self) -> Look:
        """The middle of the muscle on the exact path."""
        return Look(self.traced.x[:, 0].real, self.traced.x[:, 0].imag / STEP)


def designs(widths: tuple[int, ...] = WIDTHS, depths: tuple[int, ...] = DEPTHS) -> list[Design]:
    """All networks: every size at two thresholds, and one depth, in the largest width, at the others too."""
    sizes = [Design(width, depth, threshold) for threshold in COMPARED for width in widths for depth in depths]
    rest = [Design(max(widths), DEPTH, threshold) for threshold in THRESHOLDS]
    return list(dict.fromkeys(sizes + rest))


def touching() -> tuple[np.ndarray, np.ndarray]:
    """(where the muscle touches last, the insertion then): the tangent from the origin, prolonged by its own length."""
    square = ORIGIN @ ORIGIN
    beside = np.sqrt(square - 1.0) * np.array([ORIGIN[1], -ORIGIN[0], 0.0])
    touch = (ORIGIN + beside) / square
    return touch, 2.0 * touch - ORIGIN


def scene(x: np.ndarray | None = None) -> Scene:
    """The muscle with its insertion at places x."""
    x = np.linspace(*SWEEP, LOOKS) if x is None else np.asarray(x, float)
    b = np.zeros((len(x), 3), complex)
    b[:, 0], b[:, 1] = x + 1j * STEP, touching()[1][1]
    a = np.tile(ORIGIN.astype(complex), (len(x), 1))
    params = np.tile([1.0, *ABOVE, 1.0], (len(x), 1))
    ends = Ends(a, b, params)
    return Scene(x, ends, trace(SUBJECT.surface, ends, np.full((len(x), 1), MIDDLE)))


def look(seen: Scene, weights: Weights) -> Look:
    """The middle of the muscle where a network puts it."""
    x = learned_places(SUBJECT.problem, weights, seen.ends, seen.traced, np.full(len(seen.x), MIDDLE))
    return Look(x.real, x.imag / STEP)


def variation(J: np.ndarray) -> float:
    """Total variation of a curve."""
    return float(np.abs(np.diff(J)).sum())


def measures(seen: Scene, kept: Kept) -> dict:
    """Errors of a network along the sweep, and on samples that it has not seen."""
    found = along_the_sweep(seen, kept.weights)
    return found | {"validation_error": min(kept.history["error"]), "held_out": kept.weights.about["errors"]}


def along_the_sweep(seen: Scene, weights: Weights) -> dict[str, float]:
    """Errors of a network along the sweep, everywhere and where it had samples to learn from."""
    exact, learned, share = seen.exact, look(seen, weights), seen.share
    threshold = weights.about["settings"]["threshold"]
    off = np.linalg.norm(learned.x - exact.x, axis=1) / seen.traced.length.real
    change = np.linalg.norm(learned.J - exact.J, axis=1)
    taught = (share == 0.0) | (share > threshold)
    return {
        "largest_place_error_of_length": float(off.max()),
        "largest_place_error_where_taught_of_length": float(off[taught].max()),
        "largest_jacobian_error_where_taught": float(change[taught].max()),
        "extra_variation_of_jacobian": variation(learned.J[:, 0]) - variation(exact.J[:, 0]),
    }


def save_networks(path: str | Path, networks: dict[str, Kept]) -> None:
    """Write networks into one FILE.npz."""
    told, rows = {}, {}
    for name, (weights, history) in networks.items():
        told[name] = {"sizes": weights.sizes, "own": len(weights.low), "about": weights.about, "history": history}
        parts = [weights.centre, weights.spread, weights.low, weights.high]
        parts += [part.ravel() for layer in weights.layers for part in layer]
        rows[name] = np.concatenate(parts).astype(np.float32)
    write_whole(path, told, rows)


def load_networks(path: str | Path = DATA) -> dict[str, Kept]:
    """The networks of a file by their names."""
    with np.load(path, allow_pickle=False) as file:
        told = json.loads(str(file["told"]))
        return {name: _unpacked(one, file[name]) for name, one in told.items()}


def _unpacked(told: dict, row: np.ndarray) -> Kept:
    """A network from its row of numbers."""
    sizes, own = told["sizes"], told["own"]
    shapes = [(sizes[0],), (sizes[0],), (own,), (own,)]
    for pair in pairwise(sizes):
        shapes += [pair, pair[1:]]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    parts = [part.reshape(shape) for part, shape in zip(np.split(row, ends[:-1]), shapes, strict=True)]
    layers = tuple(zip(parts[4::2], parts[5::2], strict=True))
    weights = Weights(SUBJECT.problem.name, layers, *(part.astype(float) for part in parts[:4]), told["about"])
    weights.check("a network of many")
    return Kept(weights, told["history"])
