"""Composite: joints one after another, Q = Q1 Q2 ..., q stacked in the same order (supplement Eq. 45-51).

The massless body in between is a link of its own, so the recursions need no case for it. Free joints are composites.
"""

import numpy as np

from .base import Joint, LinkPart
from .planar import Planar
from .revolute import Revolute
from .spherical_euler import SphericalEuler
from .spherical_exp import SphericalExp
from .translational import Translational


class Composite(Joint):
    """Any joints in series; a joint of the list may itself be a composite."""

    def __init__(self, *joints: Joint):
        if not joints or not all(isinstance(joint, Joint) for joint in joints):
            raise TypeError(
                f"Composite: give one joint or more, as in Composite(Revolute(), Prismatic()); got {joints}"
            )
        self.joints = joints
        self.ndof = sum(joint.ndof for joint in joints)

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """The chains of all joints, joined."""
        parts, E_carried, dof = [], np.eye(4), 0
        for joint in self.joints:
            own, E_after = joint.links()
            for part in own:
                parts.append(LinkPart(E_carried @ part.E_before, part.joint, part.inverted, dof + part.dof))
                E_carried = np.eye(4)
            E_carried = E_after
            dof += joint.ndof
        return parts, E_carried

    def __repr__(self) -> str:
        return f"Composite({', '.join(map(repr, self.joints))})"


class Free2D(Composite):
    """Motion in the x-y plane, q = (x, y, angle): Q = planar translation, then turn about z (dissertation Eq. 4.53)."""

    def __init__(self):
        super().__init__(Planar(), Revolute())

    def locate(self, E: np.ndarray) -> np.ndarray:
        """(x, y, angle) of the pose E. (3,)"""
        return np.concatenate([joint.locate(E) for joint in self.joints])

    def __repr__(self) -> str:
        return "Free2D()"


class Free3D(Composite):
    """Free motion. order "TR": q = (translation, rotation), Q = T R; order "RT": q = (rotation, translation), Q = R T.

    The rotation is a SphericalExp unless another joint with three degrees of freedom is given (Eq. 42-44, 4.56-4.62).
    """

    def __init__(self, order: str = "TR", rotation: Joint | None = None):
        if order not in ("TR", "RT"):
            raise ValueError(f'Free3D: the order is "TR" (Q = T R) or "RT" (Q = R T), not {order!r}')
        turn, shift = SphericalExp() if rotation is None else rotation, Translational()
        if not isinstance(turn, Joint) or turn.ndof != 3:
            raise TypeError(f"Free3D: the rotation must be a joint with three degrees of freedom, and is {rotation!r}")
        self.order = order
        super().__init__(*((shift, turn) if order == "TR" else (turn, shift)))

    def locate(self, E: np.ndarray) -> np.ndarray:
        """Translation and rotation of the pose E, in the joint's order. (6,)"""
        R, p, turn = E[:3, :3], E[:3, 3], self.joints[self.order.index("R")]
        if not isinstance(turn, (SphericalExp, SphericalEuler)):
            return super().locate(E)
        return np.concatenate([p, turn.locate(E)] if self.order == "TR" else [turn.locate(E), R.T @ p])

    def suited(self, E: np.ndarray) -> "Free3D":
        """This joint with its rotation in the chart that suits the pose E."""
        turn = self.joints[self.order.index("R")]
        suited = turn.suited(E)
        return self if suited is turn else Free3D(self.order, suited)

    def __repr__(self) -> str:
        return f"Free3D(order={self.order!r}, rotation={self.joints[self.order.index('R')]!r})"
