"""Cumulative uniform cubic splines on SE(3) (Kim et al. 1995; supplement Eq. 52-59 and Alg. 4, corrected).

    Q(u) = C_s exp(D_{s+1} B2(u)) exp(D_{s+2} B3(u)) exp(D_{s+3} B4(u)),   D_i = log(C_{i-1}^-1 C_i)

with any cumulative basis (bases.py). A curve is packed into numbers as [frames, closed, then for each frame its D (6),
R (9) and p (3)], after the mark of its basis. A closed curve of n frames has n segments and repeats; an open one has
n - 3, and goes on as its end segments' polynomials outside. Of Bezier segments, each from every third frame on, it has
n/3 or (n - 1)/3.
"""

import numpy as np

from .._jit import kernel
from . import se3
from .algebra import add, load3, scale
from .bases import basis_of, count_segments, cumulative_basis, header, segment_of, window_step
from .se3 import Ad_inverse_twist, ad_twist, compose, pose_exp

FRAME = 18  # numbers per frame


@kernel
def control_step(params, at):
    """D, the twist from the frame before to the frame packed at `at`."""
    return load3(params[at : at + 3]), load3(params[at + 3 : at + 6])


@kernel
def control_frame(params, at):
    """(R, p), the frame packed at `at`."""
    R = (load3(params[at + 6 : at + 9]), load3(params[at + 9 : at + 12]), load3(params[at + 12 : at + 15]))
    return R, load3(params[at + 15 : at + 18])


@kernel(inline=False)
def curve(params, at, q):
    """(Q, S, dS/dq) of the packed curve at q: pose, twist per q and its derivative (Alg. 4, corrected)."""
    kind, at = basis_of(params, at)
    n, closed = int(params[at]), params[at + 1] != 0.0
    s = segment_of(q, count_segments(kind, n), closed)
    first, window = at + 2, window_step(kind) * s
    B, dB, ddB = cumulative_basis(kind, q - s)
    R, p = control_frame(params, first + FRAME * (window % n))
    o = q * 0.0
    S, dS = ((o, o, o), (o, o, o)), ((o, o, o), (o, o, o))
    for i in range(3):
        w, v = control_step(params, first + FRAME * ((window + i + 1) % n))
        Ri, pi = pose_exp(scale(B[i], w), scale(B[i], v))
        R, p = compose(R, p, Ri, pi)
        w1, v1 = scale(dB[i], w), scale(dB[i], v)
        turned = ad_twist(S[0], S[1], w1, v1)
        dS = Ad_inverse_twist(Ri, pi, add(dS[0], turned[0]), add(dS[1], turned[1]))
        dS = add(dS[0], scale(ddB[i], w)), add(dS[1], scale(ddB[i], v))
        S = Ad_inverse_twist(Ri, pi, S[0], S[1])
        S = add(S[0], w1), add(S[1], v1)
    return (R, p), S, dS


# --- arrays -------------------------------------------------------------------------------------------------------


def pack_curve(frames: np.ndarray, closed: bool, kind: int) -> np.ndarray:
    """The numbers of a curve with control frames (n, 4, 4)."""
    frames = np.asarray(frames, float)
    steps = [se3.log(se3.inverse(frames[i - 1]) @ frames[i]) for i in range(len(frames))]
    rows = [np.concatenate([D, C[:3, :3].ravel(), C[:3, 3]]) for D, C in zip(steps, frames, strict=True)]
    return np.concatenate([header(kind), [len(frames), float(closed)], *rows])
