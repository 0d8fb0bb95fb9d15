"""Inputs that leave the range a network was trained in: found by looking at poses, said with muscle and value."""

from typing import NamedTuple

import numpy as np

from ..._jit import kernel
from ...algorithms.charts import set_charts
from ...algorithms.kinematics import move_all
from ...model import Model
from ...model.workspace import charts_restored, open_tree
from ..path import solve_path
from ..records import muscles_of, open_muscles
from ..wrapping.dispatch import SURFACES
from .perceptron import INPUTS, LAYERS, OUTSIDE, OWNS, whole
from .table import OWN
from .trained import OUTSIDE as CHOICES
from .trained import Variable

SLACK = 1e-9  # relative excess that counts as inside


class Excess(NamedTuple):
    """A variable of a network that left its training range, at the row where it did so by most."""

    muscle: str
    variable: Variable
    value: float
    limits: tuple[float, float]
    row: int
    choice: str  # "warn", "error" or "ignore"
    massive: bool  # does the muscle have mass, which is then misplaced?

    def __str__(self) -> str:
        """The sentence for a warning or an error."""
        said = self.variable.said
        value, ends = said(self.value), sorted(map(said, self.limits))
        return (
            f"muscle {self.muscle!r}: the {self.variable.name} is {value:.4g} {self.variable.unit}, and its network "
            f"was trained between {ends[0]:.4g} and {ends[1]:.4g}; its mass may be far from the path"
        )


@kernel(entry=True)
def own_along(handle, muscles_handle, slots, charts, q, own):
    """Fill own[row, piece, variable], what networks are told, where they or the surface matter, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    table, pieces, scratch = muscles.table, muscles.pieces, muscles.scratch
    still = scratch.given
    still[:] = 0.0
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        move_all(tree, q[row], still)
        for index in range(table.shape[0]):
            muscle = table[index]
            solve_path(muscle, q[row], tree.work, muscles)
            for j in range(scratch.present[0] - 1):
                at, seen = scratch.pieces[j].at, scratch.pieces[j]
                if seen.learned > 0 or (seen.learned < 0 and seen.arcs > 0):
                    for k in range(whole(muscles.params[pieces[at].network + OWNS])):
                        own[row, at, k] = seen.n[0, OWN + k]


def excesses(model: Model, q: np.ndarray, charts: np.ndarray | None = None) -> list[Excess]:
    """Every variable that leaves its range at rows of q."""
    if not model.muscles.learned:
        return []
    own = np.full((len(q), len(model.muscles.pieces), INPUTS), np.nan)
    space = model.workspace
    slots = model.chart_slots if charts is not None else model.chart_slots[:0]
    charts = np.zeros((len(q), 0)) if charts is None else charts
    with charts_restored(space):
        own_along(space.tree.handle, muscles_of(space).handle, slots, charts, np.ascontiguousarray(q), own)
    return [
        excess
        for muscle, name in zip(model.muscles.table, model.muscles.names, strict=True)
        for at in range(int(muscle["point"]), int(muscle["point"] + muscle["points"]))
        for excess in _of_piece(model, at, (name, bool(muscle["mass"] > 0)), own[:, at])
    ]


def _of_piece(model: Model, at: int, muscle: tuple[str, bool], own: np.ndarray) -> list[Excess]:
    """The variables of one piece that left their ranges, from rows of its own variables, nan where none matters."""
    piece, params = model.muscles.pieces[at], model.muscles.params
    rows = np.flatnonzero(np.isfinite(own[:, 0]))
    if piece["network"] < 0 or not len(rows):
        return []
    start, problem = int(piece["network"]), SURFACES[piece["kind"]].problem
    first, count = start + LAYERS + 1 + int(params[start + LAYERS]), len(problem.ranged)
    low, high = params[first : first + count], params[first + count : first + 2 * count]
    own = own[rows, : len(problem.own)]
    values = np.concatenate([own, problem.derive(own)], axis=1)
    beyond = np.maximum(low - values, values - high)
    worst, choice = beyond.argmax(axis=0), CHOICES[int(params[start + OUTSIDE])]
    return [
        Excess(muscle[0], variable, values[i, k], (low[k], high[k]), rows[i], choice, muscle[1])
        for k, (variable, i) in enumerate(zip(problem.ranged, worst, strict=True))
        if beyond[i, k] > SLACK * (abs(high[k]) + abs(low[k]))
    ]
