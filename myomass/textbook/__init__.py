"""Textbook versions: equations as their pages have them, dense or body by body. The engine does not use them."""

from ..algorithms.joint_wrenches import CartesianForces
from ..spatial.rotations import euler_jacobian, exponential_jacobian, quaternion_jacobian
from .conversions import (
    JointWrenches,
    PointForces,
    VelocityFit,
    body_forces,
    body_torques,
    cartesian_forces,
    generalized_force,
    generalized_velocity,
    joint_torques,
    joint_wrenches,
)
from .coordinates import LagrangianForm, WorldJacobians, lagrangian_form, world_jacobians
from .local_frame import local_frame_inverse_dynamics
from .strands import Strand, strand_jacobians

__all__ = [
    "CartesianForces",
    "JointWrenches",
    "LagrangianForm",
    "PointForces",
    "Strand",
    "VelocityFit",
    "WorldJacobians",
    "body_forces",
    "body_torques",
    "cartesian_forces",
    "euler_jacobian",
    "exponential_jacobian",
    "generalized_force",
    "generalized_velocity",
    "joint_torques",
    "joint_wrenches",
    "lagrangian_form",
    "local_frame_inverse_dynamics",
    "quaternion_jacobian",
    "strand_jacobians",
    "world_jacobians",
]


def __dir__() -> list[str]:
    return __all__
