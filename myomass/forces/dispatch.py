"""The lists of forces, and the kernels that choose among them. A new force is its own file and one line here."""

import numpy as np

from .._jit import choose
from ..model import Model
from .body_damping import BodyDamping
from .cable import Cable, SpringDamper
from .ground import Ground
from .joint_limit import JointLimit
from .joint_spring import JointSpring
from .joint_torque import JointTorque
from .point_force import PointForce
from .point_spring import PointSpring

LAWS = (JointSpring, JointLimit, JointTorque)
FORMULAS = (BodyDamping, PointForce, PointSpring, Cable, SpringDamper, Ground)

for family in (LAWS, FORMULAS):
    for kind, force in enumerate(family):
        force.kind = kind


def drawn_elements(model: Model, *words: str) -> np.ndarray:
    """Elements of a model's forces that are drawn as one of these words say."""
    elements = model.forces.elements
    return elements[np.isin(elements["kind"], [force.kind for force in FORMULAS if force.drawn in words])]


follow_law = choose([force.law for force in LAWS])
follow_formula = choose([force.formula for force in FORMULAS])
