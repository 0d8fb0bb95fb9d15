"""Where a soft body is in balance: the least of its energy less the work of loads, by Newton's method.

    K dx = f(x) + loads,    x <- x + t dx

over the coordinates that are free. Where K is not positive definite (the pivots of a factorisation that keeps to the
diagonal tell), it is replaced by the definite part of each tetrahedron's: the step leads down, and a search does
not end on a saddle that it did not start from. The part t of it halves until the energy falls.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .pattern import Pattern
from .tet_checks import signed_volumes

if TYPE_CHECKING:
    from .soft_body import SoftBody

DESCENT = 1e-4  # part of the energy that a step promises and must keep
HALVINGS = 40
LEAST_SHIFT, RAISE, RAISES = 1e-8, 100.0, 8  # of the mean diagonal of K
EPS = np.finfo(float).eps
ROUNDING = 64.0 * EPS  # forces below this, relative to the largest entry of K times the body's size, are rounding
LOOSE = 1e-6  # singular values of rigid motions of the fixed nodes, relative, below which one is free


@brief
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Places of nodes [m] (n, 3), the forces with which supports hold the fixed ones [N] (n, 3), and how it ended."""

    x: np.ndarray
    reactions: np.ndarray
    energy: float  # V less the work of loads since rest [J]
    residual: float  # largest force that is left on a free node [N]
    iterations: int
    converged: bool
    message: str


@dataclass(frozen=True)
class Problem:
    """A body with its loads, the coordinates that are free, and where entries of K between them are in its data."""

    body: "SoftBody"
    loads: np.ndarray
    free: np.ndarray  # (3n,) bool
    kept: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray

    @classmethod
    def of(cls, body: "SoftBody", loads: np.ndarray, free: np.ndarray) -> "Problem":
        """The problem, with the pattern of free coordinates."""
        pattern: Pattern = body.pattern
        columns = np.repeat(np.arange(len(free)), np.diff(pattern.indptr))
        kept = free[pattern.indices] & free[columns]
        number = np.cumsum(free) - 1
        counts = np.bincount(number[columns[kept]], minlength=int(free.sum()))
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return cls(body, loads, free, kept, number[pattern.indices[kept]].astype(np.int32), indptr)

    @cached_property
    def energy_scale(self) -> float:
        """Energy of strains of about one: its rounding is that of the energy [J]."""
        moduli = np.array([2.0 * material.lame[0] + abs(material.lame[1]) for material in self.body.materials])
        return float(moduli[self.body.regions] @ self.body.mesh.volumes)

    def energy(self, x: np.ndarray) -> float:
        """V less the work of loads since rest [J]."""
        return self.body.energy(x) - np.sum(self.loads * (x - self.body.rest))

    def forces(self, x: np.ndarray) -> np.ndarray:
        """All forces on nodes but those of supports [N]. (3n,)"""
        return (self.body.forces(x) + self.loads).ravel()

    def among_free(self, K: csc_array) -> csc_array:
        """The part of a matrix that is between free coordinates."""
        size = len(self.indptr) - 1
        return csc_array((K.data[self.kept], self.indices, self.indptr), shape=(size, size))


def find_equilibrium(
    body: "SoftBody",
    fixed: np.ndarray,
    loads: np.ndarray | None,
    start: np.ndarray | None,
    stops: tuple[float, int],
) -> Equilibrium:
    """Where a body is in balance; `stops` are the tolerance and the number of iterations. See SoftBody.equilibrium."""
    shape = body.rest.shape
    x = np.array(check_numbers(body.rest if start is None else start, "equilibrium: start [m]", shape))
    loads = np.zeros(shape) if loads is None else check_numbers(loads, "equilibrium: loads [N]", shape)
    check_positive(stops[0], "equilibrium: tolerance")
    free = ~_fixed(fixed, shape[0]).ravel()
    if not free.any():
        raise ValueError("equilibrium: all nodes are fixed; leave some free")
    _check_held(x, ~free)
    return _search(Problem.of(body, loads, free), x, stops)


def _search(problem: Problem, x: np.ndarray, stops: tuple[float, int]) -> Equilibrium:
    (tolerance, iterations), free = stops, problem.free
    ended, energy = f"not converged after {iterations} iterations", problem.energy(x)
    for count in range(iterations + 1):
        f = problem.forces(x)
        K = problem.among_free(problem.body.stiffness(x))
        left, enough = np.abs(f[free]).max(), _enough(problem, x, f, K, tolerance)
        if left <= enough:
            ended = ""
            break
        if count == iterations:
            break
        step = _descent(problem, x, K, f[free])
        whole = np.zeros(len(free))
        whole[free] = step
        taken = _line_search(problem, x, whole.reshape(x.shape), (energy, float(f[free] @ step)))
        if taken is None:
            ended = f"stopped after {count} iterations: no step along the descent lowers the energy any more"
            break
        x, energy = taken
    if ended:
        ended += f"; a force of {left:.3g} N is left on a free node, {enough:.3g} N was asked for"
        warnings.warn(f"equilibrium: {ended}", RuntimeWarning, stacklevel=4)
    reactions = np.where(free, 0.0, -f).reshape(x.shape)
    return Equilibrium(x, reactions, float(energy), float(left), count, not ended, ended or _told(problem.body, x))


