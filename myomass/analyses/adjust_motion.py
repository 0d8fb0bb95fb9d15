"""Small changes of a motion that lower residual forces, nowhere larger than a tolerance.

Each coordinate gets a quintic B-spline of its own, dq = sum_k c_k B_k(t). Since the B_k are positive and add up to one,
|c_k| <= tolerance keeps |dq| <= tolerance at all times. The coefficients minimise

    sum over rows of  |W r|^2 / (mean square of W r before)  +  EFFORT |dq / tolerance|^2

with r linearised by differences in q, qdot and qddot. Each step is halved until the sum falls, and r linearised anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Model
from ..model.elements import POSITION
from ..recordings import ExternalLoads
from ..spatial.checks import check_numbers
from .inverse_dynamics import inverse_dynamics
from .kinematics import Kinematics

SPACING = 0.05  # [s] between knots: changes are slower than some 8 Hz
EFFORT = 0.1
MOST_ROUNDS, SETTLED = 10, 0.99  # of linearising; what of the sum a round must leave to be the last one
HALVED = (1.0, 0.5, 0.25, 0.125, 0.0625)  # parts of a step that are tried
RIDGE = 1e-10
STEPS = {"q": 1e-5, "qdot": 1e-2, "qddot": 1.0}  # of differences: forces are quadratic in rates, linear in qddot


def coordinate_tolerances(model: Model, adjust: float | Mapping[str, float]) -> np.ndarray:
    """The largest change of each coordinate [rad or m]; 0 of those that are locked or coupled. (ndof,)"""
    tolerances = np.zeros(model.ndof)
    if isinstance(adjust, Mapping):
        for name, value in adjust.items():
            tolerances[model.coordinate(name)] = float(check_numbers(value, f"adjust: the tolerance of {name!r}", ()))
    else:
        tolerances[:] = float(check_numbers(adjust, "adjust: the tolerance", ()))
    if (tolerances < 0).any():
        raise ValueError(f"adjust: a tolerance must not be negative, and one is {tolerances.min():g}")
    held = [k for k, one in enumerate(model.coordinate_specs) if one.locked or one.prescribed is not None]
    ends, constraints = model.constraints.ends["dof"], model.constraints
    for i, part in enumerate(constraints.table):
        if constraints.levels[part["row"]] == POSITION and not constraints.unilateral[part["row"]]:
            held += [int(k) for k in ends[2 * i : 2 * i + 2] if k >= 0]
    tolerances[held] = 0.0
    return tolerances


def adjust_motion(
    model: Model,
    motion: Kinematics,
    loads: ExternalLoads | None,
    chosen: Sequence[int],
    weights: np.ndarray,
    tolerances: np.ndarray,
) -> Kinematics:
    """The motion with changes within the tolerances that lower the weighted residuals of the chosen coordinates."""
    problem = _Changes(model, motion, loads, chosen, weights, tolerances)
    r = problem.residuals(motion)
    problem.size = np.sqrt((r**2).mean())
    if not len(problem.moving) or problem.size == 0:
        return motion
    z, now, cost = np.zeros(problem.still.shape[1]), motion, (r**2).sum() / problem.size**2
    for _ in range(MOST_ROUNDS):
        step = problem.step(now, r, z)
        for part in HALVED:
            nearer = problem.changed(z + part * step)
            r_nearer = problem.residuals(nearer)
            less = (r_nearer**2).sum() / problem.size**2 + ((problem.still @ (z + part * step)) ** 2).sum()
            if less < cost:
                break
        else:
            return now
        settled, cost, r, z, now = less > SETTLED * cost, less, r_nearer, z + part * step, nearer
        if settled:
            break
    return now


@dataclass(eq=False)
class _Changes:
    """Changes of a motion by coefficients z, which are parts of the tolerances, and what they do to the residuals."""

    model: Model
    motion: Kinematics
    loads: ExternalLoads | None
    chosen: Sequence[int]
    weights: np.ndarray
    tolerances: np.ndarray
    size: float = 1.0  # root mean square of the weighted residuals before

    def __post_init__(self) -> None:
        self.moving = np.flatnonzero(self.tolerances > 0)  # coordinates that may change
        self.B = _basis(self.motion.t)
        self.still = np.sqrt(EFFORT) * np.kron(np.eye(len(self.moving)), self.B[0])  # z -> the effort's roots

    def residuals(self, motion: Kinematics) -> np.ndarray:
        """Weighted residuals, one coordinate after another. (rows times chosen,)"""
        return (self.weights * inverse_dynamics(self.model, motion, self.loads).tau[:, self.chosen]).T.ravel()

    def changed(self, z: np.ndarray) -> Kinematics:
        """The motion with the changes."""
        rows = {what: getattr(self.motion, what).copy() for what in STEPS}
        for k, own in zip(self.moving, z.reshape(len(self.moving), -1), strict=True):
            for what, b in zip(STEPS, self.B, strict=True):
                rows[what][:, k] += b @ (self.tolerances[k] * own)
        return Kinematics(self.motion.t, **rows, names=self.motion.names, units=self.motion.units)

    def step(self, now: Kinematics, r: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The change of z that is best for residuals as they are linear at a motion, z + step between -1 and 1."""
        import daqp  # it takes time to load

        slopes, m = [self.slopes(now, what) for what in STEPS], len(self.moving)
        blocks = [
            [sum(s[:, i, j, None] * b for s, b in zip(slopes, self.B, strict=True)) for j in range(m)]
            for i in range(len(self.chosen))
        ]
        A = np.block(blocks) * np.repeat(self.tolerances[self.moving], self.B[0].shape[1]) / self.size
        H = A.T @ A + self.still.T @ self.still
        H[np.diag_indices_from(H)] += RIDGE * np.trace(H) / len(H)
        f = A.T @ (r / self.size) + self.still.T @ (self.still @ z)
        none, sense = np.zeros((0, len(z))), np.zeros(len(z), np.int32)
        step, _, flag, _ = daqp.solve(H, f, none, 1.0 - z, -1.0 - z, sense)
        if flag < 1:
            raise FloatingPointError("adjust: no change of the motion within the tolerances was found")
        return np.clip(np.asarray(step), -1.0 - z, 1.0 - z)

    def slopes(self, motion: Kinematics, what: str) -> np.ndarray:
        """Derivatives of the weighted residuals by q, qdot or qddot of what moves. (rows, chosen, moving)"""
        values, h, found = getattr(motion, what), STEPS[what], []
        for k in self.moving:
            sides = []
            for side in (h, -h):
                stepped = values.copy()
                stepped[:, k] += side
                rows = {name: stepped if name == what else getattr(motion, name) for name in STEPS}
                moved = Kinematics(motion.t, **rows, names=motion.names, units=motion.units)
                sides.append(inverse_dynamics(self.model, moved, self.loads).tau[:, self.chosen])
            found.append(self.weights * (sides[0] - sides[1]) / (2 * h))
        return np.stack(found, axis=2)


def _basis(t: np.ndarray) -> list[np.ndarray]:
    """Values, first and second derivatives of the B-splines at times. (rows, splines) each"""
    from scipy.interpolate import BSpline  # it takes time to load

    pieces = max(1, int(np.ceil((t[-1] - t[0]) / SPACING)))
    knots = np.concatenate([[t[0]] * 5, np.linspace(t[0], t[-1], pieces + 1), [t[-1]] * 5])
    spline = BSpline(knots, np.eye(pieces + 5), 5)
    return [spline(t, order) for order in range(3)]
