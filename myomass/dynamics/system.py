"""The whole model as kernels take it: tree, forces, constraints and muscles, each with scratch, in one bundle."""

from collections.abc import Sequence

import numpy as np

from .._jit import Bundle, opener
from .._jit import bundle as fields
from ..algorithms.inertias import subtract_given
from ..algorithms.redmax import Dense, dense_scratch
from ..algorithms.rnea_partials import Partials, partials_scratch
from ..constraints.arrays import ConstraintArrays, constraint_arrays
from ..deformables.arrays import SoftArrays, soft_arrays
from ..deformables.demand import demand_soft_bodies
from ..deformables.linear import SoftLinear, soft_linear
from ..forces.apply import ForceArrays, force_arrays
from ..forces.stiffness import Stiffness, stiffness_scratch
from ..joints.records import dof_dtype, records
from ..model import Model
from ..model.border import check_finite, inputs, no_model
from ..model.workspace import Tree, Workspace, work_dtype
from ..muscles.hill.start import at_rest, check_states
from ..muscles.records import MuscleArrays, muscle_arrays, muscles_of
from ..reduction.arrays import Reduced, reduction_of
from ..reduction.border import check_functions
from ..spatial.checks import check_numbers
from .muscle_momenta import demand_muscle_momenta
from .muscled import demand_muscles
from .reduced import demand_reduced

FLOAT64 = np.dtype(np.float64)
NAMES = ("q", "qdot", "qddot", "lam")


class System(Bundle):
    """A model with everything that acts on it: what kernels take as `system`."""

    tree = Tree
    forces = ForceArrays
    constraints = ConstraintArrays
    muscles = MuscleArrays
    reduction = Reduced
    soft = SoftArrays
    none_prescribed = fields.plain(bool)  # (ndof,)
    no_wrenches = fields.numbers(2)  # (0, 6)
    no_torques = fields.numbers()  # zeros, (ndof,)


class Linear(Bundle):
    """Scratch of derivatives: what kernels take as `linear`."""

    partials = Partials
    stiffness = Stiffness
    tree = fields.in_complex(Tree)  # a shadow that carries complex steps through the muscles
    muscles = fields.in_complex(MuscleArrays)
    soft = SoftLinear
    q = fields.plain(np.complex128)
    qdot = fields.plain(np.complex128)
    qddot = fields.plain(np.complex128)
    r = fields.plain(np.complex128)


open_system, open_linear = opener(System), opener(Linear)


def system_of(space: Workspace) -> System:
    """A workspace's model for kernels, kept there."""
    if "system" not in space.made:
        model, scalar = space.model, space.scalar
        if model.muscles.active:
            demand_muscles(scalar)
            demand_muscle_momenta(scalar)
        if model.soft is not None:
            demand_soft_bodies(scalar)
        if model.reduction is not None:
            demand_reduced(scalar)
        parts = {"forces": force_arrays(model, scalar), "constraints": constraint_arrays(model, scalar)}
        parts |= {"muscles": muscles_of(space), "soft": soft_arrays(model, scalar), "reduction": reduction_of(space)}
        nothing = {
            "none_prescribed": space.none_prescribed,
            "no_wrenches": space.no_wrenches,
            "no_torques": space.zeros,
        }
        space.made["system"] = System(scalar, tree=space.tree, **parts, **nothing)
    return space.made["system"]


def linear_of(space: Workspace) -> Linear:
    """Scratch of derivatives for a workspace's model, kept there."""
    if "linear" not in space.made:
        model, n = space.model, space.model.whole.ndof
        vectors = {key: np.zeros(n, np.complex128) for key in ("q", "qdot", "qddot", "r")}
        shadows = {"tree": _shadow(space), "muscles": muscle_arrays(model, np.complex128)}
        slopes = {"partials": partials_scratch(model), "stiffness": stiffness_scratch(model)}
        slopes["soft"] = soft_linear(model)
        space.made["linear"] = Linear(np.float64, **slopes, **shadows, **vectors)
    return space.made["linear"]


def _shadow(space: Workspace) -> Tree:
    """The tree with complex scratch, in the same charts; without scratch where no muscle needs it."""
    model, needed = space.model, space.model.muscles.active
    work = records(len(model.links) if needed else 0, work_dtype(np.complex128))
    work["R"][:1] = np.eye(3)
    dofs = records(model.whole.ndof if needed else 0, dof_dtype(np.complex128))
    own = {key: getattr(space.tree, key) for key in ("links", "bodies", "params", "gravity")}
    return Tree(np.complex128, **own, work=work, dofs=dofs)


