"""A smooth motion until a guard falls through zero, by Dormand and Prince's 8(5,3), in real or in complex numbers.

Steps are chosen by real parts alone. The last one is a Runge-Kutta step of its own, as long as the guard allows:

    guard(step(y, tau)) = 0, by Newton in the numbers of y

so that with y = x + i e v the imaginary parts of state and time carry their derivatives along v, the strike's own shift
included (complex step; Squire and Trapp 1998).
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0  # of the next step, as usual with this method
SETTLED = 1e-13  # change of the last step's length, relative, at which Newton's method stops
TINY = 1e-30  # of a complex step
MOST_TRIES = 60  # to find the strike within a step
SHORTEST = 1e-13  # step, as a part of the time allowed


class Tableau(NamedTuple):
    """Coefficients of Dormand and Prince's 8(5,3)."""

    stages: list[np.ndarray]  # weights of the stages before each
    B: np.ndarray  # of the solution
    E5: np.ndarray  # of the two errors
    E3: np.ndarray


@cache
def tableau() -> Tableau:
    """The coefficients, from SciPy."""
    from scipy.integrate import DOP853  # it takes time to load

    stages = [np.ascontiguousarray(row[:s]) for s, row in enumerate(DOP853.A)]
    return Tableau(stages, DOP853.B, DOP853.E5, DOP853.E3)


class Flown(NamedTuple):
    """The end of a motion: state, time, and why it failed, if it did."""

    y: np.ndarray
    t: float  # complex where y is
    failure: str | None = None  # why the guard was not reached


class Motion(NamedTuple):
    """The rates of a smooth motion, and the functions that end it."""

    rates: Callable  # rates(y, out) fills out with dy/dt
    guard: Callable  # guard(y)
    ready: Callable | None  # ready(y): does a guard that falls through zero count here?
    lost: Callable | None  # lost(y): must the motion be given up?


class Limits(NamedTuple):
    """Tolerances of the steps, and how long a motion may take."""

    rtol: float
    atol: float
    longest: float  # time [s]
    longest_step: float  # [s]


def flow(motion: Motion, y: np.ndarray, limits: Limits) -> Flown:
    """(y, t, failure) where the guard, once positive, has fallen to zero."""
    K, strike = np.empty((13, len(y)), y.dtype), np.empty((13, len(y)), y.dtype)
    t, value, taken = 0.0, motion.guard(y).real, 1.0
    motion.rates(y, K[0])
    h = _first_step(motion, y, K[0], limits)
    while t < limits.longest:
        h = min(h, limits.longest_step)
        y_new, error = _tried(motion.rates, y, h, K, limits)
        if not error <= 1.0:
            taken, h = 0.0, h * (max(SHRINK, SAFETY * error**-0.125) if error < np.inf else SHRINK)
            if h < SHORTEST * limits.longest:
                return Flown(y, t, f"the motion cannot be followed any further than {t:.4g} s")
            continue
        value_new = motion.guard(y_new).real
        if not np.isfinite(value_new):
            return Flown(y, t, f"the guard is not a finite number after {t:.4g} s")
        if value > 0.0 >= value_new and _may_count(motion, y.real, y_new.real):
            strike[0] = K[0]
            y_end, tau = _struck(motion, y, h, strike, value / (value - value_new))
            if motion.ready is None or motion.ready(y_end.real):
                return Flown(y_end, t + tau)
        t, y, value = t + h, y_new, value_new
        if motion.lost is not None and motion.lost(y.real):
            return Flown(y, t, f"it is lost after {t:.4g} s")
        K[0] = K[12]
        h *= min(GROW if taken else 1.0, SAFETY * max(error, 1e-12) ** -0.125)
        taken = 1.0
    return Flown(y, t, f"nothing strikes within {limits.longest:g} s")


def _may_count(motion: Motion, *ends: np.ndarray) -> bool:
    """True if the motion is ready at one end of a step; the strike itself is checked when it is found."""
    return motion.ready is None or any(motion.ready(y) for y in ends)


def step(rates: Callable, y: np.ndarray, h: float, K: np.ndarray) -> np.ndarray:
    """y after a time h; K[0] holds the rates at y, and all rows do afterwards, the last one those at the end."""
    method = tableau()
    for s in range(1, 12):
        rates(y + h * (method.stages[s] @ K[:s]), K[s])
    y_new = y + h * (method.B @ K[:12])
    rates(y_new, K[12])
    return y_new


def _tried(rates: Callable, y: np.ndarray, h: float, K: np.ndarray, limits: Limits) -> tuple[np.ndarray | None, float]:
    """(y after a step, its error as a part of what is allowed); (None, inf) where rates have no value."""
    try:
        y_new = step(rates, y, h, K)
    except FloatingPointError:
        return None, np.inf
    slopes = K.real / (limits.atol + limits.rtol * np.maximum(np.abs(y.real), np.abs(y_new.real)))
    fifth, third = tableau().E5 @ slopes, tableau().E3 @ slopes
    fifth, third = fifth @ fifth, third @ third
    return y_new, h * fifth / np.sqrt((fifth + 0.01 * third) * len(y)) if fifth else 0.0


def _first_step(motion: Motion, y: np.ndarray, f: np.ndarray, limits: Limits) -> float:
    """A length from which the control of steps may start (Hairer, Norsett and Wanner 1993, II.4)."""
    scale, probe = limits.atol + limits.rtol * np.abs(y.real), np.empty_like(f)
    size, slope = np.abs(y.real / scale).max(), np.abs(f.real / scale).max()
    h = 0.01 * size / slope if min(size, slope) > 1e-5 else 1e-6
    motion.rates(y + h * f, probe)
    bend = np.abs((probe - f).real / scale).max() / h
    return min(100.0 * h, (0.01 / max(slope, bend, 1e-15)) ** 0.125)


def _struck(motion: Motion, y: np.ndarray, h: float, K: np.ndarray, part: float) -> tuple[np.ndarray, float]:
    """(y, tau) at the strike, between 0 and h from y, near part * h."""
    low, high, tau = 0.0, h, part * h
    for _ in range(MOST_TRIES):
        y_end = step(motion.rates, y, tau, K)
        value = motion.guard(y_end)
        low, high = (tau.real, high) if value.real > 0.0 else (low, tau.real)
        slope = np.imag(motion.guard(y_end.real + 1j * TINY * K[12].real)) / TINY
        if slope == 0.0 and np.iscomplexobj(y):
            raise ValueError(
                "the guard does not change with the imaginary parts of q and qdot, which carry derivatives: it must "
                "take complex vectors (no abs, float or real in it)"
            )
        change = value / slope if slope else np.inf
        if abs(change.real) <= SETTLED * h:
            return step(motion.rates, y, tau - change, K), tau - change
        tau = tau - change if low < (tau - change).real < high else 0.5 * (low + high)
    return y_end, tau
