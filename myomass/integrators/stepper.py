"""The Python side of an integrator: room for rows, and steps taken in pieces.

A stepper advances rows of a run by up to so many steps, or to one given time; it can be put back to where it stood, and
to another state. That is all that a run with Ctrl-C, a progress bar and events needs of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..algorithms.redmax import dense_scratch
from ..constraints.driven import motion_knots
from ..constraints.solve import dependent_rows
from ..dynamics.constrained import bound_arrays
from ..dynamics.given import all_loads
from ..dynamics.rows import INCONSISTENT
from ..forces.joint_torque import knots
from ..model import Model, State
from ..muscles.watch import tension_knots
from . import ADAPTIVE, EXPLICIT, IMPLICIT, velocity
from . import dormand_prince as dp
from .base import FAILED, ITERATIONS, MATRICES, MEMORY, OK, REDMAX, RESIDUAL, SCRATCH_ROWS, STEP_BEFORE
from .implicit import MOST_HALVINGS
from .newton import TOLERANCE, implicit_scratch
from .rollout import roll_bound_explicit, roll_bound_implicit, roll_bound_velocity, roll_explicit, roll_implicit

Gains = tuple[float, float, float] | None  # Baumgarte's; None: states are projected
LINK_STEPS_PER_CALL = 500_000  # link evaluations between two looks at the keyboard: about a tenth of a second
SLIVER = 1e-9  # of a step, that is not worth one of its own
NOT_FINITE = "the motion is not finite after {:.6g} s; try a smaller step"
TOO_SMALL = "no step is short enough for the tolerance at {:.6g} s; the equations may be singular or too stiff there"
NO_SOLUTION = (
    "the implicit step from {:.6g} s has no solution, not even in {:,} parts: its residual stays at {:.2g} of the "
    "forces in balance ({:g} is asked for); try a smaller step, and look for a force that jumps or explodes there"
)
NO_ITERATION = "the symplectic step from {:.6g} s does not converge; try a smaller step"


def private_system(model: Model) -> tuple:
    """The arrays of a model with parameters (charts change) and scratch of their own."""
    links, bodies, params, gravity, work, dofs = model.workspace.system
    return links, bodies, params.copy(), gravity, work.copy(), dofs.copy()


def _rolls(integrator: str, bound: bool) -> tuple[Callable, int]:
    """(kernel, method) that run an integrator of fixed steps."""
    if not bound:
        if integrator in EXPLICIT:
            return roll_explicit, EXPLICIT.index(integrator)
        return roll_implicit, IMPLICIT[integrator]
    if integrator in velocity.METHODS:
        return roll_bound_velocity, velocity.METHODS.index(integrator)
    return (roll_bound_explicit, 0) if integrator in EXPLICIT else (roll_bound_implicit, IMPLICIT[integrator])


@dataclass
class Rows:
    """What a run has computed so far: `count` rows of t, q, qdot and charts."""

    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    charts: np.ndarray
    count: int = 1
    ended: str = "completed"
    steps: dict[str, int] = field(default_factory=dict)
    events: list = field(default_factory=list)
    last_is_extra: bool = False  # the run stopped between wanted times
    multipliers: np.ndarray | None = None  # of constraints, where they are recorded

    @classmethod
    def starting(cls, model: Model, state: State, capacity: int) -> "Rows":
        """Room for `capacity` rows, the first of them the given state."""
        n, slots = model.ndof, len(model.chart_slots)
        rows = cls(np.empty(capacity), np.empty((capacity, n)), np.empty((capacity, n)), np.empty((capacity, slots)))
        rows.write(0, state)
        return rows

    def write(self, row: int, state: State) -> None:
        """Make a state one of the rows."""
        self.t[row], self.q[row], self.qdot[row], self.charts[row] = state.t, state.q, state.qdot, state.charts

    def arrays(self) -> tuple[np.ndarray, ...]:
        """(t, q, qdot, charts), all of the room."""
        return self.t, self.q, self.qdot, self.charts

    def change(self, change) -> None:
        """Apply the same to t, q, qdot and charts, and to multipliers if there are any."""
        self.t, self.q, self.qdot, self.charts = (change(x) for x in self.arrays())
        if self.multipliers is not None:
            self.multipliers = change(self.multipliers)

    def grow(self) -> None:
        """Twice the room."""
        self.change(lambda x: np.concatenate([x, np.empty_like(x)]))

    def choose(self, kept: np.ndarray | slice) -> "Rows":
        """Only these rows."""
        self.change(lambda x: x[kept])
        self.count = len(self.t)
        return self

    def keep_only(self, times: np.ndarray) -> None:
        """The rows at wanted times, and the last one if the run stopped between them."""
        kept = np.isin(self.t, times)
        kept[-1] |= self.last_is_extra
        self.choose(kept)

    def cut(self) -> "Rows":
        """Without the room that is left."""
        return self.choose(slice(0, self.count))


class Stepper:
    """What both kinds have in common."""

    model: Model
    run: tuple

    def complaints(self, rows: Rows) -> list[str]:
        """Sentences about a run that did not go as it should."""
        early = rows.ended not in ("completed", "interrupted") and not rows.ended.startswith("stopped")
        found = [rows.ended] if early else []
        if len(self.model.ties):
            names, miss = dependent_rows(self.model, self.run[5][3][8])
            if names:
                missed = f", and could not all hold (missed by up to {miss:.1g})" if miss > INCONSISTENT else ""
                found.append(f"these rows depended on each other{missed}: {', '.join(names)}; least squares met them")
        return found


class FixedStepper(Stepper):
    """Steps from each time of a grid to the next."""

    looks = ()  # where within a step to look for events

    def __init__(
        self, model: Model, start: State, integrator: str, grid: np.ndarray, control: tuple, baumgarte: Gains = None
    ):
        self.model, self.end = model, grid[-1]
        self.rows = Rows.starting(model, start, len(grid))
        self.rows.t[:] = grid
        n, self.integrator = model.ndof, integrator
        bound = bound_arrays(model, baumgarte) if len(model.ties) else ()
        explicit = integrator in EXPLICIT and not bound
        self.roll, self.method = _rolls(integrator, bool(bound))
        extra = () if explicit else implicit_scratch(model)
        loads = all_loads(model, np.float64)
        self.run = (private_system(model), loads, control, np.zeros((SCRATCH_ROWS, n)), extra, bound)
        before = np.zeros(n), np.zeros(n), np.zeros(MEMORY)
        self.state = (start.q.copy(), start.qdot.copy(), *before)
        self.piece = max(1, LINK_STEPS_PER_CALL // (len(model.links) * (1 if explicit else 20)))
        self.ended = ""

    @property
    def t(self) -> float:
        """Where the run stands [s]."""
        return float(self.rows.t[self.rows.count - 1])

    @property
    def now(self) -> State:
        """The present state."""
        slots = self.model.chart_slots
        return State(self.t, self.state[0].copy(), self.state[1].copy(), self.run[0][2][slots])

    def advance(self, most: int) -> bool:
        """Take up to `most` steps; True while there are more."""
        first = self.rows.count - 1
        last = min(first + most, len(self.rows.t) - 1)
        reached, status = self._roll(self.rows.arrays(), first, last)
        self.rows.count = reached + 1
        if status != OK:
            self.ended = self._why(status)
        return status == OK and self.rows.count < len(self.rows.t)

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        return self.roll(
            self.method, self.run, self.state, out, self.model.charted, self.model.chart_slots, first, last
        )

    def _why(self, status: int) -> str:
        if status != FAILED:
            return NOT_FINITE.format(self.t)
        if self.integrator == "symplectic":
            return NO_ITERATION.format(self.t)
        return NO_SOLUTION.format(self.t, 2**MOST_HALVINGS, self.state[4][RESIDUAL], TOLERANCE)

    def snapshot(self) -> tuple:
        """Where it stands, to be put back there."""
        return self.rows.count, [x.copy() for x in self.state], self.run[0][2].copy()

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        self.rows.count, state, params = snapshot
        for mine, theirs in zip((*self.state, self.run[0][2]), (*state, params), strict=True):
            mine[:] = theirs

    def trial(self, t: float) -> State:
        """The state at t, one step ahead, without going there."""
        snapshot = self.snapshot()
        out = Rows.starting(self.model, self.now, 2)
        out.t[1] = t
        self._roll(out.arrays(), 0, 1)
        state = replace(self.now, t=t)
        self.restore(snapshot)
        return state

    def step_to(self, t: float) -> None:
        """One step to t, which becomes a row, in the place of the next one if that is hardly later."""
        at = self.rows.count
        if self.rows.t[at] - t > SLIVER * (self.rows.t[at] - self.rows.t[at - 1]):
            self.rows.change(lambda x: np.insert(x, at, x[at - 1], axis=0))
            self.rows.t[at] = t
        self.advance(1)

    def place(self, state: State) -> None:
        """Go on from another state at the present time; methods that look back start anew."""
        self.state[0][:], self.state[1][:] = state.q, state.qdot
        self.state[4][STEP_BEFORE] = 0.0
        self.run[0][2][self.model.chart_slots] = state.charts
        self.rows.write(self.rows.count - 1, state)

    def finish(self, keep_last: bool) -> Rows:
        """The rows, with what there is to report; the last one is marked to be kept if asked for."""
        self.rows.last_is_extra = keep_last
        self.rows.steps = {"accepted": self.rows.count - 1}
        if self.integrator in IMPLICIT:
            memory = self.state[4]
            self.rows.steps |= {"iterations": int(memory[ITERATIONS]), "factorisations": int(memory[MATRICES])}
        return self.rows.cut()


@dataclass(frozen=True)
class Tolerance:
    """Of an adaptive run: relative, absolute in the state's units, and the longest step [s]."""

    rtol: float
    atol: float
    longest: float


