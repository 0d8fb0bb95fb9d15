"""Limit cycles: states that a return map brings back to themselves, and whether their neighbours come back too.

    P(x_1) = x_2, ..., P(x_k) = x_1, by Newton with the exact derivatives D_i of P at x_i
    multipliers: eigenvalues of D_k ... D_1; stable if all are smaller than one

The unknowns are the starts of all k strides (multiple shooting), which keeps long orbits as tame as short ones.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .return_map import ReturnMap, Stride

RANK = 1e-10  # part of the largest singular value of a derivative below which one counts as zero
MOST_HALVINGS = 12
SAME = 1e-6  # difference at which states of a cycle count as the same


@brief
class LimitCycle(NamedTuple):
    """A periodic motion.

    A return map forgets where on the motion a start was, and what its transitions stop: the multipliers that are zero
    for that reason (as many as its derivative lacks in rank) are left out; one is left out for a strike, three for a
    walker whose knee locks. `derivative` holds them all.
    """

    x: np.ndarray  # state at the start, (2n,)
    period: float  # of all strides together [s]
    multipliers: np.ndarray  # the largest first, complex
    derivative: np.ndarray  # D_k ... D_1, (2n, 2n)
    residual: float  # the largest entry by which a stride misses the start of the next one
    iterations: int
    stable: bool  # never of a search that did not converge
    events: tuple[Stride, ...]  # the strides, with times and states of all strikes
    periods: int  # strides after which it closes: fewer than asked for where it found a shorter cycle
    converged: bool
    message: str


def limit_cycle(
    return_map: ReturnMap,
    guess: np.ndarray,
    *,
    periods: int = 1,
    tolerance: float = 1e-12,
    most_iterations: int = 30,
) -> LimitCycle:
    """The cycle of so many strides near a guess: one state (2n,), or one for the start of each stride (periods, 2n).

    A damped Newton method. If it does not get below the tolerance it warns, and gives what it has.
    """
    cycle = search(return_map, guess, _whole(periods, "periods"), tolerance, _whole(most_iterations, "most_iterations"))
    if cycle.periods < len(cycle.events):  # a shorter cycle, run through several times
        strides = list(cycle.events[: cycle.periods])
        starts = np.array([cycle.x, *(stride.x for stride in strides[:-1])])
        cycle = _cycle(strides, starts, cycle.iterations, tolerance)._replace(message=cycle.message)
    if not cycle.converged:
        warnings.warn(f"limit_cycle: {cycle.message}", RuntimeWarning, stacklevel=2)
    return cycle


def search(return_map: ReturnMap, guess: np.ndarray, periods: int, tolerance: float, most: int) -> LimitCycle:
    """The cycle of `limit_cycle`, without a warning if it did not converge."""
    if not isinstance(return_map, ReturnMap):
        raise TypeError(f"limit_cycle: give an mm.walking.ReturnMap, not {return_map!r}")
    check_positive(tolerance, "limit_cycle: the tolerance")
    X = _starts(return_map, guess, periods)
    strides = _strides(return_map, X)
    if failed := _failure(strides):
        raise ValueError(f"limit_cycle: from the guess, {failed}: give a state nearer to the cycle")
    iterations, stuck = 0, False
    while iterations < most and not stuck and _residual(strides, X) > tolerance:
        change = _newton(strides, X)
        X, strides, stuck = _damped(return_map, X, strides, change)
        iterations += 1
    return _cycle(strides, X, iterations, tolerance)


def _starts(return_map: ReturnMap, guess: np.ndarray, periods: int) -> np.ndarray:
    """Starts of all strides, (periods, 2n): as given, or those that follow from a single state."""
    if np.ndim(guess) == 2:
        return check_numbers(guess, "limit_cycle: the guess", (periods, return_map.size)).copy()
    X = [check_numbers(guess, "limit_cycle: the guess", (return_map.size,))]
    for _ in range(periods - 1):
        stride = return_map(X[-1])
        if stride.failure:
            raise ValueError(f"limit_cycle: from the guess, {stride.failure}: give a state nearer to the cycle")
        X.append(stride.x)
    return np.array(X)


def _strides(return_map: ReturnMap, X: np.ndarray) -> list[Stride]:
    return [return_map(x, derivative=True) for x in X]


def _failure(strides: list[Stride]) -> str | None:
    return next((stride.failure for stride in strides if stride.failure), None)


def _misses(strides: list[Stride], X: np.ndarray) -> np.ndarray:
    """P(x_i) - x_(i + 1). (periods, 2n)"""
    return np.array([stride.x for stride in strides]) - np.roll(X, -1, axis=0)


def _residual(strides: list[Stride], X: np.ndarray) -> float:
    return float(np.abs(_misses(strides, X)).max())


def _newton(strides: list[Stride], X: np.ndarray) -> np.ndarray:
    """The change of all starts that closes the cycle to first order: D_i dx_i - dx_(i + 1) = -miss_i."""
    k, size = X.shape
    A = np.zeros((k, size, k, size))
    for i, stride in enumerate(strides):
        A[i, :, i] += stride.derivative
        A[i, :, (i + 1) % k] -= np.eye(size)
    return np.linalg.lstsq(A.reshape(k * size, k * size), -_misses(strides, X).ravel())[0].reshape(k, size)


def _damped(
    return_map: ReturnMap, X: np.ndarray, strides: list[Stride], change: np.ndarray
) -> tuple[np.ndarray, list[Stride], bool]:
    """(starts, strides, stuck) after the largest part of a change that makes the cycle close better."""
    part = 1.0
    for _ in range(MOST_HALVINGS):
        tried = X + part * change
        reached = _strides(return_map, tried)
        if not _failure(reached) and _residual(reached, tried) < _residual(strides, X):
            return tried, reached, False
        part *= 0.5
    return X, strides, True


def _cycle(strides: list[Stride], X: np.ndarray, iterations: int, tolerance: float) -> LimitCycle:
    """The limit cycle from its strides."""
    D = np.linalg.multi_dot([stride.derivative for stride in strides[::-1]]) if len(X) > 1 else strides[0].derivative
    values = multipliers(D, min(_rank(stride.derivative) for stride in strides))
    residual = _residual(strides, X)
    closes = next(k for k in range(1, len(X) + 1) if np.abs(np.roll(X, -k, axis=0) - X).max() < SAME)
    early = f", {closes} of {len(X)} strides being enough" if closes < len(X) else ""
    ended = f"the cycle closes to {residual:.2g} after {iterations} iterations{early}"
    converged = residual <= tolerance
    stable = bool(converged and np.abs(values).max(initial=0.0) < 1.0)
    period = float(sum(stride.period for stride in strides))
    found = X[0], period, values, D, residual, iterations, stable, tuple(strides), closes
    return LimitCycle(*found, converged, ended)


def _rank(D: np.ndarray) -> int:
    s = np.linalg.svd(D, compute_uv=False)
    return int((s > RANK * s[0]).sum())


def multipliers(D: np.ndarray, rank: int) -> np.ndarray:
    """Eigenvalues of a matrix of this rank but for its zeros, the largest first: those of V^T U S, D = U S V^T."""
    U, s, Vt = np.linalg.svd(D)
    values = np.linalg.eigvals(Vt[:rank] @ U[:, :rank] * s[:rank]).astype(complex)
    return values[np.lexsort((-values.imag, -np.abs(values).round(12)))]


def _whole(number: int, what: str) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise ValueError(f"limit_cycle: {what} is a whole number from 1 on, and is {number!r}")
    return int(number)


def check_values(values: Sequence[float], who: str) -> np.ndarray:
    """Values of a parameter, at least one."""
    values = check_numbers(values, f"{who}: the values", (None,))
    if not len(values):
        raise ValueError(f"{who}: give at least one value of the parameter")
    return values
