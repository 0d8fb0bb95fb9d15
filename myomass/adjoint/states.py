"""Reverse differentiation of a stage with states z of muscles, which were solved for inside of it, or with constraints.

    z = z_hat + zdot(q, qdot, z, u)/alpha,   dzdot = K_z dq + D_z dqdot + Z dz + U du,   dr = ... + R dz + R_u du

With W = (1 - Z/alpha)^-1 the states follow the path, and M, D and K of the stage are

    K + R W K_z/alpha,   D + R W D_z/alpha

The kernels of strained.py take this muscle by muscle.
"""

import numpy as np

from . import strained
from .found import Found, Place


def room_for(sweep, count: int) -> tuple[np.ndarray, ...]:
    """Room for what a stage gives back: (lambda, q, qdot), states, excitations, multipliers and the bars of rows."""
    model = sweep.rollout.model
    n, most = model.ndof, len(model.constraints.levels)
    out, both, u = (count, 3, n), (count, 2, model.nz), (count, len(model.muscles.hills))
    return np.empty(out), np.empty(both), np.empty(u), np.empty(most), np.zeros((count, 2, most))


def reverse_implicit(sweep, step: int, alpha: float, place: Place, bars: tuple, rates: tuple) -> Found:
    """Bars of q_hat, v_hat and z_hat, from bars = (q, qdot, z) and rates = (qddot, zdot)."""
    (q, qdot, z), (qddot, zdot), given, states = bars, rates, sweep.given, sweep.given_states
    given[:, 0], given[:, 1], given[:, 2], states[:, 0], states[:, 1] = q, qdot, qddot, z, zdot
    room, tau = room_for(sweep, len(q)), sweep.rollout.torques(step)
    handles = sweep.scratch.handle, sweep.strands.handle
    count = strained.reverse_implicit(*handles, place.t, alpha, *place[1:], tau, given, states, *room)
    if count < 0:
        raise sweep.singular(step)
    out, both, u, multipliers, nu = room
    return Found(out[:, 0], out[:, 1], out[:, 2], both[:, 0], both[:, 1], u, multipliers[:count], nu[:, :, :count])


def reverse_explicit(
    sweep, step: int, place: Place, qddot: np.ndarray, states: np.ndarray, solved: float = 0.0
) -> Found:
    """Bars of q, qdot and z, from those of qddot and zdot.

    solved: the length of a step that solves for the states at its end, of which `states` are the bars then.
    """
    room, tau = room_for(sweep, len(qddot)), sweep.rollout.torques(step)
    handles = sweep.scratch.handle, sweep.strands.handle
    count = strained.reverse_explicit(*handles, place.t, solved, *place[1:], tau, qddot, states, *room)
    if count < 0:
        raise sweep.singular(step)
    out, both, u, multipliers, nu = room
    return Found(out[:, 0], out[:, 1], out[:, 2], both[:, 0], states, u, multipliers[:count], nu[:, :, :count])
