"""The Python side of a run: room for the rows, calls of a kernel in pieces short enough for Ctrl-C, how it ended."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..algorithms.redmax import dense_scratch
from ..model import Model, State
from ..model.workspace import Workspace
from . import dormand_prince as dp
from .base import RECURSIVE, REDMAX, SCRATCH_ROWS
from .rollout import FIXED_STEP, rollout

ADAPTIVE = {"recursive": RECURSIVE, "redmax": REDMAX}
LINK_STEPS_PER_CALL = 500_000  # link evaluations between two looks at the keyboard: about a tenth of a second
NOT_FINITE = "the motion is not finite after {:.6g} s; try a smaller step"
TOO_SMALL = "no step is short enough for the tolerance at {:.6g} s; the equations may be singular or too stiff there"


def private_system(model: Model) -> tuple:
    """The arrays of a model with parameters (charts change) and scratch of their own."""
    return Workspace(replace(model, params=model.params.copy()), np.float64).system


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

    @classmethod
    def starting(cls, model: Model, state: State, capacity: int) -> "Rows":
        """Room for `capacity` rows, the first of them the given state."""
        n, slots = model.ndof, len(model.chart_slots)
        rows = cls(np.empty(capacity), np.empty((capacity, n)), np.empty((capacity, n)), np.empty((capacity, slots)))
        rows.t[0], rows.q[0], rows.qdot[0], rows.charts[0] = state.t, state.q, state.qdot, state.charts
        return rows

    def arrays(self) -> tuple[np.ndarray, ...]:
        """(t, q, qdot, charts), all of the room."""
        return self.t, self.q, self.qdot, self.charts

    def grow(self) -> None:
        """Twice the room."""
        self.t, self.q, self.qdot, self.charts = (np.concatenate([x, np.empty_like(x)]) for x in self.arrays())

    def choose(self, wanted: np.ndarray | slice) -> "Rows":
        """Only the wanted rows, as far as they were computed."""
        kept = wanted if isinstance(wanted, slice) else wanted[wanted < self.count]
        self.t, self.q, self.qdot, self.charts = (x[kept] for x in self.arrays())
        self.count = len(self.t)
        return self

    def cut(self) -> "Rows":
        """Without the room that is left."""
        return self.choose(slice(0, self.count))


def forces_of(model: Model, tau: np.ndarray) -> tuple[np.ndarray, ...]:
    """(tau, prescribed, wrenches): constant torques, nothing prescribed, no wrenches."""
    return tau, np.zeros(model.ndof, bool), np.zeros((0, 6))


def run_fixed(model: Model, state: State, tau: np.ndarray, integrator: str, times: np.ndarray) -> Rows:
    """Steps from each of the times to the next by an integrator of fixed step."""
    rows = Rows.starting(model, state, len(times))
    rows.t[:] = times
    system, method = private_system(model), list(FIXED_STEP).index(integrator)
    scratch = np.empty((2 + SCRATCH_ROWS, model.ndof))
    run = (method, system, forces_of(model, tau), scratch, rows.t, model.charted, model.chart_slots)
    piece = max(1, LINK_STEPS_PER_CALL // len(model.links))
    try:
        while rows.count < len(times):
            last = min(rows.count - 1 + piece, len(times) - 1)
            reached = rollout(*run, rows.count - 1, last, rows.q, rows.qdot, rows.charts)
            rows.count = reached + 1
            if reached < last:
                rows.ended = NOT_FINITE.format(times[reached])
                break
    except KeyboardInterrupt:
        rows.ended = "interrupted"
    rows.steps = {"accepted": rows.count - 1}
    return rows.cut()


@dataclass(frozen=True)
class Tolerance:
    """Of an adaptive run: relative, absolute in the state's units, and the longest step [s]."""

    rtol: float
    atol: float
    longest: float


def run_adaptive(
    model: Model, state: State, tau: np.ndarray, integrator: str, span: tuple[float, np.ndarray], tolerance: Tolerance
) -> Rows:
    """Dormand-Prince steps to the end of the span = (end, wanted times); without wanted times a row per step."""
    end, wanted = span
    rows = Rows.starting(model, state, max(len(wanted), 512))
    form = ADAPTIVE[integrator]
    dense = dense_scratch(model.ndof if form == REDMAX else 0, np.float64)
    run = (form, private_system(model), forces_of(model, tau), dense)
    y, K = np.concatenate([state.q, state.qdot]), np.empty((dp.STAGES, 2 * model.ndof))
    progress = np.zeros(6)
    progress[dp.T], progress[dp.ROW] = state.t, 1 if not len(wanted) else np.sum(wanted <= state.t)
    dp.start(run, y, K, progress, model.charted, tolerance.rtol, tolerance.atol, tolerance.longest)
    control = (end, tolerance.rtol, tolerance.atol, tolerance.longest)
    rest = (wanted, model.charted, model.chart_slots)
    piece = max(1, LINK_STEPS_PER_CALL // (dp.STAGES * len(model.links)))
    answer = dp.FULL
    try:
        while answer == dp.FULL:
            if not len(wanted) and int(progress[dp.ROW]) == len(rows.t):
                rows.grow()
            most = piece if len(wanted) else min(piece, len(rows.t) - int(progress[dp.ROW]))
            answer = dp.integrate(run, control, progress, y, K, np.empty_like(y), rows.arrays(), *rest, most)
    except KeyboardInterrupt:
        rows.ended = "interrupted"
    if answer in (dp.NOT_FINITE, dp.TOO_SMALL):
        rows.ended = (NOT_FINITE if answer == dp.NOT_FINITE else TOO_SMALL).format(progress[dp.T])
    rows.count = int(progress[dp.ROW])
    rows.steps = {"accepted": int(progress[dp.ACCEPTED]), "rejected": int(progress[dp.REJECTED])}
    return rows.cut()
