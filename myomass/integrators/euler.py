"""Linearly implicit Euler: one linear solve a step, stiff forces taken where they lead (dissertation Eq. 4.82).

    (M - h D - h^2 K) qdot1 = M qdot + h (f - C - D qdot),   q1 = q + h qdot1

M, the velocity forces C and gravity are those of the old state. K = J^T K_m J and D = J^T D_m J are the slopes of the
forces alone (and not of gravity or inertia) as the bodies feel them. Forces given in time are taken at the new time.
Tensions of muscles with states have slopes too, those of a step in which the states follow the path.
Under constraints it is a step of velocities (velocity.py), with soft bodies a sparse solve (soft_step.py).
"""

from .._jit import kernel
from ..algorithms import lu
from .base import FAILED, OK, FixedStep, begin_step, close_stage, open_stage
from .linear_step import form_system, solve_states
from .soft_step import step_soft
from .velocity import BY_STIFFNESS, step_velocities


@kernel(inline=False)
def step(t, h, run):
    """One step of one linear solve."""
    q, qdot, r, v_new = run.q, run.qdot, run.scratch[0], run.scratch[1]
    if run.system.soft.count > 0:
        return step_soft(t, h, run)
    if run.system.constraints.count > 0:
        return step_velocities(BY_STIFFNESS, t, h, run)
    begin_step(t, run)
    open_stage(t + h, 1.0 / h, h, run.z, run)
    form_system(t, h, run)
    if not lu.factorise(run.matrices.H, 0, run.matrices.order):
        return FAILED
    lu.solve(run.matrices.H, run.matrices.order, r, v_new)
    for k in range(q.shape[0]):
        qdot[k] = v_new[k]
        q[k] += h * v_new[k]
    solve_states(t + h, run)
    close_stage(run)
    return OK


EULER = FixedStep("euler", order=1, step=step, implicit=True, holds="all", states=True, soft=True)
