"""Runs that change between models, expressed in one model, whose re-rooted trees float freely."""

from dataclasses import replace

import numpy as np

from ..algorithms import forward_kinematics
from ..constraints.pack import no_constraints
from ..model import Model, State
from ..reroot.reroot import kept_dofs, reroot
from ..spatial import se3, so3
from ..trajectory import Trajectory

SAME = 1e-6  # [m or rad] by which poses may differ
ORIGIN = np.zeros(3)
NOT_ONE = "model {!r}: the models of this run have no common one to be shown in; take one of trajectory.pieces"


def as_one(trajectory: Trajectory) -> Trajectory:
    """The run in the coordinates of one model. Raises a ValueError if its models have no common one.

    Trees that hang on the world by another body or joint later on are hung freely from the body that was the first.
    Joints that are locked in some models are taken to be locked at zero.
    """
    tops = _changing(trajectory)
    if any(piece.model.z_names != trajectory.model.z_names for piece in trajectory.pieces):
        raise NotImplementedError(NOT_ONE.format(trajectory.model.name))
    pieces = [_floating(piece, tops) for piece in trajectory.pieces]
    model = max((piece[0] for piece in pieces), key=lambda model: model.ndof)
    q, qdot = (np.concatenate(x) for x in zip(*(_in_coordinates_of(model, *piece) for piece in pieces), strict=True))
    for top in tops:
        _place_top(model, top, trajectory, q, qdot)
    _check_poses(model, trajectory, q)
    if any(piece.model.constraints.names != trajectory.model.constraints.names for piece in trajectory.pieces):
        model = replace(model, constraints=no_constraints())  # constraints are dropped: none holds throughout
    slots = len(model.chart_slots)
    charts = np.concatenate([piece.charts[:, :slots] for piece in trajectory.pieces])
    return replace(trajectory, model=model, q=q, qdot=qdot, charts=charts, multipliers=None, switches=())


def _check_poses(model: Model, trajectory: Trajectory, q: np.ndarray) -> None:
    """Raise a ValueError if bodies are not where the run has them, at the ends of its pieces."""
    ends = {0, len(q) - 1} | {row + k for row, _ in trajectory.switches for k in (-1, 0)}
    for row in (r for r in ends if 0 <= r < len(q)):
        true = trajectory.poses[row]
        if np.abs(forward_kinematics(model, q[row]) - true).max() > SAME * (1.0 + np.abs(true).max()):
            raise NotImplementedError(NOT_ONE.format(model.name))


def _place_top(model: Model, top: int, trajectory: Trajectory, q: np.ndarray, qdot: np.ndarray) -> None:
    """Coordinates and rates of the free joint of a top body, from where the body is and how it moves."""
    own, start = model.dof(top), np.zeros(model.ndof)
    E_bj = se3.inverse(forward_kinematics(model, start)[top])  # the joint's frame in the body, the world's at q = 0
    for row, (E, twist) in enumerate(zip(trajectory.poses[:, top], trajectory.twists[:, top], strict=True)):
        E_wj, V = E @ E_bj, se3.Ad(se3.inverse(E_bj)) @ twist
        w = so3.log(E_wj[:3, :3])
        q[row, own] = *E_wj[:3, 3], *w
        qdot[row, own] = *(E_wj[:3, :3] @ V[3:]), *np.linalg.solve(so3.jacobian(w), V[:3])


def _changing(trajectory: Trajectory) -> list[int]:
    """Top bodies of the first model whose joint to the world is another one later."""
    first = trajectory.model
    later = {id(model): model for _, model in trajectory.switches}.values()
    return [
        i
        for i in np.flatnonzero(first.parents < 0).tolist()
        if any(m.parents[i] >= 0 or _top_joint(m, i) != _top_joint(first, i) for m in later)
    ]


def _top_joint(model: Model, body: int) -> tuple:
    """Kind and place of the joint of a body to the world, to be compared."""
    link, parts = int(model.bodies[body]["link"]), []
    while link:
        record = model.links[link]
        parts.append((int(record["kind"]), record["R0"].tobytes(), record["p0"].tobytes()))
        link = int(record["parent"])
    return tuple(parts)


def _floating(piece: Trajectory, tops: list[int]) -> tuple[Model, np.ndarray, np.ndarray]:
    """(model, q, qdot) with these bodies hung freely; their own coordinates are still to be found."""
    model, q, qdot = piece.model, piece.q, piece.qdot
    state = State(float(piece.t[0]), q[0].copy(), qdot[0].copy(), piece.charts[0].copy(), z=piece.z[0])
    for top in tops:
        hung, state = reroot(model, state, top, place=ORIGIN)
        told = np.zeros((2, len(q), hung.ndof))
        for here, there in kept_dofs(model, hung, top):
            told[0, :, there], told[1, :, there] = q[:, here], qdot[:, here]
        model, (q, qdot) = hung, told
    return model, q, qdot


def _in_coordinates_of(model: Model, own: Model, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of rows of another model of the same bodies; what that has locked is zero."""
    told = np.zeros((2, len(q), model.ndof))
    for body in range(model.nbodies):
        there, here = model.dof(body), own.dof(body)
        if there.stop - there.start == here.stop - here.start:
            told[0, :, there], told[1, :, there] = q[:, here], qdot[:, here]
    return told[0], told[1]
