"""What a run keeps whatever its model: how it steps, to when, under which torques. It makes the steppers."""

from dataclasses import dataclass

import numpy as np

from ..algorithms.charts import reparameterise
from ..dynamics import forward_dynamics
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
        _check_regular(model, start, control[0])
        if self.grid is not None:
            kind = _stepper_kind(model, self.integrator)
            return kind(model, start, self.integrator, self.grid, control, gains)
        options = control, self.tolerance
        return AdaptiveStepper(model, start, self.integrator, self.span, options, gains, later=later)

    def resume(self, stepper: FixedStepper | AdaptiveStepper, state: State) -> None:
        """Let a stepper that the run has left go on from a state."""
        start, _, control = self._start(stepper.model, state)
        stepper.control[0][:] = control[0]
        stepper.resume(start)

    def _start(self, model: Model, start: State) -> tuple[State, Gains, tuple[np.ndarray, int]]:
        charted = model.with_charts(start.charts)
        start, gains = prepare_constraints(charted, start, self.integrator, self.baumgarte)
        check_outside(charted, start)
        return start, gains, self.torques.at(model, start)


def _stepper_kind(model: Model, integrator: Integrator) -> type[FixedStepper]:
    """Which stepper takes an integrator's fixed steps."""
    if integrator is MAXIMAL:
        from .maximal_stepper import MaximalStepper  # it needs SciPy's sparse matrices, which take time to load

        return MaximalStepper
    return HardStepper if model.constraints.needs_program else FixedStepper


def _check_regular(model: Model, start: State, tau: np.ndarray) -> None:
    """A sentence if no acceleration can be found at the start, in the charts in which the run will begin."""
    if len(model.charted):
        start = reparameterise(model, start)
        model = model.with_charts(start.charts)
    forward_dynamics(model, start.q, start.qdot, tau, t=start.t)
