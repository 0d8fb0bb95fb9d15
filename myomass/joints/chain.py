"""Q, S, Sdot and dS of any joint, composites and inverses included, by walking its chain of links.

    S <- (Ad(E^-1) S, S_link),   Sdot <- (Ad(E^-1) Sdot - ad(v) Ad(E^-1) S, Sdot_link),   v = S_link qdot_link

with E the link's place in the one before (supplement Eq. 45-51), and dS in the same way with S_m in place of v.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..spatial import se3
from ..spatial.algebra import store3, store33
from ..spatial.checks import check_numbers
from .base import Joint, LinkPart
from .dispatch import KINDS, demand_joints, invert_columns, joint_motion, link_partials
from .records import dof_dtype, link_dtype, records


def fill_link(link: np.ndarray, part: LinkPart, at: int, dof: int) -> None:
    """Write the joint of a link: its kind, where its parameters and degrees of freedom start, its constant frame."""
    link["kind"] = kind_of(part.joint)
    link["at"] = at
    link["dof"] = dof + part.dof
    link["ndof"] = part.joint.ndof
    link["inverted"] = part.inverted
    link["R0"] = part.E_before[:3, :3]
    link["p0"] = part.E_before[:3, 3]


def kind_of(joint: Joint) -> int:
    """Number of a joint's kernels. Raises a TypeError if the joint was not registered."""
    if type(joint) not in KINDS:
        name = type(joint).__name__
        raise TypeError(f"the joint {name} is not registered; call mm.register({name}) after its definition")
    return KINDS.index(type(joint))


@kernel(entry=True)
def evaluate_link(links, params, q, qdot, dofs, dS, R_out, p_out):
    """Write Q, columns and partials of links[0] into arrays, for Python."""
    link = links[0]
    R, p = joint_motion(link.kind, params, link.at, q, qdot, link.dof, dofs)
    link_partials(link, params, q, dofs, R, p, dS)
    store33(R_out, R)
    store3(p_out, p)
    if link.inverted:
        invert_columns(link.dof, link.ndof, R, p, qdot, dofs)


class Columns(NamedTuple):
    """S and Sdot of a link, in its own frame. (6, ndof) each"""

    S: np.ndarray
    Sdot: np.ndarray


def link_columns(link: np.ndarray, params: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> Columns:
    """S and Sdot of the link that is the one record of an array, of a tree in the state (q, qdot)."""
    k, dofs = int(link["ndof"][0]), records(len(q), dof_dtype(q.dtype.type))
    dS, R, p = np.zeros((max(k, 1), max(k, 1), 6), q.dtype), np.zeros((3, 3), q.dtype), np.zeros(3, q.dtype)
    demand_joints(link["kind"].tolist())
    evaluate_link(link, params, q, qdot, dofs, dS, R, p)
    own = dofs[link["dof"][0] : link["dof"][0] + k]
    return Columns(np.hstack([own["s_w"], own["s_v"]]).T, np.hstack([own["sdot_w"], own["sdot_v"]]).T)


COMPILED = evaluate_link


def evaluate_plainly(joint: Joint, q: np.ndarray) -> tuple[np.ndarray, ...]:
    """`evaluate` in plain Python, which is enough for a single look and compiles nothing."""
    return evaluate(joint, q, None, evaluate_link=getattr(evaluate_link, "py_func", evaluate_link))


def evaluate(
    joint: Joint, q: np.ndarray, qdot: np.ndarray | None, *, evaluate_link: Callable = evaluate_link
) -> tuple[np.ndarray, ...]:
    """(Q, S, Sdot, dS) of a joint at q. (4, 4), (6, ndof), (6, ndof), (ndof, 6, ndof)"""
    n = joint.ndof
    q = check_numbers(np.atleast_1d(q), f"{joint!r}: q", (n,), real=False)
    qdot = np.zeros(n) if qdot is None else check_numbers(np.atleast_1d(qdot), f"{joint!r}: qdot", (n,), real=False)
    scalar = np.result_type(q, qdot, np.float64)
    q, qdot = q.astype(scalar), qdot.astype(scalar)
    parts, E_after = joint.links()
    Q, S, Sdot, dS = np.eye(4), np.zeros((6, n)), np.zeros((6, n)), np.zeros((n, 6, n))
    for part in parts:
        E, own = _evaluate_part(part, q, qdot, evaluate_link)
        Q = Q @ E
        S, Sdot, dS = _append(se3.Ad(se3.inverse(E)), (S, Sdot, dS), own, qdot)
    A = se3.Ad(se3.inverse(E_after))
    return Q @ E_after, A @ S, A @ Sdot, A @ dS


def _evaluate_part(
    part: LinkPart, q: np.ndarray, qdot: np.ndarray, evaluate_link: Callable
) -> tuple[np.ndarray, tuple]:
    """Pose of one link in the one before, and its own (S, Sdot, dS) widened to the whole joint."""
    n, k = len(q), part.joint.ndof
    link, dofs = records(1, link_dtype(np.float64)), records(max(n, 1), dof_dtype(q.dtype.type))
    fill_link(link[0], part, 0, 0)
    local, R, p = np.zeros((max(k, 1), max(k, 1), 6), q.dtype), np.zeros((3, 3), q.dtype), np.zeros(3, q.dtype)
    if evaluate_link is COMPILED:
        demand_joints([kind_of(part.joint)])
    else:
        link, dofs = link.view(np.recarray), dofs.view(np.recarray)
    evaluate_link(link, part.joint.parameters(), q, qdot, dofs, local, R, p)
    Q = se3.inverse(se3.pose(R, p)) if part.inverted else se3.pose(R, p)
    own = slice(part.dof, part.dof + k)
    S, Sdot, dS = np.zeros((6, n), q.dtype), np.zeros((6, n), q.dtype), np.zeros((n, 6, n), q.dtype)
    S[:, own] = np.vstack([dofs["s_w"].T, dofs["s_v"].T])[:, own]
    Sdot[:, own] = np.vstack([dofs["sdot_w"].T, dofs["sdot_v"].T])[:, own]
    dS[own, :, own] = local[:k, :k].transpose(0, 2, 1)
    return part.E_before @ Q, (S, Sdot, dS)


def _append(A: np.ndarray, before: tuple, own: tuple, qdot: np.ndarray) -> tuple[np.ndarray, ...]:
    """(S, Sdot, dS) of a chain after one more link; A takes twists of the frame before into the link's."""
    S, Sdot, dS = (A @ x for x in before)
    Sdot = Sdot - se3.ad(own[0] @ qdot) @ S
    dS = dS - np.array([se3.ad(column) @ S for column in own[0].T]).reshape(dS.shape)
    return S + own[0], Sdot + own[1], dS + own[2]
