"""Runs that go over to other models, told as those of one: its trees that are hung anew float, from the same bodies."""

from dataclasses import replace

import numpy as np

from ..algorithms import forward_kinematics, reroot
from ..model import Model, State
from ..model.constraint import no_ties
from ..trajectory import Trajectory

SAME = 1e-6  # of a metre or radian, by which poses may differ
ORIGIN = np.zeros(3)


def as_one(trajectory: Trajectory) -> Trajectory:
    """The run in the coordinates of one model, or a sentence if its models have no common one.

    Trees that hang on the world by another body or joint later on are hung freely from the body that was the first.
    Joints that are locked in some models are taken to be locked at zero.
    """
    tops = _changing(trajectory)
    pieces = [_floating(piece, tops) for piece in trajectory.pieces]
    model = max((piece[0] for piece in pieces), key=lambda model: model.ndof)
    rows = [_in_coordinates_of(model, *piece) for piece in pieces]
    for piece, (q, _) in zip(trajectory.pieces, rows, strict=True):
        if np.abs(forward_kinematics(model, q[0]) - piece.poses[0]).max() > SAME * (1.0 + np.abs(piece.poses[0]).max()):
            raise NotImplementedError(
                f"model {model.name!r}: the models of this run have no common one to be shown in; take one of "
                "trajectory.pieces"
            )
    if any(piece.model.ties.names != trajectory.model.ties.names for piece in trajectory.pieces):
        model = replace(model, ties=no_ties())  # no constraint holds throughout
    q, qdot = (np.concatenate(x) for x in zip(*rows, strict=True))
    charts = np.concatenate([piece[3] for piece in pieces])
    return replace(trajectory, model=model, q=q, qdot=qdot, charts=charts, multipliers=None, switches=())


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
    """What the joint of a body to the world is and where, to be compared."""
    link, parts = int(model.bodies[body]["link"]), []
    while link:
        record = model.links[link]
        parts.append((int(record["kind"]), record["R0"].tobytes(), record["p0"].tobytes()))
        link = int(record["parent"])
    return tuple(parts)


def _floating(piece: Trajectory, tops: list[int]) -> tuple[Model, np.ndarray, np.ndarray, np.ndarray]:
    """(model, q, qdot, charts) with these bodies hung freely."""
    model, states = piece.model, []
    for t, q, qdot, charts in zip(piece.t, piece.q, piece.qdot, piece.charts, strict=True):
        hung, state = piece.model, State(float(t), q.copy(), qdot.copy(), charts.copy())
        for top in tops:
            hung, state = reroot(hung, state, top, place=ORIGIN, E_pj=np.eye(4))
        states.append(state)
        model = hung
    return model, *(np.array([getattr(state, key) for state in states]) for key in ("q", "qdot", "charts"))


def _in_coordinates_of(
    model: Model, own: Model, q: np.ndarray, qdot: np.ndarray, charts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of rows of another model of the same bodies; what that has locked is zero."""
    told = np.zeros((2, len(q), model.ndof))
    for body in range(model.nbodies):
        there, here = model.dof(body), own.dof(body)
        if there.stop - there.start == here.stop - here.start:
            told[0, :, there], told[1, :, there] = q[:, here], qdot[:, here]
    return told[0], told[1]
