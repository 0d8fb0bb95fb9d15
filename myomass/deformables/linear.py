"""Scratch of the derivatives of soft bodies, sparse, and of the linear systems that they are part of."""

import numpy as np

from .._jit import Bundle
from .._jit import bundle as fields
from ..forces.base import point_dtype
from ..forces.pack import element_dtype
from ..joints.records import records
from ..model import Model
from .elements import BATCH


class SoftLinear(Bundle):
    """K and D over all nodes, one combination of M, D and K, and how it couples free nodes with the joints.

    Blocks are those of the pattern of nodes. Of the combination, H has what is between nodes, and with J of the nodes
    that ride, C, B and T what is between free nodes and joints, joints and free nodes, and joints.
    """

    K = fields.plain(np.float64)  # (9 blocks,)
    D = fields.plain(np.float64)
    H = fields.plain(np.float64)
    slope = fields.plain(np.float64, 3)  # dP/dF of a few tetrahedra
    moved = fields.plain(point_dtype(np.complex128))  # one point, in complex steps
    bare = fields.plain(element_dtype())  # one element, that of a force on a point
    column = fields.plain(np.float64, 3)  # columns of one node that rides (1, joints, 12)
    J = fields.plain(np.float64, 3)  # dx/dq and dv/dq of the nodes that ride (riders, joints, 6)
    Y = fields.plain(np.float64, 2)  # (3, joints)
    coupled = fields.plain(np.int64)  # free nodes with a neighbour that rides
    C = fields.plain(np.float64, 2)  # (3 coupled, joints)
    B = fields.plain(np.float64, 2)  # (joints, 3 coupled)
    T = fields.plain(np.float64, 2)  # (joints, joints)


def soft_linear(model: Model) -> SoftLinear:
    """Scratch of the derivatives of a model's soft bodies."""
    soft, n = model.soft, model.joint_dofs
    if soft is None:
        return SoftLinear.empty(np.float64)
    free, pattern = soft.free, soft.pattern
    row = np.repeat(np.arange(len(soft.links)), np.diff(pattern.starts))
    coupled = np.unique(row[(row < free) & (pattern.columns >= free)])
    size = 9 * len(pattern.columns)
    return SoftLinear(
        np.float64,
        **{key: np.zeros(size) for key in "KDH"},
        slope=np.zeros((BATCH, 12, 9)),
        moved=records(1, point_dtype(np.complex128)),
        bare=records(1, element_dtype()),
        column=np.zeros((1, n, 12)),
        J=np.zeros((len(soft.links) - free, n, 6)),
        Y=np.zeros((3, n)),
        coupled=coupled.astype(np.int64),
        C=np.zeros((3 * len(coupled), n)),
        B=np.zeros((n, 3 * len(coupled))),
        T=np.zeros((n, n)),
    )
