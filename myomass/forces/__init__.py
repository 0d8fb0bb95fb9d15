"""Forces other than gravity: one file each, evaluated together by `apply` and differentiated by `stiffness`."""

from ..model.elements import Element, Force, Law
from .body_damping import BodyDamping
from .cable import Cable, SpringDamper
from .ground import Ground
from .joint_limit import JointLimit
from .joint_spring import JointSpring
from .joint_torque import JointTorque
from .point_force import PointForce
from .point_spring import PointSpring

__all__ = [
    "BodyDamping",
    "Cable",
    "Element",
    "Force",
    "Ground",
    "JointLimit",
    "JointSpring",
    "JointTorque",
    "Law",
    "PointForce",
    "PointSpring",
    "SpringDamper",
]


def __dir__() -> list[str]:
    return __all__
