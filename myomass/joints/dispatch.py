"""The list of joints that have kernels, and the kernels that choose among them by a link's `kind`.

A new joint is its own file and one line in KINDS; a user's own, in a file of their own, is added by `mm.register`.
"""

from collections.abc import Iterable

import numpy as np
from numba.core import types

from .._jit import Choice, kernel
from ..spatial.algebra import add, add_scaled, load3, neg, store3
from ..spatial.se3 import Ad_twist, ad_twist, invert
from .base import Joint, set_column
from .ellipsoidal import Ellipsoidal
from .fixed import Fixed
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spatial_transform import SpatialTransform
from .spherical_euler import SphericalEuler
from .spherical_exp import SphericalExp
from .spline_curve import SplineCurve
from .spline_surface import SplineSurface
from .translational import Translational
from .universal import Universal

KINDS: list[type[Joint]] = [
    Revolute,
    Fixed,
    Prismatic,
    SphericalExp,
    Universal,
    Translational,
    Planar,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    SpatialTransform,
    Ellipsoidal,
]
DIRECT = 4  # the first ones are part of every algorithm's machine code, the others are called when a model has them
OWN = len(KINDS)  # how many the package has
REVOLUTE, FIXED = KINDS.index(Revolute), KINDS.index(Fixed)
SPHERICAL_EXP = KINDS.index(SphericalExp)


def _pose(params, at, q, qdot, dof, dofs) -> types.Type:
    """Numba type of (R, p), which `motion` returns."""
    vector = types.UniTuple(q.dtype, 3)
    return types.Tuple((types.UniTuple(vector, 3), vector))


MOTION = Choice(__name__, "joint_motion", [joint.motion for joint in KINDS], _pose, DIRECT)
PARTIALS = Choice(__name__, "joint_partials", [joint.partials for joint in KINDS], lambda *args: types.none, DIRECT)
CHARTS = Choice(
    __name__, "joint_charts", [joint.reparameterise for joint in KINDS], lambda *args: types.boolean, DIRECT
)
joint_motion, joint_partials, joint_charts = MOTION.call, PARTIALS.call, CHARTS.call


def register_joint(joint: type[Joint]) -> None:
    """Add a user's own joint to those that models can have."""
    KINDS.append(joint)
    MOTION.add(joint.motion)
    PARTIALS.add(joint.partials)
    CHARTS.add(joint.reparameterise)


def demand_joints(kinds: Iterable[int]) -> None:
    """Compile, or load from the cache, the joints of these kinds."""
    for choice in (MOTION, PARTIALS, CHARTS):
        choice.demand(kinds)


def coordinate_units(links: np.ndarray, ndof: int) -> list[str]:
    """The unit of each coordinate of a tree's links: "rad" where it turns, "m" where it slides, else "1". (ndof)"""
    units = ["1"] * ndof
    for link in links[1:]:
        for k, unit in enumerate(KINDS[link["kind"]].units[: link["ndof"]]):
            units[link["dof"] + k] = unit
    return units


@kernel
def link_motion(link, params, q, qdot, dofs):
    """(R, p) of the link's own motion, Q or Q^-1; its columns of S and Sdot go into dofs, in the link's frame.

    Inverted: S -> -Ad(Q) S and Sdot -> -Ad(Q)(Sdot + ad(S qdot) S).
    """
    R, p = joint_motion(link.kind, params, link.at, q, qdot, link.dof, dofs)
    if link.inverted:
        invert_columns(link.dof, link.ndof, R, p, qdot, dofs)
        return invert(R, p)
    return R, p


@kernel(inline=False)
def invert_columns(dof, ndof, R, p, qdot, dofs):
    """Turn the columns of S and Sdot of a joint at Q = (R, p) into those of its inverse."""
    o = R[0][0] * 0.0
    w, v = (o, o, o), (o, o, o)
    for k in range(dof, dof + ndof):
        w = add_scaled(w, qdot[k], load3(dofs[k].s_w))
        v = add_scaled(v, qdot[k], load3(dofs[k].s_v))
    for k in range(dof, dof + ndof):
        column = dofs[k]
        s_w, s_v = load3(column.s_w), load3(column.s_v)
        turned_w, turned_v = ad_twist(w, v, s_w, s_v)
        sdot = Ad_twist(R, p, add(load3(column.sdot_w), turned_w), add(load3(column.sdot_v), turned_v))
        s = Ad_twist(R, p, s_w, s_v)
        set_column(column, (neg(s[0]), neg(s[1])), (neg(sdot[0]), neg(sdot[1])))


@kernel(inline=False)
def link_partials(link, params, q, dofs, R, p, dS):
    """dS[m, k] = d S_k/d q_m of the link.

    Inverted: d S_k/d q_m -> -Ad(Q)(d S_k/d q_m + ad(S_m) S_k).

    Needs: its columns S, not inverted, in dofs at Q = (R, p).
    """
    dS[:, :, :] = 0.0
    joint_partials(link.kind, params, link.at, q, link.dof, dS)
    if not link.inverted:
        return
    for m in range(link.ndof):
        first = dofs[link.dof + m]
        for k in range(link.ndof):
            second = dofs[link.dof + k]
            turned_w, turned_v = ad_twist(load3(first.s_w), load3(first.s_v), load3(second.s_w), load3(second.s_v))
            entry = dS[m, k]
            w, v = Ad_twist(R, p, add(load3(entry[:3]), turned_w), add(load3(entry[3:]), turned_v))
            store3(entry[:3], neg(w))
            store3(entry[3:], neg(v))


@kernel(inline=False)
def reparameterise(links, charted, params, q, qdot, q_before, qdot_before):
    """Move every joint near a singularity, among the links `charted`, to a better chart, in place; returns how many.

    A row before comes along; empty arrays say that there is none.
    """
    moved = 0
    for i in charted:
        link = links[i]
        if joint_charts(link.kind, params, link.at, q, qdot, link.dof, q_before, qdot_before):
            moved += 1
    return moved
