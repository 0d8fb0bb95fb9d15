"""Static optimisation: which activations of muscles explain the generalized forces of a motion, frame by frame.

    min sum_m a_m^p + sum_k x_k^2     with     sum_m r_jm T_m(a_m) + sum_k G_jk x_k = tau_j,    low <= a <= high

for every free coordinate j: coordinates that are locked have no equation, those that follow others add theirs to the
leader's. R. D. Crowninshield, R. A. Brand, A physiologically based criterion of muscle force prediction in locomotion,
J. Biomech. 14, 1981.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..model import Model
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .capacity import Pull
from .inverse_dynamics import InverseDynamics
from .load_problem import Physiology, Problem, pose_problem
from .load_sharing import room_for, share_loads
from .shared_loads import SharedLoads, residual_of

if TYPE_CHECKING:
    from ..forces.actuator import Actuator
    from ..recordings import Table
    from .kinematics import Kinematics

WHAT = "static optimisation"
MOST_PROGRAMS = 60  # for elastic tendons
FULL = 20  # of those with whole steps; then answers that go to and fro are averaged
SETTLED = 1e-10  # change of an activation
NEARLY = 1e-6  # change of an activation that is put up with after the last program


@brief
@dataclass(frozen=True, eq=False)
class StaticOptimization(SharedLoads):
    """Activations and tensions that explain a motion, in rows.

    residual is what is missing of each generalized force; it is zero but where `held` is False.
    """

    multipliers: np.ndarray  # by how much a unit more of each generalized force raises the cost, (rows, coordinates)
    cost: np.ndarray  # (rows,)

    what: ClassVar[str] = WHAT
    by_coordinate: ClassVar[tuple[str, ...]] = ("residual", "multipliers")


def static_optimization(
    model: Model,
    motion: "Kinematics",
    tau: "np.ndarray | Table | InverseDynamics | None" = None,
    *,
    power: float = 2.0,
    reserves: "float | Mapping[str, float | Actuator] | None" = None,
    coordinates: Sequence[str] | None = None,
    bounds: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    physiology: bool = True,
    tendon: str = "rigid",
    passive: bool = True,
    pennation: str = "exact",
) -> StaticOptimization:
    """Activations of the muscles that explain a motion at the least sum of their powers, and of squares of reserves.

    tau: generalized forces of the motion, an array (rows, ndof), a table or `inverse_dynamics(...)` (None: that,
    without loads). reserves: actuators that help, a number (of optimal force [N m or N], one for each coordinate), a
    dict of such numbers by coordinate, or of actuators by name, as mm.io.read_actuators gives them. coordinates: whose
    equations are to hold (None: all that are free). bounds: of activations, all or by muscle (None: least activation
    to 1).

    With physiology a muscle pulls by its curves: on a rigid tendon a times its force at full activation at the path's
    length and speed, and the `passive` force, damping included, but nothing where damping would make it push; on an
    elastic one as fibre and tendon are in equilibrium. Without, a times its largest force. pennation="opensim" is the
    angle that OpenSim 4 uses here for Millard's muscles, for comparison. Where the equations cannot hold, a warning
    says so, and the row has the activations of power 2 that come nearest in the sense of least squares, each equation
    in parts of what can be done for it.
    """
    power = _check_power(power)
    physiology = Physiology(bool(physiology), tendon, bool(passive), pennation)
    problem = pose_problem(
        model,
        motion,
        tau,
        what=WHAT,
        reserves=reserves,
        coordinates=coordinates,
        bounds=bounds,
        physiology=physiology,
    )
    found, unsettled = solve_problem(problem, power)
    warn_of_missing(problem, found, ~found.held & ~unsettled)
    if unsettled.any():
        warnings.warn(
            f"{WHAT}: at {unsettled.sum()} of {len(found)} times, first at {found.t[unsettled][0]:g} s, fibres and "
            f"elastic tendons did not settle in {MOST_PROGRAMS} rounds; the last activations are kept. Try "
            'tendon="rigid" there',
            RuntimeWarning,
            stacklevel=2,
        )
    return found


def _check_power(power: float) -> float:
    power = float(check_numbers(power, f"{WHAT}: power", ()))
    if not 1.0 < power <= 20.0:
        raise ValueError(f"{WHAT}: the power of activations is above 1 and at most 20, and is {power:g}")
    return power


def solve_problem(problem: Problem, power: float) -> tuple[StaticOptimization, np.ndarray]:
    """(the optimum of every row, whether fibres and elastic tendons did not settle there (rows,))."""
    pull = problem.pull()
    y, lam, held = share(problem, pull, power)
    m, unsettled = len(problem.muscles), np.zeros(len(y), bool)
    if problem.physiology.hill and problem.physiology.tendon == "elastic":
        pull, y, lam, held, unsettled = _iterate(problem, power, y)
    a = y[:, :m]
    forces = pull.slope * a + pull.constant
    low = np.broadcast_to(problem.low, a.shape)
    slack = (pull.least > low) & (a <= pull.least * (1.0 + 1e-12))
    a, forces = np.where(slack, low, a), np.where(slack, 0.0, forces)
    x = y[:, m:]
    cost = (a**power).sum(axis=1) + (x**2).sum(axis=1)
    found = StaticOptimization(
        problem.motion.t,
        problem.muscles,
        a,
        forces,
        problem.reserves.names,
        x,
        x * problem.reserves.strengths,
        problem.coordinates,
        residual_of(problem, forces, x),
        held & ~unsettled,
        lam,
        cost,
    )
    return found, unsettled


def share(problem: Problem, pull: Pull, power: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(unknowns, multipliers, are equations met?) of every row, tensions being pull.slope a + pull.constant."""
    C = np.concatenate([problem.arms * pull.slope[:, None, :], problem.G], axis=2)
    b = problem.tau - np.einsum("rjm,rm->rj", problem.arms, pull.constant)
    rows, n, count = C.shape
    low = np.tile(np.concatenate([problem.low, problem.reserves.low]), (rows, 1))
    high = np.tile(np.concatenate([problem.high, problem.reserves.high]), (rows, 1))
    own = low[:, : len(problem.muscles)]
    np.maximum(own, np.minimum(pull.least, problem.high), out=own)
    y, lam, missing, held = np.zeros((rows, count)), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros(rows, bool)
    given = (np.ascontiguousarray(C), b, low, high, power, len(problem.muscles))
    room = room_for(n, count)  # kept until the kernel is done with it
    lost = share_loads(room.handle, *given, lam, y, missing, held)
    if lost:
        warnings.warn(
            f"{WHAT}: at {lost} of {rows} times the optimum of power {power:g} was not found, for want of room between "
            "the bounds; there the best activations that were found are kept",
            RuntimeWarning,
            stacklevel=4,
        )
    return y, lam, held


