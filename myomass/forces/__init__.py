"""Forces other than gravity: one file each, evaluated together by `apply` and differentiated by `stiffness`."""

from ..model.elements import Element, Force, Law
from .actuator import Actuator
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

__all__ = [
    "Actuator",
    "BodyActuator",
    "BodyDamping",
    "Bushing",
    "Cable",
    "CoordinateActuator",
    "CoordinateLimit",
    "CoordinateSpring",
    "Element",
    "Force",
    "Ground",
    "HuntCrossley",
    "JointLimit",
    "JointSpring",
    "JointTorque",
    "Law",
    "PathActuator",
    "PointActuator",
    "PointForce",
    "PointSpring",
    "PrescribedForce",
    "SmoothHuntCrossley",
    "SpringDamper",
    "TorqueActuator",
]


def __dir__() -> list[str]:
    return __all__
