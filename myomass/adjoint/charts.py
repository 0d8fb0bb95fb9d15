"""Derivatives through a change of charts: the same rotation and angular velocity in other coordinates of a joint.

    q' = phi(q),   qdot' = C(q) qdot,   C = S'(q')^-1 S(q)

Both charts share the twist S qdot, so that dphi/dq = C too. How C changes along q' and q comes by complex steps.
"""

import numpy as np

from ..joints.chain import link_columns
from ..model import Model

STEP = 1e-30  # of a complex step


def pull_back(
    model: Model, old: tuple[np.ndarray, np.ndarray, np.ndarray], new: tuple[np.ndarray, np.ndarray, np.ndarray], bars
) -> np.ndarray:
    """Bars of (q, qdot) in old charts from those in new ones. (quantities, 2, ndof)

    old, new: (q, qdot, charts) of one state.
    """
    bars = bars.copy()
    before, after = model.with_charts(old[2]), model.with_charts(new[2])
    for i in model.charted:
        link = model.links[i : i + 1]
        own = slice(int(link["dof"][0]), int(link["dof"][0] + link["ndof"][0]))
        if np.array_equal(old[0][own], new[0][own]) and np.array_equal(before.params, after.params):
            continue  # charts may differ where coordinates do not, as at zero
        C, slope = _map(link, own, (before.params, *old[:2]), (after.params, new[0]))
        q_bar, v_bar = bars[:, 0, own].copy(), bars[:, 1, own].copy()
        bars[:, 0, own] = q_bar @ C + v_bar @ slope
        bars[:, 1, own] = v_bar @ C
    return bars


def _map(link: np.ndarray, own: slice, old: tuple, new: tuple) -> tuple[np.ndarray, np.ndarray]:
    """C of a joint, and the derivative of C qdot by its old coordinates."""
    (params, q, qdot), (params_new, q_new) = old, new
    still = np.zeros(len(q))
    S = link_columns(link, params, q, still).S
    C = _solve(link_columns(link, params_new, q_new, still).S, S)
    slope = np.empty_like(C)
    for k in range(C.shape[1]):
        stepped, stepped_new = q.astype(complex), q_new.astype(complex)
        stepped[own.start + k] += 1j * STEP
        stepped_new[own] += 1j * STEP * C[:, k]
        there = link_columns(link, params_new, stepped_new, still.astype(complex)).S
        rates = link_columns(link, params, stepped, still.astype(complex)).S @ qdot[own]
        slope[:, k] = _solve(there, rates).imag / STEP
    return C, slope


def _solve(S: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """Rates that have a twist, by the joint's columns, of which there are no more than rows."""
    return np.linalg.solve(S.T @ S, S.T @ twist)