def dense_of(space: Workspace) -> Dense:
    """Scratch of the dense form, kept in the workspace."""
    if "dense" not in space.made:
        refuse_soft_bodies(space.model, "the dense form")
        space.made["dense"] = dense_scratch(space.model.joint_dofs, space.scalar)
    return space.made["dense"]


def given_wrenches(wrenches: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Checked wrenches on bodies for kernels, in the numbers in use."""
    subtract_given.demand()
    return np.array(wrenches, dtype, order="C")


def inputs_with_states(
    model: Model, names: str, *vectors: np.ndarray | None, z: np.ndarray | None = None
) -> tuple[Workspace, Sequence[np.ndarray]]:
    """Workspace and vectors, q and qdot first, with the states z of muscles where kernels look for them.

    None: in equilibrium at the least activation; complex steps hold the states, and so need them.
    """
    if z is not None and np.iscomplexobj(z):
        vectors = (np.asarray(vectors[0], np.complex128), *vectors[1:])
    space, vectors = inputs(model, names, *vectors)
    if model.nz or z is not None:
        if z is None and np.iscomplexobj(vectors[0]):
            raise ValueError(
                f"model {model.name!r} has muscles with states, which complex steps hold: give them as z=, from "
                "model.state(q, qdot).z"
            )
        put_states(space, vectors[0], vectors[1], z)
    if model.reduction is not None:
        check_functions(space, *vectors[:2])
    return space, vectors


def refuse_states(model: Model, who: str) -> None:
    """Raise a ValueError if a model has muscles with states, for what knows q and qdot alone."""
    if model.nz:
        raise ValueError(
            f"{who} knows no muscles with states, and model {model.name!r} has {', '.join(model.z_names[:2])}, ...; "
            "give a model whose muscles have tensions instead of actuators"
        )


def refuse_soft_bodies(model: Model, who: str) -> None:
    """Raise a ValueError if a model has soft bodies, for what knows joints alone."""
    if model.soft is not None:
        raise ValueError(f"{who} knows no soft bodies, and model {model.name!r} has {next(iter(model.soft_bodies))!r}")


def put_states(space: Workspace, q: np.ndarray, qdot: np.ndarray, z: np.ndarray | None) -> None:
    """Put the states of muscles where kernels look for them, nothing excited."""
    model = space.model
    if z is None:
        check_finite(q=q, qdot=qdot)
        z = at_rest(model, q, qdot)
    else:
        z = check_states(model, z)
    drive = muscles_of(space).drive
    drive.z[:], drive.stage[0], drive.excitation[:], drive.curve[:] = z, 0.0, 0.0, -1
    drive.zdot[:] = 0.0  # from where fibre velocities are searched: answers do not depend on what was asked before


def check_time(t: float) -> float:
    """A finite time [s]."""
    return t if t.__class__ is float and -np.inf < t < np.inf else float(check_numbers(t, "t", ()))


def real_inputs(
    model: Model, names: str, *vectors: np.ndarray | None, z: np.ndarray | None = None
) -> tuple[Workspace, list[np.ndarray]]:
    """Workspace and finite vectors; constraints are solved in float64.

    z: as of `inputs_with_states`, where torques act.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    space, vectors = inputs(model, names, *vectors)
    check_real(vectors[0])
    check_finite(**dict(zip(names.split(), vectors, strict=True)))
    if z is not None or (model.nz and "tau" in names):
        put_states(space, vectors[0], vectors[1], z)
    if model.reduction is not None:
        check_functions(space, *vectors[:2])
    return space, vectors


def check_real(q: np.ndarray) -> None:
    """A sentence if a model with constraints is given other numbers than float64."""
    if q.dtype != np.float64:
        raise ValueError(f"constraints are solved in float64, and the numbers given are {q.dtype}")


def linear_inputs(
    model: Model, what: str, *vectors: np.ndarray | None, z: np.ndarray | None = None
) -> tuple[Workspace, list[np.ndarray]]:
    """Workspace and q, qdot, qddot, lam as far as given; all in float64. z: as of `inputs_with_states`."""
    if not isinstance(model, Model):
        raise no_model(model)
    if model.dtype is not FLOAT64:
        raise ValueError(f"{what} works in float64, and the model is {model.dtype}; give it as it was compiled")
    space, vectors = inputs(model, " ".join(NAMES[: len(vectors)]), *vectors)
    if vectors[0].dtype is not FLOAT64 or np.iscomplexobj(z):
        raise ValueError("derivatives are taken at real states, and q, qdot, qddot or z is complex")
    if model.nz or z is not None:
        put_states(space, vectors[0], vectors[1], z)
    if model.reduction is not None:
        check_functions(space, *vectors[:2])
    return space, vectors
