"""Backwards through events.

An event stands at a time t where phi(x, t; p) = 0, x the end X of a step that was cut short there, and its action makes
x_plus = a(x, t; p) of it. With bars of x_plus, and t_bar of t from the step that follows,

    x_bar = a_x^T x_plus_bar,   s = t_bar + x_plus_bar . a_t + x_bar . dX/dt,   phi_dot = phi_x . dX/dt + phi_t

and since t changes by -(phi_x . dx + phi_p dp)/phi_dot where the step's end, at the same t, changes by dx, the bars are

    x_bar - phi_x s/phi_dot,   p_bar = x_plus_bar . a_p - phi_p s/phi_dot

x_bar . dX/dt is what the way back through that one step gives for the time of its end. Functions and actions
are the user's: their derivatives are differences of fourth order.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..algorithms.charts import reparameterise
from ..model import Model, State
from ..run.event_search import checked_answer
from .charts import pull_back
from .parameters import CENTRAL
from .rollout import Crossing, Rollout, Unfinished
from .sweep import Sweep

STEP = 1e-4  # [rad or m, and per second] of differences by a state
STEP_OF_TIME = 1e-5  # [s]
AGREE = 1e-3  # differences of second and fourth order of a function do, relative to their size, where it has a slope


class Few:
    """Bars as those of a sweep, of the few rows that one step has to do with."""

    def __init__(self, rollout: Rollout, count: int):
        model, self.count = rollout.model, count
        self.q, self.qdot, self.tau = (defaultdict(lambda: np.zeros((count, model.ndof))) for _ in range(3))
        self.z, self.t = defaultdict(lambda: np.zeros((count, model.nz))), defaultdict(lambda: np.zeros(count))
        self.excitation = rollout.excited.bars(count)


class Passed(NamedTuple):
    """An event that was passed on the way back."""

    crossing: Crossing
    model: Model  # in the charts of the state before
    after: np.ndarray  # bars of what the action gave, (quantities, 2 ndof + nz)
    share: np.ndarray  # -s/phi_dot, (quantities,)


class Through:
    """Passes the events of a rollout on the way back."""

    def __init__(self, rollout: Rollout):
        self.rollout, self.passed = rollout, []

    def pass_by(self, sweep: Sweep, row: int) -> None:
        """Bars of a row, from those after what happened there to those before."""
        rollout, bars, crossing = self.rollout, sweep.bars, self.rollout.crossings[row]
        n = rollout.model.ndof
        here, given = (rollout.q[row], rollout.qdot[row], rollout.charts[row]), crossing.after
        both = np.stack([bars.q[row], bars.qdot[row]], axis=1)
        both = pull_back(rollout.model, (given.q, given.qdot, given.charts), here, both)
        after = np.concatenate([both[:, 0], both[:, 1], bars.z[row]], axis=1)
        model = _in_charts(rollout.model, crossing.before)
        (by_state, by_time), _ = slopes(lambda state: _numbers(acted(crossing, state, model)), crossing.before)
        (phi_x, phi_t), off = slopes(lambda state: crossing.when.value(state, model), crossing.before)
        x_bar = after @ by_state
        speeds = self._by_end(sweep, row, np.concatenate([x_bar, phi_x[None]]))
        s, phi_dot = bars.t[row] + after @ by_time + speeds[:-1], speeds[-1] + phi_t
        if not off < AGREE * np.linalg.norm([*phi_x, phi_t]) or phi_dot == 0.0:
            raise Unfinished(
                f"event {crossing.when.kind!r} at {rollout.t[row]:.6g} s has no derivative: its function crosses zero "
                "there without a slope"
            )
        share = -s / phi_dot
        x_bar += np.outer(share, phi_x)
        bars.q[row], bars.qdot[row], bars.z[row] = np.split(x_bar, [n, 2 * n], axis=1)
        self.passed.append(Passed(crossing, model, after, share))

    def _by_end(self, sweep: Sweep, row: int, bars: np.ndarray) -> np.ndarray:
        """Bars of the time at which the step to a row ends, from those of its end."""
        few, n = Few(self.rollout, len(bars)), self.rollout.model.ndof
        few.q[row], few.qdot[row], few.z[row] = (x.copy() for x in np.split(bars, [n, 2 * n], axis=1))
        dry = Sweep(self.rollout, sweep.space, few)
        dry.step_back(sweep.method, row, timed=True)
        return few.t[row]

    def worth(self, model: Model) -> np.ndarray | float:
        """What the numbers of a model are worth in events to each quantity, around the states at which they stood."""
        total = 0.0
        for crossing, _, after, share in self.passed:
            here = _in_charts(model, crossing.before)
            phi = crossing.when.value(crossing.before, here)
            total = total + after @ _numbers(acted(crossing, crossing.before, here)) + share * phi
        return total


def acted(crossing: Crossing, state: State, model: Model) -> State:
    """What the actions at a crossing make of a state."""
    found = state
    for event in crossing.events:
        if event.action == "stop":
            continue
        here = reparameterise(model, found) if found is not state else state
        given = _in_charts(model, here)
        own = State(here.t, here.q.copy(), here.qdot.copy(), here.charts.copy(), z=here.z.copy())
        answer = checked_answer(event, event.act(own, given), given, here)[1]
        found = found if answer is None else answer
    return found


def slopes(function: Callable[[State], np.ndarray | float], state: State) -> tuple[tuple, float]:
    """((derivatives of a function by a state's numbers, the last index, by its time), how far two orders are apart)."""
    x, (n, m) = _numbers(state), (len(state.q), len(state.z))
    columns = []
    for k in range(len(x) + 1):
        step, values = STEP if k < len(x) else STEP_OF_TIME, []
        for steps in CENTRAL:
            moved = np.append(x, state.t)
            moved[k] += steps * step
            q, qdot, z = moved[:n].copy(), moved[n : 2 * n].copy(), moved[2 * n : 2 * n + m].copy()
            values.append(function(State(float(moved[-1]), q, qdot, state.charts.copy(), z=z)))
        columns.append(np.tensordot(np.array(list(CENTRAL.values())).T / step, np.array(values), axes=1))
    fourth, second = np.stack(columns, axis=-1)
    return (fourth[..., :-1], fourth[..., -1]), float(np.linalg.norm(fourth - second))


def _numbers(state: State) -> np.ndarray:
    return np.concatenate([state.q, state.qdot, state.z])


def _in_charts(model: Model, state: State) -> Model:
    return model.with_charts(state.charts) if len(model.chart_slots) else model
