"""Inverse dynamics of a whole model, and the forces of motion and gravity that come from it."""

import numpy as np

from .._jit import kernel
from ..algorithms.balafoutis_patel import solve_balafoutis_patel
from ..algorithms.inertias import all_finite, subtract_given
from ..algorithms.kinematics import move_all
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..deformables.acting import fill_soft_inertia
from ..model import Model
from ..model.border import check_finite, check_vector, check_wrenches, inputs, no_model
from ..model.workspace import Workspace
from ..muscles.geometry import check_paths
from ..reduction.border import joint_motion
from .constrained import demand_constraints, place_all_rows, pull_row
from .equations import fill_residual, move_links
from .muscled import accelerate_links, add_residual
from .physics import sum_all_forces
from .system import (
    check_time,
    given_wrenches,
    inputs_with_states,
    open_system,
    refuse_soft_bodies,
    system_of,
)

METHODS = ("rnea", "balafoutis-patel")


@kernel(entry=True)
def residual_at(handle, t, q, qdot, qddot, tau, wrenches, r):
    """The residual, for Python: is it finite?"""
    system = open_system(handle, q)
    fill_residual(t, q, qdot, qddot, tau, wrenches, system, r)
    return all_finite(q) and all_finite(qdot) and all_finite(r)


@kernel(entry=True)
def inertial_at(handle, q, qdot, qddot, gravity, wrenches, r):
    """M qddot + C of bodies and muscles under a given gravity, without forces, for Python: is it finite?"""
    system = open_system(handle, q)
    tree, muscles = system.tree, system.muscles
    rnea_outward(tree, gravity, q, qdot, qddot)
    if wrenches.shape[0] > 0:
        subtract_given(tree.bodies, wrenches, tree.work)
    if system.soft.count > 0:
        fill_soft_inertia(qddot, gravity, system.soft, r)
    pass_wrench(tree.links, tree.work, tree.dofs, r)
    if muscles.massive:
        add_residual(0.0, q, qdot, qddot, tree, muscles, False, r)
    return all_finite(q) and all_finite(qdot) and all_finite(r)


@kernel(entry=True)
def muscles_at(handle, q, qdot, qddot, r):
    """r += inertia and weight of muscles in inverse dynamics, for Python: is it finite?"""
    system = open_system(handle, q)
    tree, muscles = system.tree, system.muscles
    move_all(tree, q, qdot)
    accelerate_links(tree, tree.gravity, qddot)
    add_residual(0.0, q, qdot, qddot, tree, muscles, False, r)
    return all_finite(r)


@kernel(entry=True)
def forces_at(handle, t, q, qdot, tau, f):
    """f = tau and the generalized forces at (t, q, qdot), for Python: is it finite?"""
    sum_all_forces(t, q, qdot, tau, open_system(handle, q), f)
    return all_finite(q) and all_finite(qdot) and all_finite(f)


@kernel(entry=True)
def subtract_rows(handle, t, q, qdot, lam, r):
    """r -= G^T lam of all rows, for Python."""
    system = open_system(handle, q)
    move_links(q, qdot, qdot, system)
    place_all_rows(t, q, qdot, system)
    for i in range(lam.shape[0]):
        pull_row(system.constraints.rows[i], -lam[i], system, r)


def inverse_dynamics(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    qddot: np.ndarray,
    method: str = "rnea",
    *,
    wrenches: np.ndarray | None = None,
    t: float = 0.0,
    z: np.ndarray | None = None,
) -> np.ndarray:
    """tau = M qddot + C(q, qdot) - f, the joint torques behind a motion, O(n). [N m or N], (ndof,)

    method "rnea": recursive Newton-Euler; "balafoutis-patel": by tensors of angular acceleration, for the bodies.
    `wrenches` (nbodies, 6) are [moment; force] on the bodies in their own frames; `t` is for forces given in time.
    z: states of muscles (None: in equilibrium at the least activation).
    """
    if method == "balafoutis-patel" and isinstance(model, Model):
        refuse_soft_bodies(model, 'inverse_dynamics(method="balafoutis-patel")')
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f'inverse_dynamics: the method is "rnea" or "balafoutis-patel", not {method!r}')
    if wrenches is not None:
        q, wrenches = check_wrenches(model, q, wrenches)
    space, (q, qdot, qddot) = inputs_with_states(model, "q qdot qddot", q, qdot, qddot, z=z)
    wrenches = space.no_wrenches if wrenches is None else given_wrenches(wrenches, q.dtype)
    tau, handle = np.empty(q.shape, q.dtype), system_of(space).handle
    if method == "rnea":
        good = residual_at(handle, check_time(t), q, qdot, qddot, space.zeros, wrenches, tau)
    elif model.reduction is not None:
        motion = joint_motion(model, q, qdot, qddot)
        given = wrenches if len(wrenches) else None
        return motion.J.T @ inverse_dynamics(model.whole, *motion[:3], method, wrenches=given, t=t, z=z)
    else:
        good = solve_balafoutis_patel(space.tree.handle, model.gravity, q, qdot, qddot, wrenches, tau)
        if model.muscles.massive:
            good = good and muscles_at(handle, q, qdot, qddot, tau)
        tau -= forces_and_torques(model, q, qdot, None, t, z)
    if not good:
        raise overflow(model, q, qdot, qddot)
    return tau


