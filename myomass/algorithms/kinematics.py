"""Where every link is and how it moves: the forward pass that all algorithms share.

World axes; twists about the link's own origin. For link l with parent p, E0 its constant frame and Q its motion:

    E_l = E_p E0 Q,    V_l = Ad(E_lp) V_p + S qdot,    eta_l = ad(V_l) S qdot + Sdot qdot      (supplement Alg. 6)

In world axes Ad(E_lp) only moves the reference point: the velocity at l is v_p + w_p x r with r from p to l.
"""

import numpy as np

from .._jit import kernel
from ..joints.links import move_link
from ..model import Model
from ..model.border import check_finite
from ..model.workspace import open_tree
from ..reduction.border import joint_inputs
from ..spatial.algebra import (
    add,
    cross,
    load3,
    load33,
    matmul,
    mul,
    mul_T,
    store3,
)
from .charts import NO_CHARTS, NO_SLOTS, set_charts


@kernel(unit=True)
def move_all(tree, q, qdot):
    """Pose, columns, twist and bias of every link.

    Leaves: poses and twists of the links, the columns of all degrees of freedom.
    """
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)


@kernel
def body_place(body, here):
    """(R_wb, offset): the body's axes, and its centre of mass from the origin of its link, in world axes."""
    R = load33(here.R)
    return matmul(R, load33(body.R_lb)), mul(R, load3(body.p_lb))


@kernel
def body_twist(R, offset, here):
    """phi = (w, v) of a body in its own frame, from its link's twist."""
    w = load3(here.w)
    return mul_T(R, w), mul_T(R, add(load3(here.v), cross(w, offset)))


@kernel
def store_body(body, here, E, phi):
    """Write one body's pose E (4x4) and twist phi (6)."""
    R, offset = body_place(body, here)
    w, v = body_twist(R, offset, here)
    x = add(load3(here.x), offset)
    for k in range(3):
        store3(E[k, :3], R[k])
        E[k, 3] = x[k]
        E[3, k] = 0.0
    E[3, 3] = 1.0
    store3(phi[:3], w)
    store3(phi[3:], v)


@kernel(entry=True)
def bodies_along(handle, slots, charts, q, qdot, E, phi):
    """Poses and twists of all bodies for every row of q, qdot and charts, for Python."""
    tree = open_tree(handle, q)
    bodies, params, work = tree.bodies, tree.params, tree.work
    for row in range(q.shape[0]):
        set_charts(params, slots, charts, row)
        move_all(tree, q[row], qdot[row])
        for i in range(bodies.shape[0]):
            store_body(bodies[i], work[bodies[i].link], E[row, i], phi[row, i])


def forward_kinematics(model: Model, q: np.ndarray) -> np.ndarray:
    """E_wb, poses of all bodies: centre of mass and principal axes in the world [m]. (nbodies, 4, 4)"""
    return body_poses_and_twists(model, q, None)[0]


def body_twists(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """phi = J_mr qdot, twists [omega; v] of all bodies in their own frames [rad/s, m/s]. (nbodies, 6)"""
    return body_poses_and_twists(model, q, qdot)[1]


def body_poses_and_twists(model: Model, q: np.ndarray, qdot: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(E_wb, phi) of all bodies. (nbodies, 4, 4), (nbodies, 6)"""
    space, (q, qdot) = joint_inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    E, phi = np.empty((1, model.nbodies, 4, 4), q.dtype), np.empty((1, model.nbodies, 6), q.dtype)
    bodies_along(space.tree.handle, NO_SLOTS, NO_CHARTS, q[None], qdot[None], E, phi)
    return E[0], phi[0]


def marker_places(model: Model, q: np.ndarray) -> np.ndarray:
    """Places of all markers in the world, in the order of model.markers [m]. (nmarkers, 3)"""
    E = forward_kinematics(model, q)
    places = np.empty((len(model.markers), 3), E.dtype)
    for i, marker in enumerate(model.markers.values()):
        body = None if marker.body is None else E[model.body(marker.body)]
        places[i] = marker.place if body is None else body[:3, :3] @ marker.place + body[:3, 3]
    return places
