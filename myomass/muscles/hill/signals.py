"""What reflexes on muscles see in steps of implicit methods: extrapolated, so that no muscle waits for another.

In an implicit stage the tension of each muscle is a function of q, qdot and its own states alone. A reflex that
answers to a fibre or a tendon is therefore told what it saw at the start of the step, continued along the line through
that and what it saw a step before: right to second order. Reflexes on coordinates are solved with the stage.
"""

import numpy as np
from numba.core import types

from ..._jit import kernel
from ...algorithms.kinematics import move_all
from ..tension import add_tensions
from .pull import told_signal
from .records import COORDINATE

NOW, BEFORE, T_NOW, T_BEFORE = 0, 1, 2, 3  # columns of the signals, one row per reflex
SIGNALS = 4
NEVER = -np.inf


@kernel(on_demand=types.none)
def sense(t, q, qdot, tree, muscles, signals):
    """Take down what reflexes on muscles see at the start of a step. Needs: the states of muscles, given."""
    move_all(tree, q, qdot)
    dropped, drive = muscles.scratch.dropped, muscles.drive
    dropped[:] = 0.0
    add_tensions(t, q, qdot, tree, muscles, -1, dropped)
    for r in range(signals.shape[0]):
        reflex, seen = drive.reflexes[r], signals[r]
        if reflex.quantity == COORDINATE:
            continue
        if t > seen[T_NOW]:
            seen[BEFORE], seen[T_BEFORE] = seen[NOW], seen[T_NOW]
        elif t <= seen[T_BEFORE]:
            seen[T_BEFORE] = NEVER
        seen[NOW], seen[T_NOW] = told_signal(reflex, drive), t


@kernel
def extrapolate_signals(t, signals, drive):
    """What reflexes on muscles are told at time t, within a step or at its end."""
    for r in range(signals.shape[0]):
        seen = signals[r]
        drive.heard[r] = seen[NOW]
        if seen[T_BEFORE] > NEVER:
            slope = (seen[NOW] - seen[BEFORE]) / (seen[T_NOW] - seen[T_BEFORE])
            drive.heard[r] += slope * (t - seen[T_NOW])
