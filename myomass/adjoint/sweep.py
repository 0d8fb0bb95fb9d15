"""Backwards through a run: from the derivatives of a task by every row to those by the start and the torques.

Each method's step is taken apart into the stages of stages.py, its formulas read backwards. How a step goes forwards
is said in integrators/.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ..integrators.implicit import MOST_GROWTH
from ..integrators.implicit import A as DIAGONAL
from ..model.workspace import Workspace
from . import clock, stages, states
from .charts import pull_back
from .first_order import reverse_euler, reverse_semi_implicit, reverse_symplectic
from .found import Found, Place
from .rollout import Rollout, Unfinished
from .rows import slopes_of_projection, weigh_bound, weigh_projections
from .tasks.base import Misses
from .tensions import strands_of

CHUNK = 512  # stages between two looks at the numbers of a model


class Bars:
    """Derivatives of some quantities by what a run passes through. The second index counts the quantities."""

    def __init__(self, rollout: Rollout, count: int):
        model, rows, self.rollout, self.count = rollout.model, len(rollout.t), rollout, count
        self.q, self.qdot = np.zeros((rows, count, model.ndof)), np.zeros((rows, count, model.ndof))
        self.z = np.zeros((rows, count, model.nz))
        self.tau = np.zeros((rollout.steps, count, model.ndof))
        self.t = np.zeros((rows, count))  # of those that events move
        self.excitation = rollout.excited.bars(count)
        self.given: dict[str, np.ndarray] = {}  # by what went into the run, at once, (quantities, numbers)

    def pieces(self) -> Iterator[tuple[Rollout, "Bars", int]]:
        """(rollout, bars, the row to which they are to be passed): the whole run at once."""
        yield self.rollout, self, 0

    def add(self, miss: Misses, weights: np.ndarray) -> None:
        """Count misses with weights (quantities, misses) each."""
        for bar, slopes in ((self.q, miss.q), (self.qdot, miss.qdot), (self.z, miss.z), (self.tau, miss.tau)):
            if slopes is not None:
                bar[miss.row] += weights @ slopes
        if miss.t is not None:
            self.t[miss.row] += weights @ miss.t
        if miss.h is not None:
            self.t[miss.row + 1] += weights @ miss.h
            self.t[miss.row] -= weights @ miss.h
        for name, slopes in (miss.given or {}).items():
            self.given[name] = self.given.get(name, 0.0) + weights @ slopes


class Sweep:
    """One way back through a run. `seen` is called with the stages that were passed, and the charts they are in."""

    def __init__(self, rollout: Rollout, space: Workspace, bars: Bars, seen: Callable | None = None):
        self.space, self.seen, self.scratch = space, seen, stages.scratch_of(space)
        self.go_to(rollout, bars)
        model, count = rollout.model, bars.count
        self.out, self.no_states = np.zeros((count, 3, model.ndof)), np.zeros((count, model.nz))
        self.no_rates = np.zeros((count, model.ndof)), self.no_states
        self.no_rows = np.zeros(0), np.zeros((count, 2, 0))
        views = (self.out[:, k] for k in range(3)), np.zeros((count, len(model.muscles.hills)))
        self.found = Found(*views[0], self.no_states, self.no_states, views[1], *self.no_rows)
        self.given, self.given_states = np.zeros((count, 3, model.ndof)), np.zeros((count, 2, model.nz))
        self.strands = strands_of(model)
        self.general = model.nz > 0 or model.constraints.count > 0
        self.answering = model.nz > 0 or bool((model.muscles.table["law"] >= 0).any())  # do tensions answer to rates?
        self.passed: dict[Callable, list[tuple]] = {}
        self.method, self.row, self.timed = "", 0, False  # timed: are bars of times needed in this step?
        if model.nz:
            rollout.excited.drive(space)

    def go_to(self, rollout: Rollout, bars: Bars) -> None:
        """Go on in another piece of the run."""
        self.rollout, self.bars, self.t = rollout, bars, rollout.t.tolist()

    def run(self, method: str, through: Callable | None = None, to: int = 0) -> None:
        """Pass all steps, from the last to the first; the bars of row 0 are those of the start.

        through: called with the sweep and a row at which something happened, it goes back before that. to: the row from
        which the last step that is passed starts, where others are to follow.
        """
        rollout, charted = self.rollout, len(self.rollout.model.chart_slots) > 0
        happened = rollout.crossings
        for row in range(rollout.steps, to, -1):
            if charted and self.passed and not np.array_equal(rollout.charts[row], rollout.charts[row - 1]):
                self._show()
            if row in happened:
                self.method = method
                through(self, row)
            self.step_back(method, row, timed=row - 1 in happened or row - 2 in happened)
        if to:
            return
        if rollout.loose:
            self.leave_rows(0, rollout.loose[0])
        self._show()

    def step_back(self, method: str, row: int, timed: bool) -> None:
        """Pass the step to a row."""
        rollout, self.row, self.timed = self.rollout, row, timed
        slots = rollout.model.chart_slots
        if row in rollout.moves:
            self._leave_charts(row)
        if len(slots):
            self.space.tree.params[slots] = rollout.charts[row - 1]
        if row in rollout.loose:
            self.leave_rows(row, rollout.loose[row])
        REVERSE[method](self, row)

    def end_of(self, row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, qdot, z) of a row as the step to it left them."""
        move, rollout = self.rollout.moves.get(row), self.rollout
        if row in rollout.loose:
            return *rollout.loose[row], rollout.arrived(row)[3]
        if row in rollout.crossings:
            q, qdot, _, z = rollout.arrived(row)
        else:
            q, qdot, z = rollout.q[row], rollout.qdot[row], rollout.z[row]
        return (q, qdot, z) if move is None else (move.q, move.qdot, z)

    def implicit(self, step: int, alpha: float, place: Place, bars: tuple, rates: tuple | None = None) -> Found:
        """Bars of q_hat, v_hat and z_hat of a stage, from those of its (q, qdot, z), and of its (qddot, zdot)."""
        if self.general:
            found = states.reverse_implicit(self, step, alpha, place, bars, self.no_rates if rates is None else rates)
            return self._note(step, place, found)
        self.given[:, 0], self.given[:, 1], self.given[:, 2] = bars[0], bars[1], 0.0 if rates is None else rates[0]
        if not stages.reverse_implicit(self.scratch.handle, place.t, alpha, *place[1:4], self.given, self.out):
            raise self.singular(step)
        return self._note(step, place, self.found)

    def explicit(self, step: int, place: Place, qddot: np.ndarray, zdot: np.ndarray) -> Found:
        """Bars of q, qdot and z where accelerations were evaluated, from those of qddot and zdot."""
        if self.general:
            return self._note(step, place, states.reverse_explicit(self, step, place, qddot, zdot))
        if not stages.reverse_explicit(self.scratch.handle, *place[:4], qddot, self.out):
            raise self.singular(step)
        return self._note(step, place, self.found)

    def rates(self, step: int, t: float, q: np.ndarray, qdot: np.ndarray, z: np.ndarray) -> tuple:
        """(qddot, zdot) of an evaluation in a step."""
        qddot, zdot = np.empty_like(q), np.empty_like(z)
        given = t, q, qdot, self.rollout.torques(step)
        if len(z):
            stages.accelerate_with_states(self.scratch.handle, *given, z, qddot, zdot)
        else:
            stages.accelerate_at(self.scratch.handle, *given, qddot)
        return qddot, zdot

    def _note(self, step: int, place: Place, found: Found) -> Found:
        """Count what a stage gave for torques, excitations and numbers of the model."""
        self.bars.tau[step] -= found.lam
        if self.general:
            self.rollout.excited.add(self.bars.excitation, place.t, found.u)
        if not self.watched:
            return found
        if self.rollout.model.constraints.count:
            self.pass_by(weigh_bound, (*place, found.lam, found.y, found.multipliers, found.nu))
        elif self.rollout.model.nz:
            self.pass_by(stages.weigh_with_states, (*place, found.lam, found.y))
        else:
            self.pass_by(stages.weigh_residuals, (*place[:4], found.lam.copy()))
        return found

    @property
    def watched(self) -> bool:
        """Does anybody ask for the stages?"""
        return self.seen is not None or self.timed

    def pass_by(self, weigh: Callable, stage: tuple) -> None:
        """Remember a stage, with the kernel that weighs it in another model, for derivatives by its numbers."""
        if self.timed:
            clock.see_time(self, self.row, weigh, stage)
        if self.seen is None:
            return
        passed = self.passed.setdefault(weigh, [])
        passed.append(stage)
        if len(passed) >= CHUNK:
            self._show()

    @contextmanager
    def singular_at(self, step: int) -> Iterator[None]:
        """Say which step has no derivative if its matrix is singular."""
        try:
            yield
        except np.linalg.LinAlgError:
            raise self.singular(step) from None

    def singular(self, step: int) -> Unfinished:
        """What to raise where a step has no derivative."""
        return Unfinished(f"the step from {self.t[step]:.6g} s has no derivative: its matrix is singular")

    def _show(self) -> None:
        """Show the stages passed since the last time, all in the same charts."""
        charts = self.space.tree.params[self.rollout.model.chart_slots]
        for weigh, passed in self.passed.items():
            self.seen(weigh, [np.array(x) for x in zip(*passed, strict=True)], charts)
        self.passed = {}

    def _leave_charts(self, row: int) -> None:
        """Bars of a row, from those in its charts to those in the charts of the row before."""
        bars, move, rollout = self.bars, self.rollout.moves[row], self.rollout
        here = rollout.arrived(row)[:3]
        both = np.stack([bars.q[row], bars.qdot[row]], axis=1)
        both = pull_back(rollout.model, move[:3], here, both)
        bars.q[row], bars.qdot[row] = both[:, 0], both[:, 1]

    def leave_rows(self, row: int, loose: tuple[np.ndarray, np.ndarray]) -> None:
        """Bars of a row, from those of its projection onto constraints to those of the state that was projected."""
        n, t = self.rollout.model.ndof, self.t[row]
        both = np.concatenate([self.bars.q[row], self.bars.qdot[row]], axis=1)
        slopes = np.zeros((2 * n, 2 * n))
        slopes_of_projection(self.scratch.handle, t, *loose, np.empty((2, n)), slopes)
        if self.watched:
            self.pass_by(weigh_projections, (t, *loose, both))
        both = both @ slopes
        self.bars.q[row], self.bars.qdot[row] = both[:, :n], both[:, n:]


