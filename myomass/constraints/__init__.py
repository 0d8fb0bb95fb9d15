"""Constraints: one file each; `rows` evaluates them all, `solve` and, where bounded, `qp` find their forces."""

from ..model.elements import ACCELERATION, POSITION, VELOCITY, Constraint, ConstraintPart, Formula
from .base import as_frame, axis_of, pull, set_row
from .contact import Box, Capsule, Contact, Plane, Sphere
from .coupled import Coupling
from .distance import Distance
from .driven import DrivenBody, DrivenJoint, DrivenPoint
from .joint_friction import JointFriction
from .loop import Loop
from .stop import JointStop

__all__ = [
    "ACCELERATION",
    "POSITION",
    "VELOCITY",
    "Box",
    "Capsule",
    "Constraint",
    "ConstraintPart",
    "Contact",
    "Coupling",
    "Distance",
    "DrivenBody",
    "DrivenJoint",
    "DrivenPoint",
    "Formula",
    "JointFriction",
    "JointStop",
    "Loop",
    "Plane",
    "Sphere",
    "as_frame",
    "axis_of",
    "pull",
    "set_row",
]


def __dir__() -> list[str]:
    return __all__
