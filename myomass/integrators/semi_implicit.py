"""Semi-implicit Euler in (q, qdot): qdot <- qdot + h qddot(q, qdot), then q <- q + h qdot. One evaluation a step.

The fastest step there is, and that of most game and robotics engines. It is symplectic where the mass matrix is
constant; elsewhere energy drifts slowly, in proportion to h. Under constraints it is a step of velocities: velocity.py.
States of muscles take an implicit step each, their paths going on at the old speed.
"""

from .._jit import kernel
from .base import OK, FixedStep, accelerate_free_at, begin_step, close_stage, open_stage
from .velocity import BY_MASS, step_velocities


@kernel
def step(t, h, run):
    """One evaluation at the old state, the new rates for the new place."""
    q, qdot, qddot = run.q, run.qdot, run.scratch[0]
    if run.system.constraints.count > 0:
        return step_velocities(BY_MASS, t, h, run)
    begin_step(t, run)
    open_stage(t + h, 1.0 / h, h, run.z, run)
    accelerate_free_at(t, q, qdot, run, qddot)
    close_stage(run)
    for k in range(q.shape[0]):
        qdot[k] += h * qddot[k]
        q[k] += h * qdot[k]
    return OK


SEMI_IMPLICIT = FixedStep("semi-implicit", order=1, step=step, holds="all", states=True, soft=True)
