"""Free coordinates of a recording: what constraints leave of the equations of motion.

With the rows G of constraints, speeds that they allow are qdot = N u, where u are the speeds of the free coordinates:
a subset of all, whose rows of N are those of the identity. Forces of constraints do no work on them, and so

    N^T (M qddot + C - sum r F) = 0

holds without them. A locked coordinate has no column of N; one that is coupled to a free one, q_d = f(q_i), adds f' of
its own equation to that of the free one.
"""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.charts import set_charts
from ..algorithms.kinematics import move_all
from ..constraints.rows import add_row, evaluate_rows
from ..dynamics.system import open_system, system_of
from ..model import Model
from ..model.elements import FRICTION
from ..model.workspace import charts_restored
from .motion_rows import MotionRows

SMALL = 1e-9  # of the largest number of a row, below which an entry counts as zero
STRONG = 0.1  # of the largest number of a row: a pivot is at least so large


class FreeCoordinates(NamedTuple):
    """Which coordinates are free, and N, how all speeds follow from theirs. free (nfree,), N (rows, ndof, nfree).

    N is None where no constraint holds anything.
    """

    free: np.ndarray
    N: np.ndarray | None

    def folded(self, values: np.ndarray) -> np.ndarray:
        """Generalized forces over all coordinates (the last axis) as those over the free ones. (rows, ..., nfree)"""
        if self.N is None:
            return values
        return np.einsum("r...n,rnf->r...f", values, self.N)


@kernel(entry=True)
def fill_rows(handle, slots, charts, t, q, qdot, which, G):
    """Fill G[row], the constraints' rows numbered `which` over all coordinates, for Python."""
    system = open_system(handle, q)
    tree, constraints = system.tree, system.constraints
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        move_all(tree, q[row], qdot[row])
        evaluate_rows(t[row], q[row], qdot[row], tree, constraints)
        for i in range(which.shape[0]):
            G[row, i, :] = 0.0
            add_row(constraints.rows[which[i]], tree.links, tree.work, tree.dofs, 1.0, G[row, i])


def free_coordinates(model: Model, motion: MotionRows) -> FreeCoordinates:
    """The coordinates that the equality rows of a model leave free along a motion."""
    which = np.flatnonzero(~model.constraints.unilateral & (model.constraints.levels != FRICTION))
    if not len(which):
        return FreeCoordinates(np.arange(model.ndof), None)
    space, G = model.workspace, np.zeros((len(motion.t), len(which), model.ndof))
    with charts_restored(space):
        handle = system_of(space).handle
        fill_rows(handle, motion.slots, motion.charts, motion.t, motion.q, motion.qdot, which, G)
    held = _held(G, _followers(model, which))
    free = np.setdiff1d(np.arange(model.ndof), held)
    N = np.zeros((len(G), model.ndof, len(free)))
    N[:, free, np.arange(len(free))] = 1.0
    if len(held):
        N[:, held] = -np.linalg.pinv(G[:, :, held]) @ G[:, :, free]
    return FreeCoordinates(free, N)


def _followers(model: Model, which: np.ndarray) -> dict[int, int]:
    """Row (its place in `which`) -> the coordinate that follows another one in it."""
    found, constraints = {}, model.constraints
    for i, part in enumerate(constraints.table):
        dofs = constraints.ends["dof"][2 * i : 2 * i + 2]
        place = np.flatnonzero(which == part["row"])
        if part["count"] == 1 and len(place) and dofs[0] >= 0 and dofs[1] >= 0:
            found[int(place[0])] = int(dofs[1])
    return found


def _held(G: np.ndarray, followers: dict[int, int]) -> np.ndarray:
    """Coordinates that rows hold, as many as there are independent rows: by elimination in the middle of a recording.

    A row of two coordinates holds the one that follows; any other holds the coordinate that it moves most.
    """
    rows, held = G[len(G) // 2].copy(), []
    order = sorted(range(len(rows)), key=lambda i: (np.count_nonzero(rows[i]) > 1, i not in followers))
    scale = np.abs(rows).max(initial=0.0, axis=1)
    for i in order:
        size = np.abs(rows[i])
        if size.max(initial=0.0) <= SMALL * scale[i]:
            continue  # it says what others say
        pivot = followers.get(i, -1)
        if pivot < 0 or size[pivot] < STRONG * size.max():
            pivot = int(size.argmax())
        held.append(pivot)
        for other in order:
            if other != i:
                rows[other] -= rows[i] * (rows[other, pivot] / rows[i, pivot])
    return np.array(sorted(held), int)
