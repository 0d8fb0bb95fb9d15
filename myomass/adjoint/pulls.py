"""What muscles pull in steps of first order, with the states that they end with, and how both change.

Such a step solves for the states z1 = z0 + h zdot while paths go on at their speed for a time `ahead`: h, or none where
q is that of the step's end (muscles/hill/pull.py). Pulls f and states z1 are functions of (q, qdot, z0, u) alone, u
being what excites; their slopes come by complex steps.
"""

from collections.abc import Callable

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..algorithms.rnea_partials import STEP
from ..dynamics.muscled import add_tensions, follow_states, move_from
from ..muscles import tension
from . import clock
from .stages import open_scratch


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


@kernel(entry=True)
def fill_slopes(handle, t, h, ahead, q, qdot, z, slopes):
    """Slopes of pulls and states, rows (f, z1) by columns (q, qdot, z0, u), for Python."""
    scratch = open_scratch(handle, q)
    real, linear, n, m = scratch.system.muscles, scratch.matrices.linear, q.shape[0], z.shape[0]
    tree, muscles, cq, cqdot, still = linear.tree, linear.muscles, linear.q, linear.qdot, linear.qddot
    drive, f = muscles.drive, linear.r
    open_pulls(h, ahead, z, scratch.system)
    follow_states(real, muscles)
    close_pulls(scratch.system)
    for k in range(m):
        drive.z[k] = z[k]  # from where they are searched
    for k in range(n):
        cq[k], cqdot[k], still[k] = q[k], qdot[k], 0.0
    for column in range(slopes.shape[1]):
        stepped, k = cq, column
        if column >= 2 * n + m:
            stepped, k = drive.excitation, column - 2 * n - m
        elif column >= 2 * n:
            stepped, k = drive.base, column - 2 * n
        elif column >= n:
            stepped, k = cqdot, column - n
        stepped[k] += 1j * STEP
        if column <= n:
            move_from(1, tree, cq, cqdot, still)
        f[:] = 0.0
        tension.add_tensions(t, cq, cqdot, tree, muscles, -1, f)
        stepped[k] -= 1j * STEP
        for j in range(n):
            slopes[j, column] = f[j].imag / STEP
        for j in range(m):
            slopes[n + j, column] = drive.z[j].imag / STEP


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
        fill_slopes(sweep.scratch.handle, t, h, ahead, *start, slopes)
    return slopes


def parts(sweep, products: np.ndarray) -> list[np.ndarray]:
    """Bars of q, qdot, z0 and u, from bars times slopes."""
    n, m = sweep.rollout.model.ndof, sweep.rollout.model.nz
    return np.split(products, [n, 2 * n, 2 * n + m], axis=1)


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
