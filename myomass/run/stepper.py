"""The Python side of an integrator: room for rows, and steps taken in pieces.

A stepper advances rows of a run by up to so many steps, or to one given time; it can be put back to where it stood, and
to another state, and taken up again at a later time. That is all that a run with Ctrl-C, a progress bar, events and
several models needs of it.
"""

from collections.abc import Callable

import numpy as np

from ..constraints.solve import dependent_rows
from ..dynamics.constrained import bound_arrays
from ..dynamics.given import all_forces
from ..dynamics.rows import INCONSISTENT
from ..integrators import EXPLICIT, IMPLICIT, velocity
from ..integrators.base import FAILED, ITERATIONS, MATRICES, MEMORY, OK, RESIDUAL, SCRATCH_ROWS, STEP_BEFORE
from ..integrators.implicit import MOST_HALVINGS
from ..integrators.newton import TOLERANCE, implicit_scratch
from ..integrators.rollout import (
    roll_bound_explicit,
    roll_bound_implicit,
    roll_bound_velocity,
    roll_explicit,
    roll_implicit,
)
from ..model import Model, State
from .recorder import Rows

Gains = tuple[float, float, float] | None  # Baumgarte's; None: states are projected
LINK_STEPS_PER_CALL = 500_000  # link evaluations between two looks at the keyboard: about a tenth of a second
SLIVER = 1e-9  # of a step, that is not worth one of its own
LATER_ROOM = 32  # rows of a model that a run has gone over to, at first
NO_CHARTS = np.zeros(0)
NOT_FINITE = "the motion is not finite after {:.6g} s; try a smaller step"
NO_SOLUTION = (
    "the implicit step from {:.6g} s has no solution, not even in {:,} parts: its residual stays at {:.2g} of the "
    "forces in balance ({:g} is asked for); try a smaller step, and look for a force that jumps or explodes there"
)
NO_ITERATION = "the symplectic step from {:.6g} s does not converge; try a smaller step"


def private_system(model: Model) -> tuple:
    """The arrays of a model with parameters (charts change) and scratch of their own."""
    links, bodies, params, gravity, work, dofs = model.workspace.system
    return links, bodies, params.copy(), gravity, work.copy(), dofs.copy()


def _rolls(integrator: str, bound: bool) -> tuple[Callable, int]:
    """(kernel, method) that run an integrator of fixed steps."""
    if not bound:
        if integrator in EXPLICIT:
            return roll_explicit, EXPLICIT.index(integrator)
        return roll_implicit, IMPLICIT[integrator]
    if integrator in velocity.METHODS:
        return roll_bound_velocity, velocity.METHODS.index(integrator)
    return (roll_bound_explicit, 0) if integrator in EXPLICIT else (roll_bound_implicit, IMPLICIT[integrator])


class Stepper:
    """What both kinds have in common."""

    model: Model
    run: tuple
    rows: Rows
    params: np.ndarray  # of the joints, with the charts in use

    @property
    def charts(self) -> np.ndarray:
        """The charts in use."""
        slots = self.model.chart_slots
        return self.params[slots] if len(slots) else NO_CHARTS

    @charts.setter
    def charts(self, charts: np.ndarray) -> None:
        slots = self.model.chart_slots
        if len(slots):
            self.params[slots] = charts

    def complaints(self) -> list[str]:
        """Sentences about rows that did not go as they should."""
        if not len(self.model.constraints):
            return []
        names, miss = dependent_rows(self.model, self.run[5][3][8])
        if not names:
            return []
        missed = f", and could not all hold (missed by up to {miss:.1g})" if miss > INCONSISTENT else ""
        return [f"these rows depended on each other{missed}: {', '.join(names)}; least squares met them"]


