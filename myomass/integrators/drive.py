"""A run from its start to its end: pieces short enough for Ctrl-C and a progress bar, events, and how it ended."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np

from ..model import Model, State
from .controller import Controller
from .events import Event, Occurrence, find_crossing
from .stepper import AdaptiveStepper, FixedStepper, Rows

Stepper = FixedStepper | AdaptiveStepper
Progress = (
    bool | Callable[[float], None] | None
)  # a bar or none, where one can be seen, or a function of the share done
PATIENCE = 1.0  # [s] before a progress bar is worth showing
MOST_OFTEN = 2**-9  # of a step, between two occurrences of one event
REPEATS = "event {!r} happens again and again at {:.6g} s: let its action end that motion, or stop"


def drive(stepper: Stepper, events: Sequence[Event], controller: Controller | None, progress: Progress) -> Rows:
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
    except ValueError:
        if controller is None or controller.error is None:
            raise
    if controller is not None and controller.error is not None:
        if not isinstance(controller.error, KeyboardInterrupt):
            raise controller.error
        ended = "interrupted"
    rows = stepper.finish(keep_last=watch.ended != "")
    rows.ended = ended
    rows.events = watch.occurrences
    return rows


class _Watch:
    """Takes single steps and looks whether an event's function has crossed zero in them.

    It looks at the end of a fixed step, at four places of an adaptive one, and, after something has happened, also soon
    after that: a ball may bounce more than once in a step.
    """

    AFTERWARDS = (2**-10, 2**-8, 2**-6, 2**-4, 1 / 4, 1 / 2, 3 / 4)

    def __init__(self, stepper: Stepper, events: Sequence[Event]):
        self.stepper, self.events, self.ended = stepper, events, ""
        self.occurrences: list[Occurrence] = []
        self.values = [event.value(stepper.now) for event in events]
        self.last_time = [-np.inf] * len(events)
        self.just_happened = False

    def advance(self) -> bool:
        """One step, cut short where an event happens; True while there are more."""
        stepper, before, start = self.stepper, self.stepper.snapshot(), self.stepper.t
        more = stepper.advance(1)
        if stepper.ended:
            return False
        after, end, last = stepper.snapshot(), stepper.t, [event.value(stepper.now) for event in self.events]
        stepper.restore(before)
        found = self._first_crossing(start, end, last)
        self.just_happened = found is not None
        if found is None:
            stepper.restore(after)
            self.values = last
            return more
        stepper.step_to(found)
        if stepper.ended:
            return False
        return self._happen(end - start) and (more or found < end)

    def _first_crossing(self, start: float, end: float, last: list[float]) -> float | None:
        """When the first event happens within the step, which the stepper stands before."""
        looks = self.AFTERWARDS if self.just_happened else self.stepper.looks
        places = [t for t in (start + part * (end - start) for part in looks) if start < t < end]
        here, since = self.values, start
        for t in (*places, end):
            there = last if t == end else self._values_at(t)
            times = [
                find_crossing(lambda t, i=i: self._values_at(t)[i], since, t, here[i], there[i])
                for i, event in enumerate(self.events)
                if event.crosses(here[i], there[i])
            ]
            if times:
                self.values = here
                return min(times)
            here, since = there, t
        return None

    def _values_at(self, t: float) -> list[float]:
        state = self.stepper.trial(t)
        return [event.value(state) for event in self.events]

    def _happen(self, step: float) -> bool:
        """Let every event act that has crossed by now; False if one stops the run."""
        now = [event.value(self.stepper.now) for event in self.events]
        crossed = [i for i, event in enumerate(self.events) if event.crosses(self.values[i], now[i])]
        for i in crossed:
            self._act(self.events[i])
            if self.stepper.t - self.last_time[i] < MOST_OFTEN * step:
                self.ended = self.ended or REPEATS.format(self.events[i].kind, self.stepper.t)
            self.last_time[i] = self.stepper.t
        self.values = [event.value(self.stepper.now) for event in self.events]
        for i in crossed:
            self.values[i] = 0.0  # it stands on zero, from where nothing is crossed
        return not self.ended

    def _act(self, event: Event) -> None:
        before = self.stepper.now
        after = None if event.action == "stop" else event.action(self.stepper.now)  # a copy, to do with as it likes
        if after is not None:
            self.stepper.place(_checked(self.stepper.model, event, before, after))
        after = self.stepper.now
        self.occurrences.append(Occurrence(before.t, event.kind, before.q, before.qdot, after.q, after.qdot))
        if event.action == "stop":
            self.ended = self.ended or f"stopped by {event.kind!r}"


def _checked(model: Model, event: Event, before: State, after: State) -> State:
    """The state an action gave, at the time of the event."""
    if not isinstance(after, State):
        raise TypeError(f"event {event.kind!r}: the action must return a state or None, and returned {after!r}")
    model = model.with_charts(after.charts)
    return model.state(after.q, after.qdot, before.t)


@contextmanager
def _progress_bar(start: float, end: float, wanted: Progress):
    """A function show(t) that moves a bar on standard error, once a run is long and where somebody can see it."""
    if callable(wanted):
        yield lambda t: wanted((t - start) / (end - start))
        return
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda t: None
        return
    with ExitStack() as stack:
        begun, shown = time.monotonic(), []

        def show(t: float) -> None:
            if not shown and (wanted or time.monotonic() - begun > PATIENCE):
                from rich.console import Console
                from rich.progress import Progress as Bar

                bar = stack.enter_context(Bar(console=Console(stderr=True), transient=not wanted))
                shown.append((bar, bar.add_task("simulating", total=end - start)))
            for bar, task in shown:
                bar.update(task, completed=t - start)

        yield show
