"""Inverse dynamics of a captured motion on the foot that stands (Stepien et al. 2012, section 7.1).

A capture hangs on its pelvis, which nothing holds. For each frame the tree is re-rooted to the supporting foot, with
velocities and accelerations adapted; then inverse dynamics give the joints' torques, and the wrench at the root's joint
is that of the ground on the foot:

    tau = M qddot + C     of the re-rooted tree,      J_foot^T W = tau_root,      F = m (a_com - g)

The paper's case is single support. Beyond it, feet that are down together can share the wrench.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms import frame_jacobian
from ..dynamics import inverse_dynamics
from ..model import Model, State
from ..model.border import no_model
from ..reroot import reroot
from ..spatial.brief import counted
from ..spatial.checks import check_numbers
from .contacts import check_feet, find_contacts, foot_sites, phases, site_paths, upward
from .mocap import CapturedMotion

HANDOVERS = (None, "time", "distance")
BEARS = 0.05  # part of the weight below which a foot has no centre of pressure
LOWEST = 0.02  # part of the rows in which a foot's lowest point may be below the ground


@dataclass(frozen=True, eq=False, repr=False)
class SupportedDynamics:
    """Torques of the joints and reactions of the ground along a motion; vectors in world axes."""

    model: Model
    t: np.ndarray  # [s], (rows,)
    feet: tuple[str, ...]
    support: np.ndarray  # which foot bears most, -1 in flight, (rows,)
    shares: np.ndarray  # of the feet in the ground's force, (rows, feet)
    torques: np.ndarray  # of all joints in their own coordinates [N m or N]; of the root in flight only, (rows, ndof)
    forces: np.ndarray  # on each foot [N], (rows, feet, 3)
    moments: np.ndarray  # on each foot, about its centre of mass [N m], (rows, feet, 3)
    pressure: np.ndarray  # centre of pressure of each foot [m], nan where it bears nothing, (rows, feet, 3)
    residual: np.ndarray  # [moment; force] missing at the root's centre of mass in flight [N m, N], (rows, 6)
    ground: float  # height of the ground [m]
    heading: np.ndarray  # level direction in which the root goes from the first to the last row, (3,)

    def __repr__(self) -> str:
        span = f"{counted(len(self.t), 'row')} from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"SupportedDynamics({self.model.name!r} on {', '.join(self.feet)}, {span})"

    @property
    def weight(self) -> float:
        """Weight of the whole figure [N]."""
        return float(self.model.bodies["mass"].sum() * np.linalg.norm(self.model.gravity))

    def torque(self, body: str) -> np.ndarray:
        """Torques of the joint between a body and its parent, in that joint's coordinates [N m or N]. (rows, any)"""
        return self.torques[:, self.model.dof(body)]

    def phases(self) -> list[tuple[str | None, float, float]]:
        """(foot, or None in flight; from; to [s]) of each stretch with one support."""
        names = (*self.feet, None)
        return [(names[self.support[a]], float(self.t[a]), float(self.t[b])) for a, b in phases(self.support)]


def supported_dynamics(
    model: Model,
    motion: CapturedMotion,
    feet: Sequence[str] | None = None,
    support: np.ndarray | None = None,
    *,
    handover: str | None = None,
    ground: float | None = None,
) -> SupportedDynamics:
    """Joint torques and ground reactions behind a captured motion, each frame on the foot that stands.

    feet: bodies that can stand (None: those that are feet by their names). support: the number of the foot that stands
    in each frame, -1 in flight, (rows,), or who is down, booleans (rows, feet); None: `find_contacts`. Where several
    are down one bears all, the one that is down for longer before and after; with handover "time" the wrench goes over
    smoothly from foot to foot, with "distance" feet bear by their nearness to the centre of pressure. In flight nothing
    bears, and `residual` is the wrench at the root that the data would need. ground: its height [m].
    """
    feet = _check(model, motion, feet, handover)
    down = _who_is_down(model, motion, feet, support)
    places = _under_feet(model, motion, feet)
    lowest = np.quantile(np.min([x[1] for x in places], axis=0), LOWEST)
    ground = float(lowest if ground is None else check_numbers(ground, "supported_dynamics: the ground [m]", ()))
    shares = _shares(down, motion.t)
    bearing = np.where(down.any(axis=1), shares.argmax(axis=1), -1)
    if handover != "time":
        shares = np.eye(len(feet) + 1)[bearing][:, : len(feet)]
    frames = Frames(model, motion, feet)
    centres = np.stack([x[0] for x in places], axis=1)
    centres += (ground - centres @ frames.up)[..., None] * frames.up
    for r in range(len(motion.t)):
        if bearing[r] < 0:
            frames.fly(r)
        else:
            frames.stand(r, int(bearing[r]))
            if handover == "distance" and down[r].sum() > 1:
                shares[r] = _by_distance(frames.pressure(ground, r)[bearing[r]], centres[r], down[r])
            if (shares[r] > 0).sum() > 1:
                frames.share(r, int(bearing[r]), shares[r], centres[r])
    return frames.result(np.where(bearing < 0, -1, shares.argmax(axis=1)), shares, ground)


