"""MyoMass: articulated and musculoskeletal dynamics, built towards muscles that have mass."""

from . import scenes
from .algorithms import *  # noqa: F403
from .algorithms import __all__ as _algorithms
from .dynamics import (
    Linearisation,
    acceleration,
    applied_forces,
    energy,
    force_derivatives,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    linearise,
    residual,
)
from .forces import *  # noqa: F403
from .forces import __all__ as _forces
from .integrators.events import Event
from .joints import *  # noqa: F403
from .joints import __all__ as _joints
from .model import *  # noqa: F403
from .model import __all__ as _model
from .simulate import simulate
from .spatial import *  # noqa: F403
from .spatial import __all__ as _spatial
from .trajectory import Trajectory

__version__ = "0.1.0"
__all__ = [
    *_algorithms,
    *_forces,
    *_joints,
    *_model,
    *_spatial,
    "Event",
    "Linearisation",
    "Trajectory",
    "acceleration",
    "applied_forces",
    "energy",
    "force_derivatives",
    "forward_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics",
    "linearise",
    "residual",
    "scenes",
    "simulate",
]
