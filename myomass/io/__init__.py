"""Files of other programs: motion capture, and the mechanisms, motions and supports that are made from it."""

from .bvh import Bvh
from .mocap import Capture, CapturedMotion
from .sample_walk import sample_walk

__all__ = ["Bvh", "Capture", "CapturedMotion", "sample_walk"]