def reverse_bdf1(sweep: Sweep, row: int) -> None:
    """alpha = 1/h from q_hat, v_hat and z_hat = the row before."""
    bars, rollout, step = sweep.bars, sweep.rollout, row - 1
    h = sweep.t[row] - sweep.t[step]
    q, v, z = sweep.end_of(row)
    place = Place(sweep.t[step] + h, q, v, (v - rollout.qdot[step]) / h, z)
    found = sweep.implicit(step, 1.0 / h, place, (bars.q[row], bars.qdot[row], bars.z[row]))
    bars.q[step] += found.q
    bars.qdot[step] += found.qdot
    bars.z[step] += found.z
    if sweep.timed:
        rates = v, place.qddot, (z - rollout.z[step]) / h
        clock.lengthen(sweep, row, clock.along((found.q, found.qdot, found.z), rates))


def reverse_bdf2(sweep: Sweep, row: int) -> None:
    """q_hat and v_hat from two rows before, where the step does not grow too much; SDIRK2 elsewhere."""
    t, bars, rollout, step = sweep.t, sweep.bars, sweep.rollout, row - 1
    h = t[row] - t[step]
    happened = rollout.crossings.get(step)
    if row == 1 or (happened is not None and happened.anew) or h > MOST_GROWTH * (t[step] - t[step - 1]):
        reverse_sdirk2(sweep, row)
        return
    w = h / (t[step] - t[step - 1])
    now, past = (1.0 + w) ** 2 / (1.0 + 2.0 * w), -w * w / (1.0 + 2.0 * w)
    alpha = (1.0 + 2.0 * w) / ((1.0 + w) * h)
    move = rollout.moves.get(step)  # the row that was looked back at came along to other charts
    before = (rollout.q[step - 1], rollout.qdot[step - 1]) if move is None else tuple(move.before)
    q, v, z = sweep.end_of(row)
    v_hat = now * rollout.qdot[step] + past * before[1]
    place = Place(t[step] + h, q, v, alpha * (v - v_hat), z)
    found = sweep.implicit(step, alpha, place, (bars.q[row], bars.qdot[row], bars.z[row]))
    bars.q[step] += now * found.q
    bars.qdot[step] += now * found.qdot
    bars.z[step] += now * found.z
    if sweep.timed:
        clock.see_ratio(sweep, row, found, place, before)
    back = past * np.stack([found.q, found.qdot], axis=1)
    if move is not None:
        there = rollout.q[step - 1], rollout.qdot[step - 1], rollout.charts[step - 1]
        back = pull_back(rollout.model, there, (*before, rollout.charts[step]), back)
    bars.q[step - 1] += back[:, 0]
    bars.qdot[step - 1] += back[:, 1]
    bars.z[step - 1] += past * found.z


