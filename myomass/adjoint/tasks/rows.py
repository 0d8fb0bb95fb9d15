"""Rows of a run that stand at given times."""

from collections.abc import Sequence

import numpy as np

from ...spatial.checks import check_numbers
from ..rollout import Rollout

CLOSE = 1e-6  # of a step: a time that is meant to be a row's


def rows_at(rollout: Rollout, at: float | Sequence[float] | None, who: str) -> list[int]:
    """Row numbers of the times `at` [s], of the end where None. Raises a ValueError if a time is none of the rows'."""
    if at is None:
        return [rollout.steps]
    times = check_numbers(np.atleast_1d(at), f"{who}: times", (None,))
    if not len(times):
        raise ValueError(f"{who}: give one time at least")
    rows = np.searchsorted(rollout.t, times)
    rows = np.clip(rows, 1, rollout.steps)
    rows -= np.abs(rollout.t[rows - 1] - times) < np.abs(rollout.t[rows] - times)
    off = np.abs(rollout.t[rows] - times) > CLOSE * np.diff(rollout.t).max()
    if off.any():
        raise ValueError(
            f"{who}: no step of the run ends at {times[off][0]:g} s; its rows are from {rollout.t[0]:g} to "
            f"{rollout.t[-1]:g} s, {rollout.t[1] - rollout.t[0]:g} s apart"
        )
    return rows.tolist()
