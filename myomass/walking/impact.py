"""Impacts: rates jump while nothing moves. What stops a motion suddenly is an impulse along the rows that it stops.

    M (qdot+ - qdot-) = J^T P,    J qdot+ = -e J qdot-           M with muscles, J of points and joints, e restitution

Of all rates that obey the rows qdot+ is the nearest in kinetic energy; angular momentum about a point that strikes is
kept, which for a walker is the law of Stepien et al. 2012, Eq. 23. Constraints of the model hold through the impact.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.jacobian import point_jacobian
from ..algorithms.kinematics import forward_kinematics
from ..dynamics.constraint_forces import constraint_jacobian, constraint_values
from ..dynamics.mass import mass_matrix
from ..model import Model, State
from ..model.border import no_model
from ..model.elements import FRICTION
from ..model.joint_checks import not_negative
from ..reroot.reroot import check_on_body
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, unit_axis

MISSED = 1e-6  # part of a rate by which a row may be missed
MOST_CHANGES = 100  # most changes of the set of points that are pressed
RANK = 1e-11  # part of the largest singular value below which a direction counts as none
PULLED = 1e-12  # part of the largest impulse that counts as zero


@brief
@dataclass(frozen=True, eq=False)
class Impact:
    """State and impulses after an impact; it unpacks as state, impulses."""

    state: State
    impulses: np.ndarray  # on the points, world axes [N s], (points, 3)
    joint_impulses: np.ndarray  # on the degrees of freedom that stopped [N m s or N s], (dofs of the joints,)
    energy_lost: float  # [J]

    def __iter__(self) -> Iterator:
        return iter((self.state, self.impulses))


def stopped(M: np.ndarray, momentum: np.ndarray, J: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(qdot, P) of M qdot = momentum + J^T P, J qdot = wanted, in any number type; least P where rows depend."""
    free = np.linalg.solve(M, momentum)
    if not len(J):
        return free, np.zeros(0, M.dtype)
    spread = np.linalg.solve(M, J.T)
    A, missing = J @ spread, wanted - J @ free
    scale = np.sqrt(np.abs(np.diag(A)))
    scale = np.where(scale > RANK * scale.max(), scale, 1.0)
    U, s, _ = np.linalg.svd(A.real / np.outer(scale, scale))
    kept = s > RANK * s.max(initial=1.0)
    basis = U[:, kept] / scale[:, None]  # real: of the directions in which rows act
    P = basis @ np.linalg.solve(basis.T @ A @ basis, basis.T @ missing)
    return free + spread @ P, P


def impact(
    model: Model,
    state: State,
    body: str | int | Sequence[str | int] = (),
    point: Sequence[float] | np.ndarray = (),
    *,
    joints: str | int | Sequence[str | int] = (),
    restitution: float | Sequence[float] = 0.0,
    normal: Sequence[float] | np.ndarray | None = None,
    slip: bool = False,
) -> Impact:
    """(state, impulses, ...) after the world stops a world point [m] of a body, or several (lists), without slip.

    Bodies are struck by the world, not by each other. joints: bodies whose joints lock. With a `normal` of the ground
    (for all points, or one for each) points can be pressed but not pulled: those that would be are let go; their normal
    velocity comes back by `restitution`, and with `slip` only that is stopped. Without one points are held, restitution
    turning their whole velocity round.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    model, state = check_state(model, state, "impact")
    bodies, points = _check_points(model, state, body, point)
    e = [_share(x) for x in _one_each(restitution, len(points), "restitution")]
    normals = None if normal is None else _check_normals(normal, len(points))
    if slip and normals is None:
        raise ValueError("impact: slip needs the normal of the ground, along which alone the points are stopped")
    J_points = [point_jacobian(model, state.q, i, x)[0] for i, x in zip(bodies, points, strict=True)]
    locked = _locked_dofs(model, joints)
    if not bodies and not locked:
        raise ValueError("impact: name a body with a point of it, or joints that lock; nothing is stopped")
    always = constraint_rows(model, state)
    always = np.concatenate([np.eye(model.ndof)[locked], always[0]]), np.concatenate([np.zeros(len(locked)), always[1]])
    M = mass_matrix(model, state.q)
    jump, P, P_always, missed = _pressed(M, state.qdot, always, J_points, (e, normals, slip))
    if missed > MISSED * (1.0 + np.abs(state.qdot).max()):
        text = f"impact: not all of it can stop beside the model's constraints; rates are off by up to {missed:.2g}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    after = model.state(state.q, state.qdot + jump, state.t, z=state.z)
    lost = 0.5 * float(state.qdot @ M @ state.qdot - after.qdot @ M @ after.qdot)
    return Impact(after, P, P_always[: len(locked)], lost)


def _pressed(M: np.ndarray, qdot: np.ndarray, always: tuple, J_points: list[np.ndarray], law: tuple) -> tuple:
    """(jump of qdot, impulses on points and on the rows that always hold, by how much rows are missed).

    Points that would be pulled are let go.
    """
    e, normals, slip = law
    blocks, wanted = [], []
    for k, J in enumerate(J_points):
        if normals is None:
            B, target = np.eye(3), -e[k] * (J @ qdot)
        else:
            n = normals[k]
            B = n[None] if slip else np.eye(3)
            target = B @ (-e[k] * (n @ J @ qdot) * n)
        blocks.append(B)
        wanted.append(target)
    active = set(range(len(J_points)))
    for _ in range(MOST_CHANGES):
        chosen = sorted(active)
        rows = np.concatenate([always[0], *(blocks[k] @ J_points[k] for k in chosen)])
        targets = np.concatenate([always[1], *(wanted[k] for k in chosen)])
        jump, solved = stopped(M, np.zeros_like(qdot), rows, targets - rows @ qdot)
        P = np.zeros((len(J_points), 3))
        at = len(always[0])
        for k in chosen:
            P[k] = solved[at : at + len(blocks[k])] @ blocks[k]
            at += len(blocks[k])
        if normals is None:
            break
        pulled = {k: P[k] @ normals[k] for k in chosen if P[k] @ normals[k] < -PULLED * np.abs(P).max(initial=0.0)}
        entering = {}
        for k in set(range(len(J_points))) - active:
            speed = normals[k] @ J_points[k] @ (qdot + jump)
            if speed < -PULLED * (1.0 + np.abs(J_points[k] @ qdot).max()):
                entering[k] = speed
        if pulled:
            active.remove(min(pulled, key=pulled.get))
        elif entering:
            active.add(min(entering, key=entering.get))
        else:
            break
    missed = float(np.abs(rows @ (qdot + jump) - targets).max(initial=0.0))
    return jump, P, solved[: len(always[0])], missed


def check_state(model: Model, state: State, who: str) -> tuple[Model, State]:
    """The model in the state's charts, and a copy of the state."""
    if not isinstance(state, State):
        raise TypeError(f"{who}: give a state, as model.state(q, qdot) makes it, not {type(state).__name__}")
    model = model.with_charts(state.charts)
    return model, model.state(state.q, state.qdot, state.t, z=state.z)


