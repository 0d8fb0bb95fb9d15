"""Files of other programs: motion capture, and the mechanisms, motions and supports that are made from it."""

from .bvh import Bvh
from .contacts import find_contacts
from .mocap import Capture, CapturedMotion
from .osim import PathDifferences, compare_wraps, read_actuators, read_osim
from .sample_gait import SampleGait, sample_gait
from .sample_walk import sample_walk
from .support import SupportedDynamics, supported_dynamics

__all__ = [
    "Bvh",
    "Capture",
    "CapturedMotion",
    "PathDifferences",
    "SampleGait",
    "SupportedDynamics",
    "compare_wraps",
    "find_contacts",
    "read_actuators",
    "read_osim",
    "sample_gait",
    "sample_walk",
    "supported_dynamics",
]


def __dir__() -> list[str]:
    return __all__
