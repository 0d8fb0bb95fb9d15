"""The lists of forces, and the kernels that choose among them. A new force is its own file and one line here."""

from .._jit import choose
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
follow_law = choose([force.law for force in LAWS])
follow_formula = choose([force.formula for force in FORMULAS])
