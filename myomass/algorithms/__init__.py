"""One algorithm per file, named as the literature names it."""

from .charts import reparameterise
from .energy import Energy, Momentum, momentum
from .jacobian import frame_jacobian, jacobian, jacobian_dot, point_jacobian
from .kinematics import body_twists, forward_kinematics
from .mass import mass_matrix
from .products import jacobian_products, jacobian_transpose_product
from .rnea import bias_forces, coriolis_forces, gravity_forces

__all__ = [
    "Energy",
    "Momentum",
    "bias_forces",
    "body_twists",
    "coriolis_forces",
    "forward_kinematics",
    "frame_jacobian",
    "gravity_forces",
    "jacobian",
    "jacobian_dot",
    "jacobian_products",
    "jacobian_transpose_product",
    "mass_matrix",
    "momentum",
    "point_jacobian",
    "reparameterise",
]
