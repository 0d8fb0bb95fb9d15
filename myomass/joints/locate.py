"""A search for the coordinates of a joint at a given pose, for joints without a formula of their own.

Gauss-Newton on the twist that is missing, e = log(Q(q)^-1 E): q <- q + S(q)^+ e, with shorter steps where that is
worse, from several starts; the result nearest to E is taken.
"""

import numpy as np

from ..spatial import se3
from .base import Joint

MOST_STEPS, MOST_HALVINGS = 60, 12
FOUND = 1e-13  # of a radian or metre, in the missing twist


def missing(joint: Joint, q: np.ndarray, E: np.ndarray) -> np.ndarray:
    """e = log(Q(q)^-1 E), the twist that takes the joint at q to the pose E. (6,)"""
    return se3.log(se3.inverse(joint.Q(q)) @ E)


def search(joint: Joint, E: np.ndarray) -> np.ndarray:
    """q at which Q(q) is nearest to E. (ndof,)"""
    best, least = np.zeros(joint.ndof), np.inf
    for start in joint.guesses():
        q, miss = _descend(joint, start, E)
        if miss < least:
            best, least = q, miss
        if least < FOUND:
            break
    return best


def _descend(joint: Joint, q: np.ndarray, E: np.ndarray) -> tuple[np.ndarray, float]:
    """(q, |e|) at which no step makes the missing twist smaller, from a start q."""
    e = missing(joint, q, E)
    for _ in range(MOST_STEPS):
        miss = np.linalg.norm(e)
        step = np.linalg.lstsq(joint.S(q), e, rcond=1e-12)[0]
        if miss == 0.0 or np.linalg.norm(step) < FOUND * (1.0 + np.linalg.norm(q)):
            break
        for halving in range(MOST_HALVINGS):
            there = q + step * 0.5**halving
            e_there = missing(joint, there, E)
            if np.linalg.norm(e_there) < miss:
                q, e = there, e_there
                break
        else:
            break
    return q, float(np.linalg.norm(e))
