"""A joint's own columns J^_k, and the wrenches at joints that do what generalized forces do (tutorial section 6).

    Q_k = J^_k^T tau^_k,             tau^_k = (J^_k^T)^+ Q_k              joint by joint      (Eq. 69, 71)

J^_k are the joint's own columns of S, all links of a composite together: twists of child against parent at the joint,
that is at the origin of the joint's last link. tau^_k turns body k, and -tau^_k its parent.
"""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.workspace import open_tree
from ..spatial.algebra import add, cross, load3, store3, sub
from ..spatial.brief import brief
from .kinematics import move_all

REACHED = 1e-9  # part of the largest generalized force whose miss counts as rounding
SINGULAR = "its joint is singular in this configuration"


@brief
class CartesianForces(NamedTuple):
    """Forces at centres of mass and torques about them, in world axes."""

    forces: np.ndarray  # [N], (nbodies, 3)
    torques: np.ndarray  # [N m], (nbodies, 3)


@kernel(entry=True)
def fill_columns(handle, ends, q, qdot, columns, places):
    """Fill the columns J^ of every joint, (ndof, 6), and the joints' places, (nbodies, 3), in world axes.

    ends[i] is the link of body i's parent; the links between it and the body's own make up the joint.
    """
    tree = open_tree(handle, q)
    links, bodies, work, dofs = tree.links, tree.bodies, tree.work, tree.dofs
    move_all(tree, q, qdot)
    for b in range(bodies.shape[0]):
        i = bodies[b].link
        place = load3(work[i].x)
        store3(places[b], place)
        offset = sub(place, place)
        while i != ends[b]:
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                s_w = load3(dofs[k].s_w)
                store3(columns[k, :3], s_w)
                store3(columns[k, 3:], add(load3(dofs[k].s_v), cross(s_w, offset)))
            offset = add(offset, load3(work[i].r))
            i = links[i].parent


def joint_columns(model: Model, handle: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(J^, places of the joints): twists [omega; v] of children against parents, in world axes.

    (ndof, 6), (nbodies, 3)
    """
    links = model.bodies["link"].astype(np.int64)
    ends = np.where(model.parents < 0, 0, links[model.parents])
    columns, places = np.empty((model.ndof, 6), q.dtype), np.empty((model.nbodies, 3), q.dtype)
    fill_columns(handle, ends, q, np.zeros_like(q), columns, places)
    return columns, places


def joint_forces_on_bodies(
    model: Model, x: np.ndarray, places: np.ndarray, f: np.ndarray, tau: np.ndarray
) -> CartesianForces:
    """Forces and torques at centres of mass x that joints at `places` put on their bodies and parents; world axes."""
    about_parent = np.where((model.parents < 0)[:, None], 0.0, places - x[model.parents])
    pairs = act_and_react(model, tau + np.cross(places - x, f), tau + np.cross(about_parent, f))
    return CartesianForces(act_and_react(model, f), pairs)


def act_and_react(model: Model, own: np.ndarray, on_parent: np.ndarray | None = None) -> np.ndarray:
    """D^T times rows: each body's own row, less those of its children's joints. (nbodies, 3)"""
    total, child = own.copy(), model.parents >= 0
    np.subtract.at(total, model.parents[child], (own if on_parent is None else on_parent)[child])
    return total


def solve_joints(
    model: Model, columns: np.ndarray, Q: np.ndarray, error: tuple[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """(f, tau) of each joint in world axes with J^^T (tau, f) = Q. (nbodies, 3) each

    error = (function, reason): who raises the error, and why, if a joint cannot give its Q.
    """
    wrenches, reached = np.zeros((model.nbodies, 6)), np.zeros(model.ndof)
    for k in range(model.nbodies):
        own = model.dof(k)
        wrenches[k] = np.linalg.lstsq(columns[own], Q[own], rcond=None)[0]
        reached[own] = columns[own] @ wrenches[k]
    check_reached(model, error[0], Q, reached, error[1])
    return wrenches[:, 3:], wrenches[:, :3]


def check_reached(model: Model, who: str, Q: np.ndarray, reached: np.ndarray, why: str) -> None:
    """Raise a ValueError of the function `who` if the joints miss Q by more than rounding, because of `why`."""
    missed, rounding = np.abs(reached - Q), max(REACHED, 1e3 * np.finfo(Q.dtype).eps)
    if (missed > rounding * np.abs(Q).max(initial=0.0)).any():
        k = int(np.argmax(missed))
        body = model.names[int(np.searchsorted(model.dof_starts, k, side="right")) - 1]
        raise ValueError(f"{who}: Q[{k}] = {Q[k]:g} of body {body!r} cannot be produced: {why}")
