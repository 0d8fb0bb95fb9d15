"""Constraints of a model for Python: values, Jacobian and forces."""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import forward_kinematics
from ..model import Model
from ..spatial.brief import brief
from .constrained import demand_constraints, place_all_rows, pull_row
from .equations import move_links
from .forward import solve_forward
from .system import check_time, open_system, real_inputs, system_of


@kernel(entry=True)
def rows_at(handle, t, q, qdot, g, speed, G):
    """Values, speeds and Jacobian of all rows, for Python."""
    system = open_system(handle, q)
    rows = system.constraints.rows
    move_links(q, qdot, qdot, system)
    place_all_rows(t, q, qdot, system)
    G[:, :] = 0.0
    for r in range(g.shape[0]):
        g[r], speed[r] = rows[r].g, rows[r].speed
        pull_row(rows[r], 1.0, system, G[r])


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
    if model.reduction is not None:
        demand_constraints()
    g, speed, G = np.empty(m), np.empty(m), np.zeros((m, model.ndof))
    rows_at(system_of(space).handle, check_time(t), q, qdot, g, speed, G)
    return g, speed, G


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