def reverse_sdirk2(sweep: Sweep, row: int) -> None:
    """The second stage, then the first; what the first one found follows from the rows."""
    t, bars, rollout, step = sweep.t, sweep.bars, sweep.rollout, row - 1
    h = t[row] - t[step]
    a, rest = DIAGONAL * h, (1.0 - DIAGONAL) * h
    q0, v0, z0 = rollout.q[step], rollout.qdot[step], rollout.z[step]
    q, v, z = sweep.end_of(row)
    v_a = (q - q0 - a * v) / rest
    qddot_a = (v_a - v0) / a
    zdot = sweep.rates(step, t[step] + h, q, v, z)[1]
    zdot_a = (z - z0 - a * zdot) / rest
    place = Place(t[step] + h, q, v, (v - v0 - rest * qddot_a) / a, z)
    rates_b = v, place.qddot, zdot
    second = sweep.implicit(step, 1.0 / a, place, (bars.q[row], bars.qdot[row], bars.z[row]))
    q_bar, v_bar, z_bar = second.q.copy(), second.qdot.copy(), second.z.copy()
    place = Place(t[step] + a, q0 + a * v_a, v_a, qddot_a, z0 + a * zdot_a)
    given = np.zeros_like(q_bar), rest * q_bar, np.zeros_like(z_bar)
    first = sweep.implicit(step, 1.0 / a, place, given, (rest * v_bar, rest * z_bar))
    bars.q[step] += q_bar + first.q
    bars.qdot[step] += v_bar + first.qdot
    bars.z[step] += z_bar + first.z
    if sweep.timed:
        both, rates_a = (q_bar, v_bar, z_bar), (v_a, qddot_a, zdot_a)
        h_bar = DIAGONAL * (clock.along(both, rates_b) + clock.along((first.q, first.qdot, first.z), rates_a))
        clock.lengthen(sweep, row, h_bar + (1.0 - DIAGONAL) * clock.along(both, rates_a))


