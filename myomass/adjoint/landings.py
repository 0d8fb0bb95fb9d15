"""A run with events that can be differentiated: single steps, cut short where something happens."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..algorithms.charts import reparameterise
from ..constraints.arrays import PROJECT
from ..integrators.base import OK, STEP_BEFORE, FixedStep
from ..model import Model, State
from ..run.event_search import Watch
from ..run.events import Event
from ..run.settings import Plan
from ..run.stepper import FixedStepper
from ..run.switching import Relay
from .excited import Excited
from .rollout import (
    Crossing,
    Move,
    Rollout,
    Unfinished,
    check_whole,
    first_near_the_edge,
    keeps_loose,
    moved,
    put_onto_rows,
)

STOPPED = "stopped by"  # what a watch says first where an event ended the run


class Landed(NamedTuple):
    """How a step ended, before what is done to its end."""

    loose: tuple[np.ndarray, np.ndarray] | None = None  # (q, qdot) before it was put onto constraints
    move: Move | None = None  # before joints moved to other charts


class Landing(FixedStepper):
    """Takes one step at a time, and knows how the last one ended: it puts it onto constraints and in good charts."""

    def __init__(self, model: Model, start: State, method: FixedStep, *given):
        self.landed = Landed()  # the last step that was taken
        self.latest = Landed()  # the last one that was taken or tried
        self.placed: State | None = None  # from where the run was told to go on, as it was given
        super().__init__(model, start, method, *given)
        self.run.point("charted", np.zeros(0, np.int64))
        self.projects = keeps_loose(model, method)
        if self.projects:
            self.system.constraints.gains[PROJECT] = 0.0

    def advance(self, most: int, to: float | None = None) -> bool:
        """Take one step of the grid, or one `to` a time between; True while there are more."""
        more = super().advance(1, to)
        self.landed = self.latest
        return more

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        run, model = self.run, self.model
        before = run.q.copy(), run.qdot.copy()
        reached, status = super()._roll(out, first, last)
        loose = move = None
        if status == OK and self.projects:
            loose = put_onto_rows(self, out[0][last])
        if status == OK and len(model.charted):
            given = self.params.copy(), run.q[None].copy(), run.qdot[None].copy()
            if first_near_the_edge(model.links, model.charted, *given) == 0:
                move = moved(self, *before)
        if loose is not None or move is not None:
            out[1][last], out[2][last], out[3][last] = run.q, run.qdot, self.charts
        self.latest = Landed(loose, move)
        return reached, status

    def place(self, state: State) -> None:
        """Go on from another state at the present time, in charts that are good there."""
        self.placed = state
        super().place(reparameterise(self.model, state) if len(self.model.charted) else state)


class OneModel(Relay):
    """A run that keeps its model."""

    def switch(self, model: Model, state: State) -> None:
        """Raise a ValueError."""
        raise ValueError(
            f"no gradient: at {state.t:.6g} s the action of an event goes over to the model {model.name!r}, through "
            "which there are no derivatives"
        )


class Record(Watch):
    """Watches a run, and keeps what happens in it, by row."""

    def __init__(self, relay: OneModel, events: Sequence[Event]):
        self.crossings: dict[int, Crossing] = {}
        super().__init__(relay, events)

    def _happen(self, crossed: list[int], step: float) -> None:
        stepper = self.relay.stepper
        before, stepper.placed = stepper.now, None
        off = [abs(x) for x in self._values(before)]
        super()._happen(crossed, step)
        after, anew = stepper.placed or before, stepper.run.memory[STEP_BEFORE] == 0.0
        events, when = tuple(self.events[i] for i in crossed), self.events[min(crossed, key=off.__getitem__)]
        self.crossings[stepper.rows.count - 1] = Crossing(events, when, before, after, anew)


def run_watched(plan: Plan, model: Model, start: State, excited: Excited, events: Sequence[Event]) -> Rollout:
    """The rows of a run with events, up to one that stops it. Raises Unfinished if it does not come to its end."""
    relay = OneModel(replace(plan, kind=Landing), model, start)
    watch, stepper = Record(relay, events), relay.stepper
    loose = {0: (start.q.copy(), start.qdot.copy())} if model.constraints.count else {}
    moves, of_grid, more = {}, [], True
    while more:
        of_grid.append(stepper.at - 1)
        more = watch.advance()
        ended = stepper.ended or ("" if watch.ended.startswith(STOPPED) else watch.ended)
        if ended:
            raise Unfinished(f"the run has no derivative, since it did not come to its end: {ended}")
        for kept, found in zip((loose, moves), stepper.landed, strict=True):
            if found is not None:
                kept[stepper.rows.count - 1] = found
    check_whole(stepper, len(of_grid))
    rows, of_grid = stepper.rows.first(stepper.rows.count), np.array(of_grid)
    rows.change(np.copy)
    tau = plan.torques.given
    tau = tau[of_grid] if tau.ndim == 2 else tau
    stepper.release()
    return Rollout(model, *rows.arrays(), tau, excited, moves, loose, crossings=watch.crossings, of_grid=of_grid)
