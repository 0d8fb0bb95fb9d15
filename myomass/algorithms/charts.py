"""Reparameterisation: a state expressed in other coordinates of its joints, away from a singularity."""

import numpy as np

from .._jit import kernel
from ..joints.chain import link_columns
from ..joints.dispatch import demand_joints
from ..joints.dispatch import reparameterise as reparameterise_joints
from ..model import Model, State
from ..reduction.border import joint_motion

NO_SLOTS, NO_CHARTS = np.zeros(0, np.int64), np.zeros((0, 0))


@kernel
def set_charts(params, slots, charts, row):
    """Put the Euler joints into the charts of one row. (as many as Euler joints,)"""
    for k in range(slots.shape[0]):
        params[slots[k]] = charts[row, k]


@kernel(entry=True)
def rechart(links, charted, params, q, qdot):
    """Move every joint near a singularity to a better chart, in place; returns how many were moved."""
    return reparameterise_joints(links, charted, params, q, qdot, q[:0], qdot[:0])


def reparameterise(model: Model, state: State) -> State:
    """The state with ball joints wrapped and Euler charts switched where needed.

    Poses and twists are unchanged, and so are the bodies' accelerations, where the state has any.
    """
    if not isinstance(state, State):
        raise TypeError(f"reparameterise: give a state, as model.state(q, qdot) makes it, not {state!r}")
    model = model.with_charts(state.charts)
    old = model.state(state.q, state.qdot, state.t, state.qddot, z=state.z)
    if model.reduction is None:
        return _moved(model, model.charted, old)
    motion, passed = joint_motion(model, old.q, old.qdot, old.qddot), model.reduction.passed
    qddot = None if old.qddot is None else motion.qddot
    found = _moved(model.whole, model.charted, State(old.t, motion.q, motion.qdot, old.charts, qddot, old.z))
    for own, after in zip((old.q, old.qdot, old.qddot), (found.q, found.qdot, found.qddot), strict=True):
        if own is not None:
            own[passed[passed >= 0]] = after[passed >= 0]
    return State(old.t, old.q, old.qdot, found.charts, old.qddot, old.z)


def _moved(model: Model, charted: np.ndarray, old: State) -> State:
    """The state with these links moved to better charts, where they need it."""
    q, qdot, params = old.q.copy(), old.qdot.copy(), model.params.copy()
    demand_joints(model.links["kind"].tolist())
    if not rechart(model.links, charted, params, q, qdot) or old.qddot is None:
        return State(old.t, q, qdot, params[model.chart_slots], old.qddot, old.z)
    qddot = old.qddot.copy()
    for i in charted:
        link = model.links[i : i + 1]
        own = slice(link["dof"][0], link["dof"][0] + link["ndof"][0])
        if np.array_equal(q[own], old.q[own]) and np.array_equal(params, model.params):
            continue  # charts may differ where coordinates do not, as at zero
        before, after = link_columns(link, model.params, old.q, old.qdot), link_columns(link, params, q, qdot)
        rate = before.S @ qddot[own] + before.Sdot @ old.qdot[own]  # of the twist S qdot, which both charts share
        qddot[own] = np.linalg.lstsq(after.S, rate - after.Sdot @ qdot[own], rcond=None)[0]
    return State(old.t, q, qdot, params[model.chart_slots], qddot, old.z)