def torques_of_motion(space: Workspace, given: tuple, qddot: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """tau behind accelerations under multipliers of rows, given = (t, q, qdot, any tau, wrenches). (ndof,)"""
    t, q, qdot, _, wrenches = given
    tau, handle = np.empty(q.shape, q.dtype), system_of(space).handle
    if not residual_at(handle, t, q, qdot, qddot, space.zeros, wrenches, tau):
        raise overflow(space.model, q, qdot, qddot)
    if len(lam):
        demand_constraints()
        subtract_rows(handle, t, q, qdot, lam, tau)
    return tau


def bias_forces(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """C(q, qdot) in M qddot + C = tau: forces of motion and gravity together. [N m or N], (ndof,)"""
    return inertial_forces(model, None, (q, qdot, None))


def gravity_forces(model: Model, q: np.ndarray) -> np.ndarray:
    """G(q), what holds the mechanism still against gravity. [N m or N], (ndof,)"""
    return inertial_forces(model, None, (q, None, None))


def coriolis_forces(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """C(q, qdot) - G(q): centrifugal, Coriolis and gyroscopic forces. [N m or N], (ndof,)"""
    if not isinstance(model, Model):
        raise no_model(model)
    return inertial_forces(model, np.zeros_like(model.gravity), (q, qdot, None))


def inertial_forces(model: Model, gravity: np.ndarray | None, vectors: tuple) -> np.ndarray:
    """M qddot + C of bodies and muscles under a gravity (None: its own), for vectors = (q, qdot, qddot). (ndof,)"""
    if getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, *vectors)
        return motion.J.T @ inertial_forces(model.whole, gravity, motion[:3])
    space, (q, qdot, qddot) = inputs(model, "q qdot qddot", *vectors)
    tau, gravity = np.empty(q.shape, q.dtype), model.gravity if gravity is None else gravity
    if not inertial_at(system_of(space).handle, q, qdot, qddot, gravity, space.no_wrenches, tau):
        raise overflow(model, q, qdot, qddot)
    return tau


def applied_forces(
    model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0, z: np.ndarray | None = None
) -> np.ndarray:
    """f(t, q, qdot), generalized forces of everything that the spec's add_force added, and of muscles that pull.

    [N m or N], (ndof,). z: states of muscles (None: in equilibrium at the least activation).
    """
    return forces_and_torques(model, q, qdot, None, t, z)


def forces_and_torques(
    model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None, t: float, z: np.ndarray | None = None
) -> np.ndarray:
    """tau and the generalized forces of the model. (ndof,)"""
    if getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, q, qdot)
        own = check_vector(model, "tau", tau)
        return motion.J.T @ forces_and_torques(model.whole, motion.q, motion.qdot, None, t, z) + own
    space, (q, qdot, tau) = inputs_with_states(model, "q qdot tau", q, qdot, tau, z=z)
    f = np.empty(q.shape, q.dtype)
    if not forces_at(system_of(space).handle, check_time(t), q, qdot, tau, f):
        check_finite(tau=tau)
        raise overflow(model, q, qdot, space.zeros)
    return f


def overflow(model: Model, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray) -> FloatingPointError:
    """What to raise when a force is not finite: about what was given, about a muscle's path, or about overflow."""
    check_finite(q=q, qdot=qdot, qddot=qddot)
    check_paths(model, q)
    return FloatingPointError(f"model {model.name!r}: a torque overflows at these q, qdot and qddot")
