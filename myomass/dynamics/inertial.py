"""Inertia of bodies and muscles together: the mass matrix, the forces of motion and gravity, momentum."""

from collections.abc import Callable

import numpy as np

from ..algorithms.energy import Momentum
from ..algorithms.energy import momentum as tree_momentum
from ..algorithms.mass import mass_matrix as tree_mass_matrix
from ..algorithms.redmax import dense_scratch
from ..algorithms.rnea import run_inverse, solve_rnea
from ..model import Model
from ..model.border import inputs
from .given import forces_of
from .kernels import inertial_at, momentum_at, reduced_at, whole_mass_at


def whole(lower: np.ndarray) -> np.ndarray:
    """A symmetric matrix of its lower triangle."""
    return np.tril(lower) + np.tril(lower, -1).T


def mass_matrix(model: Model, q: np.ndarray, method: str = "composite") -> np.ndarray:
    """M_r, reduced mass matrix of bodies and muscles, symmetric [kg m^2, kg m or kg]. (ndof, ndof)

    method "composite": composite rigid bodies; "redmax": J_mr^T M_m J_mr, and J_ar^T M_a J_ar of the muscles.
    """
    M = tree_mass_matrix(model, q, method)
    if not model.muscles.massive:
        return M
    space, (q, still) = inputs(model, "q qdot", q, None)
    forces = forces_of(model, space)
    if method == "composite":
        whole_mass_at(q, still, space.system, forces, M)
        return M
    dense = (*dense_scratch(model.ndof, q.dtype.type), space.no_wrenches, np.zeros(model.ndof, q.dtype))
    reduced_at(0.0, q, still, still, space.system, forces, dense, np.empty(model.ndof, q.dtype))
    return whole(dense[3])


def muscle_inertia(model: Model, q: np.ndarray) -> np.ndarray:
    """J_ar^T M_a J_ar, the muscles' part of the mass matrix [kg m^2, kg m or kg]. (ndof, ndof)"""
    return mass_matrix(model, q) - tree_mass_matrix(model, q)


def bias_forces(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """C(q, qdot) in M qddot + C = tau: forces of motion and gravity together. [N m or N], (ndof,)"""
    return inertial_forces(model, model.gravity, (q, qdot, None))


def gravity_forces(model: Model, q: np.ndarray) -> np.ndarray:
    """G(q), what holds the mechanism still against gravity. [N m or N], (ndof,)"""
    return inertial_forces(model, model.gravity, (q, None, None))


def coriolis_forces(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """C(q, qdot) - G(q): centrifugal, Coriolis and gyroscopic forces. [N m or N], (ndof,)"""
    return inertial_forces(model, np.zeros_like(model.gravity), (q, qdot, None))


def inertial_forces(
    model: Model,
    gravity: np.ndarray,
    vectors: tuple,
    wrenches: np.ndarray | None = None,
    solve: Callable = solve_rnea,
) -> np.ndarray:
    """M qddot + C of bodies and muscles under a given gravity, for vectors = (q, qdot, qddot). (ndof,)"""
    tau = run_inverse(model, gravity, *vectors, wrenches, solve=solve)
    if not model.muscles.massive:
        return tau
    space, (q, qdot, qddot) = inputs(model, "q qdot qddot", *vectors)
    own = np.empty(model.ndof, q.dtype)
    inertial_at(q, qdot, qddot, gravity, space.system, forces_of(model, space), own)
    return tau + own


def momentum(model: Model, q: np.ndarray, qdot: np.ndarray) -> Momentum:
    """Linear momentum, angular momentum about the centre of mass, that centre and its velocity; muscles counted."""
    bodies = tree_momentum(model, q, qdot)
    if not model.muscles.massive:
        return bodies
    space, (q, qdot) = inputs(model, "q qdot", q, qdot)
    out = np.zeros(10, q.dtype)
    momentum_at(q, qdot, space.system, forces_of(model, space), out)
    own, m, p, first, h = model.bodies["mass"].sum(), out[0], out[1:4], out[4:7], out[7:10]
    linear = bodies.linear + p
    centre = (own * bodies.centre + first) / (own + m)
    spin = bodies.angular + np.cross(own * (bodies.centre - centre), bodies.velocity) + h - np.cross(centre, p)
    return Momentum(linear, spin, centre, linear / (own + m))
