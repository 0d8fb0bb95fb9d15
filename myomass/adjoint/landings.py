"""A run with events that can be differentiated: single steps, cut short where something happens."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..algorithms.charts import reparameterise
from ..integrators.base import OK, STEP_BEFORE
from ..model import Model, State
from ..run.event_search import Watch
from ..run.events import Event
from ..run.settings import Plan
from ..run.stepper import FixedStepper
from ..run.switching import Relay
from .excited import Excited
from .rollout import Crossing, Move, Rollout, Unfinished, check_whole, first_near_the_edge, moved

STOPPED = "stopped by"  # what a watch says first where an event ended the run


class Landing(FixedStepper):
    """Takes one step at a time, and knows how the last one ended before joints moved to other charts."""

    def __init__(self, *given):
        self.move: Move | None = None  # of the last step that was taken
        self.latest: Move | None = None  # of the last one that was taken or tried
        self.placed: State | None = None  # from where the run was told to go on, as it was given
        super().__init__(*given)
        self.run.point("charted", np.zeros(0, np.int64))

    def advance(self, most: int, to: float | None = None) -> bool:
        """Take one step of the grid, or one `to` a time between; True while there are more."""
        more = super().advance(1, to)
        self.move = self.latest
        return more

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        run, model = self.run, self.model
        before = run.q.copy(), run.qdot.copy()
        reached, status = super()._roll(out, first, last)
        self.latest = None
        if status == OK and len(model.charted):
            given = self.params.copy(), run.q[None].copy(), run.qdot[None].copy()
            if first_near_the_edge(model.links, model.charted, *given) == 0:
                self.latest = moved(self, *before)
                out[1][last], out[2][last], out[3][last] = run.q, run.qdot, self.charts
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
    moves, of_grid, more = {}, [], True
    while more:
        of_grid.append(stepper.at - 1)
        more = watch.advance()
        ended = stepper.ended or ("" if watch.ended.startswith(STOPPED) else watch.ended)
        if ended:
            raise Unfinished(f"the run has no derivative, since it did not come to its end: {ended}")
        if stepper.move is not None:
            moves[stepper.rows.count - 1] = stepper.move
    check_whole(stepper, len(of_grid))
    rows, of_grid = stepper.rows.first(stepper.rows.count), np.array(of_grid)
    rows.change(np.copy)
    tau = plan.torques.given
    tau = tau[of_grid] if tau.ndim == 2 else tau
    stepper.release()
    return Rollout(model, *rows.arrays(), tau, excited, moves, crossings=watch.crossings, of_grid=of_grid)
