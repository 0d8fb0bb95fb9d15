"""zdot, the rates of muscles' states, for Python: what integrates them beside q and qdot."""

import numpy as np

from ..._jit import kernel
from ...algorithms.kinematics import move_all
from ...model import Model
from ...model.border import check_finite
from ...model.workspace import open_tree
from ...reduction.border import joint_inputs
from ..records import muscles_of, open_muscles
from ..tension import add_tensions
from .start import check_states, excitation_numbers


@kernel(entry=True)
def rates_at(handle, muscles_handle, t, q, qdot, zdot):
    """Fill the rates of all states, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    dropped = muscles.scratch.dropped
    dropped[:] = 0.0
    move_all(tree, q, qdot)
    add_tensions(t, q, qdot, tree, muscles, -1, dropped)
    for k in range(zdot.shape[0]):
        zdot[k] = muscles.drive.zdot[k]


def muscle_rates(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    z: np.ndarray,
    excitation: np.ndarray | float = 0.0,
    *,
    t: float = 0.0,
) -> np.ndarray:
    """zdot, rates of the states z of muscles at excitations of each, before their reflexes. (nz,)

    Activations per s, fibre lengths in m/s. Takes complex numbers, for derivatives by complex step.
    """
    excitation, z = excitation_numbers(model, excitation), check_states(model, z)
    if np.iscomplexobj(z) or np.iscomplexobj(excitation):
        q = np.asarray(q, np.complex128)
    space, (q, qdot) = joint_inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    muscles, zdot = muscles_of(space), np.empty(model.nz, q.dtype)
    drive = muscles.drive
    drive.z[:], drive.zdot[:], drive.stage[0], drive.excitation[:], drive.curve[:] = z, 0.0, 0.0, excitation, -1
    rates_at(space.tree.handle, muscles.handle, float(t), q, qdot, zdot)
    return zdot
