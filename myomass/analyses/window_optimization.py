"""Load sharing over a window: static optimisation whose activations follow from excitations.

    min integral of sum_m a_m^p + sum_k x_k^2     with     sum_m r_jm T_m(a_m) + sum_k G_jk x_k = tau_j  at every row,

and activations that excitations within bounds, constant from row to row, bring about by the muscles' activation
dynamics. Those are integrated exactly, so rows may be far apart. The shorter the time constants, the
nearer this is to static optimisation, row by row. F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of
direct collocation optimal control problem formulations for solving the muscle redundancy problem, Ann. Biomed. Eng. 44,
2016.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..model import Model
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .activation_flow import excitations_along, flows_along
from .capacity import Pull
from .inverse_dynamics import InverseDynamics
from .load_problem import Physiology, Problem, pose_problem
from .shared_loads import SharedLoads, residual_of
from .static_optimization import share
from .window_program import Flows, Window, solve_window

if TYPE_CHECKING:
    from ..forces.actuator import Actuator
    from ..recordings import Table
    from .kinematics import Kinematics

WHAT = "window optimisation"
DIFFERENCE = 1e-6  # of activations, for second derivatives of flows
MOST_PROGRAMS = 30  # for elastic tendons
SETTLED = 1e-8  # change of an activation
CURVED = 1e-5  # difference of activations, for second derivatives of tensions
MOST_LEAST = 0.99  # of the largest activation: the least one at which a muscle that is hardly able to pulls
WEAK = 1e4  # cost of what is missing, over that of activations, where equations cannot hold
HELD = 1e-6  # error of an equation, in parts of the largest generalized force, that counts as none


@brief
@dataclass(frozen=True, eq=False)
class WindowOptimization(SharedLoads):
    """Excitations, activations and tensions that explain a motion, in rows.

    residual is what is missing of each generalized force; it is zero but where `held` is False.
    """

    excitations: np.ndarray  # from each row to the next, (rows - 1, muscles)
    cost: float  # integral [s]

    what: ClassVar[str] = WHAT
    by_muscle: ClassVar[tuple[str, ...]] = ("activations", "excitations", "forces")


def window_optimization(
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
) -> WindowOptimization:
    """Activations that explain a motion, change as excitations let them, and have the least sum of powers over time.

    All but what follows is as in `static_optimization`. bounds: of excitations, and so of activations. The first
    activations are free, and so the motion should begin before what is of interest. A muscle that damping holds slack
    in static optimisation at a row is slack here too. Where the limits leave no solution, a warning says so, and what
    is missing is as small as may be, each generalized force in parts of what can be done for it.
    """
    power = float(check_numbers(power, f"{WHAT}: power", ()))
    if not 2.0 <= power <= 20.0:
        raise ValueError(f"{WHAT}: the power of activations is between 2 and 20, and is {power:g}")
    problem = pose_problem(
        model,
        motion,
        tau,
        what=WHAT,
        reserves=reserves,
        coordinates=coordinates,
        bounds=bounds,
        physiology=Physiology(bool(physiology), tendon, bool(passive), "exact"),
    )
    if len(problem.motion.t) < 2 or not (np.diff(problem.motion.t) > 0).all():
        raise ValueError(f"{WHAT}: the motion must have two rows or more, at times that rise")
    return _solve(problem, power)


def _solve(problem: Problem, power: float) -> WindowOptimization:
    """The optimum of a window."""
    pull = problem.pull()
    y, m = share(problem, pull, power)[0], len(problem.muscles)
    elastic = problem.physiology.hill and problem.physiology.tendon == "elastic"
    slack = (pull.least > problem.low) & (y[:, :m] <= pull.least * (1 + 1e-9))
    bend = np.zeros_like(slack, float)
    for _ in range(MOST_PROGRAMS):
        before = y
        pull = problem.pull(y[:, :m]) if elastic else pull
        y, worth, found = _share_over_time(problem, pull, power, y, (slack, bend))
        pulls_too = slack & (y[:, :m] > pull.least)  # it cannot become so little active in time
        slack = slack & ~pulls_too
        if not pulls_too.any() and (not elastic or np.abs(y[:, :m] - before[:, :m]).max() <= SETTLED):
            break
        bend = _bend(problem, pull, y[:, :m], worth) if elastic else bend
    else:
        found = False
    pull = problem.pull(y[:, :m]) if elastic else pull
    if not found:
        warnings.warn(f"{WHAT}: the search for the optimum ended before it was found", RuntimeWarning, stacklevel=3)
    return _result(problem, pull, power, y)


def _bend(problem: Problem, pull: Pull, a: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Curvature that tensions, not linear in the activations, give to the problem about its last answer."""
    here = problem.pull(a).slope
    step = np.where(a > 0.5, -CURVED, CURVED)
    with np.errstate(divide="ignore", invalid="ignore"):
        price = np.where(pull.slope > 0, worth / pull.slope, 0.0)  # of a unit of tension
    return -price * (problem.pull(a + step).slope - here) / step


