"""Backwards through steps of first order: semi-implicit, linearly implicit and symplectic Euler."""

import numpy as np

from . import clock, momenta
from .found import Place
from .linear_steps import LinearStep, Start, weigh_linear_steps
from .pulls import add_bars, note_pulls, parts, slopes_of_pulls
from .states import reverse_explicit
from .step_rows import weigh_step_rows


def reverse_semi_implicit(sweep, row: int) -> None:
    """qdot += h qddot(q, qdot), then q += h qdot."""
    if sweep.rollout.model.nz and not sweep.rollout.model.constraints.count:
        reverse_with_states(sweep, row)
        return
    if sweep.general or sweep.answering:
        reverse_linear_step(sweep, row, stiff=False)
        return
    t, bars, rollout, step = sweep.t, sweep.bars, sweep.rollout, row - 1
    h = t[row] - t[step]
    q, v = rollout.q[step], rollout.qdot[step]
    v_bar = bars.qdot[row] + h * bars.q[row]
    place = Place(t[step], q, v, (sweep.end_of(row)[1] - v) / h, rollout.z[step])
    found = sweep.explicit(step, place, h * v_bar, sweep.no_states)
    bars.q[step] += bars.q[row] + found.q
    bars.qdot[step] += v_bar + found.qdot
    if sweep.timed:
        clock.lengthen(sweep, row, v_bar @ place.qddot + bars.q[row] @ sweep.end_of(row)[1])


def reverse_with_states(sweep, row: int) -> None:
    """The same with states, which the step solves for: an evaluation at the start but for them."""
    bars, rollout, step, t = sweep.bars, sweep.rollout, row - 1, sweep.t[row - 1]
    h, q, qdot, z = sweep.t[row] - t, rollout.q[step], rollout.qdot[step], rollout.z[step]
    q_bar, z_bar, v = bars.q[row], bars.z[row], sweep.end_of(row)[1]
    v_bar = bars.qdot[row] + h * q_bar
    found = reverse_explicit(sweep, step, Place(t, q, qdot, (v - qdot) / h, z), h * v_bar, z_bar, h)
    bars.q[step] += q_bar + found.q
    bars.qdot[step] += v_bar + found.qdot
    bars.z[step] += found.z
    bars.tau[step] -= found.lam
    rollout.excited.add(bars.excitation, t, found.u)
    if not sweep.watched:
        return
    lam = found.lam / h
    note_pulls(sweep, lambda x: (t, h + x, h + x, q, qdot, z, -lam, z_bar))
    stage = lambda x: (t, h + x, False, False, q, qdot, z, v, lam)  # noqa: E731
    sweep.pass_by(weigh_linear_steps, stage(0.0))
    if sweep.timed:
        clock.lengthen(sweep, row, q_bar @ v - lam @ rollout.torques(step))
        clock.see_length(sweep, row, weigh_linear_steps, stage)


def reverse_euler(sweep, row: int) -> None:
    """See linear_steps.py."""
    reverse_linear_step(sweep, row, stiff=True)


def reverse_linear_step(sweep, row: int, stiff: bool) -> None:
    """See linear_steps.py; states follow the path as it was at the start (stiff: as it is at the end)."""
    bars, rollout, step = sweep.bars, sweep.rollout, row - 1
    end, h = sweep.t[row], sweep.t[row] - sweep.t[step]
    q, qdot, z, t = rollout.q[step], rollout.qdot[step], rollout.z[step], end if stiff else sweep.t[step]
    with sweep.singular_at(step):
        taken = LinearStep(sweep, Start((t, end), h, stiff, q, qdot, z, rollout.torques(step)), sweep.end_of(row)[1])
        v = taken.v
        q1 = q + h * v
        if taken.rows is not None:
            sweep.leave_rows(row, (q1, v))
        q_bar, v_bar, z_bar = bars.q[row], bars.qdot[row], bars.z[row]
        if stiff and rollout.model.nz:
            slopes = slopes_of_pulls(sweep, t, h, 0.0, (q1, v, z))[len(q) :]
            by_q, by_v, by_z, by_u = parts(sweep, z_bar @ slopes)
            q_bar, v_bar = q_bar + by_q, v_bar + by_v
            bars.z[step] += by_z
            rollout.excited.add(bars.excitation, t, by_u)
            note_pulls(sweep, lambda x: (t, h + x, 0.0, q1 + x * v, v, z, np.zeros_like(v_bar), z_bar))
        lam = taken.multipliers(v_bar + h * q_bar)
    found = taken.bars(lam)
    z_bar = sweep.no_states if stiff else z_bar
    found += z_bar @ taken.pulls[len(q) :]
    note_pulls(sweep, lambda x: (t, h + x, h + x, q, qdot, z, -lam, z_bar))
    add_bars(sweep, step, t, found)
    bars.q[step] += q_bar
    bars.tau[step] -= h * lam
    if sweep.watched:
        stage = lambda x: (t, h + x, stiff, taken.even, q, qdot, z, v, lam)  # noqa: E731
        sweep.pass_by(weigh_linear_steps, stage(0.0))
        if sweep.timed:
            clock.lengthen(sweep, row, bars.q[row] @ v - lam @ rollout.torques(step))
            clock.see_length(sweep, row, weigh_linear_steps, stage)
        if taken.rows is not None:
            of_rows = lambda x: (end, h + x, q, qdot, v, taken.rows.multipliers, lam, taken.rows.nu)  # noqa: E731
            sweep.pass_by(weigh_step_rows, of_rows(0.0))
            if sweep.timed:
                clock.see_length(sweep, row, weigh_step_rows, of_rows)


def reverse_symplectic(sweep, row: int) -> None:
    """See momenta.py; states follow the path as it was at the start."""
    bars, rollout, step = sweep.bars, sweep.rollout, row - 1
    t = sweep.t[step]
    h = sweep.t[row] - t
    q1, v1, _ = sweep.end_of(row)
    q0, v0, z0, z_bar = rollout.q[step], rollout.qdot[step], rollout.z[step], bars.z[row]
    with sweep.singular_at(step):
        ends = (q0, v0), (q1, v1), (bars.q[row], bars.qdot[row])
        lam, mu, v, q_bar, v_bar = momenta.reverse_step(sweep.scratch, t, h, *ends)
    bars.q[step] += q_bar
    bars.qdot[step] += v_bar
    bars.tau[step] += h * lam
    if rollout.model.muscles.active:
        slopes = slopes_of_pulls(sweep, t, h, h, (q0, v0, z0))
        add_bars(sweep, step, t, np.concatenate([h * lam, z_bar], axis=1) @ slopes)
        note_pulls(sweep, lambda x: (t, h + x, h + x, q0, v0, z0, lam, z_bar))
    if sweep.watched:
        sweep.pass_by(momenta.weigh_steps, (t, h, q0, v0, v, q1, v1, lam, mu))
    if sweep.timed:
        clock.lengthen(sweep, row, bars.q[row] @ v + lam @ rollout.torques(step))
        longer = lambda x: (t, h + x, q0, v0, v, q1 + x * v, v1, lam, mu)  # noqa: E731
        clock.see_length(sweep, row, momenta.weigh_steps, longer, linear=True)
