"""What a run keeps whatever its model: how it steps, to when, under which torques. It makes the steppers."""

from dataclasses import dataclass

import numpy as np

from ..integrators import MAXIMAL, Integrator
from ..model import Model, State
from ..muscles.path_checks import check_outside
from .adaptive_stepper import AdaptiveStepper, Tolerance
from .constrained_start import prepare_constraints
from .hard_stepper import HardStepper
from .stepper import FixedStepper, Gains
from .torques import Torques


@dataclass(frozen=True)
class Plan:
    """A run to the end of span = (end, wanted times): on a grid of times, or by adaptive steps to a tolerance."""

    integrator: Integrator
    span: tuple[float, np.ndarray]
    torques: Torques
    baumgarte: Gains
    grid: np.ndarray | None
    tolerance: Tolerance | None

    def stepper(self, model: Model, start: State, *, later: bool = False) -> FixedStepper | AdaptiveStepper:
        """A stepper that stands at the start, or at the state from which a run goes on (`later`)."""
        start, gains, control = self._start(model, start)
        if self.grid is None:
            options = control, self.tolerance
            return AdaptiveStepper(model, start, self.integrator, self.span, options, gains, later=later)
        kind = HardStepper if model.constraints.needs_program else FixedStepper
        if self.integrator is MAXIMAL:
            from .maximal_stepper import MaximalStepper as kind  # it needs SciPy's sparse matrices, slow to load
        return kind(model, start, self.integrator, self.grid, control, gains)

    def resume(self, stepper: FixedStepper | AdaptiveStepper, state: State) -> None:
        """Let a stepper that the run has left go on from a state."""
        start, _, control = self._start(stepper.model, state)
        stepper.control[0][:] = control[0]
        stepper.resume(start)

    def _start(self, model: Model, start: State) -> tuple[State, Gains, tuple[np.ndarray, int]]:
        gains = self.baumgarte
        if model.constraints.count or gains is not None:
            start, gains = prepare_constraints(model.with_charts(start.charts), start, self.integrator, gains)
        if model.muscles.count:
            check_outside(model.with_charts(start.charts), start)
        return start, gains, self.torques.at(model, start)