def constraint_rows(model: Model, state: State) -> tuple[np.ndarray, np.ndarray]:
    """(G, rates) of the equality rows of a model's constraints, G qdot+ = rates."""
    if not len(model.constraints):
        return np.zeros((0, model.ndof)), np.zeros(0)
    G = constraint_jacobian(model, state.q, t=state.t)
    speed = constraint_values(model, state.q, state.qdot, t=state.t)[1]
    held = ~model.constraints.unilateral & (model.constraints.levels != FRICTION)
    return G[held], (G @ state.qdot - speed)[held]


def _check_points(model: Model, state: State, body, point) -> tuple[list[int], np.ndarray]:
    """(bodies, points in their frames)."""
    one = isinstance(body, (str, int, np.integer))
    bodies = [model.body(name) for name in _names(body, "body")]
    if not bodies:
        return [], np.zeros((0, 3))
    what = "impact: the points of the world [m], one (x, y, z) for each body,"
    points = check_numbers([point] if one else point, what, (len(bodies), 3))
    E = forward_kinematics(model, state.q)[bodies]
    places = np.einsum("nji,nj->ni", E[:, :3, :3], points - E[:, :3, 3])
    for i, place in zip(bodies, places, strict=True):
        check_on_body(model, i, place, "impact")
    return bodies, places


def _share(restitution: float) -> float:
    number = not_negative(restitution, "impact: the restitution")
    if number > 1.0:
        raise ValueError(f"impact: a restitution of {number:g} would make energy; it lies between 0 and 1")
    return number


def _one_each(values: float | Sequence[float], count: int, what: str) -> Sequence[float]:
    given = np.atleast_1d(np.asarray(values))
    if given.dtype.kind not in "fiu" or given.shape not in ((1,), (count,)):
        raise ValueError(f"impact: give one {what}, or one for each of {count} points, not {values!r}")
    return np.broadcast_to(given.astype(float), (count,)).tolist()


def _check_normals(normal: np.ndarray, count: int) -> np.ndarray:
    """Unit normals, one per point. (count, 3)"""
    given = np.atleast_2d(np.asarray(normal))
    if given.dtype.kind not in "fiu" or given.shape not in ((1, 3), (count, 3)):
        raise ValueError(f"impact: give one normal (x, y, z), or one for each of {count} points, not {normal!r}")
    return np.array([unit_axis(n, "impact: the normal") for n in np.broadcast_to(given, (count, 3))]).reshape(count, 3)


def _names(given: str | int | Sequence[str | int], what: str) -> Sequence[str | int]:
    """One name or number, or several, as a list."""
    if isinstance(given, (str, int, np.integer)):
        return [given]
    if not isinstance(given, (Sequence, np.ndarray)):
        raise TypeError(f"impact: {what} must name one body or several in a list, and is {given!r}")
    return given


def _locked_dofs(model: Model, joints: str | int | Sequence[str | int]) -> list[int]:
    """Degrees of freedom of joints that lock."""
    return [k for name in _names(joints, "joints") for k in range(model.dof(name).start, model.dof(name).stop)]
