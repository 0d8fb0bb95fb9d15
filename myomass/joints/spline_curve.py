"""Spline curve: the frame runs along a cubic B-spline shaped by control frames (supplement section 5.2, Alg. 4)."""

from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import scale
from ..spatial.bspline import curve, pack_curve
from ..spatial.checks import check_frame, check_numbers
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
    """Motion along a curve shaped by frames (n, 4, 4); q counts segments, n of a closed one, n - 3 of an open one."""

    ndof = 1
    motion: ClassVar = motion
    partials: ClassVar = partials

    def __init__(self, frames: np.ndarray, closed: bool = True):
        self.frames = check_numbers(frames, "SplineCurve: the frames", (None, 4, 4)).copy()
        self.closed = bool(closed)
        least = 2 if closed else 4
        if len(self.frames) < least:
            kind = "a closed" if closed else "an open"
            raise ValueError(f"SplineCurve: {kind} curve needs at least {least} frames, and has {len(self.frames)}")
        for i, frame in enumerate(self.frames):
            check_frame(frame, f"SplineCurve: frame {i}")

    def parameters(self) -> np.ndarray:
        """The packed curve. (2 + 18 n,)"""
        return pack_curve(self.frames, self.closed)

    def guesses(self) -> list[np.ndarray]:
        """Two coordinates in every segment, a list of (1,)."""
        segments = len(self.frames) if self.closed else len(self.frames) - 3
        return [np.array([q]) for q in np.arange(0.0, segments + 0.25, 0.5)]

    def __repr__(self) -> str:
        return f"SplineCurve({len(self.frames)} frames, closed={self.closed})"
