"""One algorithm per file, named as the literature names it."""

from .charts import reparameterise
from .energy import Energy, Momentum, energy, momentum
from .forward import forward_dynamics
from .hybrid import hybrid_dynamics
from .jacobian import frame_jacobian, jacobian, jacobian_dot, point_jacobian
from .kinematics import body_twists, forward_kinematics
from .mass import mass_matrix
from .products import jacobian_products, jacobian_transpose_product
from .rnea import bias_forces, coriolis_forces, gravity_forces, inverse_dynamics

__all__ = [
    "Energy",
    "Momentum",
    "bias_forces",
    "body_twists",
    "coriolis_forces",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_jacobian",
    "gravity_forces",
    "hybrid_dynamics",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot",
    "jacobian_products",
    "jacobian_transpose_product",
    "mass_matrix",
    "momentum",
    "point_jacobian",
    "reparameterise",
]
