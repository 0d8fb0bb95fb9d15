"""Where every link is and how it moves: the forward pass that all algorithms share.

World axes; twists about the link's own origin. For link l with parent p, E0 its constant frame and Q its motion:

    E_l = E_p E0 Q,    V_l = Ad(E_lp) V_p + S qdot,    eta_l = ad(V_l) S qdot + Sdot qdot      (supplement Alg. 6)

In world axes Ad(E_lp) only moves the reference point: the velocity at l is v_p + w_p x r with r from p to l.
"""

import numpy as np

from .._jit import kernel
from ..joints.base import set_column
from ..joints.dispatch import REVOLUTE, SPHERICAL_EXP, link_motion
from ..model import Model
from ..model.border import check_finite, inputs
from ..model.workspace import open_tree
from ..spatial.algebra import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
    mul_T,
    scale,
    store3,
    store33,
    sub,
    transpose,
    turn_z,
)
from ..spatial.se3 import ad_twist, compose
from ..spatial.so3 import angle_coefficients, angle_slopes, left_slope, rotation_of
from ..spatial.trig import cos_sin
from .charts import NO_CHARTS, NO_SLOTS, set_charts


@kernel
def move_hinge(link, here, parent, q, qdot, column):
    """Pose, column, twist and bias of a link that turns about its z axis, the most frequent joint, written out."""
    R_p, w_p = load33(parent.R), load3(parent.w)
    sign = 1.0 - 2.0 * link.inverted
    angle = sign * q[link.dof]
    c, s = cos_sin(angle)
    R = turn_z(matmul(R_p, load33(link.R0)), c, s)
    axis = (sign * R[0][2], sign * R[1][2], sign * R[2][2])
    r = mul(R_p, load3(link.p0))
    turn = scale(qdot[link.dof], axis)
    v = add(load3(parent.v), cross(w_p, r))
    store3(column.s_w, axis)
    store33(here.R, R)
    store3(here.r, r)
    store3(here.x, add(load3(parent.x), r))
    store3(here.w, add(w_p, turn))
    store3(here.v, v)
    store3(here.eta_w, cross(w_p, turn))
    store3(here.eta_v, cross(v, turn))


@kernel(inline=False)
def move_ball(link, here, parent, q, qdot, dofs):
    """Pose, columns, twist and bias of a link on a rotation vector, written out.

    In world axes its columns are those of R_0 L(q), L = exp([q]) S, without a linear part. R_0 is the link's rotation
    at q = 0; the inverse joint is exp([-q]).
    """
    sign = 1.0 - 2.0 * link.inverted
    R_p, w_p, dof = load33(parent.R), load3(parent.w), link.dof
    u, rate = scale(sign, load3(q[dof : dof + 3])), scale(sign, load3(qdot[dof : dof + 3]))
    x = dot(u, u)
    a, b, c = angle_coefficients(x)
    db, dc = angle_slopes(x, a, b, c)
    R_0, r = matmul(R_p, load33(link.R0)), mul(R_p, load3(link.p0))
    L, Ldot = rotation_of(u, b, c), left_slope(u, rate, (b, c, db, dc))
    columns, omega = transpose(matmul(R_0, L)), mul(L, rate)
    slopes, turn = transpose(matmul(R_0, Ldot)), mul(R_0, omega)
    for k in range(3):
        store3(dofs[dof + k].s_w, scale(sign, columns[k]))
        store3(dofs[dof + k].sdot_w, scale(sign, sub(slopes[k], cross(turn, columns[k]))))
    w, v = add(w_p, turn), add(load3(parent.v), cross(w_p, r))
    store33(here.R, matmul(R_0, rotation_of(u, a, b)))
    store3(here.r, r)
    store3(here.x, add(load3(parent.x), r))
    store3(here.w, w)
    store3(here.v, v)
    store3(here.eta_w, add(cross(w, turn), mul(R_0, mul(Ldot, rate))))
    store3(here.eta_v, cross(v, turn))


@kernel
def place_columns(link, R, qdot, dofs):
    """Turn a link's columns into world axes; returns S qdot and Sdot qdot as (w, v, bias_w, bias_v)."""
    o = R[0][0] * 0.0
    w, v, bias_w, bias_v = (o, o, o), (o, o, o), (o, o, o), (o, o, o)
    for k in range(link.dof, link.dof + link.ndof):
        column, rate = dofs[k], qdot[k]
        s_w, s_v = mul(R, load3(column.s_w)), mul(R, load3(column.s_v))
        sdot_w, sdot_v = mul(R, load3(column.sdot_w)), mul(R, load3(column.sdot_v))
        set_column(column, (s_w, s_v), (sdot_w, sdot_v))
        w, v = add_scaled(w, rate, s_w), add_scaled(v, rate, s_v)
        bias_w, bias_v = add_scaled(bias_w, rate, sdot_w), add_scaled(bias_v, rate, sdot_v)
    return w, v, bias_w, bias_v


@kernel(inline=False)
def move_any(link, params, q, qdot, here, parent, dofs):
    """Pose, columns, twist V and bias eta of a link of any joint.

    Needs: pose and twist of the parent.
    """
    R_p, w_p = load33(parent.R), load3(parent.w)
    R_q, p_q = link_motion(link, params, q, qdot, dofs)
    R, p = compose(load33(link.R0), load3(link.p0), R_q, p_q)
    R, r = matmul(R_p, R), mul(R_p, p)
    turn, shift, bias_w, bias_v = place_columns(link, R, qdot, dofs)
    w, v = add(w_p, turn), add(add(load3(parent.v), cross(w_p, r)), shift)
    eta_w, eta_v = ad_twist(w, v, turn, shift)
    store33(here.R, R)
    store3(here.r, r)
    store3(here.x, add(load3(parent.x), r))
    store3(here.w, w)
    store3(here.v, v)
    store3(here.eta_w, add(eta_w, bias_w))
    store3(here.eta_v, add(eta_v, bias_v))


@kernel
def move_link(i, links, params, q, qdot, work, dofs):
    """Pose, columns, twist V and bias eta of link i.

    Needs: pose and twist of the parent.
    """
    link = links[i]
    if link.kind == REVOLUTE:
        move_hinge(link, work[i], work[link.parent], q, qdot, dofs[link.dof])
    elif link.kind == SPHERICAL_EXP:
        move_ball(link, work[i], work[link.parent], q, qdot, dofs)
    else:
        move_any(link, params, q, qdot, work[i], work[link.parent], dofs)


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
    space, (q, qdot) = inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    E, phi = np.empty((1, model.nbodies, 4, 4), q.dtype), np.empty((1, model.nbodies, 6), q.dtype)
    bodies_along(space.tree.handle, NO_SLOTS, NO_CHARTS, q[None], qdot[None], E, phi)
    return E[0], phi[0]
