"""Inverse: a joint that moves by Q(q)^-1, S -> -Ad(Q) S. Inverting twice gives the original back."""

import numpy as np

from ..spatial import se3
from .base import Joint, LinkPart


class Inverse(Joint):
    """The given joint, run from child to parent."""

    def __new__(cls, joint: Joint):
        """Inverse(Inverse(joint)) is joint: the two know each other."""
        if not isinstance(joint, Joint):
            raise TypeError(f"Inverse: give a joint such as mm.Universal(), not {joint!r}")
        if joint.opposite is None:
            joint.opposite = super().__new__(cls)
            joint.opposite.opposite = joint
        return joint.opposite

    def __init__(self, joint: Joint):
        self.joint, self.ndof = joint, joint.ndof

    def links(self) -> tuple[list[LinkPart], np.ndarray]:
        """(B1 Q1 ... Bn Qn E)^-1 = E^-1 Qn^-1 Bn^-1 ... Q1^-1 B1^-1."""
        parts, E_after = self.joint.links()
        turned = []
        for part in reversed(parts):
            turned.append(LinkPart(se3.inverse(E_after), part.joint, not part.inverted, part.dof))
            E_after = part.E_before
        return turned, se3.inverse(E_after)

    def __repr__(self) -> str:
        return f"Inverse({self.joint!r})"