def _share_over_time(
    problem: Problem, pull: Pull, power: float, start: np.ndarray, told: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, bool]:
    """(unknowns, worth of each activation to the equations, found), tensions being pull.slope a + pull.constant.

    told: where muscles are slack, and so do not pull; and further curvature about the start.
    """
    slack, bend = told
    m, rows = len(problem.muscles), len(problem.motion.t)
    low = np.tile(np.concatenate([problem.low, problem.reserves.low]), (rows, 1))
    high = np.tile(np.concatenate([problem.high, problem.reserves.high]), (rows, 1))
    slope, constant = np.where(slack, 0.0, pull.slope), np.where(slack, 0.0, pull.constant)
    low[:, :m] = np.where(slack, low[:, :m], np.maximum(low[:, :m], np.minimum(pull.least, MOST_LEAST * high[:, :m])))
    C = np.concatenate([problem.arms * slope[:, None, :], problem.G], axis=2)
    b = problem.tau - np.einsum("rjm,rm->rj", problem.arms, constant)
    same = (_weights(problem.motion.t), power, m, _flows(problem), bend, start[:, :m])
    y, worth, found = solve_window(Window(C, b, low, high, *same), start)
    if not found:
        n, free = b.shape[1], np.full(b.shape, np.inf)
        reach = np.sqrt((C**2).sum(axis=2))
        reach = np.where(reach > 0, reach, 1.0) / np.sqrt(WEAK)
        wide = np.concatenate([C, np.eye(n) * reach[:, :, None]], axis=2)
        window = Window(wide, b, np.c_[low, -free], np.c_[high, free], *same)
        y, worth, found = solve_window(window, np.c_[start, np.zeros(b.shape)])
    return y[:, : C.shape[2]], worth[:, :m], found


def _weights(t: np.ndarray) -> np.ndarray:
    """Weights of the trapezoidal rule, over their mean. (rows,)"""
    h = np.diff(t)
    weights = 0.5 * (np.r_[0.0, h] + np.r_[h, 0.0])
    return weights / weights.mean()


def _flows(problem: Problem) -> Flows:
    """What bounds the activations of a row by those of the row before: a -> (rise, slope, bend, fall, slope, bend)."""
    h = np.diff(problem.motion.t)
    hills = problem.hills

    def flow(u: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        after, slopes = np.empty((2, *a.shape))
        flows_along(hills, u, np.ascontiguousarray(a), h, after, slopes)
        return after, slopes

    def both(a: np.ndarray) -> tuple[np.ndarray, ...]:
        rise, rise_slope = flow(problem.high, a)
        fall, fall_slope = flow(problem.low, a)
        rise_bend = (rise_slope - flow(problem.high, a - DIFFERENCE)[1]) / DIFFERENCE
        fall_bend = (flow(problem.low, a + DIFFERENCE)[1] - fall_slope) / DIFFERENCE
        return rise, rise_slope, rise_bend, fall, fall_slope, fall_bend

    return both


def _result(problem: Problem, pull: Pull, power: float, y: np.ndarray) -> WindowOptimization:
    """The result, with excitations that lead from row to row."""
    m, t = len(problem.muscles), problem.motion.t
    a, x = np.clip(y[:, :m], problem.low, problem.high), y[:, m:]
    forces = np.where(a < pull.least, 0.0, pull.slope * a + pull.constant)
    excitations = np.empty((len(t) - 1, m))
    excitations_along(problem.hills, problem.low, problem.high, np.ascontiguousarray(a), np.diff(t), excitations)
    residual = residual_of(problem, forces, x)
    size = np.abs(problem.tau).max(initial=1e-300)
    cost = np.trapezoid((a**power).sum(axis=1) + (x**2).sum(axis=1), t)
    held = np.abs(residual).max(axis=1, initial=0.0) <= HELD * size
    if not held.all():
        row, j = np.unravel_index(int(np.abs(residual).argmax()), residual.shape)
        warnings.warn(
            f"{WHAT}: at {(~held).sum()} of {len(t)} times no activations within their limits explain the motion: "
            f"{abs(residual[row, j]):.4g} N m or N are missing at coordinate {problem.coordinates[j]!r} at "
            f"{t[row]:g} s. Stronger reserves, wider bounds or fewer coordinates would help",
            RuntimeWarning,
            stacklevel=4,
        )
    return WindowOptimization(
        t,
        problem.muscles,
        a,
        forces,
        problem.reserves.names,
        x,
        x * problem.reserves.strengths,
        problem.coordinates,
        residual,
        held,
        excitations,
        float(cost),
    )
