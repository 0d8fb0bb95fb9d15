"""Lengths, speeds and moment arms of muscles along a motion, in one kernel; fibres and forces, muscle by muscle."""

import numpy as np

from .._jit import kernel
from ..algorithms.charts import set_charts
from ..algorithms.kinematics import move_all
from ..model import Model
from ..model.workspace import charts_restored, open_tree
from ..muscles.hill.equilibrium import COLUMNS, settle_all
from ..muscles.path import solve_path
from ..muscles.records import muscles_of, open_muscles
from ..muscles.tension import fill_arms
from ..spatial.brief import in_short
from .motion_rows import MotionRows

TENDONS = ("rigid", "elastic")


@kernel(entry=True)
def paths_along(handle, muscles_handle, slots, charts, q, qdot, columns, lengths, speeds, arms):
    """Fill lengths, speeds and arms = -dl/dq of all muscles for every row, for Python.

    columns: of each coordinate in arms, -1 for those that are left out.
    """
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    table, spans, scratch = muscles.table, muscles.spans, muscles.scratch
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        move_all(tree, q[row], qdot[row])
        for index in range(table.shape[0]):
            muscle = table[index]
            solve_path(muscle, q[row], tree.work, muscles)
            fill_arms(muscle, tree, muscles, scratch.arms)
            lengths[row, index] = scratch.total[0]
            speed = scratch.total[0] * 0.0
            for s in range(muscle.spans):
                dof = spans[muscle.span + s].dof
                speed += scratch.arms[s] * qdot[row, dof]
                if columns[dof] >= 0:
                    arms[row, index, columns[dof]] = -scratch.arms[s]
            speeds[row, index] = speed


def muscle_paths_along(model: Model, motion: MotionRows, which: np.ndarray) -> tuple[np.ndarray, ...]:
    """(lengths, speeds, moment arms about the coordinates `which`) of all muscles. (rows, muscles[, which])

    Raises a FloatingPointError that names the first muscle whose path was not found, or has no direction.
    """
    rows, count, space = len(motion.t), len(model.muscles), model.workspace
    columns = np.full(model.ndof, -1)
    columns[which] = np.arange(len(which))
    lengths, speeds = np.empty((2, rows, count), model.dtype)
    arms = np.zeros((rows, count, len(which)), model.dtype)
    with charts_restored(space):
        paths_along(
            space.tree.handle,
            muscles_of(space).handle,
            motion.slots,
            motion.charts,
            motion.q,
            motion.qdot,
            columns,
            lengths,
            speeds,
            arms,
        )
    finite = np.isfinite(lengths) & np.isfinite(speeds) & np.isfinite(arms).all(axis=2)
    if not finite.all():
        row, index = np.argwhere(~finite)[0]
        raise FloatingPointError(
            f"muscle {model.muscles.names[index]!r}: no path, or none with a direction, was found at "
            f"{motion.t[row]:g} s (q = {in_short(motion.q[row])})"
        )
    return lengths.astype(float, copy=False), speeds.astype(float, copy=False), arms.astype(float, copy=False)


def hills_with(model: Model, tendon: str | None) -> np.ndarray:
    """The records of the model's Hill-type muscles, with tendons of this kind (None: of their own)."""
    if tendon is None:
        return model.muscles.hills
    if tendon not in TENDONS:
        raise ValueError(f'tendon must be "rigid", "elastic" or None (as each muscle has it), and is {tendon!r}')
    hills = model.muscles.hills.copy()
    hills["fibre"] = -1 if tendon == "rigid" else 0
    if tendon == "elastic" and not hills["slack"].all():
        name = model.muscles.names[hills["muscle"][int(np.argmin(hills["slack"]))]]
        raise ValueError(f"muscle {name!r} has no tendon that could be elastic: its tendon_slack_length is 0")
    return hills


def settle_along(
    model: Model, hills: np.ndarray, activations: np.ndarray, lengths: np.ndarray, speeds: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Equilibria of Hill-type muscles at activations, path lengths and speeds: (COLUMNS, found). (rows, hills) each"""
    muscles_of(model.workspace)  # has the curves compiled
    shape, numbers = activations.shape, np.result_type(activations, lengths)
    table, found = np.empty((len(COLUMNS), *shape[::-1]), numbers), np.empty(shape[::-1], bool)
    for i in range(len(hills)):
        given = [np.ascontiguousarray(values[:, i]) for values in (activations, lengths, speeds)]
        out = np.empty((len(COLUMNS), shape[0]), numbers)
        settle_all(hills[i : i + 1], model.muscles.params, *given, out, found[i])
        table[:, i] = out
    return {name: np.ascontiguousarray(column.T) for name, column in zip(COLUMNS, table, strict=True)}, found.T
