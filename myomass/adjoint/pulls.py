"""What muscles pull in steps of first order, with the states that they end with, and how both change.

Such a step solves for the states z1 = z0 + h zdot while paths go on at their speed for a time `ahead`: h, or none where
q is that of the step's end (muscles/hill/pull.py). Pulls f and states z1 are functions of (q, qdot, z0, u) alone, u
being what excites; their slopes come muscle by muscle (tensions.py).
"""

from collections.abc import Callable

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..dynamics.muscled import add_tensions
from . import clock
from .stages import open_scratch
from .tensions import (
    ACTIVATION,
    EXCITATION,
    FIBRE,
    LENGTH,
    SPEED,
    A,
    F,
    J,
    T,
    add_pulled,
    add_stretch,
    add_turns,
    look_at_tensions,
    open_strands,
)


@kernel
def open_pulls(h, ahead, z, system):
    """Let the muscles solve for the states at the end of a step from z."""
    drive = system.muscles.drive
    drive.stage[0], drive.stage[1] = 1.0 / h, ahead
    for k in range(z.shape[0]):
        drive.base[k] = z[k]
        drive.z[k] = z[k]


@kernel
def close_pulls(system):
    """Let the states be given again."""
    system.muscles.drive.stage[0] = 0.0


@kernel
def fill_states_of(muscle, own, hill, n, spans, lines, slopes):
    """Slopes of a muscle's states, and of its pull by its states and excitation."""
    activation, fibre = n + hill.activation, n + hill.fibre
    add_pulled(muscle, own[A, LENGTH], own[A, SPEED], spans, lines, slopes[activation, :n], slopes[activation, n:])
    if hill.fibre >= 0:
        add_pulled(muscle, own[F, LENGTH], own[F, SPEED], spans, lines, slopes[fibre, :n], slopes[fibre, n:])
    excitation = slopes.shape[0] + n + muscle.hill
    for number, column in ((ACTIVATION, activation + n), (FIBRE, fibre + n), (EXCITATION, excitation)):
        if number == FIBRE and hill.fibre < 0:
            continue
        for at in range(muscle.span, muscle.span + muscle.spans):
            slopes[spans[at].dof, column] -= own[T, number] * lines[J, at]
        slopes[activation, column] = own[A, number]
        if hill.fibre >= 0:
            slopes[fibre, column] = own[F, number]


@kernel(entry=True)
def fill_slopes(handle, strands_handle, t, h, ahead, q, qdot, z, slopes):
    """Slopes of pulls and states, rows (f, z1) by columns (q, qdot, z0, u), into zeros, for Python."""
    scratch, strands, n = open_scratch(handle, q), open_strands(strands_handle, q), q.shape[0]
    muscles, lines = scratch.system.muscles, strands.lines
    open_pulls(h, ahead, z, scratch.system)
    look_at_tensions(t, q, qdot, scratch, strands)
    close_pulls(scratch.system)
    add_turns(q, -1.0, scratch, strands, slopes[:n, :n])
    for index in range(muscles.table.shape[0]):
        muscle, own = muscles.table[index], strands.slopes[index]
        if muscle.hill >= 0 or muscle.law >= 0:
            by_length, by_speed = -own[T, LENGTH], -own[T, SPEED]
            add_stretch(muscle, by_length, by_speed, muscles.spans, lines, slopes[:n, n : 2 * n], slopes[:n, :n])
        if muscle.hill >= 0:
            fill_states_of(muscle, own, muscles.drive.hills[muscle.hill], n, muscles.spans, lines, slopes)


@kernel(entry=True)
def weigh_pulls(handle, t, h, ahead, q, qdot, z, lam, y, products):
    """h lam . f + y . z1 of some steps, into products. (steps, quantities)"""
    scratch = open_scratch(handle, t)
    system, f = scratch.system, scratch.vectors[0]
    for s in range(t.shape[0]):
        f[:] = 0.0
        open_pulls(h[s], ahead[s], z[s], system)
        move_all(system.tree, q[s], qdot[s])
        add_tensions(t[s], q[s], qdot[s], system.tree, system.muscles, f)
        close_pulls(system)
        for row in range(y.shape[1]):
            products[s, row] = 0.0
            for k in range(q.shape[1]):
                products[s, row] += h[s] * lam[s, row, k] * f[k]
            for k in range(z.shape[1]):
                products[s, row] += y[s, row, k] * system.muscles.drive.z[k]


def slopes_of_pulls(sweep, t: float, h: float, ahead: float, start: tuple) -> np.ndarray:
    """Rows (f, z1) by columns (q, qdot, z0, u). start: (q, qdot, z0)"""
    model = sweep.rollout.model
    n, m = model.ndof, model.nz
    slopes = np.zeros((n + m, 2 * n + m + len(model.muscles.hills)))
    if model.muscles.active:
        fill_slopes(sweep.scratch.handle, sweep.strands.handle, t, h, ahead, *start, slopes)
    return slopes


def parts(sweep, products: np.ndarray) -> tuple[np.ndarray, ...]:
    """Bars of q, qdot, z0 and u, from bars times slopes."""
    n, m = sweep.rollout.model.ndof, 2 * sweep.rollout.model.ndof + sweep.rollout.model.nz
    return products[:, :n], products[:, n : 2 * n], products[:, 2 * n : m], products[:, m:]


def add_bars(sweep, step: int, t: float, products: np.ndarray) -> None:
    """Count bars times slopes, of what a step began with."""
    q, qdot, z, u = parts(sweep, products)
    sweep.bars.q[step] += q
    sweep.bars.qdot[step] += qdot
    sweep.bars.z[step] += z
    sweep.rollout.excited.add(sweep.bars.excitation, t, u)


def note_pulls(sweep, stage: Callable[[float], tuple]) -> None:
    """Count what numbers of the model and a step's length do to pulls and states. stage: what a longer step is there"""
    if sweep.watched and sweep.rollout.model.muscles.active:
        sweep.pass_by(weigh_pulls, stage(0.0))
        if sweep.timed:
            clock.see_length(sweep, sweep.row, weigh_pulls, stage)