class FixedStepper(Stepper):
    """Steps from each time of a grid to the next."""

    looks, dense = np.zeros(0), False  # where within a step to look for events; has it dense output?

    def __init__(
        self, model: Model, start: State, integrator: str, grid: np.ndarray, control: tuple, baumgarte: Gains = None
    ):
        self.model, self.grid, self.end = model, grid, grid[-1]
        n, self.integrator, self.control = model.ndof, integrator, control
        bound = bound_arrays(model, baumgarte) if len(model.constraints) else ()
        explicit = integrator in EXPLICIT and not bound
        self.roll, self.method = _rolls(integrator, bool(bound))
        extra = () if explicit else implicit_scratch(model)
        forces = all_forces(model, np.float64)
        self.run = (private_system(model), forces, control, np.zeros((SCRATCH_ROWS, n)), extra, bound)
        self.params = self.run[0][2]
        self.memory = np.zeros(4 * n + MEMORY)  # where it stands, as one array
        self.state = (*self.memory[: 4 * n].reshape(4, n), self.memory[4 * n :])
        self.piece = max(1, LINK_STEPS_PER_CALL // (len(model.links) * (1 if explicit else 20)))
        left = len(grid) - int(np.searchsorted(grid, start.t))
        self.rows = Rows.starting(model, start, left if left == len(grid) else min(left + 1, LATER_ROOM))
        self.spare = Rows.starting(model, start, 2)
        self.accepted = 0
        self.resume(start)

    def resume(self, state: State) -> None:
        """Stand at a state, its row the first."""
        self.at, self.ended = int(np.searchsorted(self.grid, state.t, side="right")), ""  # at: the next of the grid
        self.rows.count, self.rows.t[0] = 1, state.t
        self.place(state)

    @property
    def t(self) -> float:
        """Where the run stands [s]."""
        return float(self.rows.t[self.rows.count - 1])

    @property
    def now(self) -> State:
        """The present state."""
        return State(self.t, self.state[0].copy(), self.state[1].copy(), self.charts)

    def advance(self, most: int) -> bool:
        """Take up to `most` steps; True while there are more."""
        self.at += self._take(self.grid[self.at : self.at + most])
        return not self.ended and self.at < len(self.grid)

    def _take(self, times: np.ndarray) -> int:
        """Steps to these times, each a row; how many were good."""
        at, rows = self.rows.count, self.rows
        while len(rows.t) < at + len(times):
            rows.grow()
        rows.t[at : at + len(times)] = times
        reached, status = self._roll(rows.arrays(), at - 1, at - 1 + len(times))
        rows.count = reached + 1
        self.accepted += rows.count - at
        if status != OK:
            self.ended = self._why(status)
        return rows.count - at

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        return self.roll(
            self.method, self.run, self.state, out, self.model.charted, self.model.chart_slots, first, last
        )

    def _why(self, status: int) -> str:
        if status != FAILED:
            return NOT_FINITE.format(self.t)
        if self.integrator == "symplectic":
            return NO_ITERATION.format(self.t)
        return NO_SOLUTION.format(self.t, 2**MOST_HALVINGS, self.state[4][RESIDUAL], TOLERANCE)

    def snapshot(self) -> tuple:
        """Where it stands, to be put back there."""
        return self.rows.count, self.at, self.accepted, self.memory.copy(), self.charts

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        self.rows.count, self.at, self.accepted, self.memory[:], self.charts = snapshot

    def trial(self, t: float) -> State:
        """The state at t, one step ahead, without going there."""
        snapshot = self.snapshot()
        self.spare.t[0], self.spare.t[1] = self.t, t
        self._roll(self.spare.arrays(), 0, 1)
        state = State(t, self.state[0].copy(), self.state[1].copy(), self.charts)
        self.restore(snapshot)
        return state

    def step_to(self, t: float) -> None:
        """One step to t, which becomes a row, in the place of the next one if that is hardly later."""
        following = self.grid[self.at]
        if following - t > SLIVER * (following - self.t):
            self._take(np.array([t]))
        else:
            self.advance(1)

    def place(self, state: State) -> None:
        """Go on from another state at the present time; methods that look back start anew."""
        self.state[0][:], self.state[1][:] = state.q, state.qdot
        self.state[4][STEP_BEFORE] = 0.0
        self.charts = state.charts
        self.rows.write(self.rows.count - 1, state)

    def leave(self) -> Rows:
        """The rows before the present one, which another model is to have."""
        rows = self.rows.first(self.rows.count - 1)
        rows.change(np.copy)
        return rows

    def finish(self, keep_last: bool) -> Rows:
        """The rows; the last one is marked to be kept if asked for."""
        rows = self.rows.first(self.rows.count)
        rows.last_is_extra = keep_last
        return rows

    @property
    def steps(self) -> dict[str, int]:
        """How many were taken, and what they took."""
        if self.integrator not in IMPLICIT:
            return {"accepted": self.accepted}
        iterations, matrices = self.state[4][ITERATIONS], self.state[4][MATRICES]
        return {"accepted": self.accepted, "iterations": int(iterations), "factorisations": int(matrices)}
