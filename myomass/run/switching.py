"""The steppers of a run whose model changes: each takes over where the one before was left."""

from ..model import Model, State
from .adaptive_stepper import AdaptiveStepper
from .recorder import Rows, put_together
from .settings import Plan
from .stepper import FixedStepper

MOST_KEPT = 16  # steppers of models that may come back


class Relay:
    """The stepper in force, the rows of those before, and what all of them have to report."""

    def __init__(self, plan: Plan, model: Model, start: State):
        self.plan, self.first = plan, model
        self.stepper: FixedStepper | AdaptiveStepper = plan.stepper(model, start)
        self.known = {id(model): self.stepper}  # by model, the latest last
        self.pieces: list[tuple[Model, Rows]] = []
        self.steps: dict[str, int] = {}
        self.complaints: dict[tuple[str, str], None] = {}  # (model's name, sentence), in order

    def switch(self, model: Model, state: State) -> None:
        """Go on with another model, from a state at the present time."""
        stepper = self.known.pop(id(model), None)
        if stepper is None:
            stepper = self.plan.stepper(model, state, later=True)
        else:
            self.plan.resume(stepper, state)
        self.pieces.append((self.stepper.model, self.stepper.leave()))
        self.known[id(model)] = self.stepper = stepper
        if len(self.known) > MOST_KEPT:
            self._retire(self.known.pop(next(iter(self.known))))

    def _retire(self, stepper: FixedStepper | AdaptiveStepper) -> None:
        """Take down what a stepper has to report."""
        for what, count in stepper.steps.items():
            self.steps[what] = self.steps.get(what, 0) + count
        self.complaints |= dict.fromkeys((stepper.model.name, text) for text in stepper.complaints())

    def finish(self, keep_last: bool) -> Rows:
        """All rows, with the steps taken; the last state is marked to be kept, or added, if asked for."""
        last = self.stepper.finish(keep_last)
        rows = put_together(self.first, [*self.pieces, (self.stepper.model, last)])
        rows.last_is_extra = last.last_is_extra
        for stepper in self.known.values():
            self._retire(stepper)
        rows.steps = self.steps
        if self.stepper.model is self.first:
            self.stepper.release()
        return rows

    @property
    def nothing_left(self) -> bool:
        """Does the run stand at its end?"""
        return self.stepper.t >= self.stepper.end
