"""Cumulative uniform cubic B-splines on SE(3) (Kim et al. 1995; supplement Eq. 52-59 and Alg. 4, corrected).

    Q(u) = C_s exp(D_{s+1} B2(u)) exp(D_{s+2} B3(u)) exp(D_{s+3} B4(u)),   D_i = log(C_{i-1}^-1 C_i)

A curve is packed into numbers as [frames, closed, then for each frame its D (6), R (9) and p (3)]. A closed curve of n
frames has n segments and repeats; an open one has n - 3, and goes on as its end segments' polynomials outside.
"""

import numpy as np

from .._jit import kernel
from . import se3
from .algebra import add, load3, scale
from .se3 import Ad_inverse_twist, ad_twist, compose, pose_exp

FRAME = 18  # numbers per frame


@kernel
def cumulative_basis(u):
    """(B2, B3, B4), their first and their second derivatives at u in [0, 1]."""
    v = 1.0 - u
    uu, vv = u * u, v * v
    value = (1.0 - vv * v / 6.0, (1.0 + u * (3.0 + u * (3.0 - 2.0 * u))) / 6.0, uu * u / 6.0)
    slope = (0.5 * vv, 0.5 + u * v, 0.5 * uu)
    return value, slope, (-v, 1.0 - 2.0 * u, u)


@kernel
def basis(u):
    """The four cubic B-spline weights, their first and their second derivatives at u in [0, 1] (Eq. 53, 58)."""
    B, dB, ddB = cumulative_basis(u)
    return (
        (1.0 - B[0], B[0] - B[1], B[1] - B[2], B[2]),
        (-dB[0], dB[0] - dB[1], dB[1] - dB[2], dB[2]),
        (-ddB[0], ddB[0] - ddB[1], ddB[1] - ddB[2], ddB[2]),
    )


@kernel
def segment_of(q, segments, closed):
    """Number of the segment that the parameter q lies in."""
    s = int(np.floor(q.real))
    return s if closed else min(max(s, 0), segments - 1)


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
    n, closed = int(params[at]), params[at + 1] != 0.0
    s = segment_of(q, n - 3, closed)
    first = at + 2
    B, dB, ddB = cumulative_basis(q - s)
    R, p = control_frame(params, first + FRAME * (s % n))
    o = q * 0.0
    S, dS = ((o, o, o), (o, o, o)), ((o, o, o), (o, o, o))
    for i in range(3):
        w, v = control_step(params, first + FRAME * ((s + i + 1) % n))
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


def pack_curve(frames: np.ndarray, closed: bool) -> np.ndarray:
    """The numbers of a curve with control frames (n, 4, 4)."""
    frames = np.asarray(frames, float)
    steps = [se3.log(se3.inverse(frames[i - 1]) @ frames[i]) for i in range(len(frames))]
    rows = [np.concatenate([D, C[:3, :3].ravel(), C[:3, 3]]) for D, C in zip(steps, frames, strict=True)]
    return np.concatenate([[len(frames), float(closed)], *rows])
