"""Three views of one physics (views.py, the page to read first), the same by its usual names, and constraints."""

from ..reduction import JointMotion, joint_motion
from .actuation import actuator_columns
from .assembly import assemble
from .constraint_forces import ConstraintForces, constraint_forces, constraint_jacobian, constraint_values
from .derivatives import (
    InverseDynamicsDerivatives,
    coriolis_matrix,
    inverse_dynamics_derivatives,
    inverse_dynamics_products,
)
from .forward import forward_dynamics, hybrid_dynamics
from .inverse import applied_forces, bias_forces, coriolis_forces, gravity_forces, inverse_dynamics
from .mass import energy, mass_matrix, momentum, muscle_inertia
from .reactions import joint_reactions
from .reduction_forces import reduction_forces
from .seen import ContactPoints, ForcePoints, contact_points, force_points
from .tensions import muscle_tensions
from .views import Linearisation, acceleration, force_derivatives, linearise, residual

__all__ = [
    "ConstraintForces",
    "ContactPoints",
    "ForcePoints",
    "InverseDynamicsDerivatives",
    "JointMotion",
    "Linearisation",
    "acceleration",
    "actuator_columns",
    "applied_forces",
    "assemble",
    "bias_forces",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_values",
    "contact_points",
    "coriolis_forces",
    "coriolis_matrix",
    "energy",
    "force_derivatives",
    "force_points",
    "forward_dynamics",
    "gravity_forces",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_products",
    "joint_motion",
    "joint_reactions",
    "linearise",
    "mass_matrix",
    "momentum",
    "muscle_inertia",
    "muscle_tensions",
    "reduction_forces",
    "residual",
]


def __dir__() -> list[str]:
    return __all__
