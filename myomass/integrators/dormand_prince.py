"""Dormand and Prince's embedded pair of orders 5(4), with the step control and dense output of MATLAB's ode45.

A step is accepted if its error, relative to max(|y|, atol/rtol) in the largest component, is at most rtol; the next one
is as long as the error allows, up to five times longer; a failed one is shortened, from the second failure on by half.
Dense output is the free interpolant of order four.
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms.redmax import Dense
from ..dynamics.constrained import settle
from ..dynamics.dense import accelerate_dense
from ..dynamics.equations import accelerate
from ..dynamics.system import System
from .base import Adaptive, rechart, update_torques

STAGES = 7
C = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
A = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0),
    (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0),
    (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
DENSE = (
    (1.0, -183 / 64, 37 / 12, -145 / 128),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 1500 / 371, -1000 / 159, 1000 / 371),
    (0.0, -125 / 32, 125 / 12, -375 / 64),
    (0.0, 9477 / 3392, -729 / 106, 25515 / 6784),
    (0.0, -11 / 7, 11 / 3, -55 / 28),
    (0.0, 3 / 2, -4.0, 5 / 2),
)
POWER = 1 / 5
DONE, FULL, NOT_FINITE, TOO_SMALL = 0, 1, 2, 3  # why the kernel came back
T, STEP, FAILED, ROW, ACCEPTED, REJECTED = 0, 1, 2, 3, 4, 5  # entries of `progress`
PROGRESS = 6  # how many
BY_RECURSION, BY_DENSE_FORM = 0, 1  # forms of the equations of motion


class AdaptiveRun(Bundle):
    """What adaptive steps work on: the model, the torques in force, where the run stands, and its tolerance."""

    system = System
    dense = Dense
    form = fields.whole_number()
    tau = fields.plain(np.float64)
    controller = fields.whole_number()  # address of a function that gives the torques
    progress = fields.plain(np.float64)
    y = fields.plain(np.float64)  # (q, qdot, z)
    K = fields.plain(np.float64, 2)  # derivatives at the stages
    trial = fields.plain(np.float64)
    charted = fields.plain(np.int64)  # links whose coordinates have a chart to leave
    slots = fields.plain(np.int64)  # where among the joints' parameters charts are kept
    rtol = fields.real_number()
    atol = fields.real_number()
    longest = fields.real_number()  # step [s]


open_adaptive = opener(AdaptiveRun)


@kernel(inline=False)
def derivative(t, y, run, dy):
    """dy = (qdot, qddot, zdot) of y = (q, qdot, z), the controllers asked."""
    system, drive = run.system, run.system.muscles.drive
    n, m = system.no_torques.shape[0], drive.z.shape[0]
    q, qdot, qddot = y[:n], y[n : 2 * n], dy[n : 2 * n]
    for k in range(n):
        dy[k] = qdot[k]
    for k in range(m):
        drive.z[k] = y[2 * n + k]
    update_torques(t, q, qdot, run)
    if run.form == BY_RECURSION:
        accelerate(t, q, qdot, run.tau, system, qddot)
    else:
        accelerate_dense(t, q, qdot, run.tau, system.no_wrenches, system, run.dense, qddot)
    for k in range(m):
        dy[2 * n + k] = drive.zdot[k]


@kernel
def move_charts(y, run):
    """Move joints that need it to better charts; how many did."""
    if run.charted.shape[0] == 0:
        return 0
    n = run.system.no_torques.shape[0]
    return rechart(run.charted, run.system, y[:n], y[n : 2 * n], y[:0], y[:0])


@kernel
def smallest_step(t):
    """16 units in the last place of t."""
    return 16.0 * 2.220446049250313e-16 * max(abs(t), 1e-300)


@kernel
def first_step(y, f, rtol, atol, longest):
    """A step that moves no component by more than the tolerance allows for its size."""
    rate = 0.0
    for k in range(y.shape[0]):
        rate = max(rate, abs(f[k]) / max(abs(y[k]), atol / rtol))
    rate /= 0.8 * rtol**POWER
    return min(longest, 1.0 / rate) if rate > 0.0 else longest


@kernel(entry=True)
def start(handle, y):
    """Away from a singularity if the start y lies near one; the derivative there, and the first step, for Python."""
    run = open_adaptive(handle, y)
    move_charts(y, run)
    derivative(run.progress[T], y, run, run.K[0])
    run.progress[STEP] = first_step(y, run.K[0], run.rtol, run.atol, run.longest)


@kernel
def stages(t, h, latest, y, K, trial, run):
    """Fill K[1:] and the trial solution from y and K[0]; the last stage is the derivative at the trial solution.

    No stage looks beyond `latest`, just before the end: a force given in time may jump there.
    """
    for stage in range(1, STAGES):
        trial[:] = 0.0
        for j in range(stage):
            weight, slope = A[stage][j], K[j]
            for k in range(y.shape[0]):
                trial[k] += weight * slope[k]
        for k in range(y.shape[0]):
            trial[k] = y[k] + h * trial[k]
        derivative(min(t + C[stage] * h, latest), trial, run, K[stage])


@kernel
def relative_error(h, y, trial, K, floor):
    """Largest error over the size of its component; NaN counts as infinite."""
    worst = 0.0
    a, b, c, d, e, f, g = ERROR
    for k in range(y.shape[0]):
        total = a * K[0, k] + b * K[1, k] + c * K[2, k] + d * K[3, k] + e * K[4, k] + f * K[5, k] + g * K[6, k]
        error = abs(total) / max(abs(y[k]), abs(trial[k]), floor)
        if error != error:
            return np.inf
        worst = max(worst, error)
    return h * worst


@kernel
def dense_weight(j, s):
    """The weight of stage j at the fraction s of a step."""
    b = DENSE[j]
    return s * (b[0] + s * (b[1] + s * (b[2] + s * b[3])))


@kernel
def interpolate(s, h, y, K, q, qdot, z):
    """The solution at the fraction s of the step from y."""
    n = q.shape[0]
    for k in range(y.shape[0]):
        total = y[k] * 0.0
        for j in range(STAGES):
            total += K[j, k] * dense_weight(j, s)
        if k < n:
            q[k] = y[k] + h * total
        elif k < 2 * n:
            qdot[k - n] = y[k] + h * total
        else:
            z[k - 2 * n] = y[k] + h * total


@kernel(entry=True)
def look_between(shares, h, before, K, seen):
    """Fill seen with the solution at shares of a step just taken; before = (y, dy) at its start, no longer K[0]."""
    n = seen.shape[1]
    for i in range(shares.shape[0]):
        for k in range(n):
            total = before[n + k] * dense_weight(0, shares[i])
            for j in range(1, STAGES):
                total += K[j, k] * dense_weight(j, shares[i])
            seen[i, k] = before[k] + h * total


@kernel
def record(row, t, y, out, params, slots):
    """Write a row of t, q, qdot, charts and z."""
    times, q, qdot, charts, z = out
    n = q.shape[1]
    times[row] = t
    for k in range(n):
        q[row, k], qdot[row, k] = y[k], y[n + k]
    for k in range(z.shape[1]):
        z[row, k] = y[2 * n + k]
    for k in range(slots.shape[0]):
        charts[row, k] = params[slots[k]]


@kernel
def output(t, h, t_new, wanted, out, run):
    """Record the step from y at t to the trial solution at t_new: its end, or the wanted times within it."""
    params, slots, progress = run.system.tree.params, run.slots, run.progress
    row = int(progress[ROW])
    if wanted.shape[0] == 0:
        record(row, t_new, run.trial, out, params, slots)
        progress[ROW] += 1.0
        return
    while row < wanted.shape[0] and wanted[row] <= t_new:
        record(row, wanted[row], run.trial, out, params, slots)
        if wanted[row] < t_new:
            interpolate((wanted[row] - t) / h, h, run.y, run.K, out[1][row], out[2][row], out[4][row])
            settle(wanted[row], out[1][row], out[2][row], run.system)
        row += 1
    progress[ROW] = row


@kernel
def next_step(h, error, rtol, failed):
    """Length of the next step after one of length h that was accepted (error <= rtol) or not."""
    if error <= rtol:
        growth = 1.25 * (error / rtol) ** POWER
        return h if failed else h / growth if growth > 0.2 else 5.0 * h
    return 0.5 * h if failed else h * max(0.1, 0.8 * (rtol / error) ** POWER)


@kernel(entry=True)
def integrate(handle, t_end, latest, times, q, qdot, charts, z, wanted, most):
    """Advance by up to `most` accepted steps, for Python; why it came back. What it works on carries over.

    Rows of t, q, qdot, charts and z are filled. No stage looks beyond `latest`, just before the end.
    """
    run, out = open_adaptive(handle, q), (times, q, qdot, charts, z)
    progress, y, K, trial = run.progress, run.y, run.K, run.trial
    n = q.shape[1]
    for _ in range(most):
        t = progress[T]
        shortest = smallest_step(t)
        h = min(run.longest, max(shortest, progress[STEP]))
        last = False
        while True:
            last = 1.1 * h >= t_end - t
            h = t_end - t if last else h
            if t + h == t:
                return TOO_SMALL
            stages(t, h, latest, y, K, trial, run)
            error = relative_error(h, y, trial, K, run.atol / run.rtol)
            if error <= run.rtol:
                break
            if h <= shortest:
                return TOO_SMALL if error < np.inf else NOT_FINITE
            h = max(shortest, next_step(h, error, run.rtol, progress[FAILED] != 0.0))
            progress[FAILED] = 1.0
            progress[REJECTED] += 1.0
        t_new = t_end if last else t + h
        moved = settle(t_new, trial[:n], trial[n : 2 * n], run.system)
        output(t, h, t_new, wanted, out, run)
        progress[STEP] = next_step(h, error, run.rtol, progress[FAILED] != 0.0)
        progress[FAILED] = 0.0
        progress[ACCEPTED] += 1.0
        progress[T] = t_new
        for k in range(y.shape[0]):
            y[k], K[0, k] = trial[k], K[STAGES - 1, k]
        if move_charts(y, run) > 0 or moved:
            derivative(t_new, y, run, K[0])
        if last:
            return DONE
    return FULL


RECURSIVE = Adaptive("recursive", order=5, form=BY_RECURSION, soft=True)
REDMAX = Adaptive("redmax", order=5, form=BY_DENSE_FORM)