class AdaptiveStepper(Stepper):
    """Dormand-Prince steps to the end of span = (end, wanted times); without wanted times a row per step.

    It stops at the times where forces given in time jump, and starts anew from there.
    """

    looks = (1 / 4, 1 / 2, 3 / 4)  # where within a step to look for events

    def __init__(
        self,
        model: Model,
        start: State,
        integrator: str,
        span: tuple,
        options: tuple[tuple, Tolerance],
        baumgarte: Gains = None,
    ):
        control, tolerance = options
        self.model, (self.end, self.wanted), self.tolerance = model, span, tolerance
        stops = sorted({*knots(model), *motion_knots(model), *tension_knots(model)})
        self.stops = [t for t in stops if start.t < t < self.end] + [self.end]
        self.rows = Rows.starting(model, start, max(len(self.wanted) + 1, 512))
        form = ADAPTIVE[integrator]
        n = model.ndof if form == REDMAX else 0
        dense = (*dense_scratch(n, np.float64), np.zeros((0, 6)), np.zeros(n))
        bound = bound_arrays(model, baumgarte) if len(model.ties) else ()
        self._first, self._go_on = (dp.start_bound, dp.integrate_bound) if bound else (dp.start, dp.integrate)
        self.run = (form, private_system(model), all_loads(model, np.float64), control, dense, bound)
        self.y, self.K = np.concatenate([start.q, start.qdot]), np.empty((dp.STAGES, 2 * model.ndof))
        self.progress = np.zeros(dp.PROGRESS)
        self.progress[dp.T], self.progress[dp.ROW] = start.t, 1 if not len(self.wanted) else sum(self.wanted <= start.t)
        self.piece = max(1, LINK_STEPS_PER_CALL // (dp.STAGES * len(model.links)))
        self.ended = ""
        self._start()

    def _start(self) -> None:
        """The derivative at the present state, and the first step from it."""
        tolerance, progress = self.tolerance, self.progress
        numbers = tolerance.rtol, tolerance.atol, tolerance.longest
        self._first(self.run, self.y, self.K, progress, self.model.charted, *numbers)

    @property
    def t(self) -> float:
        """Where the run stands [s]."""
        return float(self.progress[dp.T])

    @property
    def now(self) -> State:
        """The present state."""
        q, qdot = self.y[: self.model.ndof].copy(), self.y[self.model.ndof :].copy()
        return State(self.t, q, qdot, self.run[1][2][self.model.chart_slots])

    def advance(self, most: int) -> bool:
        """Take up to `most` steps; True while there are more."""
        more = self._integrate(self.stops[0], most)
        if not more and not self.ended and len(self.stops) > 1:
            del self.stops[0]
            self._start()
            return True
        return more

    def _integrate(self, end: float, most: int) -> bool:
        row = int(self.progress[dp.ROW])
        if not len(self.wanted):
            if row == len(self.rows.t):
                self.rows.grow()
            most = min(most, len(self.rows.t) - row)
        answer = self._call(end, self.rows.arrays(), self.wanted, most)
        if answer in (dp.NOT_FINITE, dp.TOO_SMALL):
            self.ended = (NOT_FINITE if answer == dp.NOT_FINITE else TOO_SMALL).format(self.t)
        return answer == dp.FULL

    def _call(self, end: float, out: tuple, wanted: np.ndarray, most: int) -> int:
        tolerance = self.tolerance
        control = (end, np.nextafter(end, -np.inf), tolerance.rtol, tolerance.atol, tolerance.longest)
        rest = (wanted, self.model.charted, self.model.chart_slots)
        return self._go_on(self.run, control, self.progress, self.y, self.K, np.empty_like(self.y), out, *rest, most)

    def snapshot(self) -> tuple:
        """Where it stands, to be put back there."""
        return list(self.stops), self.progress.copy(), self.y.copy(), self.K.copy(), self.run[1][2].copy()

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        for mine, theirs in zip((self.stops, self.progress, self.y, self.K, self.run[1][2]), snapshot, strict=True):
            mine[:] = theirs

    def trial(self, t: float) -> State:
        """The state at t, within the next step, without going there."""
        snapshot = self.snapshot()
        self.progress[dp.ROW] = 0
        out = Rows.starting(self.model, self.now, 2).arrays()
        while self.t < t and self._call(t, out, np.zeros(0), 1) in (dp.FULL, dp.DONE):
            self.progress[dp.ROW] = 0
        state = self.now
        self.restore(snapshot)
        return state

    def step_to(self, t: float) -> None:
        """To t, in one step unless that is too long, and a row of it unless only wanted times are."""
        while self.t < t and not self.ended:
            self._integrate(t, 1)

    def place(self, state: State) -> None:
        """Go on from another state at the present time."""
        self.y[:] = np.concatenate([state.q, state.qdot])
        self.run[1][2][self.model.chart_slots] = state.charts
        if not len(self.wanted):
            self.rows.write(int(self.progress[dp.ROW]) - 1, state)
        self._start()

    def finish(self, keep_last: bool) -> Rows:
        """The rows, with what there is to report; with the last state, if asked for, though no time wanted it."""
        self.rows.count = int(self.progress[dp.ROW])
        if keep_last and len(self.wanted) and (not self.rows.count or self.rows.t[self.rows.count - 1] < self.t):
            self.rows.write(self.rows.count, self.now)
            self.rows.count += 1
        accepted, rejected = self.progress[dp.ACCEPTED], self.progress[dp.REJECTED]
        self.rows.steps = {"accepted": int(accepted), "rejected": int(rejected)}
        return self.rows.cut()
