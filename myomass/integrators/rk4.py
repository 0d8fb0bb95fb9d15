"""The classical Runge-Kutta method, fourth order, four evaluations a step."""

from .._jit import kernel
from .base import OK, FixedStep, accelerate_at, stand_at


@kernel
def step(t, h, run):
    """Stages at 0, h/2, h/2, h with weights 1/6, 1/3, 1/3, 1/6."""
    q, qdot, scratch = run.q, run.qdot, run.scratch
    q_stage, v_stage, q_sum, v_sum, qddot = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    drive, z_sum, n, m = run.system.muscles.drive, run.room[0], q.shape[0], run.z.shape[0]
    stand_at(run.z, run)
    for k in range(m):
        z_sum[k] = run.z[k]
    for k in range(n):
        q_stage[k], v_stage[k], q_sum[k], v_sum[k] = q[k], qdot[k], 0.0, 0.0
    behind = 0.0
    for stage in range(4):
        weight = h / 6.0 if stage in (0, 3) else h / 3.0
        ahead = h if stage == 2 else 0.5 * h
        accelerate_at(t + behind, q_stage, v_stage, run, qddot)
        for k in range(n):
            q_sum[k] += weight * v_stage[k]
            v_sum[k] += weight * qddot[k]
            q_stage[k] = q[k] + ahead * v_stage[k]
            v_stage[k] = qdot[k] + ahead * qddot[k]
        for k in range(m):
            z_sum[k] += weight * drive.zdot[k]
            drive.z[k] = run.z[k] + ahead * drive.zdot[k]
        behind = ahead
    for k in range(n):
        q[k] += q_sum[k]
        qdot[k] += v_sum[k]
    for k in range(m):
        run.z[k] = z_sum[k]
    return OK


RK4 = FixedStep("rk4", order=4, step=step, states=True, soft=True)
