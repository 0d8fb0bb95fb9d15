"""Type II muscles as Eulerian-on-Lagrangian strands (dissertation ch. 5.3.2), for readers and as a check.

A strand through points x_0 ... x_n+1 keeps, beside their places, the material coordinate s_i that each point holds at
the moment; with equal strain everywhere s_i is the fraction of the length times that of the material at rest. Then

    dx_alpha/dt = J_az (dx/dt, ds/dt),    ds/dt = J_sx dx/dt           (Eq. 5.12, 5.34)

The kernels of paths use the explicit form instead: a mass point sits at its fraction alpha of the present length. Both
are the same motion. (Fdot = (dv - F ds/dt)/Delta s; the sign printed in Eq. 5.35 is wrong.)
"""

from typing import NamedTuple

import numpy as np

from ..spatial.brief import brief
from ..spatial.checks import check_numbers


@brief
class Strand(NamedTuple):
    """Jacobians of a strand of n inner points with k mass points, and their time derivatives."""

    J_sx: np.ndarray  # (n, 3 (n + 2))
    Jdot_sx: np.ndarray
    J_az: np.ndarray  # columns: all x, then the s of inner points, (3 k, 3 (n + 2) + n)
    Jdot_az: np.ndarray

    @property
    def J_ax(self) -> np.ndarray:
        """J_az (I; J_sx): mass points from path points alone. (3 k, 3 (n + 2))"""
        split = self.J_sx.shape[1]
        return self.J_az[:, :split] + self.J_az[:, split:] @ self.J_sx

    @property
    def Jdot_ax(self) -> np.ndarray:
        """Time derivative of J_ax. (3 k, 3 (n + 2))"""
        split = self.J_sx.shape[1]
        moved = self.Jdot_az[:, split:] @ self.J_sx + self.J_az[:, split:] @ self.Jdot_sx
        return self.Jdot_az[:, :split] + moved


def strand_jacobians(x: np.ndarray, xdot: np.ndarray, fractions: np.ndarray) -> Strand:
    """Jacobians of mass points at fractions of a strand through points x [m], (n + 2, 3), that move at xdot [m/s]."""
    x = check_numbers(x, "x, the points of a strand [m],", (None, 3))
    xdot = check_numbers(xdot, "xdot", x.shape)
    fractions = check_numbers(fractions, "fractions", (None,))
    if len(x) < 2 or ((fractions < 0) | (fractions > 1)).any():
        raise ValueError("a strand needs two or more points, and mass points at fractions between 0 and 1")
    n = len(x) - 2
    dx, dv = np.diff(x, axis=0), np.diff(xdot, axis=0)
    length = np.linalg.norm(dx, axis=1)
    if not length.all():
        raise ValueError("neighbouring points of a strand coincide")
    e = dx / length[:, None]
    rate = np.einsum("ij,ij->i", e, dv)
    edot = (dv - e * rate[:, None]) / length[:, None]
    s = np.concatenate([[0.0], np.cumsum(length)]) / length.sum()
    L, S, X = _bands(length), _differences(np.diff(s)), _directions(e)
    J_sx = -np.linalg.solve(L, S @ X) if n else np.zeros((0, 3 * (n + 2)))
    sdot = np.concatenate([[0.0], J_sx @ xdot.ravel(), [0.0]])
    changes = _bands(rate) @ J_sx + _differences(np.diff(sdot)) @ X + S @ _directions(edot)
    Jdot_sx = -np.linalg.solve(L, changes) if n else J_sx
    J_az, Jdot_az = _mass_points(dx, dv, s, sdot, fractions)
    return Strand(J_sx, Jdot_sx, J_az, Jdot_az)


def _bands(length: np.ndarray) -> np.ndarray:
    """L of Eq. 5.20. (n, n)"""
    n = len(length) - 1
    return np.diag(length[:-1] + length[1:]) - np.diag(length[: n - 1], 1) - np.diag(length[2:], -1)


def _differences(ds: np.ndarray) -> np.ndarray:
    """Delta S of Eq. 5.21. (n, n + 1)"""
    n = len(ds) - 1
    S = np.zeros((n, n + 1))
    S[np.arange(n), np.arange(n)], S[np.arange(n), np.arange(1, n + 1)] = -ds[1:], ds[:-1]
    return S


def _directions(e: np.ndarray) -> np.ndarray:
    """Delta X bar of Eq. 5.22. (n + 1, 3 (n + 2))"""
    X = np.zeros((len(e), 3 * (len(e) + 1)))
    for i, direction in enumerate(e):
        X[i, 3 * i : 3 * i + 6] = np.concatenate([-direction, direction])
    return X


def _mass_points(dx: np.ndarray, dv: np.ndarray, s: np.ndarray, sdot: np.ndarray, fractions: np.ndarray) -> tuple:
    """(J_az, Jdot_az) of Eq. 5.34, the columns of the ends' s left out: no material flows past them."""
    n = len(s) - 2
    J, Jdot = np.zeros((2, 3 * len(fractions), 4 * (n + 2)))
    for k, alpha in enumerate(fractions):
        i = min(np.searchsorted(s, alpha, side="right") - 1, n)
        ds, dsdot = s[i + 1] - s[i], sdot[i + 1] - sdot[i]
        F = dx[i] / ds
        Fdot = (dv[i] - F * dsdot) / ds
        beta = (alpha - s[i]) / ds
        rate = -((1 - beta) * sdot[i] + beta * sdot[i + 1]) / ds
        rows = slice(3 * k, 3 * k + 3)
        for j, share, change in ((i, 1 - beta, -rate), (i + 1, beta, rate)):
            J[rows, 3 * j : 3 * j + 3], Jdot[rows, 3 * j : 3 * j + 3] = share * np.eye(3), change * np.eye(3)
            J[rows, 3 * (n + 2) + j], Jdot[rows, 3 * (n + 2) + j] = -share * F, -change * F - share * Fdot
    kept = np.r_[: 3 * (n + 2), 3 * (n + 2) + 1 : 4 * (n + 2) - 1]
    return J[:, kept], Jdot[:, kept]