def _told(body: "SoftBody", x: np.ndarray) -> str:
    inverted = int((signed_volumes(x, body.mesh.tets) < 0.0).sum())
    return f"in balance, with {inverted} of {len(body.mesh.tets)} tetrahedra inverted" if inverted else "in balance"


def _enough(problem: Problem, x: np.ndarray, f: np.ndarray, K: csc_array, tolerance: float) -> float:
    """The largest force on a free node that counts as balance [N]."""
    held = np.abs(f[~problem.free]).max(initial=0.0)
    given = np.abs(problem.loads + problem.body.weight).max()
    size = np.ptp(x, axis=0).max() + np.ptp(problem.body.rest, axis=0).max()
    return max(tolerance * max(held, given), ROUNDING * np.abs(K.data).max(initial=0.0) * size)


def _descent(problem: Problem, x: np.ndarray, K: csc_array, f: np.ndarray) -> np.ndarray:
    """The step that solves K dx = f; if K is not definite, with the definite part of each tetrahedron's."""
    solve = _definite(K)
    if solve is None:
        K = problem.among_free(problem.body.definite_stiffness(x))
        diagonal = K.indices == np.repeat(np.arange(K.shape[1]), np.diff(K.indptr))
        shift = LEAST_SHIFT * (K.diagonal().mean() or 1.0)
        for _ in range(RAISES):
            K.data[diagonal] += shift
            solve = _definite(K)
            if solve is not None:
                break
            shift *= RAISE
    return f / shift if solve is None else solve(f)


def _definite(K: csc_array) -> Callable | None:
    """A solver of K, if it is positive definite."""
    options = {"SymmetricMode": True, "Equil": False}
    try:
        factors = splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError:  # singular
        return None
    on_diagonal = np.array_equal(factors.perm_r, factors.perm_c)
    return factors.solve if on_diagonal and (factors.U.diagonal() > 0.0).all() else None


def _line_search(
    problem: Problem, x: np.ndarray, step: np.ndarray, now: tuple[float, float]
) -> tuple[np.ndarray, float] | None:
    """(places, energy) after the largest part of a step that lowers the energy enough; None if no part does.

    `now`: the energy, and by how much it falls per part of the step. Where that is less than the rounding of the
    energy, a step counts that lowers the largest force.
    """
    energy, fall = now
    grain = 16.0 * EPS * (abs(energy) + problem.energy_scale)
    part = 1.0
    for _ in range(HALVINGS):
        there = x + part * step
        after = problem.energy(there)
        if np.isfinite(after) and after <= energy - DESCENT * part * fall:
            return there, after
        if abs(after - energy) <= grain and part * fall <= grain:
            before, then = (np.abs(problem.forces(place)[problem.free]).max() for place in (x, there))
            if then < before:
                return there, after
        part *= 0.5
    return None


def _fixed(fixed: object, nodes: int) -> np.ndarray:
    """Which coordinates are fixed. (n, 3)"""
    array, marked = np.asarray(fixed), np.zeros((nodes, 3), bool)
    if array.dtype == bool and array.shape in ((nodes,), (nodes, 3)):
        return marked | (array[:, None] if array.ndim == 1 else array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ValueError(
            f"equilibrium: `fixed` must be numbers of nodes, or marks of shape ({nodes},) or ({nodes}, 3), and is "
            f"{array.dtype} of shape {array.shape}"
        )
    wrong = (array < 0) | (array >= nodes)
    if wrong.any():
        raise ValueError(f"equilibrium: `fixed` names node {array[np.argmax(wrong)]}; there are 0 to {nodes - 1}")
    marked[array.astype(int)] = True
    return marked


def _check_held(x: np.ndarray, fixed: np.ndarray) -> None:
    """Raise a ValueError if the body can move as a whole although these coordinates are fixed."""
    arm = x - x.mean(axis=0)
    size = np.abs(arm).max() or 1.0
    motions = [np.broadcast_to(axis, x.shape) for axis in np.eye(3)] + [
        np.cross(axis, arm / size) for axis in np.eye(3)
    ]
    held = np.stack([motion.ravel()[fixed] for motion in motions], axis=1)
    values = np.linalg.svd(held, compute_uv=False) if len(held) else np.zeros(6)
    if len(values) < 6 or values[-1] <= LOOSE * max(values[0], 1e-300):
        raise ValueError(
            "equilibrium: the fixed nodes let the body move as a whole; fix three nodes that are not in line, or more"
        )
