"""What the functions of this layer are given: times, vectors, and arrays that a model's workspace keeps for them."""

import numpy as np

from ..forces.apply import force_arrays
from ..forces.stiffness import linear_scratch
from ..model import Model
from ..model.border import check_finite, inputs, no_model
from ..model.workspace import Workspace
from ..muscles.records import muscle_arrays
from ..spatial.checks import check_numbers
from .constrained import bound_arrays
from .kernels import forces_at

FLOAT64 = np.dtype(np.float64)
NAMES = ("q", "qdot", "qddot", "lam")


def forces_of(model: Model, space: Workspace) -> tuple[np.ndarray, ...]:
    """The model's forces for kernels, kept in the workspace."""
    if space.forces is None:
        space.forces = all_forces(model, space.zeros.dtype.type)
    return space.forces


def all_forces(model: Model, scalar: type) -> tuple:
    """Forces and muscles (None if none acts) for kernels, with scratch of their own."""
    return *force_arrays(model, scalar), muscle_arrays(model, scalar) if model.muscles.active else None


def linear_arrays(model: Model) -> tuple:
    """Scratch of derivatives: of the tree, of its forces, no gravity, and a complex shadow that steps muscles."""
    if not model.muscles.active:
        return *linear_scratch(model), None
    work, dofs = (array.copy() for array in model.complex_workspace.system[4:])
    shadow = work, dofs, muscle_arrays(model, np.complex128), np.zeros((4, model.ndof), complex)
    return *linear_scratch(model), shadow


def bound_of(model: Model) -> tuple:
    """The model's constraints for kernels, kept in the workspace."""
    space = model.workspace
    if space.bound is None:
        space.bound = bound_arrays(model)
    return space.bound


def check_time(t: float) -> float:
    """A finite time [s]."""
    return float(check_numbers(t, "t", ()))


def forces_and_torques(model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None, t: float) -> np.ndarray:
    """tau and the generalized forces of the model. (ndof,)"""
    space, (q, qdot, tau) = inputs(model, "q qdot tau", q, qdot, tau)
    check_finite(q=q, qdot=qdot, tau=tau)
    f = np.empty(model.ndof, q.dtype)
    forces_at(check_time(t), q, qdot, tau, space.system, forces_of(model, space), f)
    return f


def real_inputs(model: Model, names: str, *vectors: np.ndarray | None) -> tuple[Workspace, list[np.ndarray]]:
    """Workspace and finite vectors; constraints are solved in float64."""
    if not isinstance(model, Model):
        raise no_model(model)
    space, vectors = inputs(model, names, *vectors)
    if vectors[0].dtype != np.float64:
        raise ValueError(f"constraints are solved in float64, and the numbers given are {vectors[0].dtype}")
    check_finite(**dict(zip(names.split(), vectors, strict=True)))
    return space, vectors


def linear_inputs(model: Model, what: str, *vectors: np.ndarray | None) -> tuple[Workspace, list[np.ndarray]]:
    """Workspace with scratch of derivatives, and q, qdot, qddot, lam as far as given; all in float64."""
    if not isinstance(model, Model):
        raise no_model(model)
    if model.dtype is not FLOAT64:
        raise ValueError(f"{what} works in float64, and the model is {model.dtype}; give it as it was compiled")
    space, vectors = inputs(model, " ".join(NAMES[: len(vectors)]), *vectors)
    if vectors[0].dtype is not FLOAT64:
        raise ValueError("derivatives are taken at real states, and q, qdot or qddot is complex")
    if space.linear is None:
        space.linear = linear_arrays(model)
    return space, vectors
