"""The lists of forces, and the kernels that choose among them. A new force is its own file and one line here.

A user's own, in a file of their own, is added by `mm.register`.
"""

from collections.abc import Iterable

import numpy as np
from numba.core import types

from .._jit import Choice
from ..model import Model
from ..model.elements import Force
from ..spatial.motion import kinks
from .body_actuator import BodyActuator
from .body_damping import BodyDamping
from .bushing import Bushing
from .cable import Cable, SpringDamper
from .coordinate_actuator import CoordinateActuator
from .coordinate_limit import CoordinateLimit
from .coordinate_spring import CoordinateSpring
from .ground import Ground
from .hunt_crossley import HuntCrossley
from .joint_limit import JointLimit
from .joint_spring import JointSpring
from .joint_torque import JointTorque
from .path_actuator import PathActuator
from .point_actuator import PointActuator
from .point_force import PointForce
from .point_spring import PointSpring
from .prescribed_force import PrescribedForce
from .smooth_contact import SmoothHuntCrossley
from .torque_actuator import TorqueActuator

LAWS: list[type[Force]] = [JointSpring, JointLimit, JointTorque, CoordinateActuator, CoordinateSpring, CoordinateLimit]
FORMULAS: list[type[Force]] = [
    BodyDamping,
    PointForce,
    PointSpring,
    Cable,
    SpringDamper,
    Ground,
    PointActuator,
    TorqueActuator,
    BodyActuator,
    PathActuator,
    HuntCrossley,
    SmoothHuntCrossley,
    Bushing,
    PrescribedForce,
]
OWN_LAWS, OWN_FORMULAS = len(LAWS), len(FORMULAS)  # how many the package has

for family in (LAWS, FORMULAS):
    for kind, force in enumerate(family):
        force.kind = kind


def drawn_elements(model: Model, *words: str) -> np.ndarray:
    """Elements of a model's forces whose kind is drawn as one of these words, such as "spring"."""
    elements = model.forces.elements
    return elements[np.isin(elements["kind"], [force.kind for force in FORMULAS if force.drawn in words])]


def force_knots(model: Model) -> set[float]:
    """Times at which a force that is given in time may jump or bend [s]."""
    forces, times = model.forces, set()
    for table, kinds in ((forces.laws, LAWS), (forces.elements, FORMULAS)):
        for part in table:
            starts = kinds[part["kind"]].motions_in(forces.params, int(part["at"]))
            times |= {t for at in starts for t in kinks(forces.params, at)}
    return times


def _force_and_energy(params, at, t, q, qdot) -> types.Type:
    return types.UniTuple(q, 2)


def _energy(params, at, points) -> types.Type:
    return points.dtype.typeof("x").dtype


LAW = Choice(__name__, "follow_law", [force.law for force in LAWS], _force_and_energy)
FORMULA = Choice(__name__, "follow_formula", [force.formula for force in FORMULAS], _energy)
follow_law, follow_formula = LAW.call, FORMULA.call


def register_force(force: type[Force]) -> None:
    """Add a user's own force, with a `law` of coordinates or a `formula` of points, to those that models can have."""
    members, choice = (LAWS, LAW) if hasattr(force, "law") else (FORMULAS, FORMULA)
    force.kind = len(members)
    members.append(force)
    choice.add(force.law if choice is LAW else force.formula)


def demand_forces(laws: Iterable[int], formulas: Iterable[int]) -> None:
    """Compile, or load from the cache, the laws and formulas of these kinds."""
    LAW.demand(laws)
    FORMULA.demand(formulas)
