"""A run that can be differentiated: its rows, and where joints moved to other charts between two steps.

Every step can be taken apart again from the rows at its ends, so nothing else is kept of a run: 16 bytes per degree of
freedom and step. Those of a few steps at a time are enough too: checkpoints.py.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._jit import kernel
from ..constraints.arrays import PROJECT
from ..dynamics.assembly import projected_at
from ..integrators import Integrator
from ..integrators.base import PARTED, STEP_BEFORE
from ..joints.dispatch import reparameterise
from ..model import Model, State
from ..model.spec import UnknownName, known_names
from ..run.events import Event
from ..run.settings import Plan
from ..run.stepper import FixedStepper
from ..spatial.brief import brief
from .excited import Excited

if TYPE_CHECKING:
    from .checkpoints import Track

PIECE = 64  # steps between two looks at the charts


class Unfinished(RuntimeError):
    """A run that has no derivative: it did not come to its end, or not by the steps that were asked for."""


class Move(NamedTuple):
    """Coordinates of a row as a step left them, before some joints moved to the charts of the row."""

    q: np.ndarray
    qdot: np.ndarray
    charts: np.ndarray
    before: np.ndarray  # (q, qdot) of the row before, in the charts of the row


class Crossing(NamedTuple):
    """What happened at a row, and the state there before and after it."""

    events: tuple[Event, ...]  # in order; the function of the first one that is zero says when
    when: Event
    before: State
    after: State  # as actions gave it, before joints moved to other charts
    anew: bool  # do methods that look back start anew here?


@brief
@dataclass(eq=False)
class Rollout:
    """Rows of a run, as `simulate` gives them, and what went into it. What a task looks at."""

    model: Model
    t: np.ndarray  # [s], (rows,)
    q: np.ndarray  # (rows, ndof)
    qdot: np.ndarray  # (rows, ndof)
    charts: np.ndarray  # (rows, Euler joints)
    z: np.ndarray  # states of muscles, (rows, nz)
    tau: np.ndarray  # joint torques: (ndof,), or (steps, ndof)
    excited: Excited
    moves: dict[int, Move] = field(default_factory=dict)
    loose: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)  # (q, qdot) before projections
    inputs: dict[str, np.ndarray] = field(default_factory=dict)  # what went into it, by name
    crossings: dict[int, Crossing] = field(default_factory=dict)  # by row
    of_grid: np.ndarray | None = None  # which of the steps asked for each step is a part of; None where all are whole
    track: "Track | None" = None  # of a run whose rows are not all kept

    @property
    def steps(self) -> int:
        """How many steps it took."""
        return len(self.t) - 1

    def torques(self, step: int) -> np.ndarray:
        """Those of a step, from row `step` to the next. (ndof,)"""
        return self.tau[step] if self.tau.ndim == 2 else self.tau

    def arrived(self, row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(q, qdot, charts, z) of a row, before anything happened there."""
        found = self.state(row) if row not in self.crossings else self.crossings[row].before
        return found.q, found.qdot, found.charts, found.z

    def given(self, name: str) -> np.ndarray:
        """What went into the run under a name."""
        if name not in self.inputs:
            raise UnknownName(f"nothing went into the run by the name {name!r}; {known_names(self.inputs)}")
        return self.inputs[name]

    def model_at(self, row: int) -> Model:
        """The model in the charts of a row."""
        return self.model.with_charts(self.charts[row]) if self.charts.shape[1] else self.model

    def state(self, row: int) -> State:
        """The state of a row."""
        return State(
            float(self.t[row]), self.q[row].copy(), self.qdot[row].copy(), self.charts[row].copy(), z=self.z[row].copy()
        )


@kernel(entry=True)
def first_near_the_edge(links, charted, params, q, qdot):
    """The first row whose state some joint leaves its chart in, -1 if there is none; the rows are used up."""
    for row in range(q.shape[0]):
        if reparameterise(links, charted, params, q[row], qdot[row], q[row, :0], qdot[row, :0]) > 0:
            return row
    return -1


@kernel(entry=True)
def move_with_row_before(links, charted, params, q, qdot, q_before, qdot_before):
    """Move joints near a singularity to better charts, with the row before, in place."""
    reparameterise(links, charted, params, q, qdot, q_before, qdot_before)


def run_forward(plan: Plan, model: Model, start: State, excited: Excited) -> Rollout:
    """The rows of a run from a start that is in good charts. Raises Unfinished if it does not come to its end."""
    forward = Forward(plan, model, start)
    rollout = forward.room(0, len(plan.grid) - 1, excited)
    forward.write(rollout, 0)
    if model.constraints.count:
        rollout.loose[0] = start.q.copy(), start.qdot.copy()
    forward.take(rollout, 0)
    forward.check()
    forward.stepper.release()
    return rollout