def _iterate(
    problem: Problem, power: float, y: np.ndarray
) -> tuple[Pull, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Optima with tensions that are not linear in the activations: linear ones about the last activations, again.

    What the muscles pull; of every row unknowns, multipliers, are equations met, and did activations not settle?
    """
    m, n = len(problem.muscles), problem.tau.shape[1]
    y, lam, held, left = y.copy(), np.zeros((len(y), n)), np.zeros(len(y), bool), np.arange(len(y))
    for count in range(MOST_PROGRAMS):
        some, a = problem.rows(left), y[left, :m]
        aim, lam[left], held[left] = share(some, some.pull(a), power)
        change = np.abs(aim[:, :m] - a).max(axis=1, initial=0.0)
        y[left] += (1.0 if count < FULL else 0.5) * (aim - y[left])
        left = left[change > SETTLED]
        if not len(left):
            break
    unsettled = np.zeros(len(y), bool)
    unsettled[left] = change[change > SETTLED] > NEARLY
    return problem.pull(y[:, :m]), y, lam, held, unsettled


def warn_of_missing(problem: Problem, found: StaticOptimization, missing: np.ndarray) -> None:
    """Warn of the rows `missing`, whose equations do not hold, by the coordinate that misses most."""
    if not missing.any():
        return
    rows = np.flatnonzero(missing)
    reach = np.sqrt((problem.arms**2 * problem.hills["force"] ** 2).sum(axis=2) + (problem.G**2).sum(axis=2))
    short = np.abs(found.residual[rows]) / np.where(reach[rows] > 0, reach[rows], 1.0)
    row, j = np.unravel_index(int(short.argmax()), short.shape)
    row, name = rows[row], problem.coordinates[j]
    unit = {"rad": "N m", "m": "N"}.get(problem.model.coordinate_units[problem.model.coordinate(name)], "(generalized)")
    warnings.warn(
        f"{WHAT}: at {len(rows)} of {len(found)} times, first at {found.t[rows[0]]:g} s, no activations explain the "
        f"motion: {abs(found.residual[row, j]):.4g} {unit} are missing at coordinate {name!r} at "
        f"{found.t[row]:g} s; the nearest activations are kept. Stronger reserves, wider bounds or fewer coordinates "
        "would help",
        RuntimeWarning,
        stacklevel=3,
    )
