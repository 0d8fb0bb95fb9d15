"""How the end of a step depends on when it begins and when it ends: bars of both, next to events.

A stage x = x_hat + h (v, a, zdot) that is longer by dh is one with x_hat moved by (v, a, zdot) dh, so that the bar of
its length is x_hat_bar . (v, a, zdot). What depends on time itself goes to the times between which the stage stands, as
a difference of fourth order.
"""

from collections.abc import Callable

import numpy as np

from .found import Found, Place

STEP = 1e-5  # [s], of what depends on time
STEP_OF_LENGTH = 1e-3  # [s], of momenta over a step, which are nearly linear in it
SHARE = 1e-3  # of a step, of what is divided by its length


def along(bars: tuple, rates: tuple) -> np.ndarray:
    """Bars of (q, qdot, z), times how they change. (quantities,)"""
    return sum(bar @ rate for bar, rate in zip(bars, rates, strict=True))


def lengthen(sweep, row: int, bar: np.ndarray) -> None:
    """Count the bar of the length of the step to a row."""
    sweep.bars.t[row] += bar
    sweep.bars.t[row - 1] -= bar


def see_time(sweep, row: int, weigh: Callable, stage: tuple) -> None:
    """Count what depends on time itself in a stage of the step to a row."""
    t, *rest = stage
    slope = _difference(lambda late: _weighed(sweep, weigh, (t + late, *rest)), STEP)
    begin, end = sweep.t[row - 1], sweep.t[row]
    share = (t - begin) / (end - begin)
    sweep.bars.t[row] += share * slope
    sweep.bars.t[row - 1] += (1.0 - share) * slope


def see_length(sweep, row: int, weigh: Callable, stages: Callable[[float], tuple], linear: bool = False) -> None:
    """Count how what is weighed changes with the length of the step to a row. stages: the one of a longer step.

    linear: is it nearly linear in it?
    """
    step = STEP_OF_LENGTH if linear else SHARE * (sweep.t[row] - sweep.t[row - 1])
    lengthen(sweep, row, _difference(lambda more: _weighed(sweep, weigh, stages(more)), step))


def see_ratio(sweep, row: int, found: Found, place: Place, before: tuple) -> None:
    """Count how a step of BDF2 to a row, with w = h/h_before, changes with both lengths.

    1/alpha = (1 + w) h/(1 + 2 w), and x_hat moves by 2 w (1 + w)/(1 + 2 w)^2 (x - x_before) dw. before: (q, qdot)
    """
    t, rollout, step = sweep.t, sweep.rollout, row - 1
    h, h_before = t[row] - t[step], t[step] - t[step - 1]
    w = h / h_before
    now, past = (1.0 + w) ** 2 / (1.0 + 2.0 * w), -w * w / (1.0 + 2.0 * w)
    alpha, bars = (1.0 + 2.0 * w) / ((1.0 + w) * h), (found.q, found.qdot, found.z)
    z, z_before = rollout.z[step], rollout.z[step - 1]
    longer = along(bars, (place.qdot, place.qddot, alpha * (place.z - now * z - past * z_before)))
    moved = along(bars, (rollout.q[step] - before[0], rollout.qdot[step] - before[1], z - z_before))
    by_ratio = (2.0 * w * (1.0 + w) * moved - h * longer) / (1.0 + 2.0 * w) ** 2
    lengthen(sweep, row, longer * (1.0 + w) / (1.0 + 2.0 * w) + by_ratio / h_before)
    lengthen(sweep, row - 1, -w / h_before * by_ratio)


def _weighed(sweep, weigh: Callable, stage: tuple) -> np.ndarray:
    products = np.zeros((1, sweep.bars.count))
    weigh(sweep.scratch.handle, *(np.array(x)[None] for x in stage), products)
    return products[0]


def _difference(function: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """Derivative at zero, to fourth order; exactly zero where nothing changes."""
    low, below, above, high = (function(k * step) for k in (-2, -1, 1, 2))
    return (8.0 * (above - below) - (high - low)) / (12.0 * step)