def _check(model: Model, motion: CapturedMotion, feet: Sequence[str] | None, handover: str | None) -> tuple[str, ...]:
    """The feet. Raises an error if the model, motion or handover do not fit."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(motion, CapturedMotion):
        raise TypeError(f"supported_dynamics: give a motion, as capture.motion(model), not {motion!r}")
    if not _moves_alike(model, motion.model):
        raise ValueError(
            f"supported_dynamics: the motion is of another model than {model.name!r}; make it anew by capture.motion"
        )
    if (model.parents < 0).sum() != 1 or model.dof(0) != slice(0, 6):
        raise ValueError(
            f"supported_dynamics: model {model.name!r} must hang on the world by one free joint, mm.Free3D()"
        )
    if len(model.constraints):
        raise ValueError(f"supported_dynamics: model {model.name!r} has constraints, whose forces would not be counted")
    if handover not in HANDOVERS:
        raise ValueError(f'supported_dynamics: handover is None, "time" or "distance", not {handover!r}')
    return check_feet(model, feet, "supported_dynamics")


def _moves_alike(model: Model, other: Model) -> bool:
    """True if two models have the same joints, and the same frames on the same bodies."""
    if model is other:
        return True
    pairs = [(model.links, other.links, ("kind", "parent", "R0", "p0")), (model.bodies, other.bodies, ("R_lb", "p_lb"))]
    same = all(np.array_equal(mine[key], theirs[key]) for mine, theirs, keys in pairs for key in keys)
    return same and model.names == other.names and np.array_equal(model.params, other.params)


def _who_is_down(model: Model, motion: CapturedMotion, feet: tuple[str, ...], support: np.ndarray | None) -> np.ndarray:
    """True where a foot is down. Booleans, (rows, feet)"""
    if support is None:
        return find_contacts(model, motion, feet)
    rows, given = len(motion.t), np.asarray(support)
    if given.dtype == bool and given.shape == (rows, len(feet)):
        return given
    if given.shape == (rows,) and given.dtype.kind in "iu" and given.min() >= -1 and given.max() < len(feet):
        return given[:, None] == np.arange(len(feet))
    raise ValueError(
        f"supported_dynamics: support is a number from -1 (flight) to {len(feet) - 1} for each of {rows} rows, or "
        f"booleans of shape ({rows}, {len(feet)}), and is {given.dtype} of shape {given.shape}"
    )


def _under_feet(model: Model, motion: CapturedMotion, feet: tuple[str, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(middle of the foot's points [m], (rows, 3); height of the lowest, (rows,)) for each foot."""
    found = []
    for foot in feet:
        sites = foot_sites(model, motion, foot) or [(model.body(foot), np.zeros(3))]
        x, _ = site_paths(motion, sites)
        found.append((x.mean(axis=1), (x @ upward(model)).min(axis=1)))
    return found


def _shares(down: np.ndarray, t: np.ndarray) -> np.ndarray:
    """w^2/sum w^2, w the time to the nearer end of a foot's contact; ends of the clip are none. (rows, feet)

    In double support this goes from one foot to the other with zero slope at both ends.
    """
    w, frame = np.zeros(down.shape), (t[-1] - t[0]) / max(len(t) - 1, 1)
    for k in range(down.shape[1]):
        for first, last in phases(down[:, k]):
            if down[first, k]:
                row = np.arange(first, last + 1)
                since = row - first + 0.5 if first > 0 else np.full(len(row), np.inf)
                until = last - row + 0.5 if last < len(down) - 1 else np.full(len(row), np.inf)
                w[row, k] = np.minimum(np.minimum(since, until) * frame, t[-1] - t[0] + frame)
    total = (w**2).sum(axis=1, keepdims=True)
    return w**2 / np.where(total > 0, total, 1.0)


