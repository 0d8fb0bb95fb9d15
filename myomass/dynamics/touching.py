"""Accelerations where gaps may be closed: closed ones that do not open stay so or open, by a quadratic program.

Friction is left to steps of velocities, where it always has an answer.
"""

from collections.abc import Callable

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import all_finite
from ..algorithms.kinematics import forward_kinematics
from ..constraints.qp import UNBOUNDED, Program
from ..constraints.solve import warn_dependent
from ..model import Model
from ..model.elements import FRICTION
from ..model.workspace import Workspace
from .constrained import missing_acceleration, place_all_rows, spread_out, whiten
from .equations import accelerate_free
from .pivots import NOT_FINITE, OK, find_weak_pivot, verdict
from .system import open_system, system_of

TOUCHING = 1e-9  # of the mechanism's size: gaps that count as closed


@kernel(entry=True)
def whitened_at(handle, t, q, qdot, tau, wrenches, prescribed, rounding, qddot, missing):
    """qddot without constraints, and of every row B and what is missing in its acceleration, for Python.

    OK, NOT_FINITE, or a singular degree of freedom.
    """
    system = open_system(handle, q)
    constraints = system.constraints
    accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot)
    place_all_rows(t, q, qdot, system)
    for r in range(missing.shape[0]):
        whiten(constraints.rows[r], system, prescribed, constraints.solver.B[r])
        missing[r] = missing_acceleration(constraints.rows[r], qddot, system)
    answer = verdict(find_weak_pivot(system, prescribed, rounding), q, qdot, tau, prescribed, qddot)
    return answer if answer != OK or all_finite(missing) else NOT_FINITE


@kernel(entry=True)
def spread_at(handle, y, prescribed):
    """y <- L^-T y after `whitened_at`, for Python."""
    system = open_system(handle, y)
    spread_out(system, y, prescribed, y)


def mechanism_size(model: Model, q: np.ndarray) -> float:
    """How large bodies are and lie apart [m]: the length that gaps are measured by, wherever the mechanism is."""
    mass, moments = model.bodies["mass"], model.bodies["moments"]
    heavy = mass > 0
    own = 2 * np.sqrt(moments[heavy].sum(axis=1) / mass[heavy]).max(initial=0.0)
    apart = np.ptp(forward_kinematics(model, q)[:, :3, 3], axis=0).max()
    lever = np.abs(model.constraints.ends["p"][model.constraints.ends["link"] > 0]).max(initial=0.0)
    return float(max(own, apart, lever, 1e-9))


def touching_accelerations(
    space: Workspace, given: tuple, prescribed: np.ndarray, qddot: np.ndarray, failure: Callable[..., Exception]
) -> np.ndarray:
    """Fill qddot, given = (t, q, qdot, tau, wrenches); multipliers of all rows. (rows,)"""
    model, constraints, system = space.model, space.model.constraints, system_of(space)
    missing, size = np.empty(len(constraints)), mechanism_size(model, given[1])
    answer = whitened_at(system.handle, *given, prescribed, space.rounding, qddot, missing)
    if answer != OK:
        raise failure(space, answer, given, prescribed, qddot)
    rows, B = system.constraints.rows, system.constraints.solver.B
    touching = (rows["g"] <= TOUCHING * size) & (rows["speed"] <= TOUCHING)
    used = (~constraints.unilateral & (constraints.levels != FRICTION)) | (constraints.unilateral & touching)
    lam, y, program = np.empty(len(constraints)), np.empty(model.ndof), Program(model.ndof, constraints.unilateral)
    missing[constraints.unilateral & ~used] = -UNBOUNDED
    program.solve(B, missing, used, lam, y)
    if program.soft:
        warn_dependent(model, _null_rows(model, B[used], np.flatnonzero(used)), np.inf, stacklevel=5)
    spread_at(system.handle, y, prescribed)
    qddot += y
    return lam


def _null_rows(model: Model, B: np.ndarray, rows: np.ndarray) -> list[str]:
    """Names of the rows that take part in a linear dependence among whitened rows."""
    scale = np.sqrt(np.einsum("ij,ij->i", B, B))
    U, s, _ = np.linalg.svd(B / np.where(scale > 0, scale, 1.0)[:, None])
    null = U[:, np.count_nonzero(s > 1e-6) :]
    return [model.constraints.names[r] for r, part in zip(rows, (null**2).sum(axis=1), strict=True) if part > 1e-3]
