"""Residual reduction: a model and a motion that need less force where nothing can push, at the floating base.

Nothing pulls at a pelvis but its own joints: what inverse dynamics asks for in its six coordinates is error, of the
masses, of the motion, of the loads. Inverse dynamics is linear in mass, mass times centre, and inertia of each body;
so is a shift d of the trunk's mass centre, but for m (d . d 1 - d d'). The shift, and if wanted one factor (1 + s) on
all masses, is the least squares solution over the recording,

    min  sum over rows of |W r|^2,    r = Y(q, qdot, qddot) pi(d, s) - J^T F   in the residual coordinates,

by Gauss-Newton steps within bounds. W makes a moment count as a force on the arm of the model's radius of gyration.
Small changes of the motion within a tolerance are found after it (adjust_motion.py).

OpenSim's RRA means the same and differs in the way: it tracks the motion in a forward run with actuators, takes the
trunk's shift from averages of the residual moments alone, and changes the motion as the tracking gives way. Here the
motion stays as it is unless asked for, and otherwise nowhere leaves its tolerance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..model import Model, Spec
from ..model.spec import UnknownName, known_names
from ..recordings import ExternalLoads, Table
from ..spatial.brief import brief, counted
from ..spatial.checks import check_numbers
from ..spatial.se3 import translation
from .adjust_motion import adjust_motion, coordinate_tolerances
from .give_mass import RIGID, copied, hang_rigid
from .inverse_dynamics import as_motion, inverse_dynamics
from .kinematics import Kinematics

STEP = 1e-2  # of central differences [m or 1]: residuals are quadratic in a shift, so any step is exact
MOST_STEPS, ARRIVED, UNSEEN = 20, 1e-10, 1e-9
MOST_MASS = 0.2  # of each mass, that it may gain or lose


@brief
@dataclass(frozen=True, eq=False)
class ResidualReduction:
    """Residuals before and after, (rows, residuals) [N or N m], and the spec and motion that they are of."""

    spec: Spec  # a copy, with the trunk's mass centre moved (and masses, if asked for)
    motion: Kinematics
    names: tuple[str, ...]  # of the residual coordinates
    before: np.ndarray
    after: np.ndarray
    trunk: str
    shift: np.ndarray  # of the mass centre of the trunk's rigid part [m], in the trunk's frame as its file has it, (3,)
    centre: np.ndarray  # where it is now in that frame [m], (3,)
    mass_changes: Mapping[str, float]  # recommended, beyond what was done, by body [kg]

    @property
    def mean(self) -> np.ndarray:
        """Averages of the residuals over the recording, before and after [N or N m]. (2, residuals)"""
        return np.array([self.before.mean(axis=0), self.after.mean(axis=0)])

    @property
    def rms(self) -> np.ndarray:
        """Root mean squares, before and after [N or N m]. (2, residuals)"""
        return np.sqrt([(self.before**2).mean(axis=0), (self.after**2).mean(axis=0)])

    @property
    def peak(self) -> np.ndarray:
        """Largest absolute values, before and after [N or N m]. (2, residuals)"""
        return np.array([np.abs(self.before).max(axis=0), np.abs(self.after).max(axis=0)])


def reduce_residuals(
    spec: Spec,
    motion: Kinematics | Table,
    loads: ExternalLoads | None = None,
    *,
    trunk: str | None = None,
    residuals: Sequence[str] | None = None,
    limit: float = 0.1,
    vertical: bool = False,
    masses: bool = False,
    adjust: float | Mapping[str, float] | None = None,
    lowpass: float | None = None,
) -> ResidualReduction:
    """A spec whose trunk's mass centre lies where a recorded motion needs the least residual forces.

    trunk: the body (None: the heaviest); its mass centre moves by at most `limit` [m] along each of two of its axes
    that are level on average, and with vertical=True along the third, of which residuals tell little. residuals:
    coordinates that nothing moves (None: those of the joint to the world). masses: scale all masses by one factor too
    (within 20 %), which otherwise is only recommended. adjust: the largest change of each coordinate [rad or m], one
    number for all or by name, that the motion may have to lower the residuals further (None: none). Everything else as
    of `inverse_dynamics`. The rigid part of the trunk becomes a body of its own, "torso_rigid", as by `give_mass`,
    which comes first where both are wanted.
    """
    if not isinstance(spec, Spec):
        raise TypeError(f"reduce_residuals: give a Spec, such as mm.io.read_osim returns, not {type(spec).__name__}")
    model = spec.compile()
    motion = as_motion(model, motion, lowpass)
    if len(motion) < 2:
        raise ValueError("reduce_residuals: the motion has fewer than two rows")
    trunk = _trunk(spec, trunk)
    limit = float(check_numbers(limit, "reduce_residuals: the limit [m]", ()))
    if limit < 0:
        raise ValueError(f"reduce_residuals: the limit must not be negative, and is {limit:g} m")
    chosen = _residual_dofs(model, residuals)
    tolerances = None if adjust is None else coordinate_tolerances(model, adjust)
    problem = _Problem(_stripped(spec), trunk, motion, loads, chosen, _weights(model, motion, chosen))
    before = problem.residuals(np.zeros(4))
    ways = np.eye(4)[:, :3] if vertical else _level(spec, model, trunk, motion)
    x = problem.solve(ways, limit, masses)
    if tolerances is not None:
        motion = adjust_motion(problem.model(x), motion, loads, chosen, problem.weights, tolerances)
        problem = replace(problem, motion=motion)
    share, after = problem.recommended_share(x), problem.residuals(x)
    R, origin = _frame(spec, trunk)
    changes = {name: share * (1 + x[3]) * body.inertia.mass for name, body in spec.bodies.items() if body.inertia}
    made, names = changed(spec, trunk, x), tuple(model.coordinates[k] for k in chosen)
    rigid = made.bodies[trunk + RIGID]
    place = (rigid.E_jb @ rigid.inertia.frame)[:3, 3]
    return ResidualReduction(made, motion, names, before, after, trunk, R @ x[:3], R @ place + origin, changes)


def changed(spec: Spec, trunk: str, x: np.ndarray) -> Spec:
    """The spec with its trunk's mass centre moved by x[:3] in the trunk's own axes [m], all masses (1 + x[3]) times."""
    made, scale = copied(spec), 1.0 + float(x[3])
    if trunk + RIGID not in made.bodies:
        hang_rigid(made, trunk, replace(made.bodies[trunk].inertia, frame=np.eye(4)))
    rigid = made.bodies[trunk + RIGID]
    made.bodies[trunk + RIGID] = replace(rigid, E_jb=translation(*x[:3]) @ rigid.E_jb)
    if scale != 1.0:
        for name, body in made.bodies.items():
            if body.inertia is not None:
                moments = tuple(scale * moment for moment in body.inertia.moments)
                inertia = replace(body.inertia, mass=scale * body.inertia.mass, moments=moments)
                made.bodies[name] = replace(body, inertia=inertia)
        made.muscles = {name: replace(muscle, mass=scale * muscle.mass) for name, muscle in made.muscles.items()}
    return made


@dataclass(frozen=True, eq=False)
class _Problem:
    """Residuals as a function of x = (shift of the trunk's mass centre [m], part that all masses gain)."""

    spec: Spec
    trunk: str
    motion: Kinematics
    loads: ExternalLoads | None
    chosen: list[int]
    weights: np.ndarray  # of the residuals

    def model(self, x: np.ndarray) -> Model:
        """The changed model."""
        return changed(self.spec, self.trunk, x).compile()

    def residuals(self, x: np.ndarray, loaded: bool = True) -> np.ndarray:
        """Residuals [N or N m], with the loads or without. (rows, residuals)"""
        loads = self.loads if loaded else None
        return inverse_dynamics(self.model(x), self.motion, loads).tau[:, self.chosen]

    def solve(self, ways: np.ndarray, limit: float, masses: bool) -> np.ndarray:
        """The x of the least weighted residuals, moved by up to a limit along each of the ways. (4,)"""
        from scipy.optimize import lsq_linear  # it takes time to load

        ways = np.hstack([ways if limit > 0 else ways[:, :0], np.eye(4)[:, 3:] if masses else np.zeros((4, 0))])
        most = np.array([MOST_MASS if way[3] else limit for way in ways.T])
        u = np.zeros(len(most))
        for _ in range(MOST_STEPS if len(u) else 0):
            r = (self.weights * self.residuals(ways @ u)).ravel()
            J = np.stack([self.slope(ways @ u, way) for way in ways.T], axis=1)
            scale = np.sqrt((J**2).sum(axis=0))
            seen = scale > UNSEEN * scale.max()  # a shift across the plane of a planar model does nothing
            if not seen.any():
                break
            low, high = (-most - u)[seen] - ARRIVED, (most - u)[seen] + ARRIVED
            step = lsq_linear(J[:, seen], -r, (low, high), method="bvls").x
            u[seen] = np.clip(u[seen] + step, -most[seen], most[seen])
            if np.abs(step).max() < ARRIVED:
                break
        return ways @ u

    def slope(self, x: np.ndarray, way: np.ndarray) -> np.ndarray:
        """Derivative of the weighted residuals along a way. (rows times residuals,)"""
        ahead, behind = self.residuals(x + STEP * way), self.residuals(x - STEP * way)
        return (self.weights * (ahead - behind) / (2 * STEP)).ravel()

    def recommended_share(self, x: np.ndarray) -> float:
        """What part all masses should gain for the residual forces (where there are none, all residuals)."""
        r, own = (self.weights * self.residuals(x, loaded) for loaded in (True, False))
        forces = [i for i, k in enumerate(self.chosen) if self.motion.units[k] == "m"] or slice(None)
        r, own = r[:, forces], own[:, forces]
        return float(-(r * own).sum() / max((own * own).sum(), np.finfo(float).tiny))


def _trunk(spec: Spec, trunk: str | None) -> str:
    """The body whose mass centre moves."""
    massive = {name: body.inertia.mass for name, body in spec.bodies.items() if body.inertia is not None}
    if trunk is None:
        heaviest = max(massive, key=massive.get)
        return heaviest.removesuffix(RIGID) if heaviest.removesuffix(RIGID) in spec.bodies else heaviest
    if trunk not in spec.bodies:
        raise UnknownName(f"reduce_residuals: there is no body {trunk!r}; {known_names(spec.bodies)}")
    if trunk not in massive and trunk + RIGID not in massive:
        raise ValueError(f"reduce_residuals: the body {trunk!r} has no mass whose centre could move")
    return trunk


def _residual_dofs(model: Model, residuals: Sequence[str] | None) -> list[int]:
    """Numbers of the coordinates whose forces are residuals."""
    if residuals is not None:
        names = [residuals] if isinstance(residuals, str) else list(residuals)
        if not names:
            raise ValueError("reduce_residuals: residuals names no coordinate; leave it out for those of the base")
        return [model.coordinate(name) for name in names]
    roots = np.flatnonzero(model.parents < 0)
    dofs = [k for i in roots for k in range(model.dof_starts[i], model.dof_starts[i + 1])]
    if len(roots) != 1 or not dofs:
        what = f"{counted(len(roots), 'joint')} to the world, with {counted(len(dofs), 'coordinate')}"
        raise ValueError(f"model {model.name!r}: {what}; name those that nothing moves as residuals=[...]")
    return dofs


def _weights(model: Model, motion: Kinematics, chosen: list[int]) -> np.ndarray:
    """1 for forces and one over the radius of gyration for moments, both over the model's weight. (residuals,)"""
    m, x = model.bodies["mass"], forward_kinematics(model, motion.q[0])[:, :3, 3]
    centre = m @ x / m.sum()
    arm = np.sqrt(m @ ((x - centre) ** 2).sum(axis=1) / m.sum()) or 1.0
    return np.array([1.0 / arm if motion.units[k] == "rad" else 1.0 for k in chosen]) / m.sum()


def _level(spec: Spec, model: Model, trunk: str, motion: Kinematics) -> np.ndarray:
    """Two axes of the trunk's frame as its file has it, made level at its average posture, as columns of x. (4, 2)"""
    g = np.linalg.norm(model.gravity)
    if g == 0:
        return np.eye(4)[:, :3]
    up = np.mean([forward_kinematics(model, q)[model.body(trunk), :3, :3].T @ -model.gravity for q in motion.q], axis=0)
    up /= np.linalg.norm(up)
    axes = sorted(_frame(spec, trunk)[0], key=lambda axis: abs(axis @ up))
    first = axes[0] - (axes[0] @ up) * up
    first /= np.linalg.norm(first)
    return np.vstack([np.array([first, np.cross(up, first)]).T, np.zeros(2)])


def _stripped(spec: Spec) -> Spec:
    """Bodies, frames and muscles that have mass: what inverse dynamics looks at."""
    made = copied(spec)
    made.forces, made.constraints, made.reflexes, made.markers = {}, {}, {}, {}
    massive = {name: muscle for name, muscle in spec.muscles.items() if muscle.mass > 0}
    made.muscles = {name: replace(muscle, tension=0.0, actuator=None) for name, muscle in massive.items()}
    return made


def _frame(spec: Spec, trunk: str) -> tuple[np.ndarray, np.ndarray]:
    """(R, p) from the body's own frame to its frame as the file has it; the same one where no file told another."""
    frame = spec.frames.get(trunk)
    if frame is None or frame.body != trunk:
        return np.eye(3), np.zeros(3)
    R = frame.pose[:3, :3].T
    return R, -R @ frame.pose[:3, 3]