def _by_distance(pressure: np.ndarray, centres: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Shares as one over the distance from the centre of pressure of the whole, of the feet that are down. (feet,)"""
    away = np.linalg.norm(pressure - centres, axis=1)
    if not np.isfinite(away).all() or (away[down] == 0).any():
        near = down & (away == np.min(away[down])) if np.isfinite(away).all() else down
        return near / near.sum()
    shares = np.where(down, 1.0 / away, 0.0)
    return shares / shares.sum()


class Frames:
    """The frames of a motion, evaluated one by one, and the results so far."""

    def __init__(self, model: Model, motion: CapturedMotion, feet: tuple[str, ...]):
        rows, self.up = len(motion.t), upward(model)
        self.model, self.motion, self.feet = model, motion, feet
        self.bodies = [model.body(foot) for foot in feet]
        self.torques, self.residual = np.zeros((rows, model.ndof)), np.zeros((rows, 6))
        self.wrenches = np.zeros((rows, len(feet), 6))  # [moment; force], world axes, about the feet's centres of mass
        self.poses = motion.trajectory.poses
        self.charts = model.params[model.chart_slots]
        self.columns: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by foot: coordinates of the model and of its tree

    def fly(self, r: int) -> None:
        """Evaluate row r, in which nothing bears."""
        m = self.motion
        self.torques[r] = tau = inverse_dynamics(self.model, m.q[r], m.qdot[r], m.qddot[r], t=m.t[r])
        self.residual[r] = _root_wrench(self.model, m.q[r], 0, tau, self.poses[r])

    def stand(self, r: int, k: int, others: np.ndarray | None = None) -> None:
        """Evaluate row r, in which foot k bears what other wrenches on the bodies, (nbodies, 6), leave over."""
        m, foot = self.motion, self.bodies[k]
        state = State(m.t[r], m.q[r], m.qdot[r], self.charts, m.qddot[r])
        tree, here = reroot(self.model, state, self.feet[k], place=np.zeros(3))
        tau = inverse_dynamics(tree, here.q, here.qdot, here.qddot, wrenches=others, t=here.t)
        if k not in self.columns:
            self.columns[k] = _same_coordinates(self.model, tree, foot)
        ours, theirs = self.columns[k]
        self.torques[r, ours] = tau[theirs]
        self.wrenches[r, k] = _root_wrench(tree, here.q, foot, tau, self.poses[r])

    def share(self, r: int, k: int, shares: np.ndarray, centres: np.ndarray) -> None:
        """Spread what foot k bears over the feet: forces at their centres, what is left of the moment by shares too."""
        x, (moment, force) = self.poses[r, self.bodies, :3, 3], np.split(self.wrenches[r, k], 2)
        forces = shares[:, None] * force
        left = moment - np.cross(centres - x[k], forces).sum(axis=0)
        moments = shares[:, None] * left + np.cross(centres - x, forces)
        others = np.zeros((self.model.nbodies, 6))
        for i, body in enumerate(self.bodies):
            if i != k:
                R = self.poses[r, body, :3, :3]
                others[body] = np.concatenate([moments[i] @ R, forces[i] @ R])
        self.wrenches[r] = np.hstack([moments, forces])
        self.stand(r, k, others)

    def pressure(self, ground: float, rows: int | slice = slice(None)) -> np.ndarray:
        """Centres of pressure on the ground [m], nan where feet bear next to nothing. (rows, feet, 3) or (feet, 3)"""
        n, x = self.up, self.poses[rows][..., self.bodies, :3, :][..., 3]
        moment, force = self.wrenches[rows][..., :3], self.wrenches[rows][..., 3:]
        load = (force @ n)[..., None]
        bears = np.abs(load) > BEARS * self.model.bodies["mass"].sum() * np.linalg.norm(self.model.gravity)
        drop = (ground - x @ n)[..., None] * n
        arm = np.cross(n, moment - np.cross(drop, force)) / np.where(bears, load, np.nan)
        return x + drop + arm

    def result(self, support: np.ndarray, shares: np.ndarray, ground: float) -> SupportedDynamics:
        """The results of all rows."""
        pressure = self.pressure(ground)
        path = self.poses[-1, 0, :3, 3] - self.poses[0, 0, :3, 3]
        level = path - (path @ self.up) * self.up
        length = np.linalg.norm(level)
        heading = level / length if length > 0 else np.array([1.0, 0.0, 0.0])
        moments, forces = self.wrenches[..., :3], self.wrenches[..., 3:]
        arrays = (support, shares, self.torques, forces, moments, pressure, self.residual)
        return SupportedDynamics(self.model, self.motion.t, self.feet, *arrays, ground, heading)


def _same_coordinates(model: Model, tree: Model, foot: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the coordinates of all joints but the root's, in the model and in the tree that hangs from a foot.

    Between the root and the foot joints are run backwards: by a body's joint its former parent hangs.
    """
    path, body = set(), foot
    while body >= 0:
        path.add(body)
        body = int(model.parents[body])
    pairs = [(i, int(parent) if i in path else i) for i, parent in enumerate(model.parents) if parent >= 0]
    slices = [(model.dof(own), tree.dof(hanging)) for own, hanging in pairs]
    return tuple(np.concatenate([np.arange(one.start, one.stop) for one in side]) for side in zip(*slices, strict=True))


def _root_wrench(tree: Model, q: np.ndarray, body: int, tau: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """[moment; force] on a tree's root about its centre of mass, world axes, equivalent to tau of its joint. (6,)"""
    dofs, R = tree.dof(body), poses[body, :3, :3]
    wrench = np.linalg.solve(frame_jacobian(tree, q, body)[0][:, dofs].T, tau[dofs])
    return np.concatenate([R @ wrench[:3], R @ wrench[3:]])