class Forward:
    """Takes the steps of a run, and writes them into the rows of rollouts."""

    def __init__(self, plan: Plan, model: Model, start: State):
        self.plan, self.model, self.stepper = plan, model, plan.stepper(model, start)
        self.stepper.run.point("charted", np.zeros(0, np.int64))  # joints move to other charts here, between pieces
        self.stepper.rows = self.stepper.rows.first(1)  # it has room for a piece of the run at a time
        self.keeps = keeps_loose(model, plan.integrator)
        if self.keeps:  # states are projected here, between steps (`put_onto_rows`)
            self.stepper.system.constraints.gains[PROJECT] = 0.0

    def room(self, first: int, last: int, excited: Excited) -> Rollout:
        """Room for the rows of the run from `first` to `last`."""
        tau = self.plan.torques.given
        tau = tau[first:last] if tau.ndim == 2 else tau
        return Rollout(self.model, self.plan.grid[first : last + 1], *_room(self.model, last + 1 - first), tau, excited)

    def write(self, rollout: Rollout, row: int) -> None:
        """Make where the run stands one of the rows of a rollout."""
        run = self.stepper.run
        rollout.q[row], rollout.qdot[row], rollout.z[row] = run.q, run.qdot, run.z
        rollout.charts[row] = self.stepper.charts

    def take(self, rollout: Rollout, row: int) -> None:
        """Take steps from a row of a rollout, where the run stands, to its last one."""
        stepper = self.stepper
        most = 1 if self.keeps else PIECE if len(self.model.charted) else stepper.piece
        while row < rollout.steps:
            stepper.rows.t[0], stepper.rows.count = stepper.t, 1  # what is written down is not kept there too
            count, at_edge = self._advance(min(most, rollout.steps - row))
            for name in ("q", "qdot", "z"):
                getattr(rollout, name)[row + 1 : row + 1 + count] = getattr(stepper.rows, name)[1 : 1 + count]
            rollout.charts[row + 1 : row + 1 + count] = stepper.charts
            row += count
            if self.keeps:
                rollout.loose[row] = self.loose
            if at_edge:
                rollout.moves[row] = moved(stepper, rollout.q[row - 1], rollout.qdot[row - 1])
                self.write(rollout, row)

    def mark(self) -> tuple:
        """Where the run stands, with all that further steps are guessed from."""
        return self.stepper.snapshot(), self.stepper.t, [x.copy() for x in self._guesses()]

    def go_back(self, mark: tuple) -> None:
        """Stand at a mark again: the steps from there will be the same to the last bit."""
        snapshot, t, guesses = mark
        self.stepper.rows.t[snapshot[0] - 1] = t
        self.stepper.restore(snapshot)
        self.stepper.ended = ""
        for own, kept in zip(self._guesses(), guesses, strict=True):
            own[:] = kept

    def _guesses(self) -> tuple[np.ndarray, ...]:
        system = self.stepper.system
        return system.constraints.solver.lam, system.muscles.drive.z, system.muscles.drive.zdot

    def _advance(self, most: int) -> tuple[int, bool]:
        """Take steps up to the first after which a joint leaves its chart: (how many, is it so after the last one?).

        Where a step's end is put onto constraints, it is one step, and `loose` is what it was before.
        """
        stepper, model, mark = self.stepper, self.model, self.mark()
        stepper.advance(most)
        rows, count = stepper.rows, stepper.rows.count - 1
        if self.keeps and not stepper.ended:
            self.loose = put_onto_rows(stepper, stepper.t)
            rows.q[count], rows.qdot[count] = stepper.run.q, stepper.run.qdot
        q, qdot, params = rows.q[1 : 1 + count].copy(), rows.qdot[1 : 1 + count].copy(), stepper.params.copy()
        edge = first_near_the_edge(model.links, model.charted, params, q, qdot) if len(model.charted) else -1
        if 0 <= edge < count - 1 or (edge >= 0 and stepper.ended):  # what came after it does not count
            self.go_back(mark)
            stepper.advance(edge + 1)
            return edge + 1, True
        if stepper.ended:
            raise Unfinished(f"the run has no derivative, since it did not come to its end: {stepper.ended}")
        return count, edge >= 0

    def check(self) -> None:
        """Raise Unfinished if a step was taken in parts."""
        check_whole(self.stepper, len(self.plan.grid) - 1)


def keeps_loose(model: Model, method: Integrator) -> bool:
    """Is what a step gave before it was put onto constraints kept? Steps of velocities are solved for again."""
    return model.constraints.count > 0 and method.holds != "all"


def put_onto_rows(stepper: FixedStepper, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Put where the stepper stands onto constraints at time t; (q, qdot) before that."""
    run = stepper.run
    loose = run.q.copy(), run.qdot.copy()
    projected_at(stepper.system.handle, t, run.q, run.qdot)
    return loose


def check_whole(stepper: FixedStepper, steps: int) -> None:
    """Raise Unfinished if a step was taken in parts."""
    if stepper.run.memory[PARTED] > 0:
        raise Unfinished(
            f"{stepper.run.memory[PARTED]:.0f} of the run's {steps} steps had no solution as a whole and were "
            "taken in parts, of which there is no exact derivative; take a smaller step"
        )


def _room(model: Model, rows: int) -> list[np.ndarray]:
    """For q, qdot, charts and z."""
    return [np.empty((rows, width)) for width in (model.ndof, model.ndof, len(model.chart_slots), model.nz)]


def moved(stepper: FixedStepper, q_before: np.ndarray, qdot_before: np.ndarray) -> Move:
    """Move the joints where the stepper stands, and the row before that it remembers; how it stood."""
    run, model = stepper.run, stepper.model
    stood = run.q.copy(), run.qdot.copy(), stepper.charts.copy()
    before = np.array([q_before, qdot_before])
    move_with_row_before(model.links, model.charted, stepper.params, run.q, run.qdot, *before)
    if run.memory[STEP_BEFORE] > 0.0:
        run.q_before[:], run.qdot_before[:] = before
    return Move(*stood, before)
