"""One algorithm per file, named as the literature names it."""

from .charts import reparameterise
from .conversions import (
    CartesianForces,
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
from .energy import Energy, Momentum
from .jacobian import frame_jacobian, jacobian, jacobian_dot, point_jacobian
from .kinematics import body_twists, forward_kinematics
from .local_frame import local_frame_inverse_dynamics
from .products import jacobian_products, jacobian_transpose_product

__all__ = [
    "CartesianForces",
    "Energy",
    "JointWrenches",
    "LagrangianForm",
    "Momentum",
    "PointForces",
    "VelocityFit",
    "WorldJacobians",
    "body_forces",
    "body_torques",
    "body_twists",
    "cartesian_forces",
    "forward_kinematics",
    "frame_jacobian",
    "generalized_force",
    "generalized_velocity",
    "jacobian",
    "jacobian_dot",
    "jacobian_products",
    "jacobian_transpose_product",
    "joint_torques",
    "joint_wrenches",
    "lagrangian_form",
    "local_frame_inverse_dynamics",
    "point_jacobian",
    "reparameterise",
    "world_jacobians",
]
