"""What a run keeps whatever its model: how it steps, to when, under which torques. It makes the steppers."""

from dataclasses import dataclass

import numpy as np

from ..integrators import INTEGRATORS, MAXIMAL, Integrator
from ..model import Model, State
from ..muscles.path_checks import check_outside
from .adaptive_stepper import AdaptiveStepper, Tolerance
from .constrained_start import prepare_constraints
from .excitations import Excitations
from .hard_stepper import HardStepper
from .stepper import Control, FixedStepper, Gains
from .torques import Torques


@dataclass(frozen=True)
class Plan:
    """A run to the end of span = (end, wanted times): on a grid of times, or by adaptive steps to a tolerance."""

    integrator: Integrator
    span: tuple[float, np.ndarray]
    torques: Torques
    excitations: Excitations
    baumgarte: Gains
    grid: np.ndarray | None
    tolerance: Tolerance | None
    kind: type[FixedStepper] = FixedStepper  # of the stepper that takes fixed steps

    @property
    def error(self) -> BaseException | None:
        """What a function of torques or excitations raised, if one did."""
        return self.torques.error or self.excitations.error

    def stepper(self, model: Model, start: State, *, later: bool = False) -> FixedStepper | AdaptiveStepper:
        """A stepper that stands at the start, or at the state from which a run goes on (`later`)."""
        if model.nz and not (self.integrator.states or self.integrator is MAXIMAL):
            raise ValueError(
                f"{self.integrator.name!r} does not move the states of muscles, and model {model.name!r} has "
                f"{', '.join(model.z_names[:2])}, ...; let its step move run.z, and say states=True"
            )
        self._check_soft_bodies(model)
        start, gains, control = self._start(model, start)
        if self.grid is None:
            options = control, self.tolerance
            return AdaptiveStepper(model, start, self.integrator, self.span, options, gains, later=later)
        kind = HardStepper if model.constraints.needs_program else self.kind
        if self.integrator is MAXIMAL:
            from .maximal_stepper import MaximalStepper as kind  # it needs SciPy's sparse matrices, slow to load
        return kind(model, start, self.integrator, self.grid, control, gains)

    def _check_soft_bodies(self, model: Model) -> None:
        """A sentence if the method cannot move the soft bodies that a model has."""
        if model.soft is None:
            return
        name, able = self.integrator.name, [method.name for method in INTEGRATORS.values() if method.soft]
        if not self.integrator.soft:
            raise ValueError(f"{name!r} moves no soft bodies; these do: {', '.join(able)}")
        if model.constraints.needs_program and self.integrator.implicit:
            raise ValueError(
                f"{name!r} holds no stops, contacts and friction beside soft bodies; take 'semi-implicit', or "
                "compliant ones such as mm.JointLimit, mm.Ground and mm.deformables.Touch"
            )

    def resume(self, stepper: FixedStepper | AdaptiveStepper, state: State) -> None:
        """Let a stepper that the run has left go on from a state."""
        start, _, control = self._start(stepper.model, state)
        stepper.control[0][:] = control[0]
        stepper.resume(start)

    def _start(self, model: Model, start: State) -> tuple[State, Gains, Control]:
        gains = self.baumgarte
        if model.constraints.count or gains is not None:
            start, gains = prepare_constraints(model.with_charts(start.charts), start, self.integrator, gains)
        if model.muscles.count:
            check_outside(model.with_charts(start.charts), start)
        self.excitations.model = model
        tau, address, of_steps = self.torques.at(model, start)
        return start, gains, (tau, address, self.excitations, of_steps)
