"""The dense RedMax form of the equations of motion (supplement Eq. 9-12), summed body by body.

(J^T M_m J) qddot = tau + J^T (f_m - M_m Jdot qdot),    f_m = ad(phi)^T M_m phi + gravity + wrenches
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..spatial.algebra import add, cross, load3, mul_T, scale, store3
from .jacobian import fill_rows
from .kinematics import body_place, body_twist, move_all


@kernel
def maximal_force(body, here, gravity, force):
    """f_m of one body in its own frame without wrenches: gyroscopic moment, Coriolis force and weight (Eq. 9).

    Needs: pose and twist of its link.
    """
    R, offset = body_place(body, here)
    w, v = body_twist(R, offset, here)
    moments = load3(body.moments)
    h = (moments[0] * w[0], moments[1] * w[1], moments[2] * w[2])
    store3(force[:3], cross(h, w))
    store3(force[3:], scale(body.mass, add(cross(v, w), mul_T(R, load3(gravity)))))


@kernel
def add_body(body, qdot, J, Jdot, force, M, f):
    """Add J^T M_m J and J^T (f_m - M_m Jdot qdot) of one body; the lower triangle of M suffices."""
    n = qdot.shape[0]
    for i in range(6):
        inertia = body.moments[i] if i < 3 else body.mass
        for k in range(n):
            force[i] -= inertia * Jdot[i, k] * qdot[k]
        for k in range(n):
            if J[i, k] == 0.0:
                continue
            f[k] += J[i, k] * force[i]
            weighted = inertia * J[i, k]
            for j in range(k + 1):
                M[k, j] += weighted * J[i, j]


class Dense(Bundle):
    """Scratch of the dense form of the equations of motion."""

    J = fields.numbers(2)  # of one body, (6, ndof)
    Jdot = fields.numbers(2)
    force = fields.numbers()  # on one body, (6,)
    M = fields.numbers(2)  # M_r, or its factor, (ndof, ndof)
    f = fields.numbers()  # (ndof,)


open_dense = opener(Dense)


def dense_scratch(ndof: int, scalar: type) -> Dense:
    """Scratch that the dense form needs beside the tree's."""
    jacobians = {"J": np.zeros((6, ndof), scalar), "Jdot": np.zeros((6, ndof), scalar), "force": np.zeros(6, scalar)}
    return Dense(scalar, **jacobians, M=np.zeros((ndof, ndof), scalar), f=np.zeros(ndof, scalar))


@kernel(unit=True)
def reduce_system(tree, q, qdot, tau, wrenches, dense, f):
    """Fill f_r, and the lower triangle of M_r in the dense scratch.

    Leaves: poses and twists of the links.
    """
    links, bodies, gravity, work, dofs = tree.links, tree.bodies, tree.gravity, tree.work, tree.dofs
    J, Jdot, force, M = dense.J, dense.Jdot, dense.force, dense.M
    move_all(tree, q, qdot)
    M[:, :] = 0.0
    for k in range(f.shape[0]):
        f[k] = tau[k]
    for i in range(bodies.shape[0]):
        body = bodies[i]
        fill_rows(links, body, work, dofs, J, Jdot)
        maximal_force(body, work[body.link], gravity, force)
        if wrenches.shape[0] > 0:
            for k in range(6):
                force[k] += wrenches[i, k]
        add_body(body, qdot, J, Jdot, force, M, f)
