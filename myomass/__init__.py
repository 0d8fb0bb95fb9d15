"""MyoMass: articulated and musculoskeletal dynamics in which muscles have mass.

The names here are those of everyday use. Rooms for the rest: `dynamics` and `algorithms` (more functions of a model),
`muscles`, `wrap` (wrapping surfaces), `coordinates` (Cartesian and generalized quantities, readers' versions),
`transitions`, `walking`, `deformables`, `scenes` and `io`; and for whoever writes a kind of their own, `joints`,
`forces`, `constraints` and `integrators`.
"""

from . import (
    adjoint,
    algorithms,
    analyses,
    constraints,
    deformables,
    dynamics,
    forces,
    integrators,
    io,
    joints,
    model,
    muscles,
    recordings,
    scenes,
    transitions,
    walking,
)
from . import compile as _compile  # noqa: F401  (gives Spec its compile)
from . import textbook as coordinates
from ._jit import kernel
from .adjoint import Parameter, optimise, tasks, value_and_grad
from .algorithms import (
    body_twists,
    forward_kinematics,
    frame_jacobian,
    jacobian,
    jacobian_dot,
    marker_places,
    point_jacobian,
)
from .analyses import give_mass, take_mass
from .constraints import (
    Box,
    Capsule,
    Constraint,
    Contact,
    Coupling,
    DrivenBody,
    DrivenJoint,
    DrivenPoint,
    JointFriction,
    JointStop,
    Loop,
    Plane,
    Sphere,
)
from .deformables import node_places
from .dynamics import (
    acceleration,
    applied_forces,
    constraint_forces,
    energy,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    joint_reactions,
    linearise,
    mass_matrix,
    momentum,
    muscle_inertia,
    residual,
)
from .forces import (
    BodyDamping,
    Cable,
    Force,
    Ground,
    JointLimit,
    JointSpring,
    JointTorque,
    PointForce,
    PointSpring,
    SpringDamper,
)
from .integrators import FixedStep
from .joints import (
    Composite,
    Fixed,
    Free2D,
    Free3D,
    Inverse,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    SphericalEuler,
    SphericalExp,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
)
from .model import Model, Shape, Spec, State
from .muscles import (
    Belly,
    ConditionalPoint,
    Hill,
    Lumps,
    MovingPoint,
    Network,
    Reflex,
    curves,
    moment_arms,
    muscle_lengths,
    muscle_points,
    wrap,
)
from .reduction import LinearMap, SmoothMap
from .register import register
from .reroot import reroot
from .run.events import Event
from .simulate import simulate
from .spatial import Inertia, Motion, rotation, se3, so3, translation
from .trajectory import Trajectory
from .viewer import view

__version__ = "0.1.0"
__all__ = [  # noqa: RUF022  (in the order in which one meets them)
    # a mechanism
    "Spec",
    "Model",
    "State",
    "Inertia",
    "Shape",
    "Motion",
    "rotation",
    "translation",
    "so3",
    "se3",
    # joints
    "Joint",
    "Fixed",
    "Revolute",
    "Prismatic",
    "Universal",
    "Planar",
    "Translational",
    "SphericalExp",
    "SphericalEuler",
    "Free2D",
    "Free3D",
    "SplineCurve",
    "SplineSurface",
    "Composite",
    "Inverse",
    "LinearMap",
    "SmoothMap",
    # forces
    "Force",
    "JointSpring",
    "JointLimit",
    "JointTorque",
    "BodyDamping",
    "PointForce",
    "PointSpring",
    "SpringDamper",
    "Cable",
    "Ground",
    # constraints
    "Constraint",
    "Loop",
    "Coupling",
    "DrivenJoint",
    "DrivenBody",
    "DrivenPoint",
    "JointStop",
    "JointFriction",
    "Contact",
    "Sphere",
    "Capsule",
    "Box",
    "Plane",
    # muscles
    "wrap",
    "Belly",
    "Hill",
    "Reflex",
    "curves",
    "Lumps",
    "ConditionalPoint",
    "MovingPoint",
    "Network",
    "muscle_lengths",
    "moment_arms",
    "muscle_points",
    "node_places",
    "muscle_inertia",
    "give_mass",
    "take_mass",
    # what a model does
    "forward_kinematics",
    "body_twists",
    "marker_places",
    "jacobian",
    "jacobian_dot",
    "point_jacobian",
    "frame_jacobian",
    "forward_dynamics",
    "inverse_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics_derivatives",
    "acceleration",
    "residual",
    "linearise",
    "mass_matrix",
    "energy",
    "momentum",
    "applied_forces",
    "constraint_forces",
    "joint_reactions",
    # motion
    "simulate",
    "Trajectory",
    "Event",
    "value_and_grad",
    "optimise",
    "Parameter",
    "tasks",
    "reroot",
    "view",
    # kinds of one's own
    "register",
    "kernel",
    "FixedStep",
    # rooms
    "adjoint",
    "algorithms",
    "analyses",
    "constraints",
    "coordinates",
    "deformables",
    "dynamics",
    "forces",
    "integrators",
    "io",
    "joints",
    "model",
    "muscles",
    "recordings",
    "scenes",
    "transitions",
    "walking",
]


def __getattr__(name: str) -> object:
    for room in __all__:
        if name in getattr(globals()[room], "__all__", ()):
            raise AttributeError(f"there is no mm.{name} at the top level; it is mm.{room}.{name}")
    raise AttributeError(f"module 'myomass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
