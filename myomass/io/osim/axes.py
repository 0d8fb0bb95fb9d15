"""Axes of rotational coordinates whose generalized force is, in OpenSim, a torque along the parent's joint frame.

The joints of a ball, a free body and an ellipsoid have angles as coordinates and angular velocities as speeds there.
What acts on such a coordinate is a torque about an axis that is fixed in the parent.
"""

import numpy as np

from ...recordings.xml import Element
from .document import members
from .joints import coordinate_names
from .reader import Reader

BY_VELOCITY = {"BallJoint": 3, "FreeJoint": 3, "EllipsoidJoint": 3}  # how many of the first coordinates are angles


def joint_of(reader: Reader, coordinate: str) -> tuple[Element, int]:
    """(the joint that has a coordinate of this name, which of its coordinates it is)."""
    for joint in members(reader.model, "JointSet"):
        names = coordinate_names(joint)
        if coordinate in names:
            return joint, names.index(coordinate)
    raise KeyError(coordinate)


def axis_of(reader: Reader, coordinate: str) -> tuple[str | None, str, np.ndarray] | None:
    """(parent or None for the world, child, axis in the parent's own frame) of such a coordinate; None of any other."""
    joint, k = joint_of(reader, coordinate)
    if k >= BY_VELOCITY.get(joint.tag, 0) or joint.flag("reverse", False):
        return None
    owner = f"/jointset/{joint.name}"
    parent, pose = reader.frame(joint.text_of("socket_parent_frame"), joint, owner)
    child, _ = reader.frame(joint.text_of("socket_child_frame"), joint, owner)
    return parent, child, pose[:3, k]
