"""The mass matrix, momentum and energy of bodies and muscles together."""

import numpy as np

from .._jit import kernel
from ..algorithms.charts import NO_CHARTS, NO_SLOTS, set_charts
from ..algorithms.energy import Energy, Momentum
from ..algorithms.energy import momentum as tree_momentum
from ..algorithms.inertias import all_finite, finite_diagonal
from ..algorithms.kinematics import move_all
from ..algorithms.mass import fill_mass
from ..algorithms.redmax import open_dense
from ..deformables.acting import add_soft_momenta
from ..model import Model
from ..model.border import check_finite, inputs
from ..muscles.geometry import check_paths
from ..muscles.records import muscles_of
from ..reduction.border import check_functions, in_joints, joint_motion
from .dense import reduce_all
from .equations import fill_whole_mass, move_links, sum_energies
from .muscled import accelerate_links, sum_muscle_momenta
from .system import check_time, dense_of, inputs_with_states, open_system, system_of


@kernel(entry=True)
def mass_at(handle, q, still, M):
    """M of tree and muscles by composite bodies, for Python: is it finite?"""
    system = open_system(handle, q)
    move_links(q, still, still, system)
    if system.muscles.massive:
        if system.reduction.active != 0:
            accelerate_links(system.tree, system.tree.gravity, system.reduction.zeros)
        else:
            accelerate_links(system.tree, system.tree.gravity, still)
    fill_whole_mass(0.0, q, still, still, system, M)
    return all_finite(q) and finite_diagonal(M)


@kernel(entry=True)
def tree_mass_at(handle, q, still, M):
    """M of the tree alone, for Python."""
    system = open_system(handle, q)
    move_all(system.tree, q, still)
    fill_mass(system.tree, M)


@kernel(entry=True)
def dense_mass_at(handle, dense_handle, q, still, f):
    """M_r by the dense form, for Python, its lower triangle: is it finite?"""
    system, dense = open_system(handle, q), open_dense(dense_handle, q)
    reduce_all(0.0, q, still, still, system.no_wrenches, system, dense, f)
    return all_finite(q) and finite_diagonal(dense.M)


@kernel(entry=True)
def momentum_at(handle, q, qdot, out):
    """Mass, momentum, first moment and angular momentum about the origin of muscles and free nodes, for Python."""
    system = open_system(handle, q)
    move_all(system.tree, q, qdot)
    if system.muscles.massive:
        sum_muscle_momenta(q, qdot, system.tree, system.muscles, out)
    if system.soft.count > 0:
        add_soft_momenta(q, qdot, system.tree, system.soft, out)


@kernel(entry=True)
def energies_along(handle, slots, charts, t, q, qdot, z, energies):
    """(T, V) of every row of t, q, qdot and z, each with its row of charts, for Python."""
    system = open_system(handle, q)
    states = system.muscles.drive.z
    for i in range(q.shape[0]):
        for k in range(states.shape[0]):
            states[k] = z[i, k]
        set_charts(system.tree.params, slots, charts, i)
        sum_energies(t[i], q[i], qdot[i], system, energies[i])


def mass_matrix(model: Model, q: np.ndarray, method: str = "composite") -> np.ndarray:
    """M_r, reduced mass matrix of bodies and muscles, symmetric [kg m^2, kg m or kg]. (ndof, ndof)

    method "composite": composite rigid bodies; "redmax": J_mr^T M_m J_mr, and J_ar^T M_a J_ar of the muscles.
    """
    if method not in ("composite", "redmax"):
        raise ValueError(f'mass_matrix: the method is "composite" or "redmax", not {method!r}')
    if method == "redmax" and getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, q)
        return motion.J.T @ mass_matrix(model.whole, motion.q, method) @ motion.J
    space, (q, still) = inputs(model, "q qdot", q, None)
    handle = system_of(space).handle
    if model.reduction is not None:
        check_functions(space, q)
    if method == "composite":
        M = np.empty((model.ndof, model.ndof), q.dtype)
        good = mass_at(handle, q, still, M)
    else:
        dense = dense_of(space)
        good = dense_mass_at(handle, dense.handle, q, still, np.empty(model.ndof, q.dtype))
        M = np.tril(dense.M) + np.tril(dense.M, -1).T
    if not good:
        raise _not_finite(model, q, still, "the mass matrix")
    return M


def muscle_inertia(model: Model, q: np.ndarray) -> np.ndarray:
    """J_ar^T M_a J_ar, the muscles' part of the mass matrix [kg m^2, kg m or kg]. (ndof, ndof)"""
    if getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, q)
        return motion.J.T @ muscle_inertia(model.whole, motion.q) @ motion.J
    M = mass_matrix(model, q)
    space, (q, still) = inputs(model, "q qdot", q, None)
    own = np.empty_like(M)
    tree_mass_at(system_of(space).handle, q, still, own)
    return M - own


def momentum(model: Model, q: np.ndarray, qdot: np.ndarray) -> Momentum:
    """Linear momentum, angular momentum about the centre of mass, that centre and its velocity; all counted."""
    model, q, qdot = in_joints(model, q, qdot)
    bodies = tree_momentum(model, q, qdot)
    if not model.muscles.massive and model.soft is None:
        return bodies
    space, (q, qdot) = inputs(model, "q qdot", q, qdot)
    out = np.zeros(10, q.dtype)
    momentum_at(system_of(space).handle, q, qdot, out)
    if not np.isfinite(out).all():
        raise _not_finite(model, q, qdot, "momentum")
    own, m, p, first, h = model.bodies["mass"].sum(), out[0], out[1:4], out[4:7], out[7:10]
    linear = bodies.linear + p
    centre = (own * bodies.centre + first) / (own + m)
    spin = bodies.angular + np.cross(own * (bodies.centre - centre), bodies.velocity) + h - np.cross(centre, p)
    return Momentum(linear, spin, centre, linear / (own + m))


def energy(model: Model, q: np.ndarray, qdot: np.ndarray, *, t: float = 0.0, z: np.ndarray | None = None) -> Energy:
    """(kinetic, potential), with .total [J]: of bodies and muscles under gravity and of what springs store.

    Tendons and passive fibres of muscles are springs. z: states of muscles (None: in equilibrium at the least
    activation).
    """
    space, (q, qdot) = inputs_with_states(model, "q qdot", q, qdot, z=z)
    check_finite(q=q, qdot=qdot)
    found, times = np.empty((1, 2), q.dtype), np.array([check_time(t)])
    z = muscles_of(space).drive.z[None].copy()
    energies_along(system_of(space).handle, NO_SLOTS, NO_CHARTS, times, q[None], qdot[None], z, found)
    if not np.isfinite(found).all():
        raise _not_finite(model, q, qdot, "energy")
    return Energy(found[0, 0], found[0, 1])


def _not_finite(model: Model, q: np.ndarray, qdot: np.ndarray, what: str) -> FloatingPointError:
    """What to raise where an answer is not finite: about what was given, about a muscle's path, or about overflow."""
    check_finite(q=q, qdot=qdot)
    check_paths(model, q)
    return FloatingPointError(f"model {model.name!r}: {what} overflows at this q")
