"""Reparameterisation: the same state in coordinates away from a singularity."""

import numpy as np

from .._jit import kernel
from ..joints.dispatch import reparameterise as reparameterise_joints
from ..model import Model, State

NO_SLOTS, NO_CHARTS = np.zeros(0, np.int64), np.zeros((0, 0))


@kernel
def set_charts(params, slots, charts, row):
    """Put the Euler joints into the charts of one row."""
    for k in range(slots.shape[0]):
        params[slots[k]] = charts[row, k]


@kernel(entry=True)
def rechart(links, charted, params, q, qdot):
    """Move every joint that needs it to a better chart, in place; how many did."""
    return reparameterise_joints(links, charted, params, q, qdot, q[:0], qdot[:0])


def reparameterise(model: Model, state: State) -> State:
    """The state with ball joints wrapped and Euler charts switched where needed; poses and twists are unchanged."""
    if not isinstance(state, State):
        raise TypeError(f"reparameterise: give a state, as model.state(q, qdot) makes it, not {state!r}")
    model = model.with_charts(state.charts)
    state, params = model.state(state.q, state.qdot, state.t), model.params.copy()
    rechart(model.links, model.charted, params, state.q, state.qdot)
    return State(state.t, state.q, state.qdot, params[model.chart_slots])
