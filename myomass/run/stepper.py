"""The Python side of an integrator: room for rows, and steps taken in pieces.

A stepper advances rows of a run by up to so many steps, or to one given time; it can be put back to where it stood, and
to another state, and taken up again at a later time. That is all that a run with Ctrl-C, a progress bar, events and
several models needs of it.
"""

import numpy as np

from ..algorithms.charts import reparameterise
from ..constraints.arrays import PROJECT
from ..constraints.solve import INCONSISTENT, dependent_rows
from ..deformables.solve import soft_solver
from ..dynamics.forward import solve_forward
from ..dynamics.system import linear_of, put_states, system_of
from ..integrators import FixedStep
from ..integrators.base import (
    FAILED,
    ITERATIONS,
    MATRICES,
    MEMORY,
    OK,
    RESIDUAL,
    ROOM_ROWS,
    SCRATCH_ROWS,
    STEP_BEFORE,
    Matrices,
    Run,
)
from ..integrators.newton_bound import solve_stage_bound
from ..integrators.newton_soft import solve_stage_soft
from ..integrators.soft_step import step_soft
from ..integrators.velocity import step_velocities
from ..model import Model, State
from ..muscles.hill.records import COORDINATE
from ..muscles.hill.signals import NEVER, SIGNALS, T_NOW, sense
from ..reduction.border import check_functions, function_error
from .excitations import Excitations
from .recorder import Rows

Gains = tuple[float, float, float] | None  # Baumgarte's; None: states are projected
# torques in force, the address of a function that gives them; excitations; torques of each step, if they are so given
Control = tuple[np.ndarray, int, Excitations, np.ndarray]
LINK_STEPS_PER_CALL = 500_000  # link evaluations between two looks at the keyboard: about a tenth of a second
SLIVER = 1e-9  # of a step, that is not worth one of its own
LATER_ROOM = 32  # rows of a model that a run has gone over to, at first
NO_CHARTS = np.zeros(0)
NOT_FINITE = "the motion is not finite after {:.6g} s; try a smaller step"


def parts_of(model: Model) -> int:
    """Links and tetrahedra of a model: what one evaluation of its equations takes."""
    return len(model.links) + (0 if model.soft is None else len(model.soft.tets))


class TrialFailed(Exception):
    """A step that was only tried has no answer; its text says why."""


class Stepper:
    """What both kinds have in common: a workspace of their own, whose charts change as the run goes on."""

    model: Model
    rows: Rows

    def _prepare(self, model: Model, start: State, control: Control, baumgarte: Gains) -> None:
        """Scratch for a run from a state; a sentence if no acceleration can be found there."""
        self.model, self.space = model, model.lend_workspace()
        self.system, self.params = system_of(self.space), self.space.tree.params
        tau = control[0]
        check_functions(self.space, start.q, start.qdot)
        put_states(self.space, start.q, start.qdot, start.z)
        control[2].drive(model, self.system.muscles.drive)
        constraints = self.system.constraints
        constraints.gains[:PROJECT], constraints.gains[PROJECT] = (0.0, 1.0) if baumgarte is None else (baumgarte, 0.0)
        if len(model.charted):  # in the charts in which the run will begin
            start = reparameterise(model.with_charts(start.charts), start)
            self.charts = start.charts
        given = start.t, start.q, start.qdot, tau, self.space.no_wrenches
        solve_forward(self.space, given, self.space.none_prescribed, np.empty(model.ndof))
        constraints.solver.lam[:], constraints.solver.dependence[:] = 0.0, 0.0

    def release(self) -> None:
        """Give the scratch back: the stepper takes no more steps."""
        self.model.return_workspace(self.space)

    @property
    def map_error(self) -> BaseException | None:
        """What a Python function of the model's reduction raised last, if one did."""
        return function_error(self.space)

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
        names, miss = dependent_rows(self.model, self.system.constraints.solver.dependence)
        if not names:
            return []
        missed = f", and could not all hold (missed by up to {miss:.1g})" if miss > INCONSISTENT else ""
        return [f"these rows depended on each other{missed}: {', '.join(names)}; least squares met them"]


