"""Where material sits on a path: at s = p + alpha (L - p - d) from the first point, L the path's length.

p and d are the lengths of the proximal and the distal tendon as far as they keep them, zero where they stretch like the
rest, and alpha is the material's fraction of what stretches. So s is affine in L, and material moves along the path by
alpha dL: from 0 at the proximal tendon to the full excursion at the distal one. Where L <= p + d nothing is left to
stretch: whatever asks for a place then is nan, and `geometry.check_paths` says so.
"""

import numpy as np

from .._jit import kernel


@kernel
def measure(muscle, length, scratch):
    """Keep a path's length, and of what stretches where it begins, how long it is, and the inverse of that."""
    tendons, belly = muscle.proximal + muscle.distal, scratch.belly
    scratch.total[0] = length
    belly[0], belly[1] = length * 0.0 + muscle.proximal, length - tendons
    if tendons > 0.0 and not belly[1].real > 0.0:
        belly[1] *= np.nan
    belly[2] = 1.0 / belly[1] if belly[1].real > 0.0 else belly[1]


@kernel
def fraction_at(s, belly):
    """alpha of the material at the distance s along the path."""
    return (s - belly[0]) * belly[2]


@kernel
def distance_of(alpha, belly):
    """s, the distance along the path of the material alpha [m]."""
    return belly[0] + alpha * belly[1]
