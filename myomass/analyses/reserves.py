"""Reserve and residual actuators of static optimisation: what each does to the coordinates, per unit of its control."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.charts import set_charts
from ..algorithms.kinematics import move_all
from ..constraints.pack import no_constraints
from ..dynamics.system import open_system, system_of
from ..forces.actuator import Actuator
from ..forces.apply import sum_forces
from ..forces.coordinate_actuator import CoordinateActuator
from ..forces.pack import with_forces
from ..model import Model
from ..model.workspace import charts_restored
from ..muscles.packed import no_muscles
from ..spatial.checks import check_positive
from .motion_rows import MotionRows


class Reserves(NamedTuple):
    """Actuators beside the muscles: names, optimal forces, bounds of their controls, and G (rows, ndof, actuators)."""

    names: tuple[str, ...]
    strengths: np.ndarray
    low: np.ndarray
    high: np.ndarray
    G: np.ndarray


@kernel(entry=True)
def forces_along(handle, slots, charts, t, q, qdot, f):
    """Fill f, the generalized forces of a model's forces at every row, for Python."""
    system = open_system(handle, q)
    tree = system.tree
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        move_all(tree, q[row], qdot[row])
        sum_forces(t[row], q[row], qdot[row], system.no_torques, tree, system.forces, f[row])


def make_reserves(model: Model, motion: MotionRows, given: object, coordinates: Iterable[str]) -> Reserves:
    """The actuators that were asked for: None, a number for each of the coordinates, or a mapping by name.

    In a mapping a number goes with the name of a coordinate, an actuator with any name.
    """
    actuators = _named(model, given, coordinates)
    names, strengths, low, high, columns = [], [], [], [], []
    bare = replace(model, muscles=no_muscles(), constraints=no_constraints())
    for name, actuator in actuators.items():
        for j in range(actuator.inputs):
            names.append(name if actuator.inputs == 1 else f"{name}[{j}]")
            strengths.append(float(actuator.optimal_force))
            low.append(float(actuator.least_control))
            high.append(float(actuator.largest_control))
            columns.append(_column(bare, motion, name, actuator.unit(j)))
    G = np.stack(columns, axis=2) if columns else np.zeros((*motion.q.shape, 0))
    return Reserves(tuple(names), np.array(strengths), np.array(low), np.array(high), G)


def _named(model: Model, given: object, coordinates: Iterable[str]) -> dict[str, Actuator]:
    """Actuators by name."""
    if given is None:
        return {}
    if isinstance(given, Real):
        strength = check_positive(given, "reserves: the optimal force of each")
        return {f"{name}_reserve": CoordinateActuator(name, optimal_force=strength) for name in coordinates}
    if not isinstance(given, Mapping):
        raise TypeError(
            "reserves are a number, or a dict of coordinates with numbers or of names with actuators (see "
            f"mm.io.read_actuators), and are {given!r}"
        )
    made = {}
    for name, one in given.items():
        if isinstance(one, Actuator):
            made[name] = one
            continue
        model.coordinate(name)
        strength = check_positive(one, f"reserves: the optimal force at {name!r}")
        made[f"{name}_reserve"] = CoordinateActuator(name, optimal_force=strength)
    return made


def _column(model: Model, motion: MotionRows, name: str, actuator: Actuator) -> np.ndarray:
    """Generalized forces of an actuator whose control is 1. (rows, ndof)"""
    if isinstance(actuator, CoordinateActuator):
        f = np.zeros(motion.q.shape)
        f[:, model.coordinate(actuator.coordinate)] = actuator.optimal_force
        return f
    single, f = with_forces(model, {name: actuator}), np.empty_like(motion.q)
    with charts_restored(single.workspace) as space:
        given = motion.slots, motion.charts, motion.t, motion.q, motion.qdot
        forces_along(system_of(space).handle, *given, f)
    return f.astype(float, copy=False)
