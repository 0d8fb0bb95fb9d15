"""A motion over all of its variable, what lies before and after its pieces included, and its integral."""

import numpy as np

from .motion import Motion


def everywhere(motion: Motion) -> Motion:
    """The same motion as pieces whose ends go on: held ends are pieces of their own. Not of a sine."""
    if motion.wave:
        raise ValueError("a sine is no curve of polynomials; give it as pieces")
    if not motion.moves:
        return Motion.pieces([0.0, 1.0], motion.coefficients, goes_on=True)
    breaks, rows = motion.breaks, motion.coefficients
    if motion.goes_on:
        return motion
    before, after = np.zeros((2, 1, rows.shape[1]))
    last = breaks[-1] - breaks[-2]
    before[0, 0], after[0, 0] = rows[0, 0], rows[-1] @ last ** np.arange(rows.shape[1])
    wider = np.array([breaks[0] - last, *breaks, breaks[-1] + last])
    return Motion.pieces(wider, np.vstack([before, rows, after]), goes_on=True)


def primitive(motion: Motion) -> Motion:
    """A motion whose rate is the given one everywhere; a sine with an offset has none of this form.

    Beyond pieces whose end values are held it is a straight line.
    """
    if motion.wave:
        amplitude, rate, phase, offset = motion.wave
        if offset != 0.0 or rate == 0.0:
            raise ValueError("the integral of a sine with an offset, or without a rate, is not made here")
        return Motion.sine(amplitude / rate, rate, phase - 0.5 * np.pi)
    whole = everywhere(motion)
    breaks, rows = whole.breaks, whole.coefficients
    count, width = rows.shape
    raised = np.column_stack([np.zeros(count), rows / np.arange(1, width + 1)])
    rise = np.sum(raised * np.diff(breaks)[:, None] ** np.arange(width + 1), axis=1)
    raised[:, 0] = np.concatenate([[0.0], np.cumsum(rise)[:-1]])
    return Motion.pieces(breaks, raised, goes_on=True)