def reverse_rk4(sweep: Sweep, row: int) -> None:
    """Four evaluations, taken again, then backwards."""
    t, bars, rollout, step = sweep.t, sweep.bars, sweep.rollout, row - 1
    h = t[row] - t[step]
    q0, v0, z0 = rollout.q[step], rollout.qdot[step], rollout.z[step]
    ahead, weights = (0.0, 0.5 * h, 0.5 * h, h), (h / 6, h / 3, h / 3, h / 6)
    places, motions, q, v, z, qddot, zdot = [], [], q0, v0, z0, None, None
    for s in range(4):
        if s:
            q, v, z = q0 + ahead[s] * v, v0 + ahead[s] * qddot, z0 + ahead[s] * zdot
        qddot, zdot = sweep.rates(step, t[step] + ahead[s], q, v, z)
        places.append(Place(t[step] + ahead[s], q, v, qddot, z))
        motions.append((v, qddot, zdot))
    q_bar, v_bar, z_bar = bars.q[row], bars.qdot[row], bars.z[row]
    bars.q[step] += q_bar
    bars.qdot[step] += v_bar
    bars.z[step] += z_bar
    rates = [[w * q_bar, w * v_bar, w * z_bar] for w in weights]  # bars of qdot, qddot and zdot of each evaluation
    h_bar = 0.0
    if sweep.timed:
        h_bar = sum(w / h * clock.along((q_bar, v_bar, z_bar), x) for w, x in zip(weights, motions, strict=True))
    for s in range(3, -1, -1):
        found = sweep.explicit(step, places[s], rates[s][1], rates[s][2])
        by_v = rates[s][0] + found.qdot
        bars.q[step] += found.q
        bars.qdot[step] += by_v
        bars.z[step] += found.z
        if s:
            for rate, bar in zip(rates[s - 1], (found.q, by_v, found.z), strict=True):
                rate += ahead[s] * bar
            if sweep.timed:
                h_bar = h_bar + ahead[s] / h * clock.along((found.q, by_v, found.z), motions[s - 1])
    if sweep.timed:
        clock.lengthen(sweep, row, h_bar)


REVERSE = {
    "bdf1": reverse_bdf1,
    "bdf2": reverse_bdf2,
    "sdirk2": reverse_sdirk2,
    "rk4": reverse_rk4,
    "semi-implicit": reverse_semi_implicit,
    "euler": reverse_euler,
    "symplectic": reverse_symplectic,
}
