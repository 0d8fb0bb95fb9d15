"""Reverse differentiation of a stage with states z of muscles, which were solved for inside of it, or with constraints.

    z = z_hat + zdot(q, qdot, z, u)/alpha,   dzdot = K_z dq + D_z dqdot + Z dz + U du,   dr = ... + R dz + R_u du

With W = (1 - Z/alpha)^-1 the states follow the path, and M, D and K of the stage are

    K + R W K_z/alpha,   D + R W D_z/alpha
"""

import numpy as np

from . import stages
from .found import Found, Place
from .rows import Bound


def slopes_at(sweep, place: Place) -> tuple[np.ndarray, ...]:
    """(M, D, K, R, R_u, K_z, D_z, Z, U) with the states held."""
    model, matrices = sweep.rollout.model, sweep.scratch.matrices
    n, m, count = model.ndof, model.nz, len(model.muscles.hills)
    S = np.zeros((n + m, 2 * n + m + count))
    if m:
        stages.linear_with_states(sweep.scratch.handle, *place, S)
    else:
        stages.linear_here(sweep.scratch.handle, *place[:4])
    K_z, D_z, Z, U = np.split(S[n:], [n, 2 * n, 2 * n + m], axis=1)
    R, R_u = np.split(S[:n, 2 * n :], [m], axis=1)
    return matrices.M.copy(), matrices.D.copy(), matrices.K.copy(), R, R_u, K_z, D_z, Z, U


def reverse_implicit(sweep, step: int, alpha: float, place: Place, bars: tuple, rates: tuple) -> Found:
    """Bars of q_hat, v_hat and z_hat, from bars = (q, qdot, z) and rates = (qddot, zdot)."""
    M, D, K, R, R_u, K_z, D_z, Z, U = slopes_at(sweep, place)
    (q, qdot, z), (qddot, zdot) = bars, rates
    W = np.linalg.inv(np.eye(len(Z)) - Z / alpha)
    K, D = K + R @ W @ K_z / alpha, D + R @ W @ D_z / alpha
    y = (z + alpha * zdot) @ W
    q, qdot = q + y @ K_z / alpha, qdot + y @ D_z / alpha
    rhs = -(qdot + q / alpha + alpha * qddot)
    multipliers, nu = sweep.no_rows
    if sweep.rollout.model.constraints.count:
        bound = Bound(sweep.scratch, place, sweep.rollout.torques(step), True)
        K = K - bound.by_force
        lam, nu = bound.solve(alpha * M + D + K / alpha, bound.by_qdot + bound.by_q / alpha, rhs)
        q, multipliers, nu = q + nu @ bound.by_q, bound.multipliers, bound.both(nu)
    else:
        lam = np.linalg.solve((alpha * M + D + K / alpha).T, rhs.T).T
    y = y + lam @ R @ W
    u = y @ U / alpha + lam @ R_u
    return Found(lam, q + lam @ K, -alpha * (qddot + lam @ M), y - alpha * zdot, y / alpha, u, multipliers, nu)


def reverse_explicit(sweep, step: int, place: Place, qddot: np.ndarray, zdot: np.ndarray) -> Found:
    """Bars of q, qdot and z, from those of qddot and zdot."""
    M, D, K, R, R_u, K_z, D_z, Z, U = slopes_at(sweep, place)
    multipliers, nu = sweep.no_rows
    q, qdot = zdot @ K_z, zdot @ D_z
    if sweep.rollout.model.constraints.count:
        bound = Bound(sweep.scratch, place, sweep.rollout.torques(step), False)
        K = K - bound.by_force
        lam, nu = bound.solve(M, bound.G, -qddot)
        q, qdot = q + nu @ bound.by_q, qdot + nu @ bound.by_qdot
        multipliers, nu = bound.multipliers, bound.both(nu)
    else:
        lam = -np.linalg.solve(M, qddot.T).T
    u = lam @ R_u + zdot @ U
    return Found(lam, lam @ K + q, lam @ D + qdot, lam @ R + zdot @ Z, zdot, u, multipliers, nu)
