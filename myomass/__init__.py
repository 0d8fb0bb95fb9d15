"""MyoMass: articulated and musculoskeletal dynamics in which muscles have mass."""

from . import compile as _compile  # noqa: F401  (gives Spec its compile)
from . import io, scenes
from .algorithms import *  # noqa: F403
from .algorithms import __all__ as _algorithms
from .constraints import *  # noqa: F403
from .constraints import __all__ as _constraints
from .deformables import *  # noqa: F403
from .deformables import __all__ as _deformables
from .dynamics import *  # noqa: F403
from .dynamics import __all__ as _dynamics
from .forces import *  # noqa: F403
from .forces import __all__ as _forces
from .joints import *  # noqa: F403
from .joints import __all__ as _joints
from .model import *  # noqa: F403
from .model import __all__ as _model
from .muscles import *  # noqa: F403
from .muscles import __all__ as _muscles
from ._jit import kernel
from .integrators import FixedStep
from .model.elements import Constraint, Force
from .register import register
from .reroot import reroot
from .run.events import Event
from .simulate import simulate
from .spatial import *  # noqa: F403
from .spatial import __all__ as _spatial
from .textbook import *  # noqa: F403
from .textbook import __all__ as _textbook
from .trajectory import Trajectory
from .transitions import *  # noqa: F403
from .transitions import __all__ as _transitions
from .viewer import view
from .walking import *  # noqa: F403
from .walking import __all__ as _walking

__version__ = "0.1.0"
__all__ = [
    *_algorithms,
    *_constraints,
    *_deformables,
    *_dynamics,
    *_forces,
    *_joints,
    *_model,
    *_muscles,
    *_spatial,
    *_textbook,
    *_transitions,
    *_walking,
    "Constraint",
    "Event",
    "FixedStep",
    "Force",
    "Trajectory",
    "io",
    "kernel",
    "register",
    "reroot",
    "scenes",
    "simulate",
    "view",
]
