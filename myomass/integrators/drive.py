"""A run from its start to its end: pieces short enough for Ctrl-C and a progress bar, events, and how it ended."""

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager

from ..model import Model, State
from .controller import Controller
from .events import Event, Occurrence, find_crossing
from .stepper import AdaptiveStepper, FixedStepper, Rows

Stepper = FixedStepper | AdaptiveStepper
PATIENCE = 1.0  # [s] before a progress bar is worth showing


def drive(stepper: Stepper, events: Sequence[Event], controller: Controller | None, progress: bool | None) -> Rows:
    """Run to the end, to a stop, to a failure or to Ctrl-C; the rows say which."""
    ended, watch = "completed", _Watch(stepper, events)
    try:
        with _progress_bar(stepper.t, stepper.end, progress) as show:
            more = True
            while more and not stepper.ended:
                more = watch.advance() if events else stepper.advance(stepper.piece)
                show(stepper.t)
        ended = stepper.ended or watch.ended or ended
    except KeyboardInterrupt:
        ended = "interrupted"
    if controller is not None and controller.error is not None:
        if not isinstance(controller.error, KeyboardInterrupt):
            raise controller.error
        ended = "interrupted"
    rows = stepper.finish()
    rows.ended = ended
    rows.events = watch.occurrences
    return rows


class _Watch:
    """Takes single steps and looks whether an event's function has crossed zero in them."""

    def __init__(self, stepper: Stepper, events: Sequence[Event]):
        self.stepper, self.events, self.ended = stepper, events, ""
        self.occurrences: list[Occurrence] = []
        self.values = [event.value(stepper.now) for event in events]

    def advance(self) -> bool:
        """One step, cut short where an event happens; True while there are more."""
        stepper, snapshot, start = self.stepper, self.stepper.snapshot(), self.stepper.t
        more = stepper.advance(1)
        if stepper.ended:
            return False
        end, values = stepper.t, [event.value(stepper.now) for event in self.events]
        crossed = [i for i, event in enumerate(self.events) if event.crosses(self.values[i], values[i])]
        if not crossed:
            self.values = values
            return more
        stepper.restore(snapshot)
        times = {i: self._locate(i, start, end, values[i]) for i in crossed}
        first = min(times, key=times.get)
        stepper.step_to(times[first])
        if stepper.ended:
            return False
        return self._happen(self.events[first]) and (more or times[first] < end)

    def _locate(self, i: int, start: float, end: float, at_end: float) -> float:
        event = self.events[i]
        return find_crossing(lambda t: event.value(self.stepper.trial(t)), start, end, self.values[i], at_end)

    def _happen(self, event: Event) -> bool:
        """Let the event act; False if it stops the run."""
        before = self.stepper.now
        after = None if event.action == "stop" else event.action(self.stepper.now)  # a copy, to do with as it likes
        if after is not None:
            after = _checked(self.stepper.model, event, before, after)
            self.stepper.place(after)
        after = self.stepper.now
        states = before.q, before.qdot, after.q, after.qdot
        self.occurrences.append(Occurrence(before.t, event.kind, *states))
        self.values = [event.value(after) for event in self.events]
        if event.action == "stop":
            self.ended = f"stopped by {event.kind!r}"
        return event.action != "stop"


def _checked(model: Model, event: Event, before: State, after: State) -> State:
    """The state an action gave, at the time of the event."""
    if not isinstance(after, State):
        raise TypeError(f"event {event.kind!r}: the action must return a state or None, and returned {after!r}")
    model = model.with_charts(after.charts)
    return model.state(after.q, after.qdot, before.t)


@contextmanager
def _progress_bar(start: float, end: float, wanted: bool | None):
    """A function show(t) that moves a bar on standard error, once a run is long and where somebody can see it."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda t: None
        return
    with ExitStack() as stack:
        begun, shown = time.monotonic(), []

        def show(t: float) -> None:
            if not shown and (wanted or time.monotonic() - begun > PATIENCE):
                from rich.console import Console
                from rich.progress import Progress

                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=not wanted))
                shown.append((bar, bar.add_task("simulating", total=end - start)))
            for bar, task in shown:
                bar.update(task, completed=t - start)

        yield show
