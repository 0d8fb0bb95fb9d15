"""Reduced coordinates: joints' coordinates q that follow from fewer ones, q = f(Q) (dissertation Sec. 4.6.2).

maps of a spec (model/maps.py) are packed by pack.py; unfold.py has the kernels, derivatives.py those of functions.
"""

from ..model.maps import LinearMap, SmoothMap
from .border import JointMotion, joint_motion

__all__ = ["JointMotion", "LinearMap", "SmoothMap", "joint_motion"]
