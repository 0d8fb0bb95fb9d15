"""Implicit methods for stiff forces: BDF1 (implicit Euler), BDF2 and SDIRK2. Each stage is one of newton.py's.

BDF1      alpha = 1/h, q_hat = q, v_hat = qdot
BDF2      with w = h/h_before:  alpha = (1 + 2 w)/((1 + w) h),  q_hat = ((1 + w)^2 q - w^2 q_before)/(1 + 2 w), v_hat
          likewise; steps may change their length. Without a row before (at the start, after an event), or where a step
          is much longer than the one before, SDIRK2 takes it.
SDIRK2    two stages of alpha = 1/(a h), a = 1 - 1/sqrt(2), at t + a h and t + h; L-stable.
          First from (q, qdot), then from q_hat = q + (1 - a) h qdot_a, v_hat = qdot + (1 - a) h qddot_a.

States z of muscles take the same stages, z = z_hat + zdot/alpha; each muscle solves for its own inside of its force.
"""

import numpy as np

from .._jit import kernel
from .base import (
    FAILED,
    OK,
    PARTED,
    STEP_BEFORE,
    FixedStep,
    begin_step,
    close_stage,
    open_stage,
    stand_at,
    update_torques,
)
from .newton import TOLERANCE, solve_stage

ONE_STAGE, LOOKING_BACK, TWO_STAGES = 0, 1, 2  # schemes
A = 1.0 - np.sqrt(0.5)
MOST_GROWTH = 2.0  # from step to step that BDF2 bears (it is stable up to 1 + sqrt(2))
MOST_PARTS = 2**10  # of a step that has no solution as a whole
NO_SOLUTION = (
    "the implicit step from {t:.6g} s has no solution, not even in "
    f"{MOST_PARTS:,} parts: its residual stays at "
    "{residual:.2g} of the forces in balance "
    f"({TOLERANCE:g} is asked for); try a smaller step, and look for a force that jumps or explodes there"
)


@kernel
def look_back(h, run, q_hat, v_hat):
    """alpha of BDF2, and its q_hat and v_hat."""
    w, z_hat = h / run.memory[STEP_BEFORE], run.room[0]
    now, past = (1.0 + w) ** 2 / (1.0 + 2.0 * w), -w * w / (1.0 + 2.0 * w)
    for k in range(z_hat.shape[0]):
        z_hat[k] = now * run.z[k] + past * run.z_before[k]
    for k in range(run.q.shape[0]):
        q_hat[k] = now * run.q[k] + past * run.q_before[k]
        v_hat[k] = now * run.qdot[k] + past * run.qdot_before[k]
    return (1.0 + 2.0 * w) / ((1.0 + w) * h)


@kernel
def keep_state(run, kept):
    """Keep q, qdot, z and the row before."""
    for k in range(run.z.shape[0]):
        run.room[1, k], run.room[2, k] = run.z[k], run.z_before[k]
    for k in range(run.q.shape[0]):
        kept[0, k], kept[1, k], kept[2, k], kept[3, k] = run.q[k], run.qdot[k], run.q_before[k], run.qdot_before[k]


@kernel
def restore_state(run, kept):
    """Stand where `keep_state` was; what the constraints' forces were guessed from is forgotten."""
    for k in range(run.q.shape[0]):
        run.q[k], run.qdot[k], run.q_before[k], run.qdot_before[k] = kept[0, k], kept[1, k], kept[2, k], kept[3, k]
    for k in range(run.z.shape[0]):
        run.z[k], run.z_before[k] = run.room[1, k], run.room[2, k]
    for r in range(run.system.constraints.solver.lam.shape[0]):
        run.system.constraints.solver.lam[r] = 0.0


@kernel(inline=False)
def one_step(scheme, t, h, run):
    """One step of a scheme, in one stage or two."""
    q, qdot, memory, scratch = run.q, run.qdot, run.memory, run.scratch
    q_new, v_new, qddot, q_hat, v_hat = scratch[3], scratch[4], scratch[5], scratch[6], scratch[7]
    n, z_hat, drive = q.shape[0], run.room[0], run.system.muscles.drive
    begin_step(t, run)
    no_row = memory[STEP_BEFORE] == 0.0 or h > MOST_GROWTH * memory[STEP_BEFORE]
    two_stages = scheme == TWO_STAGES or (scheme == LOOKING_BACK and no_row)
    alpha, ahead = (1.0 / (A * h), A * h) if two_stages else (1.0 / h, h)
    for k in range(n):
        q_hat[k], v_hat[k], v_new[k] = q[k], qdot[k], qdot[k]
    for k in range(z_hat.shape[0]):
        z_hat[k] = run.z[k]
    if scheme == LOOKING_BACK:
        if not two_stages:
            alpha = look_back(h, run, q_hat, v_hat)
        memory[STEP_BEFORE] = h
        for k in range(n):
            run.q_before[k], run.qdot_before[k] = q[k], qdot[k]
        for k in range(z_hat.shape[0]):
            run.z_before[k] = run.z[k]
    for stage in range(2 if two_stages else 1):
        if stage == 1:
            ahead, rest = h, (1.0 - A) * h
            for k in range(n):
                q_hat[k] = q[k] + rest * v_new[k]
                v_hat[k] = qdot[k] + rest * qddot[k]
            for k in range(z_hat.shape[0]):
                z_hat[k] = run.z[k] + rest * drive.zdot[k]
            stand_at(run.z, run)
        update_torques(t + ahead, q, qdot, run)
        open_stage(t + ahead, alpha, 0.0, z_hat, run)
        if solve_stage(t + ahead, alpha, q_hat, v_hat, q_new, v_new, qddot, run) == FAILED:
            return FAILED
    for k in range(n):
        q[k], qdot[k] = q_new[k], v_new[k]
    close_stage(run)
    return OK


@kernel(unit=True)
def step_in_parts(scheme, t, h, run):
    """One step; where there is no solution, as up to MOST_PARTS shorter ones."""
    memory, kept = run.memory, run.scratch[8:12]
    step_before = memory[STEP_BEFORE]
    keep_state(run, kept)
    pieces, done = 1, 0
    while done < pieces:
        if one_step(scheme, t + done * (h / pieces), h / pieces, run) == OK:
            done += 1
            continue
        if pieces == MOST_PARTS:
            return FAILED
        pieces, done = 2 * pieces, 0
        memory[STEP_BEFORE] = step_before
        restore_state(run, kept)
    memory[PARTED] += 1.0 if pieces > 1 else 0.0
    return OK


@kernel
def step_bdf1(t, h, run):
    """A step of BDF1."""
    return step_in_parts(ONE_STAGE, t, h, run)


@kernel
def step_bdf2(t, h, run):
    """A step of BDF2."""
    return step_in_parts(LOOKING_BACK, t, h, run)


@kernel
def step_sdirk2(t, h, run):
    """A step of SDIRK2."""
    return step_in_parts(TWO_STAGES, t, h, run)


def _implicit(name: str, order: int, step) -> FixedStep:
    return FixedStep(name, order, step, implicit=True, rates=True, states=True, soft=True, no_solution=NO_SOLUTION)


BDF1, BDF2 = _implicit("bdf1", 1, step_bdf1), _implicit("bdf2", 2, step_bdf2)
SDIRK2 = _implicit("sdirk2", 2, step_sdirk2)
