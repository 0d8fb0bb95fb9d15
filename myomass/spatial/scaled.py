"""A motion times a factor, plus a shift."""

from .motion import Motion


def scaled(motion: Motion, factor: float, shift: float = 0.0) -> Motion:
    """factor f(t) + shift of a motion f, with the same pieces, which go on beyond its ends as it does."""
    if motion.wave:
        amplitude, rate, phase, offset = motion.wave
        return Motion.sine(factor * amplitude, rate, phase, factor * offset + shift)
    rows = factor * motion.coefficients
    rows[:, 0] += shift
    if not motion.moves:
        return Motion(float(rows[0, 0]))
    return Motion.pieces(motion.breaks, rows, goes_on=motion.goes_on)
