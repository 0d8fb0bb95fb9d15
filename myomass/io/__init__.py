"""Files of other programs: motion capture, and the mechanisms, motions and supports that are made from it."""

from .bvh import Bvh

__all__ = ["Bvh"]
