"""Implicit methods for stiff forces: BDF1 (implicit Euler), BDF2 and SDIRK2. Each stage is one of newton.py's.

BDF1      alpha = 1/h, q_hat = q, v_hat = qdot
BDF2      with w = h/h_before:  alpha = (1 + 2 w)/((1 + w) h),  q_hat = ((1 + w)^2 q - w^2 q_before)/(1 + 2 w), v_hat
          likewise; steps may change their length. Without a row before (at the start, after an event), or where a step
          is much longer than the one before, SDIRK2 takes it.
SDIRK2    two stages of alpha = 1/(a h), a = 1 - 1/sqrt(2), at t + a h and t + h; L-stable.
          First from (q, qdot), then from q_hat = q + (1 - a) h qdot_a, v_hat = qdot + (1 - a) h qddot_a.
"""

from collections.abc import Callable

import numpy as np

from .._jit import kernel
from .base import FAILED, OK, STEP_BEFORE
from .controller import update_torques

BDF1, BDF2, SDIRK2 = 0, 1, 2
A = 1.0 - np.sqrt(0.5)
MOST_GROWTH = 2.0  # from step to step that BDF2 bears (it is stable up to 1 + sqrt(2))
MOST_HALVINGS = 10


@kernel
def look_back(h, state, q_hat, v_hat):
    """alpha of BDF2, and its q_hat and v_hat."""
    q, qdot, q_before, v_before, memory = state
    w = h / memory[STEP_BEFORE]
    now, past = (1.0 + w) ** 2 / (1.0 + 2.0 * w), -w * w / (1.0 + 2.0 * w)
    for k in range(q.shape[0]):
        q_hat[k] = now * q[k] + past * q_before[k]
        v_hat[k] = now * qdot[k] + past * v_before[k]
    return (1.0 + 2.0 * w) / ((1.0 + w) * h)


@kernel
def copy_state(state, kept):
    """Keep q, qdot and the row before."""
    for i in range(4):
        for k in range(state[0].shape[0]):
            kept[i, k] = state[i][k]


@kernel
def restore_state(state, kept):
    """Stand where `copy_state` was."""
    for i in range(4):
        for k in range(state[0].shape[0]):
            state[i][k] = kept[i, k]


def make_step(solve_stage: Callable) -> Callable:
    """The kernel of a step whose stages are solved by a given kernel: of a tree, or under constraints."""

    @kernel(inline=False)
    def one_step(scheme, t, h, state, run):
        """One step of a scheme, in one stage or two."""
        q, qdot, q_before, v_before, memory = state
        scratch = run[3]
        q_new, v_new, qddot, q_hat, v_hat = scratch[3], scratch[4], scratch[5], scratch[6], scratch[7]
        n = q.shape[0]
        no_row = memory[STEP_BEFORE] == 0.0 or h > MOST_GROWTH * memory[STEP_BEFORE]
        two_stages = scheme == SDIRK2 or (scheme == BDF2 and no_row)
        alpha, ahead = (1.0 / (A * h), A * h) if two_stages else (1.0 / h, h)
        for k in range(n):
            q_hat[k], v_hat[k], v_new[k] = q[k], qdot[k], qdot[k]
        if scheme == BDF2:
            if not two_stages:
                alpha = look_back(h, state, q_hat, v_hat)
            memory[STEP_BEFORE] = h
            for k in range(n):
                q_before[k], v_before[k] = q[k], qdot[k]
        for stage in range(2 if two_stages else 1):
            if stage == 1:
                ahead, rest = h, (1.0 - A) * h
                for k in range(n):
                    q_hat[k] = q[k] + rest * v_new[k]
                    v_hat[k] = qdot[k] + rest * qddot[k]
            update_torques(t + ahead, q, qdot, run[2])
            if solve_stage(t + ahead, alpha, q_hat, v_hat, q_new, v_new, qddot, memory, run) == FAILED:
                return FAILED
        for k in range(n):
            q[k], qdot[k] = q_new[k], v_new[k]
        return OK

    @kernel(inline=False)
    def step(scheme, t, h, state, run):
        """One step; where there is no solution, as up to 2^MOST_HALVINGS shorter ones."""
        memory, kept = state[4], run[3][8:12]
        step_before = memory[STEP_BEFORE]
        copy_state(state, kept)
        pieces, done = 1, 0
        while done < pieces:
            if one_step(scheme, t + done * (h / pieces), h / pieces, state, run) == OK:
                done += 1
                continue
            if pieces == 2**MOST_HALVINGS:
                return FAILED
            pieces, done = 2 * pieces, 0
            memory[STEP_BEFORE] = step_before
            restore_state(state, kept)
        return OK

    return step
