"""J_mr and Jdot_mr, dense: body twists per qdot and their time derivative (supplement Alg. 1, Eq. 18-21).

    J(i, a) = Ad(E_ia) S_a,     Jdot(i, a) = Ad(E_ia)(Sdot_a + ad(V_a) S_a) - ad(phi_i) J(i, a)

Alg. 1 builds Ad(E_ia) link by link; here it is taken at once from the two poses, which the forward pass has left in
world axes. Rows of a body are its twist [omega; v] in its own frame; columns of joints that do not carry it are zero.
"""

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.border import check_finite, inputs, no_model
from ..model.workspace import open_tree
from ..reduction.border import joint_motion
from ..spatial import se3
from ..spatial.algebra import add, cross, load3, mul_T, store3, sub
from ..spatial.checks import check_frame, check_numbers
from ..spatial.se3 import ad_twist
from ..spatial.so3 import hat
from .kinematics import body_place, body_poses_and_twists, body_twist, move_all


@kernel
def fill_rows(links, body, work, dofs, J, Jdot):
    """Fill the six rows of one body in J and Jdot, (6, ndof).

    Needs: poses and twists of the links.
    """
    J[:, :] = 0.0
    Jdot[:, :] = 0.0
    R, offset = body_place(body, work[body.link])
    w, v = body_twist(R, offset, work[body.link])
    i = body.link
    while i > 0:
        link, here = links[i], work[i]
        for k in range(link.dof, link.dof + link.ndof):
            s_w, s_v = load3(dofs[k].s_w), load3(dofs[k].s_v)
            turned_w, turned_v = ad_twist(load3(here.w), load3(here.v), s_w, s_v)
            turned_w, turned_v = add(turned_w, load3(dofs[k].sdot_w)), add(turned_v, load3(dofs[k].sdot_v))
            J_w, J_v = mul_T(R, s_w), mul_T(R, add(s_v, cross(s_w, offset)))
            swept_w, swept_v = ad_twist(w, v, J_w, J_v)
            store3(J[:3, k], J_w)
            store3(J[3:, k], J_v)
            store3(Jdot[:3, k], sub(mul_T(R, turned_w), swept_w))
            store3(Jdot[3:, k], sub(mul_T(R, add(turned_v, cross(turned_w, offset))), swept_v))
        offset = add(offset, load3(here.r))
        i = link.parent


@kernel(entry=True)
def fill_jacobians(handle, bodies, q, qdot, J, Jdot):
    """Fill J and Jdot of the given bodies, for Python. (bodies, 6, ndof) each"""
    tree = open_tree(handle, q)
    links, work, dofs = tree.links, tree.work, tree.dofs
    move_all(tree, q, qdot)
    for i in range(bodies.shape[0]):
        fill_rows(links, bodies[i], work, dofs, J[i], Jdot[i])


def jacobians(
    model: Model, q: np.ndarray, qdot: np.ndarray | None, bodies: slice = slice(None)
) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of some bodies. (bodies, 6, ndof) each"""
    if getattr(model, "reduction", None) is not None:
        motion = joint_motion(model, q, qdot)
        J, Jdot = jacobians(model.whole, motion.q, motion.qdot, bodies)
        return J @ motion.J, Jdot @ motion.J + J @ motion.Jdot
    space, (q, qdot) = inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    chosen = model.bodies[bodies]
    J, Jdot = np.zeros((2, len(chosen), 6, model.ndof), q.dtype)
    fill_jacobians(space.tree.handle, chosen, q, qdot, J, Jdot)
    return J, Jdot


def jacobian(model: Model, q: np.ndarray) -> np.ndarray:
    """J_mr: twists of all bodies, each in its own frame, per qdot. (6 nbodies, ndof)"""
    return jacobians(model, q, None)[0].reshape(6 * model.nbodies, model.ndof)


def jacobian_dot(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """Jdot_mr, time derivative of J_mr along qdot. (6 nbodies, ndof)"""
    return jacobians(model, q, qdot)[1].reshape(6 * model.nbodies, model.ndof)


def body_index(model: Model, body: str | int) -> int:
    """Index of a body, given by name or index, in a model."""
    if not isinstance(model, Model):
        raise no_model(model)
    return model.body(body)


def frame_jacobian(
    model: Model, q: np.ndarray, body: str | int, E_bf: np.ndarray | None = None, qdot: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of a frame fixed to a body at the pose E_bf: its twist in its own axes, and time derivative. (6, ndof)

    Jdot is zero unless qdot is given.
    """
    i = body_index(model, body)
    A = np.eye(6) if E_bf is None else se3.Ad(se3.inverse(check_frame(E_bf, "frame_jacobian: E_bf")))
    J, Jdot = jacobians(model, q, qdot, slice(i, i + 1))
    return A @ J[0], A @ Jdot[0]


def point_jacobian(
    model: Model, q: np.ndarray, body: str | int, point: np.ndarray, qdot: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of a body's point [m, in the body's frame]: its velocity in world axes per qdot. (3, ndof) each

    R Gamma(x) J and R([omega] Gamma(x) J + Gamma(x) Jdot); Jdot is zero unless qdot is given. For a mesh or composite
    the body's frame is its principal one: a point x of the shape is inverse(inertia.frame) @ (x, 1) there.
    """
    i = body_index(model, body)
    G = se3.Gamma(check_numbers(point, "point", (3,)))
    J, Jdot = (rows[0] for rows in jacobians(model, q, qdot, slice(i, i + 1)))
    E, phi = body_poses_and_twists(model, q, qdot)
    R = E[i, :3, :3]
    return R @ G @ J, R @ (hat(phi[i, :3]) @ G @ J + G @ Jdot)
