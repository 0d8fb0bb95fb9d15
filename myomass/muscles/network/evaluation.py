"""How far a network is from the exact path: its places, and their Jacobian by the ends, on samples it never saw."""

from typing import NamedTuple

import numpy as np

from ...algorithms.rnea_partials import STEP
from .sampling import Ends, Samples, Subject, Traced, inputs_of, trace
from .table import AXES, SCALE
from .trained import Problem, Weights


class Errors(NamedTuple):
    """Mean, 99th percentile and largest error: of places, in parts of the path's length; of the Jacobian, absolute."""

    place: dict[str, float]
    jacobian: dict[str, float]


def outputs_of(weights: Weights, inputs: np.ndarray) -> np.ndarray:
    """N of a network for rows of inputs, in float64 or complex numbers. (n, outputs)"""
    h = (inputs - weights.centre) / weights.spread
    for matrix, offsets in weights.layers[:-1]:
        h = np.tanh(h @ matrix.astype(float) + offsets.astype(float))
    matrix, offsets = weights.layers[-1]
    return h @ matrix.astype(float) + offsets.astype(float)


def place_errors(weights: Weights, samples: Samples) -> np.ndarray:
    """Distance of a network's places from the exact ones, in parts of the path's length. (n,)"""
    return np.linalg.norm(samples.factor[:, None] * outputs_of(weights, samples.inputs) - samples.target, axis=1)


def learned_places(problem: Problem, weights: Weights, ends: Ends, traced: Traced, xi: np.ndarray) -> np.ndarray:
    """Where a network places the fraction xi of each path; the chord where its gate is closed. (n, 3)"""
    table = traced.table
    N = outputs_of(weights, inputs_of(problem, table, xi))
    axes = table[:, 0, AXES : AXES + 3 * problem.outputs].reshape(len(xi), problem.outputs, 3)
    bulge = np.einsum("nk,nkj->nj", N, axes) * (table[:, 0, SCALE] * xi * (1.0 - xi))[:, None]
    return ends.a + xi[:, None] * (ends.b - ends.a) + np.where(traced.seen[:, None] > 0, bulge, 0.0)


def jacobian_errors(subject: Subject, weights: Weights, samples: Samples) -> np.ndarray:
    """Norm of J - J_exact of samples: how much more a place moves than it should when the ends move by 1. (n,)"""
    columns = []
    for end in range(2):
        for axis in np.eye(3):
            shift = [1j * STEP * axis * (k == end) for k in range(2)]
            ends = Ends(samples.a + shift[0], samples.b + shift[1], samples.params)
            traced = trace(subject.surface, ends, samples.xi[:, None])
            off = learned_places(subject.problem, weights, ends, traced, samples.xi) - traced.x[:, 0]
            columns.append(off.imag / STEP)
    return np.linalg.norm(np.stack(columns, axis=2), ord=2, axis=(1, 2))


def errors_on(subject: Subject, weights: Weights, samples: Samples, jacobians: int = 5000) -> Errors:
    """Errors on samples that a network has not seen; those of the Jacobian on the first `jacobians` of them."""
    some = Samples(*(part[:jacobians] for part in samples))
    places, changes = place_errors(weights, samples), jacobian_errors(subject, weights, some)
    return Errors(_summary(places), _summary(changes))


def _summary(errors: np.ndarray) -> dict[str, float]:
    """(mean, 99th percentile, largest) of errors."""
    return {"mean": float(errors.mean()), "p99": float(np.quantile(errors, 0.99)), "max": float(errors.max())}
