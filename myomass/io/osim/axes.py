"""Axes of rotational coordinates whose generalized force is, in OpenSim, a torque along the parent's joint frame.

The joints of a ball, a free body and an ellipsoid have angles as coordinates and angular velocities as speeds there.
What acts on such a coordinate is a torque about an axis that is fixed in the parent.
"""

from ...model.coordinate import TorqueAxis
from ...recordings.xml import Element
from .joints import coordinate_names
from .reader import Reader

BY_VELOCITY = {"BallJoint": 3, "FreeJoint": 3, "EllipsoidJoint": 3}  # how many of the first coordinates are angles


def note_axes(reader: Reader, joint: Element) -> None:
    """Note the axes of those of a joint's coordinates whose forces are torques."""
    if joint.flag("reverse", False):
        return
    owner = f"/jointset/{joint.name}"
    parent, pose = reader.frames.find(joint.text_of("socket_parent_frame"), owner, joint)
    child, _ = reader.frames.find(joint.text_of("socket_child_frame"), owner, joint)
    for k, name in enumerate(coordinate_names(joint)[: BY_VELOCITY.get(joint.tag, 0)]):
        reader.spec.torque_axes[name] = TorqueAxis(child, parent, tuple(pose[:3, k].tolist()))
