"""The motion of one link from that of its parent: pose, columns of S and Sdot, twist and bias.

World axes; twists about the link's own origin. For link l with parent p, E0 its constant frame and Q its motion:

    E_l = E_p E0 Q,    V_l = Ad(E_lp) V_p + S qdot,    eta_l = ad(V_l) S qdot + Sdot qdot      (supplement Alg. 6)

In world axes Ad(E_lp) only moves the reference point: the velocity at l is v_p + w_p x r with r from p to l. Hinges,
balls and welds are part of the machine code of every algorithm; all other joints are compiled when a model has them.
"""

from collections.abc import Iterable

from numba.core import types

from .._jit import kernel
from ..spatial.algebra import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
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
from .base import set_column
from .dispatch import FIXED, REVOLUTE, SPHERICAL_EXP, demand_joints, link_motion


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


@kernel(inline=False)
def carry_link(link, here, parent):
    """Pose, twist and bias of a link that is welded to its parent."""
    R_p, w = load33(parent.R), load3(parent.w)
    r, o = mul(R_p, load3(link.p0)), w[0] * 0.0
    store33(here.R, matmul(R_p, load33(link.R0)))
    store3(here.r, r)
    store3(here.x, add(load3(parent.x), r))
    store3(here.w, w)
    store3(here.v, add(load3(parent.v), cross(w, r)))
    store3(here.eta_w, (o, o, o))
    store3(here.eta_v, (o, o, o))


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


@kernel(on_demand=types.none)
def move_by_joint(link, params, q, qdot, here, parent, dofs):
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


@kernel(inline=False)
def move_any(link, params, q, qdot, here, parent, dofs):
    """`move_by_joint`, out of the loop over links, which the call through a door would slow down."""
    move_by_joint(link, params, q, qdot, here, parent, dofs)


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
    elif link.kind == FIXED:
        carry_link(link, work[i], work[link.parent])
    else:
        move_any(link, params, q, qdot, work[i], work[link.parent], dofs)


def demand_links(kinds: Iterable[int]) -> None:
    """Have the motion of links with joints of these kinds at hand."""
    kinds = set(kinds)
    if kinds - {REVOLUTE, SPHERICAL_EXP, FIXED}:
        move_by_joint.demand()
    demand_joints(kinds)
