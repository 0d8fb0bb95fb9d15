"""Constraints of a model for Python: values, Jacobian, accelerations and forces, and states that satisfy them."""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import forward_kinematics, move_all
from ..constraints.dispatch import FORMULAS
from ..constraints.loop import ALIGNED, PARALLEL
from ..constraints.rows import add_row, evaluate_rows
from ..model import Model, State
from ..model.border import no_model
from ..model.elements import POSITION
from ..spatial.brief import brief
from .constrained import demand_constraints, project
from .forward import solve_forward
from .system import check_time, open_system, real_inputs, system_of
from .touching import TOUCHING, mechanism_size

FAR = 1e-2  # of the mechanism's size, or rad: rows further than this from holding are no slip of a digit


@kernel(entry=True)
def rows_at(handle, t, q, qdot, g, speed, G):
    """Values, speeds and Jacobian of all rows, for Python."""
    system = open_system(handle, q)
    tree, rows = system.tree, system.constraints.rows
    move_all(tree, q, qdot)
    evaluate_rows(t, q, qdot, tree, system.constraints)
    G[:, :] = 0.0
    for r in range(g.shape[0]):
        g[r], speed[r] = rows[r].g, rows[r].speed
        add_row(rows[r], tree.links, tree.work, tree.dofs, 1.0, G[r])


@kernel(entry=True)
def projected_at(handle, t, q, qdot):
    """Move q, then qdot, onto the rows, for Python; True if it arrives."""
    return project(t, q, qdot, open_system(handle, q))


@brief
class ConstraintForces(NamedTuple):
    """Forces of constraints: a multiplier for each row, in N or N m, and what they all do together."""

    names: tuple[str, ...]  # of the rows
    multipliers: np.ndarray  # [N, or N m for rows of angles], (rows,); force of a contact >= 0
    generalized: np.ndarray  # G^T lam [N m or N], (ndof,)
    wrenches: np.ndarray  # on the bodies, [moment; force] in their own frames [N m, N], (nbodies, 6)

    def __getitem__(self, key):
        """By position as a tuple, or the multiplier of a row by its name."""
        return self.multipliers[self.names.index(key)] if isinstance(key, str) else tuple.__getitem__(self, key)


def constraint_values(
    model: Model, q: np.ndarray, qdot: np.ndarray | None = None, *, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(g, dg/dt) of all rows, in the order of model.constraints.names [m or rad, and per s]. (rows,) each"""
    return _evaluated(model, q, qdot, t)[:2]


def constraint_jacobian(model: Model, q: np.ndarray, *, t: float = 0.0) -> np.ndarray:
    """G in dg/dt = G qdot + what moves by itself. (rows, ndof)"""
    return _evaluated(model, q, None, t)[2]


def _evaluated(model: Model, q: np.ndarray, qdot: np.ndarray | None, t: float) -> tuple[np.ndarray, ...]:
    space, (q, qdot) = real_inputs(model, "q qdot", q, qdot)
    m = len(model.constraints)
    g, speed, G = np.empty(m), np.empty(m), np.empty((m, model.ndof))
    rows_at(system_of(space).handle, check_time(t), q, qdot, g, speed, G)
    return g, speed, G


def check_turned(model: Model, q: np.ndarray, t: float) -> None:
    """A sentence if a hinge or weld is closed the wrong way round: its rows vanish half a turn off, too."""
    _evaluated(model, q, None, t)
    work, ends = model.workspace.tree.work, model.constraints.ends
    for i, part in enumerate(model.constraints.table):
        if FORMULAS[part["kind"]] not in (PARALLEL, ALIGNED):
            continue
        A, B = (work["R"][end["link"]] @ end["R"] for end in ends[2 * i : 2 * i + 2])
        along = (A * B).sum(axis=0)  # like axes against each other
        if along[2] <= 0 or (FORMULAS[part["kind"]] is ALIGNED and along.min() <= 0):
            raise ValueError(
                f"model {model.name!r}: the frames that {model.constraints.names[part['row']]!r} ties are turned "
                "against each other; give a q with them nearly aligned"
            )


def constraint_forces(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> ConstraintForces:
    """Forces that hold the constraints of a moving model, under its own forces and joint torques tau.

    z: states of muscles (None: in equilibrium at the least activation).
    """
    space, (q, qdot, tau) = real_inputs(model, "q qdot tau", q, qdot, tau, z=z)
    given = check_time(t), q, qdot, tau, space.no_wrenches
    lam = solve_forward(space, given, space.none_prescribed, np.empty(model.ndof))
    return as_forces(model, q, lam, t)


def as_forces(model: Model, q: np.ndarray, lam: np.ndarray, t: float) -> ConstraintForces:
    """Multipliers at q as forces on coordinates and bodies."""
    G = _evaluated(model, q, None, t)[2]
    E, space = forward_kinematics(model, q), model.workspace
    rows, work = system_of(space).constraints.rows, space.tree.work
    wrenches = np.zeros((model.nbodies, 6))
    for i, body in enumerate(model.bodies):
        on_link = (rows["link"] == body["link"]) & (rows["dof"] < 0)
        n = np.einsum("r,rek,re->k", lam, rows["n"], on_link)
        f = np.einsum("r,rek,re->k", lam, rows["f"], on_link)
        lever = E[i, :3, 3] - work[body["link"]]["x"]
        wrenches[i] = np.concatenate([E[i, :3, :3].T @ (n - np.cross(lever, f)), E[i, :3, :3].T @ f])
    return ConstraintForces(model.constraints.names, lam, G.T @ lam, wrenches)


def assemble(
    model: Model,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    *,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> State:
    """The state nearest to (q, qdot), in the metric of the mass matrix, that satisfies all constraints.

    z: states of muscles, which stay as they are (None: in equilibrium there at the least activation).
    """
    if not isinstance(model, Model):
        raise no_model(model)
    state = model.state(q, qdot, check_time(t), z=z)
    space, _ = real_inputs(model, "q", state.q)
    demand_constraints()
    arrived = not len(model.constraints) or projected_at(system_of(space).handle, state.t, state.q, state.qdot)
    g = constraint_values(model, state.q, t=t)[0]
    held = (model.constraints.levels == POSITION) & ~model.constraints.unilateral
    off = np.abs(np.where(held, g, np.minimum(g, 0.0) * model.constraints.unilateral))
    worst = int(np.argmax(off)) if len(off) else 0
    if not arrived or (len(off) and off[worst] > TOUCHING * max(1.0, mechanism_size(model, state.q))):
        raise ValueError(
            f"model {model.name!r}: no state near the given one satisfies all constraints; the row "
            f"{model.constraints.names[worst]!r} stays off by {off[worst]:.3g}"
        )
    check_turned(model, state.q, state.t)
    return model.state(state.q, state.qdot, state.t) if z is None and model.nz else state