class FixedStepper(Stepper):
    """Steps from each time of a grid to the next."""

    looks, dense = np.zeros(0), False  # where within a step to look for events; has it dense output?

    def __init__(
        self, model: Model, start: State, method: FixedStep, grid: np.ndarray, control: Control, baumgarte: Gains = None
    ):
        self._prepare(model, start, control, baumgarte)
        self.method, self.grid, self.end, self.control = method, grid, grid[-1], control
        n, m, reflexes = model.ndof, model.nz, model.muscles.reflexes
        heard = SIGNALS * len(reflexes) if (reflexes["quantity"] != COORDINATE).any() else 0
        self.memory = np.zeros(4 * n + 2 * m + heard + MEMORY)  # where it stands, as one array
        q, qdot, q_before, qdot_before = self.memory[: 4 * n].reshape(4, n)
        z, z_before = self.memory[4 * n : 4 * n + 2 * m].reshape(2, m)
        signals = self.memory[4 * n + 2 * m : 4 * n + 2 * m + heard].reshape(-1, SIGNALS)
        if heard:
            sense.demand(np.float64)
        self.run = Run(
            np.float64,
            system=self.system,
            tau=control[0],
            controller=control[1],
            q=q,
            qdot=qdot,
            z=z,
            q_before=q_before,
            qdot_before=qdot_before,
            z_before=z_before,
            signals=signals,
            memory=self.memory[len(self.memory) - MEMORY :],
            scratch=np.zeros((SCRATCH_ROWS, n)),
            room=np.zeros((ROOM_ROWS, m)),
            charted=model.charted,
            slots=model.chart_slots,
            matrices=self._matrices(),
        )
        if model.constraints.count:
            (solve_stage_bound if method.rates else step_velocities).demand(np.float64)
        if model.soft is not None and method.implicit:
            (solve_stage_soft if method.rates else step_soft).demand(np.float64)
        cost = parts_of(model) * (20 if method.implicit or model.constraints.count else 1)
        self.piece = max(1, LINK_STEPS_PER_CALL // cost)
        left = len(grid) - int(np.searchsorted(grid, start.t))
        self.rows = Rows.starting(model, start, left if left == len(grid) else min(left + 1, LATER_ROOM))
        self.spare = Rows.starting(model, start, 2)
        self.accepted = 0
        self.resume(start)

    def _matrices(self) -> Matrices:
        if not self.method.implicit:
            return Matrices.empty(np.float64)
        self.control[2].drive(self.model, linear_of(self.space).muscles.drive)
        n, m, size = self.model.ndof, self.model.constraints.count, self.model.posed_dofs
        square = {key: np.zeros((size, size)) for key in "MDK"} | {"H": np.zeros((size + m, size + m))}
        rest = {"order": np.zeros((2, n + m), np.int64), "defect": np.zeros(n + m), "change": np.zeros(max(n + m, 3))}
        return Matrices(np.float64, linear=linear_of(self.space), **square, **rest, soft=soft_solver(self.model))

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
        return self._state(self.t)

    def _state(self, t: float) -> State:
        run = self.run
        return State(t, run.q.copy(), run.qdot.copy(), self.charts, z=run.z.copy())

    def advance(self, most: int, to: float | None = None) -> bool:
        """Take up to `most` steps of the grid, or one `to` a time between; True while there are more."""
        times = self.grid[self.at : self.at + most] if to is None else np.array([to])
        rows, at = self.rows, self.rows.count
        while len(rows.t) < at + len(times):
            rows.grow()
        rows.t[at : at + len(times)] = times
        reached, status = self._roll(rows.arrays(), at - 1, at - 1 + len(times))
        rows.count = reached + 1
        self.accepted += rows.count - at
        self.at += rows.count - at if to is None else 0
        if status != OK:
            self.ended = self._why(status)
        return not self.ended and self.at < len(self.grid)

    @property
    def torques_ahead(self) -> np.ndarray:
        """Those of the steps from here to the end of the grid; no rows if they are not given by step."""
        return self.control[3][self.at - 1 :]

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        return self.method.roll(self.run.handle, out, self.torques_ahead, first, last)

    def _why(self, status: int) -> str:
        if status != FAILED:
            return NOT_FINITE.format(self.t)
        return self.method.no_solution.format(t=self.t, residual=self.run.memory[RESIDUAL])

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
        _, status = self._roll(self.spare.arrays(), 0, 1)
        why = "" if status == OK else self._why(status)
        state = self._state(t)
        self.restore(snapshot)
        if why:
            raise TrialFailed(why)
        return state

    def step_to(self, t: float) -> None:
        """One step to t, which becomes a row, in the place of the next one if that is hardly later."""
        following = self.grid[self.at]
        if following - t > SLIVER * (following - self.t):
            self.advance(1, to=t)
        else:
            self.advance(1)

    def place(self, state: State) -> None:
        """Go on from another state at the present time; methods that look back start anew."""
        self.run.q[:], self.run.qdot[:], self.run.z[:] = state.q, state.qdot, state.z
        self.run.signals[:, T_NOW:] = NEVER
        self.run.memory[STEP_BEFORE] = 0.0
        self.run.matrices.soft.kept[:] = 0.0
        if len(self.model.chart_slots):
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
        if not self.method.implicit:
            return {"accepted": self.accepted}
        iterations, matrices = self.run.memory[ITERATIONS], self.run.memory[MATRICES]
        return {"accepted": self.accepted, "iterations": int(iterations), "factorisations": int(matrices)}
