"""What an integrator is: the protocol of methods with steps of a fixed length, and what they work on.

A method is a kernel

    step(t, h, run) -> OK or FAILED            one step of run.q, run.qdot from t to t + h, in place

and an object that says what it can do (`FixedStep`). It sees the physics by `accelerate_at`, or by `fill_residual` and
`fill_linear` of dynamics/physics.py. A new one is its own file and one line in __init__.py; a user's own, in a file of
their own, is added by `mm.register`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms.inertias import all_finite
from ..deformables.solve import SoftSolver
from ..dynamics.constrained import settle
from ..dynamics.equations import accelerate, accelerate_free
from ..dynamics.reduced import rechart_reduced
from ..dynamics.system import Linear, System
from ..joints.dispatch import reparameterise
from ..muscles.hill.signals import extrapolate_signals, sense
from ..reduction.unfold import FIRST, unfold
from ..spatial.brief import brief
from .controller import NO_CONTROLLER, call_address

OK, FAILED, NOT_FINITE = 0, 1, 2  # why a kernel came back
SCRATCH_ROWS, ROOM_ROWS = 16, 3
MEMORY = 5
STEP_BEFORE, RESIDUAL, ITERATIONS, MATRICES, PARTED = range(5)  # entries of memory; PARTED: steps in parts


class Matrices(Bundle):
    """What implicit methods need beside: scratch of derivatives, and matrices. H has room for constraints too.

    Those of models with soft bodies are of the joints alone, the rest is in `soft`.
    """

    linear = Linear
    M = fields.plain(np.float64, 2)
    D = fields.plain(np.float64, 2)
    K = fields.plain(np.float64, 2)
    H = fields.plain(np.float64, 2)
    order = fields.plain(np.int64, 2)  # of the rows of H, and room
    defect = fields.plain(np.float64)
    change = fields.plain(np.float64)
    soft = SoftSolver


class Run(Bundle):
    """What steps of a fixed length work on: the model, the torques in force, where the run stands, and scratch."""

    system = System
    tau = fields.plain(np.float64)
    controller = fields.whole_number()  # address of a function that gives the torques
    q = fields.plain(np.float64)
    qdot = fields.plain(np.float64)
    z = fields.plain(np.float64)  # states of muscles; those of a stage, in between, are system.muscles.drive.z
    q_before = fields.plain(np.float64)  # the row before, for methods that look back
    qdot_before = fields.plain(np.float64)
    z_before = fields.plain(np.float64)
    signals = fields.plain(np.float64, 2)  # what reflexes saw at the start of this step and of the one before
    memory = fields.plain(np.float64)  # length of the step before (0: there is none), and what Newton's method reports
    scratch = fields.plain(np.float64, 2)  # rows of one number per degree of freedom
    room = fields.plain(np.float64, 2)  # rows of one number per state of muscles
    charted = fields.plain(np.int64)  # links whose coordinates have a chart to leave
    slots = fields.plain(np.int64)  # where among the joints' parameters charts are kept
    matrices = Matrices


open_run = opener(Run)


@kernel
def update_torques(t, q, qdot, run):
    """Ask the controllers, if there are some, for tau and for the excitations of muscles."""
    drive = run.system.muscles.drive
    if run.controller != NO_CONTROLLER:
        call_address(run.controller, t, q, qdot, drive.z, run.tau)
    if drive.controller != NO_CONTROLLER:
        call_address(drive.controller, t, q, qdot, drive.z, drive.excitation)


@kernel
def stand_at(z, run):
    """Give the muscles these states."""
    drive = run.system.muscles.drive
    drive.stage[0] = 0.0
    for k in range(z.shape[0]):
        drive.z[k] = z[k]


@kernel
def open_stage(t, alpha, ahead, z_hat, run):
    """From now on the muscles' states are solved for, z = z_hat + zdot/alpha, with the reflexes' signals at time t.

    ahead: for how long paths go on at their present speed in it; 0 where q is that of the stage.
    """
    drive = run.system.muscles.drive
    drive.stage[0], drive.stage[1] = alpha, ahead
    for k in range(z_hat.shape[0]):
        drive.base[k] = z_hat[k]
    extrapolate_signals(t, run.signals, drive)


@kernel
def close_stage(run):
    """Take the states that were found last as those of the run."""
    drive = run.system.muscles.drive
    drive.stage[0] = 0.0
    for k in range(run.z.shape[0]):
        run.z[k] = drive.z[k]


@kernel
def begin_step(t, run):
    """Give the muscles the states of the run, and take down what reflexes on muscles see there."""
    stand_at(run.z, run)
    if run.signals.shape[0] > 0:
        reduction = run.system.reduction
        if reduction.active != 0:
            unfold(run.q, run.qdot, run.qdot, FIRST, reduction)
            sense(t, reduction.q, reduction.qdot, run.system.tree, run.system.muscles, run.signals)
        else:
            sense(t, run.q, run.qdot, run.system.tree, run.system.muscles, run.signals)


@kernel
def accelerate_at(t, q, qdot, run, qddot):
    """Fill qddot at (t, q, qdot) under everything that acts, the controller asked."""
    update_torques(t, q, qdot, run)
    accelerate(t, q, qdot, run.tau, run.system, qddot)


@kernel
def accelerate_free_at(t, q, qdot, run, qddot):
    """Fill qddot at (t, q, qdot) without constraints, the controller asked."""
    update_torques(t, q, qdot, run)
    system = run.system
    accelerate_free(t, q, qdot, run.tau, system.no_wrenches, system, system.none_prescribed, qddot)


@kernel
def rechart(charted, system, q, qdot, q_before, qdot_before):
    """Move the charted joints that need it to better charts, in place; how many did."""
    tree, reduction = system.tree, system.reduction
    if reduction.active != 0:
        return rechart_reduced(charted, tree, reduction, q, qdot, q_before, qdot_before)
    return reparameterise(tree.links, charted, tree.params, q, qdot, q_before, qdot_before)


@kernel
def move_charts(run):
    """Move joints that need it to better charts, the row before too where there is one."""
    if run.charted.shape[0] > 0:
        rows = 0 if run.memory[STEP_BEFORE] == 0.0 else run.q.shape[0]
        before = run.q_before[:rows], run.qdot_before[:rows]
        rechart(run.charted, run.system, run.q, run.qdot, before[0], before[1])


@kernel
def roll(step, run, out, torques, first, last):
    """(the last good row, why it came back): fills rows first + 1 ... last of out = (t, q, qdot, charts, z).

    torques: those of each of these steps; no rows where they stay, or where a controller gives them.
    """
    times, q, qdot, charts, z = out
    params, slots = run.system.tree.params, run.slots
    move_charts(run)  # a start may lie near a singularity
    for row in range(first + 1, last + 1):
        if torques.shape[0] > 0:
            for k in range(q.shape[1]):
                run.tau[k] = torques[row - first - 1, k]
        if step(times[row - 1], times[row] - times[row - 1], run) == FAILED:
            return row - 1, FAILED
        settle(times[row], run.q, run.qdot, run.system)
        if not (all_finite(run.q) and all_finite(run.qdot) and all_finite(run.z)):
            return row - 1, NOT_FINITE
        move_charts(run)
        for k in range(q.shape[1]):
            q[row, k], qdot[row, k] = run.q[k], run.qdot[k]
        for k in range(z.shape[1]):
            z[row, k] = run.z[k]
        for k in range(slots.shape[0]):
            charts[row, k] = params[slots[k]]
    return last, OK


@brief
@dataclass(frozen=True, eq=False)
class FixedStep:
    """A method with steps of a fixed length.

    `implicit`: it works with derivatives and matrices (`run.matrices`). `holds`: the constraints that it can hold, none
    (""), "equalities", or "all", with stops, contacts and friction by steps of velocities. `rates`: it solves for the
    rates of rows, and cannot follow prescribed accelerations. `states`: it moves run.z too, the states of muscles that
    have an actuator. `soft`: it moves the nodes of soft bodies; an implicit method does by `solve_stage`.
    `no_solution`: what a step that FAILED says of itself, with {t} and {residual} filled in.
    """

    name: str
    order: int
    step: Callable
    implicit: bool = False
    holds: str = "equalities"
    rates: bool = False
    states: bool = False
    soft: bool = False
    no_solution: str = "the step from {t:.6g} s has no solution; try a smaller step"

    @cached_property
    def roll(self) -> Callable:
        """The entry kernel roll(handle, (t, q, qdot, charts, z), torques, first, last) that takes its steps."""
        step = self.step

        def roll_steps(handle, out, torques, first, last):
            """Steps from each of the times to the next, for Python."""
            return roll(step, open_run(handle, out[1]), out, torques, first, last)

        roll_steps.__name__ = roll_steps.__qualname__ = f"roll_{self.name.replace('-', '_')}"
        roll_steps.__module__ = getattr(step, "py_func", step).__module__
        return kernel(roll_steps, entry=True)


@brief
@dataclass(frozen=True, eq=False)
class Adaptive:
    """A method that chooses its steps to meet a tolerance: Dormand and Prince's, on a form of the equations."""

    name: str
    order: int
    form: int
    holds: str = "equalities"
    rates: bool = False
    states: bool = True
    soft: bool = False


@brief
@dataclass(frozen=True, eq=False)
class Maximal:
    """Fixed steps in coordinates of its own, taken in Python."""

    name: str
    order: int
    implicit: bool = True
    holds: str = "all"
    rates: bool = True
    states: bool = False
    soft: bool = False
    no_solution: str = ""


Integrator = FixedStep | Adaptive | Maximal
