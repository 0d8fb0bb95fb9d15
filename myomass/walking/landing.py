"""Landing: a body strikes the world and hangs on it from then on, the rest of the mechanism let go of what held it.

The tree is hung from that body, once freely (what it does) and once by the new joint (what it may do). Rates that the
joint allows are N qdot of the free tree's, and the impact keeps the momenta that it lets pass (Stepien et al. 2012,
Eq. 23, for a hinge; here for any joint, with muscles):

    N^T M_free N qdot+ = N^T M_free qdot-,    impulse = M_free (N qdot+ - qdot-) in the rows of the free joint.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..algorithms.jacobian import frame_jacobian
from ..algorithms.kinematics import forward_kinematics
from ..dynamics.mass import mass_matrix
from ..joints import Joint, SphericalExp
from ..model import Model, State
from ..model.border import no_model
from ..reroot.reroot import kept_dofs, reroot
from ..run.events import NewStart
from ..spatial.brief import brief
from .impact import check_state, constraint_rows, stopped


@brief
@dataclass(frozen=True, eq=False)
class Landing(NewStart):
    """The mechanism that hangs on the world by another body; it unpacks as model, state."""

    model: Model
    state: State
    impulse: np.ndarray  # [moment; force] of the world on the body, about the new joint, world axes [N m s; N s], (6,)
    energy_lost: float  # [J]


class Landed(NamedTuple):
    """A landing without checks, in numbers of any type."""

    model: Model
    q: np.ndarray
    qdot: np.ndarray
    impulse: np.ndarray  # on the free joint's degrees of freedom, counted from where the body is, (6,)
    energies: tuple  # before and after [J]


def carried(model: Model, q: np.ndarray, **where) -> tuple[Model, np.ndarray]:
    """(model, q) of a re-rooting, its derivative carried by the imaginary part of q where there is one."""
    rate = q.imag if np.iscomplexobj(q) else np.zeros_like(q)
    state = State(0.0, q.real.copy(), rate.copy(), model.params[model.chart_slots], z=np.zeros(model.nz))
    hung, there = reroot(model, state, **where)
    hung = hung.with_charts(there.charts)
    return hung, there.q + 1j * there.qdot if np.iscomplexobj(q) else there.q


def landed(model: Model, q: np.ndarray, qdot: np.ndarray, joint: Joint, *, t: float = 0.0, **where) -> Landed:
    """A landing at (q, qdot), which may be complex; where: body, and point or place, E_pj and zero of `mm.reroot`."""
    body, spot = model.body(where["body"]), {key: where[key] for key in ("body", "point", "place") if key in where}
    free, q_free = carried(model, q, **spot, zero="now")
    new, q_new = carried(model, q, **where, joint=joint)
    top, own = free.dof(body), new.dof(body)
    J_free, J_new = frame_jacobian(free, q_free, body)[0][:, top], frame_jacobian(new, q_new, body)[0][:, own]
    rates = _joint_rates(model, free, body, qdot.astype(q_free.dtype))
    rates[top] = np.linalg.solve(J_free, frame_jacobian(model, q, body)[0] @ qdot)
    N = np.zeros((free.ndof, new.ndof), q_free.dtype)
    N[_others(free, top), _others(new, own)] = 1.0
    N[top, own] = np.linalg.solve(J_free, J_new)
    M = mass_matrix(free, q_free)
    if len(new.constraints) and np.iscomplexobj(q_new):
        raise ValueError(f"model {new.name!r} has constraints, which carry no complex steps through a landing")
    rows = constraint_rows(new, new.state(q_new.real, t=t))
    qdot_new, _ = stopped(N.T @ M @ N, N.T @ (M @ rates), *rows)
    jump = N @ qdot_new - rates
    energies = 0.5 * rates @ M @ rates, 0.5 * (rates + jump) @ M @ (rates + jump)
    return Landed(new, q_new, qdot_new, np.linalg.solve(J_free.T, (M @ jump)[top]), energies)


def _others(model: Model, own: slice) -> np.ndarray:
    """All degrees of freedom but those of one joint."""
    return np.concatenate([np.arange(own.start), np.arange(own.stop, model.ndof)])


def _joint_rates(old: Model, new: Model, body: int, qdot: np.ndarray) -> np.ndarray:
    """Rates of the joints that both trees have, where the new one has them; zero for the joint of its top `body`."""
    rates = np.zeros(new.ndof, qdot.dtype)
    for here, there in kept_dofs(old, new, body):
        rates[there] = qdot[here]
    return rates


def land(
    model: Model,
    state: State,
    body: str | int,
    point: Sequence[float] | None = None,
    joint: Joint | None = None,
    *,
    place: Sequence[float] | None = None,
    E_pj: np.ndarray | None = None,
    zero: str = "bind",
) -> Landing:
    """(model, state, impulse, ...) after `body` has struck the world at a point, where a joint holds it from now on.

    A plastic impact and `mm.reroot` in one: what held the mechanism before is let go, poses stay, and the rates are
    those nearest in kinetic energy that the new joint allows (mm.SphericalExp(): a point foot that does not slip).
    Other arguments as of mm.reroot.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    joint = SphericalExp() if joint is None else joint
    given = {"point": point, "place": place, "E_pj": E_pj, "zero": zero}
    where = {key: value for key, value in given.items() if value is not None}
    model, state = check_state(model, state, "land")
    new, q, qdot, impulse, energies = landed(model, state.q, state.qdot, joint, t=state.t, body=body, **where)
    i = model.body(body)
    E = forward_kinematics(new, q)[i]
    x = E[:3, 3] + E[:3, :3] @ place if point is None else np.asarray(point, float)
    f, n = E[:3, :3] @ impulse[3:], E[:3, :3] @ impulse[:3]
    about = n + np.cross(E[:3, 3] - x, f)
    after = State(state.t, q, qdot, new.params[new.chart_slots], z=state.z)
    return Landing(new, after, np.concatenate([about, f]), float(energies[0] - energies[1]))
