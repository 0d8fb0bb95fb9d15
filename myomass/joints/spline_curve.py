"""Spline curve: the frame runs along a cubic spline shaped by control frames (supplement section 5.2, Alg. 4)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import scale
from ..spatial.bases import BEZIER, NAMES, count_segments, number_of
from ..spatial.checks import check_frame, check_numbers
from ..spatial.spline import curve, pack_curve
from .base import Joint, add_partial, set_column


@kernel(inline=False)
def motion(params, at, q, qdot, dof, dofs):
    """Q, S and Sdot = dS/dq qdot of the packed curve."""
    Q, S, dS = curve(params, at, q[dof])
    set_column(dofs[dof], S, (scale(qdot[dof], dS[0]), scale(qdot[dof], dS[1])))
    return Q


@kernel(inline=False)
def partials(params, at, q, dof, dS):
    """dS/dq of the packed curve."""
    _, _, slope = curve(params, at, q[dof])
    add_partial(dS[0, 0], slope[0], slope[1])


class SplineCurve(Joint):
    """Motion along a curve shaped by frames (n, 4, 4); q counts segments, n of a closed one, n - 3 of an open one.

    basis: "b-spline" passes near its frames, C2; "catmull-rom" passes through them, C1: through frame k + 1 at q = k;
    "bezier" has segments of four frames that share their ends, m of an open one of 3 m + 1 frames and of a closed one
    of 3 m. It passes through these ends, C0, and C1 where the step from the frame before is the one to the next.
    """

    ndof = 1
    motion: ClassVar = motion
    partials: ClassVar = partials
    basis = NAMES[0]  # of joints pickled before there were others

    def __init__(self, frames: np.ndarray, closed: bool = True, basis: str = NAMES[0]):
        self.frames = check_numbers(frames, "SplineCurve: the frames", (None, 4, 4)).copy()
        self.closed, n = bool(closed), len(self.frames)
        bezier = number_of(basis, "SplineCurve") == BEZIER
        self.basis = basis
        least = (3 if bezier else 2) if closed else 4
        kind = "a closed" if closed else "an open"
        if n < least:
            raise ValueError(f"SplineCurve: {kind} curve needs at least {least} frames, and has {n}")
        if bezier and (n % 3 if closed else (n - 1) % 3):
            form = "3 m" if closed else "3 m + 1"
            raise ValueError(f"SplineCurve: {kind} curve of m Bezier segments has {form} frames, and this one {n}")
        for i, frame in enumerate(self.frames):
            check_frame(frame, f"SplineCurve: frame {i}")

    @property
    def segments(self) -> int:
        """How many segments it has: the length of its range of q."""
        kind, n = NAMES.index(self.basis), len(self.frames)
        if self.closed:
            return n // 3 if kind == BEZIER else n
        return count_segments(kind, n)

    def parameters(self) -> np.ndarray:
        """The packed curve. (2 + 18 n,), and one more of another basis than B-splines"""
        return pack_curve(self.frames, self.closed, NAMES.index(self.basis))

    def guesses(self) -> list[np.ndarray]:
        """Two coordinates in every segment, a list of (1,)."""
        return [np.array([q]) for q in np.arange(0.0, self.segments + 0.25, 0.5)]

    def __repr__(self) -> str:
        basis = "" if self.basis == NAMES[0] else f", basis={self.basis!r}"
        return f"SplineCurve({len(self.frames)} frames, closed={self.closed}{basis})"
