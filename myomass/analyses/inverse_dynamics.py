"""Inverse dynamics of whole recordings: the generalized forces behind a measured motion under measured loads.

tau = M qddot + C - J^T F      with the mass of bodies and of muscles, gravity, and external loads F
"""

from dataclasses import dataclass

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import all_finite
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..dynamics.inverse import overflow
from ..dynamics.muscled import add_residual
from ..dynamics.system import open_system, system_of
from ..model import Model
from ..model.border import no_model
from ..model.spec import UnknownName, known_names
from ..recordings import ExternalLoads, Table
from ..reduction.border import refuse_reduced
from ..spatial.brief import brief
from .kinematics import Kinematics, kinematics
from .loads import check_loads, pack_loads, subtract_load

ENDINGS = {"rad": "moment", "m": "force", "1": "force"}  # of OpenSim's names of columns, by the coordinate's unit


@brief
@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """Generalized forces of a motion: t [s], (rows,), and tau [N m or N], (rows, ndof), by the coordinates' names."""

    t: np.ndarray
    names: tuple[str, ...]
    tau: np.ndarray
    units: tuple[str, ...] = ()  # of the coordinates: "rad", "m" or "1"

    def __getitem__(self, name: str) -> np.ndarray:
        """The generalized force of a coordinate [N m or N]. (rows,)"""
        if name not in self.names:
            raise UnknownName(f"there is no coordinate {name!r}; {known_names(self.names)}")
        return self.tau[:, self.names.index(name)]

    def __len__(self) -> int:
        return len(self.t)

    def table(self) -> Table:
        """The table with OpenSim's names of columns: <coordinate>_moment for angles, <coordinate>_force otherwise."""
        units = self.units or ("rad",) * len(self.names)
        names = [f"{name}_{ENDINGS[unit]}" for name, unit in zip(self.names, units, strict=True)]
        return Table(self.t, self.tau, names, about={"name": "Inverse Dynamics Generalized Forces"})


@kernel(entry=True)
def torques_along(handle, q, qdot, qddot, loads, tau):
    """tau = M qddot + C - J^T F of every row, for Python: the first row that is not finite, -1 if all are."""
    system = open_system(handle, q)
    tree, muscles = system.tree, system.muscles
    for row in range(q.shape[0]):
        rnea_outward(tree, tree.gravity, q[row], qdot[row], qddot[row])
        for i in range(loads.links.shape[0]):
            subtract_load(i, loads, loads.values[row, i], tree.work)
        pass_wrench(tree.links, tree.work, tree.dofs, tau[row])
        if muscles.massive:
            add_residual(0.0, q[row], qdot[row], qddot[row], tree, muscles, False, tau[row])
        if not all_finite(tau[row]):
            return row
    return -1


def inverse_dynamics(
    model: Model, motion: Kinematics | Table, loads: ExternalLoads | None = None, *, lowpass: float | None = None
) -> InverseDynamics:
    """tau = M qddot + C - J^T F [N m or N], the generalized forces behind a motion, without what muscles pull.

    motion: as `kinematics` gives it, or a table of coordinates, filtered at `lowpass` [Hz] if given. loads: external
    loads, as `mm.recordings.read_loads` gives them, by natural cubic splines through their columns. Gravity and the
    mass of bodies and muscles count; springs, contacts and other forces of the model, tensions of muscles and
    constraints do not: coupled and locked coordinates get their own force, as if a motor sat on each. Forces of
    coordinates are conjugate to their rates: of a ball joint OpenSim gives the torque along axes instead.
    """
    motion = as_motion(model, motion, lowpass)
    q, qdot, qddot = real_rows(model, motion)
    packed, tau = pack_loads(model, loads, motion.t), np.empty(q.shape, model.dtype)
    bad = torques_along(system_of(model.workspace).handle, q, qdot, qddot, packed, tau)
    if bad >= 0:
        check_loads(loads)
        raise overflow(model, q[bad], qdot[bad], qddot[bad])
    return InverseDynamics(motion.t, motion.names, tau.astype(float, copy=False), motion.units)


def as_motion(model: Model, motion: Kinematics | Table, lowpass: float | None = None) -> Kinematics:
    """Kinematics of this model. Raises an error for those of another."""
    if not isinstance(model, Model):
        raise no_model(model)
    refuse_reduced(model, "an analysis of recorded motion")
    if isinstance(motion, Table):
        return kinematics(model, motion, lowpass=lowpass)
    if not isinstance(motion, Kinematics):
        raise TypeError(
            f"a motion is mm.analyses.Kinematics or an mm.recordings.Table, not {type(motion).__name__}; of inverse "
            "kinematics give found.table(), of a run mm.recordings.trajectory_table(run)"
        )
    if lowpass is not None:
        raise ValueError("a motion is filtered when it is made: give lowpass to kinematics, or give the table here")
    if list(motion.names) != model.coordinates:
        different = [name for name in motion.names if name not in model.coordinates]
        what = f"its coordinate {different[0]!r} is not there" if different else "the coordinates differ"
        raise ValueError(
            f"the motion is of another model than {model.name!r}: {what}; {known_names(model.coordinates)}"
        )
    return motion


def real_rows(model: Model, motion: Kinematics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, qddot in the model's numbers."""
    return tuple(np.ascontiguousarray(x, model.dtype) for x in (motion.q, motion.qdot, motion.qddot))
