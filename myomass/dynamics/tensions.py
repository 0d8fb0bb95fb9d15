"""What each muscle pulls in a state: a number, what a motion or a law of tension says, or the tendon's tension."""

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..model import Model
from ..muscles.geometry import check_paths
from ..muscles.path import solve_path
from ..muscles.tension import fill_arms, is_tense, tension_of
from ..reduction.border import in_joints
from .system import check_time, inputs_with_states, open_system, system_of


@kernel(entry=True)
def tensions_at(handle, t, q, qdot, tensions):
    """Fill the tension of every muscle, for Python."""
    system = open_system(handle, q)
    tree, muscles = system.tree, system.muscles
    move_all(tree, q, qdot)
    for index in range(muscles.table.shape[0]):
        muscle = muscles.table[index]
        tensions[index] = q[0] * 0.0 if q.shape[0] > 0 else 0.0
        if is_tense(muscle):
            solve_path(muscle, q, tree.work, muscles)
            fill_arms(muscle, tree, muscles, muscles.scratch.arms)
            tensions[index] = tension_of(muscle, t, q, qdot, muscles)


def muscle_tensions(
    model: Model, q: np.ndarray, qdot: np.ndarray | None = None, *, t: float = 0.0, z: np.ndarray | None = None
) -> np.ndarray:
    """T, tensions of all muscles, in the order of model.muscles.names [N]. (nmuscles,)

    Ligaments, springs and actuators along paths are muscles here. z: states of muscles (None: in equilibrium at the
    least activation). Generalized forces are `moment_arms(model, q).T @ T`.
    """
    model, q, qdot = in_joints(model, q, qdot)
    space, (q, qdot) = inputs_with_states(model, "q qdot", q, qdot, z=z)
    check_paths(model, q.real)
    tensions = np.zeros(len(model.muscles), q.dtype)
    tensions_at(system_of(space).handle, check_time(t), q, qdot, tensions)
    return tensions
