"""Constraints: one file each; `rows` evaluates them all, `solve` and, where bounded, `qp` find their forces."""

from .contact import Box, Capsule, Contact, Plane, Sphere
from .coupled import Coupling
from .driven import DrivenBody, DrivenJoint, DrivenPoint
from .joint_friction import JointFriction
from .loop import Loop
from .stop import JointStop

__all__ = [
    "Box",
    "Capsule",
    "Contact",
    "Coupling",
    "DrivenBody",
    "DrivenJoint",
    "DrivenPoint",
    "JointFriction",
    "JointStop",
    "Loop",
    "Plane",
    "Sphere",
]
