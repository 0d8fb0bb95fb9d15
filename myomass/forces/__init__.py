"""Forces other than gravity: one file each, evaluated together by `apply` and differentiated by `stiffness`."""

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
    "Ground",
    "JointLimit",
    "JointSpring",
    "JointTorque",
    "PointForce",
    "PointSpring",
    "SpringDamper",
]
