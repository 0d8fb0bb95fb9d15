"""Inverse: a joint that moves by Q(q)^-1, S -> -Ad(Q) S. Inverting twice gives the original back."""

import numpy as np

from ..spatial import se3
from .base import Joint, LinkPart


class Inverse(Joint):
    """The given joint, run from child to parent."""

    def __new__(cls, joint: Joint):
        """A new inverse joint; of an inverse joint, the joint itself."""
        return joint.joint if isinstance(joint, Inverse) else super().__new__(cls)

    def __init__(self, joint: Joint):
        if not isinstance(joint, Joint):
            raise TypeError(f"Inverse: give a joint such as mm.Universal(), not {joint!r}")
        self.joint, self.ndof = joint, joint.ndof

    def __getnewargs__(self) -> tuple[Joint]:
        return (self.joint,)

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """The links in reverse: (B1 Q1 ... Bn Qn E)^-1 = E^-1 Qn^-1 Bn^-1 ... Q1^-1 B1^-1."""
        parts, E_after = self.joint.links()
        turned = []
        for part in reversed(parts):
            turned.append(LinkPart(se3.inverse(E_after), part.joint, not part.inverted, part.dof))
            E_after = part.E_before
        return turned, se3.inverse(E_after)

    def locate(self, E: np.ndarray) -> np.ndarray:
        """q at which the joint itself has the inverse pose E^-1. (ndof,)"""
        return self.joint.locate(se3.inverse(E))

    def suited(self, E: np.ndarray) -> Joint:
        """The inverse of the joint in the chart that suits the inverse pose."""
        joint = self.joint.suited(se3.inverse(E))
        return self if joint is self.joint else Inverse(joint)

    def __repr__(self) -> str:
        return f"Inverse({self.joint!r})"
