"""Watching a run for events: single steps, looks at functions within them, and what happens where one has crossed."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..model import Model, State
from .events import Answer, Event, NewStart, Occurrence, find_crossing
from .stepper import TrialFailed
from .switching import Relay

MOST_OFTEN = 2**-9  # of a step, between two occurrences of one event
MOST_IGNORED = 64  # crossings of a step after which it is looked at again so closely
REPEATS = "event {!r} happens again and again at {:.6g} s: let its action end that motion, or stop"
Crossing = tuple[float, list[int]]  # when, and the numbers of the events that happen there


class Watch:
    """Takes single steps and looks whether an event's function has crossed zero in them.

    It looks at the end of a fixed step, at four places of an adaptive one, and, after something has happened, also soon
    after that: a ball may bounce more than once in a step. Dense output serves to see that nothing was crossed;
    crossings are found by repeating the step.
    """

    AFTERWARDS = np.array([2**-10, 2**-8, 2**-6, 2**-4, 1 / 4, 1 / 2, 3 / 4])

    def __init__(self, relay: Relay, events: Sequence[Event]):
        self.relay, self.events, self.ended = relay, events, ""
        self.occurrences: list[Occurrence] = []
        self.asks_model = any(event.asks_model for event in events)
        self.charted: dict[tuple[int, bytes], Model] = {}  # models in charts that a state was in
        self.values = self._values(relay.stepper.now) if events else []
        self.last_time = [-np.inf] * len(events)
        self.just_happened = False

    def advance(self) -> bool:
        """One step, cut short where an event happens; True while there are more."""
        stepper = self.relay.stepper
        before, start = stepper.snapshot(), stepper.t
        more = stepper.advance(1)
        if stepper.ended:
            return False
        last = self._values(stepper.now)
        try:
            found = self._search(before, (start, stepper.t), last) if self._suspects(before, last) else None
        except TrialFailed as failed:
            stepper.restore(before)
            stepper.ended = str(failed)
            return False
        self.just_happened = found is not None
        if found is None:
            self.values = last
            return more
        step = stepper.t - start
        stepper.restore(before)
        stepper.step_to(found[0])
        if stepper.ended:
            return False
        self._happen(found[1], step)
        return not self.ended and not self.relay.nothing_left

    def _suspects(self, before: tuple, last: list[float]) -> bool:
        """May something have been crossed in the step just taken?"""
        stepper, shares = self.relay.stepper, self._shares
        if len(shares) and not stepper.dense:
            return True
        seen = [self._values(state) for state in stepper.between(before, shares)] if len(shares) else []
        for event, *path in zip(self.events, self.values, *seen, last, strict=True):
            if min(path) <= 0.0 <= max(path) and any(event.crosses(a, b) for a, b in pairwise(path)):
                return True
        return False

    @property
    def _shares(self) -> np.ndarray:
        """Where within a step to look."""
        return self.AFTERWARDS if self.just_happened else self.relay.stepper.looks

    def _search(self, before: tuple, span: tuple[float, float], last: list[float]) -> Crossing | None:
        """What happens first within the step just taken from a snapshot; the stepper is left at the step's end."""
        stepper, (start, end) = self.relay.stepper, span
        after = stepper.snapshot()
        stepper.restore(before)
        looks = [t for t in (start + self._shares * (end - start)).tolist() if start < t < end]
        found = self._first_crossing([*looks, end], start, last)
        stepper.restore(after)
        return found

    def _first_crossing(self, looks: list[float], since: float, last: list[float]) -> Crossing | None:
        """The first crossing that counts before the last look; the stepper stands before the step."""
        trial, end, here, ignored = self.relay.stepper.trial, looks[-1], self.values, 0
        while looks:
            t = looks.pop(0)
            there = last if t == end else self._values(trial(t))
            times = {
                i: find_crossing(lambda t, e=event: self._value(e, trial(t)), since, t, here[i], there[i])
                for i, event in enumerate(self.events)
                if event.crosses(here[i], there[i])
            }
            if not times:
                here, since = there, t
                continue
            first = min(times.values())
            state = trial(first)
            now = self._values(state)
            crossed = [i for i, e in enumerate(self.events) if times.get(i) == first or e.crosses(here[i], now[i])]
            counted = [i for i in crossed if not self.events[i].ignores(state, self._model_in(state))]
            if counted:
                return first, counted
            here, since, ignored = [0.0 if i in crossed else x for i, x in enumerate(now)], first, ignored + 1
            if first < t:
                closely = (first + self.AFTERWARDS * (t - first)).tolist() if ignored < MOST_IGNORED else []
                looks = [*(x for x in closely if first < x < t), t, *looks]
        return None

    def _values(self, state: State) -> list[float]:
        model = self._model_in(state)
        return [event.value(state, model) for event in self.events]

    def _value(self, event: Event, state: State) -> float:
        return event.value(state, self._model_in(state))

    def _model_in(self, state: State) -> Model | None:
        """The model in force in the charts of a state, if any function asks for it."""
        model = self.relay.stepper.model
        if not self.asks_model or not len(model.chart_slots):
            return model
        key = id(model), state.charts.tobytes()
        if key not in self.charted:
            self.charted[key] = model.with_charts(state.charts)
        return self.charted[key]

    def _happen(self, crossed: list[int], step: float) -> None:
        """Let these events act, in the order given."""
        for i in crossed:
            self._act(self.events[i])
            t = self.relay.stepper.t
            if t - self.last_time[i] < MOST_OFTEN * step:
                self.ended = self.ended or REPEATS.format(self.events[i].kind, t)
            self.last_time[i] = t
        self.values = self._values(self.relay.stepper.now)
        for i in crossed:
            self.values[i] = 0.0  # it stands on zero, from where nothing is crossed

    def _act(self, event: Event) -> None:
        before, model = self.relay.stepper.now, self.relay.stepper.model
        if event.action == "stop":
            self.ended = self.ended or f"stopped by {event.kind!r}"
        else:
            state = self.relay.stepper.now  # a copy, to do with as it likes
            given = self._model_in(state)
            try:
                answer = event.act(state, given)
            except Exception as error:
                error.add_note(f"in the action of event {event.kind!r} at {before.t:.9g} s")
                raise
            following, after = checked_answer(event, answer, given, before)
            if after is not None and (following is given or following is model):
                self.relay.stepper.place(after)
            elif after is not None:
                self.relay.switch(following, after)
        after = self.relay.stepper.now
        states = before.q, before.qdot, after.q, after.qdot
        models = model, self.relay.stepper.model
        self.occurrences.append(Occurrence(before.t, event.kind, *states, *models, before.z, after.z))


def checked_answer(event: Event, answer: Answer, model: Model, before: State) -> tuple[Model, State | None]:
    """The model and the state that an action gave, at the time of the event; the model in force if it gave none."""
    name = f"event {event.kind!r}: the action"
    answer = tuple(answer) if isinstance(answer, NewStart) else answer
    pair = isinstance(answer, tuple) and len(answer) == 2
    following, state = answer if pair else (model, answer)
    if state is None and not pair:
        return model, None
    if not isinstance(state, State) or not isinstance(following, Model):
        raise TypeError(f"{name} must return a state or None, or a pair (model, state), and returned {answer!r}")
    if following.dtype != np.float64:
        raise ValueError(f"{name} returned a model in {following.dtype}; give it in float64, as it was compiled")
    if following.numbering != model.numbering:
        raise ValueError(
            f"{name} returned a model with the bodies {following.names}; all models of a run have the same ones in the "
            f"same order: {model.names}"
        )
    try:
        return following, following.with_charts(state.charts).state(state.q, state.qdot, before.t, z=state.z)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name} returned a state that does not fit: {error}") from None
