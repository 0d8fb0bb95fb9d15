"""Adaptive steps by the kernels of integrators/dormand_prince.py."""

from dataclasses import dataclass

import numpy as np

from ..algorithms.redmax import Dense
from ..constraints.kinds import motion_knots
from ..dynamics.dense import demand_dense
from ..dynamics.system import dense_of
from ..forces.dispatch import force_knots
from ..forces.joint_torque import knots
from ..integrators import Adaptive
from ..integrators import dormand_prince as dp
from ..model import Model, State
from ..muscles.path_checks import tension_knots
from .recorder import Rows
from .stepper import LATER_ROOM, LINK_STEPS_PER_CALL, NOT_FINITE, Control, Gains, Stepper, TrialFailed, parts_of

ROOM = 512  # rows of a run, at first
TOO_SMALL = "no step is short enough for the tolerance at {:.6g} s; the equations may be singular or too stiff there"
WHY = {dp.NOT_FINITE: NOT_FINITE, dp.TOO_SMALL: TOO_SMALL}  # answers that end a run
NOTHING_WANTED = np.zeros(0)


@dataclass(frozen=True)
class Tolerance:
    """Of an adaptive run: relative, absolute in the state's units, and the longest step [s]."""

    rtol: float
    atol: float
    longest: float


class AdaptiveStepper(Stepper):
    """Dormand-Prince steps to the end of span = (end, wanted times); without wanted times a row per step.

    It stops at the times where forces given in time jump, and starts anew from there. A `later` one goes on with a run
    that another model has begun: wanted are the times after its start only.
    """

    looks, dense = np.array([1 / 4, 1 / 2, 3 / 4]), True  # where within a step to look for events; has it dense output?

    def __init__(
        self,
        model: Model,
        start: State,
        method: Adaptive,
        span: tuple,
        options: tuple[Control, Tolerance],
        baumgarte: Gains = None,
        *,
        later: bool = False,
    ):
        (self.end, self.span), (self.control, tolerance) = span, options
        self._prepare(model, start, self.control, baumgarte)
        excited = self.control[2].knots()
        self.knots = sorted({*knots(model), *force_knots(model), *motion_knots(model), *tension_knots(model), *excited})
        wide, dense_form = 2 * model.ndof + model.nz, method.form == dp.BY_DENSE_FORM
        self.memory = np.zeros(dp.PROGRESS + wide * (1 + dp.STAGES))
        self.progress, self.y = self.memory[: dp.PROGRESS], self.memory[dp.PROGRESS : dp.PROGRESS + wide]
        self.K = self.memory[dp.PROGRESS + wide :].reshape(dp.STAGES, wide)
        self.standing = self.memory[: dp.PROGRESS + 2 * wide]  # progress, y and its derivative: where it stands
        if dense_form:
            demand_dense(model, np.float64)
        self.run = dp.AdaptiveRun(
            np.float64,
            system=self.system,
            dense=dense_of(self.space) if dense_form else Dense.empty(np.float64),
            form=method.form,
            tau=self.control[0],
            controller=self.control[1],
            progress=self.progress,
            y=self.y,
            K=self.K,
            trial=np.empty(wide),
            charted=model.charted,
            slots=model.chart_slots,
            rtol=tolerance.rtol,
            atol=tolerance.atol,
            longest=tolerance.longest,
        )
        self.piece = max(1, LINK_STEPS_PER_CALL // (dp.STAGES * parts_of(model)))
        self.rows = Rows.starting(model, start, max(len(self.span) + 1, LATER_ROOM if later else ROOM))
        self.spare = Rows.starting(model, start, 1)
        self.wanted = self.span
        if later:
            self.resume(start)
        else:
            self._stand(start, 1 if not len(self.span) else int(np.sum(self.span <= start.t)))

    def resume(self, state: State) -> None:
        """Go on from a state at a later time; its row is the first, if all steps have one or it is a wanted time."""
        self.rows.write(0, state)
        self.wanted = self.span[np.searchsorted(self.span, state.t) :]
        self._stand(state, 1 if not len(self.span) or (self.wanted[:1] == state.t).any() else 0)

    def _stand(self, state: State, rows: int) -> None:
        self.stops = [t for t in self.knots if state.t < t < self.end] + [self.end]
        self.progress[dp.T], self.progress[dp.ROW], self.ended = state.t, rows, ""
        self._put(state)

    def _put(self, state: State) -> None:
        self.y[:], self.charts = np.concatenate([state.q, state.qdot, state.z]), state.charts
        self._start()

    def _start(self) -> None:
        """The derivative at the present state, and the first step from it."""
        dp.start(self.run.handle, self.y)

    @property
    def t(self) -> float:
        """Where the run stands [s]."""
        return float(self.progress[dp.T])

    @property
    def now(self) -> State:
        """The present state."""
        return self._state(self.t, self.y.copy(), self.charts)

    def _state(self, t: float, y: np.ndarray, charts: np.ndarray) -> State:
        n = self.model.ndof
        return State(t, y[:n], y[n : 2 * n], charts, z=y[2 * n :])

    def advance(self, most: int) -> bool:
        """Take up to `most` steps; True while there are more."""
        more = self._integrate(self.stops[0], most)
        if not more and not self.ended and len(self.stops) > 1:
            self.stops = self.stops[1:]
            self._start()
            return True
        return more

    def _integrate(self, end: float, most: int) -> bool:
        row = int(self.progress[dp.ROW])
        if not len(self.span):
            if row == len(self.rows.t):
                self.rows.grow()
            most = min(most, len(self.rows.t) - row)
        answer = self._call(end, self.rows.arrays(), self.wanted, most)
        if answer in WHY:
            self.ended = WHY[answer].format(self.t)
        return answer == dp.FULL

    def _call(self, end: float, out: tuple, wanted: np.ndarray, most: int) -> int:
        return dp.integrate(self.run.handle, end, np.nextafter(end, -np.inf), *out, wanted, most)

    def snapshot(self) -> tuple:
        """Where it stands, to be put back there."""
        return self.stops, self.standing.copy(), self.charts

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        self.stops, self.standing[:], self.charts = snapshot

    def between(self, snapshot: tuple, shares: np.ndarray) -> list[State]:
        """The states at shares of the step just taken from a snapshot, by dense output."""
        before, charts = snapshot[1], snapshot[2]
        t, seen = float(before[dp.T]), np.empty((len(shares), len(self.y)))
        h = self.t - t
        dp.look_between(shares, h, before[dp.PROGRESS :], self.K, seen)
        return [self._state(t + s * h, y, charts) for s, y in zip(shares.tolist(), seen, strict=True)]

    def trial(self, t: float) -> State:
        """The state at t, within the next step, without going there."""
        snapshot, out = self.snapshot(), self.spare.arrays()
        try:
            while self.t < t:
                self.progress[dp.ROW] = 0
                answer = self._call(t, out, NOTHING_WANTED, 1)
                if answer in WHY:
                    raise TrialFailed(WHY[answer].format(self.t))
            return self.now
        finally:  # whatever ends it: rows are counted there
            self.restore(snapshot)

    @property
    def _has_row(self) -> bool:
        """Is the present state a row? Not so between wanted times."""
        count = int(self.progress[dp.ROW])
        return count > 0 and self.rows.t[count - 1] == self.t

    def step_to(self, t: float) -> None:
        """To t, in one step unless that is too long, and a row of it unless only wanted times are."""
        while self.t < t and not self.ended:
            self._integrate(t, 1)

    def place(self, state: State) -> None:
        """Go on from another state at the present time."""
        if self._has_row:
            self.rows.write(int(self.progress[dp.ROW]) - 1, state)
        self._put(state)

    def leave(self) -> Rows:
        """The rows before the present one, which another model is to have."""
        rows = self.rows.first(int(self.progress[dp.ROW]) - self._has_row)
        rows.change(np.copy)
        return rows

    def finish(self, keep_last: bool) -> Rows:
        """The rows; with the last state, if asked for, though no time wanted it."""
        count = int(self.progress[dp.ROW])
        if keep_last and len(self.span) and (not count or self.rows.t[count - 1] < self.t):
            self.rows.write(count, self.now)
            count += 1
        return self.rows.first(count)

    @property
    def steps(self) -> dict[str, int]:
        """How many were accepted and rejected."""
        return {"accepted": int(self.progress[dp.ACCEPTED]), "rejected": int(self.progress[dp.REJECTED])}
