"""The border between Python and reduced coordinates: motions of the joints that belong to those of a model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.border import check_finite, inputs
from ..model.workspace import Workspace
from ..spatial.brief import brief
from .arrays import open_reduced, reduction_of
from .unfold import FIRST, SECOND, fold_bending, unfold


@kernel(entry=True)
def unfold_at(handle, Q, Qdot, Qddot, order):
    """Carry a motion to the joints, for Python."""
    unfold(Q, Qdot, Qddot, order, open_reduced(handle, Q))


@kernel(entry=True)
def fold_bending_at(handle, r):
    """S of forces r on the joints, for Python, after `unfold_at` of second order."""
    fold_bending(r, open_reduced(handle, r))


@brief
class JointMotion(NamedTuple):
    """What all joints do in a motion of a model's coordinates Q, and how that changes with Q."""

    q: np.ndarray  # (joint_dofs,)
    qdot: np.ndarray
    qddot: np.ndarray
    J: np.ndarray  # dq/dQ, (joint_dofs, ndof)
    Jdot: np.ndarray  # dqdot/dQ
    slope: np.ndarray  # dqddot/dQ


def unfolded(space: Workspace, vectors: Sequence[np.ndarray], order: int = FIRST) -> JointMotion:
    """The joints' motion for checked (Q, Qdot, Qddot) as far as given, in a reduced model's workspace."""
    Q, *rates = vectors
    rates = [space.zeros if x is None else x for x in (*rates, None, None)[:2]]
    check_functions(space, Q)
    found = reduction_of(space)
    unfold_at(found.handle, Q, *rates, order)
    _raise_kept(space)
    own = found.q, found.qdot, found.qddot, found.J, found.Jdot, found.slope
    return JointMotion(*(x.copy() for x in own))


def check_functions(space: Workspace, Q: np.ndarray, Qdot: np.ndarray | None = None) -> None:
    """Raise what a Python function of the map has to say at Q and Qdot, if finite; errors of before are forgotten."""
    if space.model.reduction is None or not space.model.reduction.functions:
        return
    layers = reduction_of(space)
    space.made["reduction by Python"].error = None
    rates = space.zeros if Qdot is None else Qdot
    if np.isfinite(Q).all() and np.isfinite(rates).all():
        unfold_at(layers.handle, Q, rates, space.zeros, FIRST)
    _raise_kept(space)


def _raise_kept(space: Workspace) -> None:
    """Raise what a Python function of the map has raised inside of kernels."""
    python = space.made.get("reduction by Python")
    if python is not None and python.error is not None:
        error, python.error = python.error, None
        raise error


def function_error(space: Workspace) -> BaseException | None:
    """What a Python function of the map raised last, if one did."""
    python = space.made.get("reduction by Python")
    return None if python is None else python.error


def joint_inputs(model: Model, names: str, *values: np.ndarray | None) -> tuple[Workspace, Sequence[np.ndarray]]:
    """As `inputs`, but workspace and motion are those of all joints: of `model.whole`."""
    space, vectors = inputs(model, names, *values)
    if model.reduction is None:
        return space, vectors
    check_finite(**dict(zip(names.split(), vectors, strict=True)))
    found = unfolded(space, vectors)
    whole = model.whole
    return whole.complex_workspace if np.iscomplexobj(vectors[0]) else whole.workspace, found[: len(vectors)]


def joint_motion(
    model: Model, q: np.ndarray, qdot: np.ndarray | None = None, qddot: np.ndarray | None = None
) -> JointMotion:
    """(q, qdot, qddot) of all joints [rad or m, and per s] of a motion of the model's own coordinates; J and slopes.

    Of a model that is not reduced they are the same, and J is one.
    """
    space, vectors = inputs(model, "q qdot qddot", q, qdot, qddot)
    check_finite(**dict(zip(("q", "qdot", "qddot"), vectors, strict=True)))
    if model.reduction is None:
        n, dtype = model.ndof, vectors[0].dtype
        return JointMotion(*(x.copy() for x in vectors), np.eye(n, dtype=dtype), *np.zeros((2, n, n), dtype))
    return unfolded(space, vectors, SECOND)


@kernel(entry=True)
def unfold_rows(handle, Q, Qdot, q, qdot):
    """Fill q and qdot of the joints for every row of Q and Qdot, for Python."""
    reduction = open_reduced(handle, Q)
    for i in range(Q.shape[0]):
        unfold(Q[i], Qdot[i], Qdot[i], FIRST, reduction)
        for k in range(q.shape[1]):
            q[i, k], qdot[i, k] = reduction.q[k], reduction.qdot[k]


def joint_rows(model: Model, Q: np.ndarray, Qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of all joints for rows of a model's coordinates and rates. (rows, joint_dofs) each"""
    if model.reduction is None:
        return Q, Qdot
    space = model.workspace if Q.dtype == model.dtype else model.complex_workspace
    q, qdot = np.empty((2, len(Q), model.joint_dofs), Q.dtype)
    unfold_rows(reduction_of(space).handle, np.ascontiguousarray(Q), np.ascontiguousarray(Qdot), q, qdot)
    return q, qdot


def in_joints(model: Model, q: np.ndarray, *rates: np.ndarray | None) -> tuple:
    """(the model in the coordinates of all joints, q and its rates there); as they are without a reduction."""
    if getattr(model, "reduction", None) is None:
        return model, q, *rates
    space, found = joint_inputs(model, " ".join(("q", "qdot", "qddot")[: 1 + len(rates)]), q, *rates)
    return space.model, *found


def fold_columns(model: Model, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Derivatives by all joints' coordinates as those by the model's own. (..., ndof) from (..., joint_dofs)"""
    return rows if model.reduction is None else rows @ joint_motion(model, q).J


def refuse_reduced(model: Model, who: str) -> None:
    """Raise a ValueError if a model is reduced, for what works in the joints' own coordinates only."""
    if getattr(model, "reduction", None) is not None:
        raise ValueError(
            f"{who} works in the joints' own coordinates, and model {model.name!r} is reduced; leave out spec.reduce "
            "and hold the coordinates by mm.Coupling"
        )
