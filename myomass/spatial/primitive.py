"""The integral of a motion over all of its variable, what lies before and after its pieces included."""

import numpy as np

from .motion import Motion


def primitive(motion: Motion) -> Motion:
    """A motion whose rate is the given one everywhere; a sine with an offset has none of this form.

    Beyond pieces whose end values are held it is a straight line.
    """
    if motion.wave:
        amplitude, rate, phase, offset = motion.wave
        if offset != 0.0 or rate == 0.0:
            raise ValueError("the integral of a sine with an offset, or without a rate, is not made here")
        return Motion.sine(amplitude / rate, rate, phase - 0.5 * np.pi)
    if not motion.moves:
        return Motion.line(float(motion.coefficients[0, 0]))
    breaks, rows = motion.breaks, motion.coefficients
    if not motion.goes_on:
        breaks, rows = _with_held_ends(breaks, rows)
    count, width = rows.shape
    raised = np.column_stack([np.zeros(count), rows / np.arange(1, width + 1)])
    rise = np.sum(raised * np.diff(breaks)[:, None] ** np.arange(width + 1), axis=1)
    raised[:, 0] = np.concatenate([[0.0], np.cumsum(rise)[:-1]])
    return Motion.pieces(breaks, raised, goes_on=True)


def _with_held_ends(breaks: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(breaks, rows) with a constant piece before and after."""
    before, after = np.zeros((2, 1, rows.shape[1]))
    last = breaks[-1] - breaks[-2]
    before[0, 0], after[0, 0] = rows[0, 0], rows[-1] @ last ** np.arange(rows.shape[1])
    return np.array([breaks[0] - last, *breaks, breaks[-1] + last]), np.vstack([before, rows, after])
