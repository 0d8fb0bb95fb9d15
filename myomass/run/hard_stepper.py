"""Steps of velocities where rows say >= 0 or have friction: a quadratic program, or several, in every step.

The kernels of integrators/velocity.py make the rows, daqp solves; a gap that would close within the step closes at
its end and not before (Stewart and Trinkle): G v + rate >= -g/h. With Baumgarte's gains only gaps that are closed
already count, and those that are negative open at the given rate.
"""

import numpy as np

from ..constraints.friction import CONVERGED, MOST_ROUNDS, Bearing, bearings, contact_friction, sweep_friction
from ..constraints.qp import Program
from ..dynamics.reactions import reactions_at
from ..integrators.base import FAILED, NOT_FINITE, OK
from ..integrators.velocity import BY_MASS, BY_STIFFNESS, finish, prepare, velocity_after
from ..model import State
from ..model.elements import FRICTION
from .stepper import FixedStepper

SHORTEST, LONGEST = 0.2, 20.0  # strides along the change of a round of friction


class HardStepper(FixedStepper):
    """Fixed steps with inequality rows and friction, a step at a time in Python."""

    def __init__(self, *args):
        super().__init__(*args)
        model, constraints = self.model, self.model.constraints
        self.records, self.B = self.system.constraints.rows, self.system.constraints.solver.B
        self.way = BY_STIFFNESS if self.method.implicit else BY_MASS
        self.equal = ~constraints.unilateral & (constraints.levels != FRICTION)
        self.program = Program(model.ndof, constraints.unilateral)
        self.bearings, self.contacts = bearings(model), contact_friction(model)
        joints = [np.arange(bearing.rows.start, bearing.rows.stop) for bearing in self.bearings]
        self.friction = np.concatenate([self.contacts.rows, *joints]).astype(int)
        self.widths = np.concatenate([self.contacts.widths, *(b.widths for b in self.bearings)]).astype(int)
        self.planes = np.zeros((len(self.friction), 3))  # of the tangents of contacts; those of bearings go with loads
        self.planes[: len(self.contacts.rows), :2] = np.tile(np.eye(2), (len(self.contacts.rows) // 2, 1))
        self.pressed = np.array([b.link for b in self.bearings if b.link >= 0], int)
        self.needed, self.lam, self.used = (
            np.zeros(len(constraints)),
            np.zeros(len(constraints)),
            np.zeros(len(constraints), bool),
        )
        self.y, self.turns = np.zeros(model.ndof), np.zeros(len(constraints))
        self.b = np.zeros(len(self.friction))
        self.rows.multipliers = np.zeros((len(self.rows.t), len(constraints)))
        self.rounds = self.unconverged = self.missed = 0  # of friction; steps in which rows could not all hold
        self.piece = max(1, self.piece // 20)

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        times, q, qdot, charts, z = out
        slots, torques = self.model.chart_slots, self.torques_ahead
        for row in range(first + 1, last + 1):
            if len(torques):
                self.run.tau[:] = torques[row - first - 1]
            status = self._step(times[row - 1], times[row] - times[row - 1])
            if status != OK:
                return row - 1, status
            q[row], qdot[row], charts[row], z[row] = self.run.q, self.run.qdot, self.params[slots], self.run.z
            if times is self.rows.t:
                self.rows.multipliers[row] = self.lam
        return last, OK

    def _step(self, t: float, h: float) -> int:
        if prepare(self.way, t, h, self.run.handle, self.needed, self.turns, self.used) == FAILED:
            return FAILED
        soft = self.program.soft
        if len(self.friction):
            y = self._with_friction(t, h)
        else:
            y = self.y
            self.program.solve(self.B, self.needed, self.used, self.lam, y)
        self.missed += self.program.soft > soft
        self.lam /= h
        if self.equal.any():  # forces are those of the whole step; the motion turns with its middle
            y = y + np.linalg.lstsq(self.B[self.equal], 0.5 * self.turns[self.equal], rcond=1e-9)[0]
        good = finish(self.way, t, h, y, self.run.handle)
        return OK if good else NOT_FINITE

    def _with_friction(self, t: float, h: float) -> np.ndarray:
        """y of all rows together; impulses into lam."""
        B_F, b, lam, y_n = self.B[self.friction], self.b, self.lam, self.y
        A, wanted = B_F @ B_F.T, self.needed[self.friction]
        before, stride = None, 1.0
        for patience in range(MOST_ROUNDS, 0, -1):
            self.rounds += 1
            y_F, b_before = b @ B_F, b.copy()
            needed = self.needed - self.B @ y_F
            used = self.equal | (self.model.constraints.unilateral & (needed > 0.0))
            self.program.solve(self.B, needed, used, lam, y_n)
            lam[self.friction] = b
            bounds = self._bounds(t, h, lam, y_n + y_F)
            sweep_friction(A, wanted - B_F @ y_n, bounds, self.widths, self.planes, b)
            change = (b - b_before) @ B_F
            if np.abs(change).max(initial=0.0) <= CONVERGED * (np.abs(y_n) + np.abs(y_F)).max(initial=0.0):
                break
            stride = _stride(stride, before, change) if patience > MOST_ROUNDS // 2 else 1.0
            b += (stride - 1.0) * (b - b_before)
            before = change
        else:
            self.unconverged += 1
        return y_n + y_F

    def _bounds(self, t: float, h: float, lam: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The most impulse that friction can have in every row; fills the planes of ball joints."""
        bounds = [self.contacts.mu * np.maximum(lam[self.contacts.normal], 0.0)]
        F = np.zeros((len(self.pressed), 6))
        if len(self.pressed):
            v = np.empty(self.model.ndof)
            velocity_after(self.way, y.copy(), self.run.handle, v)
            run = self.run
            moving = run.q, run.qdot, (v - run.qdot) / h, run.tau, lam / h
            pulls = np.zeros((self.model.nbodies if self.model.muscles.active else 0, 6))
            reactions_at(self.system.handle, t + h, *moving, self.pressed, pulls, F)
        joints, at = iter(F), len(self.contacts.rows)
        for bearing in self.bearings:
            wrench = next(joints) if bearing.link >= 0 else self._loop_wrench(bearing, lam / h)
            bounds.append(h * bearing.bounds(wrench, self.planes[at:]))
            at += len(bounds[-1])
        return np.concatenate(bounds)

    def _loop_wrench(self, bearing: Bearing, lam: np.ndarray) -> np.ndarray:
        """What the rows of a loop put on their end A, about its point and in its axes."""
        rows, end = bearing.loop_rows, self.model.constraints.ends[2 * bearing.part]
        n, f = lam[rows] @ self.records["n"][rows, 0], lam[rows] @ self.records["f"][rows, 0]
        R = self.space.tree.work["R"][end["link"]]
        n, R_A = n - np.cross(R @ end["p"], f), R @ end["R"]
        return np.concatenate([R_A.T @ n, R_A.T @ f])

    def snapshot(self) -> tuple:
        """Where it stands, with what it has counted: a step that is only tried, or taken again, does not count."""
        return *super().snapshot(), (self.rounds, self.unconverged, self.missed)

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        *standing, (self.rounds, self.unconverged, self.missed) = snapshot
        super().restore(tuple(standing))

    def resume(self, state: State) -> None:
        """Stand at a state, its row the first, where nothing has pressed yet."""
        super().resume(state)
        if self.rows.multipliers is not None:
            self.rows.multipliers[0] = 0.0

    @property
    def steps(self) -> dict[str, int]:
        """How many, and how friction was found."""
        found = {"friction rounds": self.rounds, "friction unconverged": self.unconverged}
        return super().steps | (found if len(self.friction) else {})

    def complaints(self) -> list[str]:
        """Also about friction, and rows that cannot all hold."""
        found = super().complaints()
        if self.unconverged:
            found.append(f"friction had not settled after {MOST_ROUNDS} rounds in {self.unconverged} steps")
        if self.missed:
            found.append(f"rows could not all hold in {self.missed} steps, and were met as far as they can be")
        return found


def _stride(stride: float, before: np.ndarray | None, change: np.ndarray) -> float:
    """How far to go along a round's change: Aitken's guess of where the rounds lead, within reason."""
    if before is None:
        return 1.0
    bent = change - before
    square = float(bent @ bent)
    guess = -stride * float(before @ bent) / square if square > 0.0 else 1.0
    return guess if SHORTEST < guess < LONGEST else 1.0
