"""One algorithm per file, named as the literature names it."""

from .charts import reparameterise
from .energy import Energy, Momentum
from .jacobian import frame_jacobian, jacobian, jacobian_dot, point_jacobian
from .kinematics import body_twists, forward_kinematics, marker_places
from .products import jacobian_products, jacobian_transpose_product

__all__ = [
    "Energy",
    "Momentum",
    "body_twists",
    "forward_kinematics",
    "frame_jacobian",
    "jacobian",
    "jacobian_dot",
    "jacobian_products",
    "jacobian_transpose_product",
    "marker_places",
    "point_jacobian",
    "reparameterise",
]


def __dir__() -> list[str]:
    return __all__
