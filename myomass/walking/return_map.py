"""Return maps of hybrid mechanisms: smooth motions joined by strikes, once round, with the exact derivative.

    x_after = Delta_m(phi_m(... Delta_1(phi_1(x))))     phi: the motion until its guard, Delta: what the strike does

dx_after/dx holds the motion's variation, the shift of each strike in time and each transition's derivative (the
saltation matrices of Aizerman and Gantmakher 1958). Here it is a complex step through the whole map.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..dynamics.forward import forward_dynamics
from ..dynamics.system import refuse_soft_bodies, refuse_states
from ..model import Model
from ..model.border import no_model
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .flow import TINY, Flown, Limits, Motion, flow

Guard = Callable[[np.ndarray, np.ndarray], float]
Jump = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@brief
@dataclass(frozen=True)
class Phase:
    """A motion of `model` until guard(q, qdot) falls through zero; transition(q, qdot) then starts the next phase.

    A guard that falls through zero counts only where ready(q, qdot) is true (feet that scuff); where lost(q, qdot) is,
    the motion is given up. Guard and transition take complex vectors, with which derivatives are carried; the model's
    forces must not depend on time.
    """

    model: Model
    guard: Guard
    transition: Jump
    ready: Callable[[np.ndarray, np.ndarray], bool] | None = None
    lost: Callable[[np.ndarray, np.ndarray], bool] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        """Raise an error if this cannot be a phase."""
        if not isinstance(self.model, Model):
            raise no_model(self.model)
        refuse_states(self.model, "Phase")
        refuse_soft_bodies(self.model, "Phase")
        for what in ("guard", "transition", "ready", "lost"):
            given = getattr(self, what)
            if not callable(given) and (given is not None or what in ("guard", "transition")):
                raise TypeError(f"Phase: {what} is a function of q and qdot, and is {given!r}")

    def motion(self) -> Motion:
        """The phase as a `Motion` of vectors y = (q, qdot)."""
        n, model = self.model.ndof, self.model

        def rates(y: np.ndarray, out: np.ndarray) -> None:
            out[:n] = y[n:]
            out[n:] = forward_dynamics(model, y[:n], y[n:])

        def of_both(function: Callable | None) -> Callable | None:
            return function and (lambda y: function(y[:n], y[n:]))

        return Motion(rates, *(of_both(f) for f in (self.guard, self.ready, self.lost)))


@brief
class Stride(NamedTuple):
    """One round of a return map, from a state x = (q, qdot)."""

    x: np.ndarray  # the state that it ends in, in the coordinates in which it began; NaN if it failed
    period: float  # [s]
    times: np.ndarray  # of the strikes [s], (phases,)
    before: list[np.ndarray]  # states in which they strike
    after: list[np.ndarray]  # states in which the next phase starts
    failure: str | None  # why it failed
    derivative: np.ndarray | None = None  # dx/dx at the start, (2n, 2n)
    period_derivative: np.ndarray | None = None  # of the period by the start, (2n,)


@brief
class ReturnMap:
    """All phases in turn, from the start of the first to its next start.

    rtol and atol are of the motion between strikes, which are found to 1e-13 of a step; a strike must come within
    `longest` [s]. A guard that dips below zero for less than a step may be missed: `longest_step` [s] bounds that.
    """

    def __init__(
        self,
        phases: Sequence[Phase],
        *,
        rtol: float = 1e-12,
        atol: float = 1e-12,
        longest: float = 10.0,
        longest_step: float = np.inf,
    ) -> None:
        self.phases = (phases,) if isinstance(phases, Phase) else tuple(phases)
        if not self.phases or not all(isinstance(phase, Phase) for phase in self.phases):
            raise TypeError(f"ReturnMap: give a list of mm.walking.Phase, not {phases!r}")
        if not longest_step > 0.0:
            raise ValueError(f"ReturnMap: longest_step must be positive, and is {longest_step!r}")
        given = {"rtol": rtol, "atol": atol, "longest": longest}
        checked = [check_positive(value, f"ReturnMap: {what}") for what, value in given.items()]
        self.limits = Limits(*checked, float(longest_step))
        self._motions = [phase.motion() for phase in self.phases]

    @property
    def size(self) -> int:
        """2n, numbers in a state (q, qdot) of the first phase."""
        return 2 * self.phases[0].model.ndof

    def __call__(self, x: np.ndarray, derivative: bool = False) -> Stride:
        """The stride from x, with the exact derivative if it is asked for; a stride that fails says so in `failure`."""
        x = check_numbers(x, "ReturnMap: the state (q, qdot)", (self.size,))
        if not derivative:
            return _stride(*self._round(x), self.size)
        rounds = []
        for direction in np.eye(self.size):
            rounds.append(self._round(x + 1j * TINY * direction))
            if rounds[-1][-1]:
                return _stride(*rounds[-1], self.size)
        real = _stride(*rounds[0], self.size)
        ends = np.array([after[-1].imag for _, _, after, _ in rounds])
        shifts = np.array([times[-1].imag for times, _, _, _ in rounds])
        return real._replace(derivative=ends.T / TINY, period_derivative=shifts / TINY)

    def _round(self, x: np.ndarray) -> tuple[list, list, list, str | None]:
        """(times, states before strikes, states after, failure), in the numbers of x."""
        times, before, after, t = [], [], [], 0.0
        for k, motion in enumerate(self._motions):
            ended: Flown = flow(motion, x, self.limits)
            if ended.failure:
                name = f" {self.phases[k].name!r}" if self.phases[k].name else ""
                return times, before, after, f"in phase {k}{name} {ended.failure}"
            t, x = t + ended.t, self._passed(k, ended.y)
            if not np.isfinite(x).all():
                return times, before, after, f"the transition of phase {k} gives no finite state"
            times.append(t)
            before.append(ended.y)
            after.append(x)
        return times, before, after, None

    def _passed(self, k: int, y: np.ndarray) -> np.ndarray:
        """The state in which the phase after phase k starts, from the state y at its strike."""
        n, following = len(y) // 2, self.phases[(k + 1) % len(self.phases)].model.ndof
        q, qdot = self.phases[k].transition(y[:n], y[n:])
        if np.shape(q) != (following,) or np.shape(qdot) != (following,):
            raise ValueError(
                f"ReturnMap: the transition of phase {k} must give q and qdot of the {following} degrees of freedom "
                f"of the next phase, and their shapes are {np.shape(q)} and {np.shape(qdot)}"
            )
        return np.concatenate([q, qdot])


def _stride(times: list, before: list, after: list, failure: str | None, size: int) -> Stride:
    """The stride, in real numbers, from what `_round` returns."""
    before, after = [y.real.copy() for y in before], [y.real.copy() for y in after]
    x, period = (np.full(size, np.nan), np.nan) if failure else (after[-1], times[-1].real)
    return Stride(x, period, np.array(times).real, before, after, failure)
