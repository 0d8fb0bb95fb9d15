"""Paths of muscles for Python: lengths, moment arms, where they run, their mass points with Jacobians."""

import warnings
from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..algorithms.kinematics import move_all
from ..algorithms.rnea_partials import STEP
from ..model import Model
from ..model.border import check_finite, inputs
from ..model.workspace import open_tree
from ..reduction.border import fold_columns, joint_inputs
from ..spatial.algebra import cross, load3, load33, mul, store3
from ..spatial.brief import brief
from .mass import place_lumps
from .network.ranges import excesses
from .packed import tendon_lengths
from .path import advance, is_junction, node_place, solve_path
from .points import along_body, along_dof, along_motion, along_twist
from .records import muscles_of, open_muscles
from .tension import fill_arms
from .wrapping.base import ARC, ARCS, ENTRY, EXIT, SPAN, get3


@brief
class MusclePath(NamedTuple):
    """A solved path: its length [m], what of it lies on surfaces [m], and its corners in the world [m]."""

    length: float
    wrapped: (
        np.ndarray
    )  # length on each surface, 0 for a piece without; of a piece with several all in order, (surfaces,)
    corners: np.ndarray  # points and, between them, where it touches surfaces and leaves them, in order, (n, 3)
    on_surface: np.ndarray  # does the path run on a surface from each corner to the next? (n - 1,)


@kernel(entry=True)
def lengths_at(q, still, handle, muscles_handle, lengths, gradient):
    """Fill the lengths of all muscles and, unless `gradient` is empty, dl/dq, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    table, spans, scratch = muscles.table, muscles.spans, muscles.scratch
    move_all(tree, q, still)
    gradient[:, :] = 0.0
    for index in range(table.shape[0]):
        muscle = table[index]
        solve_path(muscle, q, tree.work, muscles)
        lengths[index] = scratch.total[0]
        if gradient.shape[0] > 0:
            fill_arms(muscle, tree, muscles, scratch.arms)
            for s in range(muscle.spans):
                gradient[index, spans[muscle.span + s].dof] = scratch.arms[s]


@kernel(entry=True)
def corners_at(index, q, still, handle, muscles_handle, wrapped, corners, kinds):
    """Fill the corners of one muscle's path, for Python; returns how many. kinds: does it go on along a surface?"""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    muscle, scratch = muscles.table[index], muscles.scratch
    move_all(tree, q, still)
    solve_path(muscle, q, tree.work, muscles)
    count = 0
    for j in range(scratch.present[0]):
        if not is_junction(j, muscles):
            store3(corners[count], load3(scratch.points[j].x[0]))
            kinds[count] = False
            count += 1
        if j + 1 == scratch.present[0]:
            break
        piece = scratch.pieces[j]
        for k in range(piece.arcs):
            arc = ARC + 8 * k
            wrapped[piece.at - muscle.point] += piece.g[0, arc + SPAN]
            for end in range(2):
                x = mul(load33(piece.R), get3(piece.g, arc + (EXIT if end else ENTRY))[0])
                store3(corners[count], x)
                for a in range(3):
                    corners[count, a] += piece.c[0, a]
                kinds[count] = end == 0
                count += 1
    return count


@kernel(entry=True)
def points_at(index, q, qdot, handle, muscles_handle, x, v):
    """Fill x and v, places and velocities of one muscle's mass points, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    muscle, nodes = muscles.table[index], muscles.scratch.nodes
    move_all(tree, q, qdot)
    solve_path(muscle, q, tree.work, muscles)
    along_motion(qdot, qdot, tree.work, muscles)
    advance(muscle, muscles)
    for i in range(place_lumps(muscle, muscles, True)):
        place, velocity = node_place(nodes[i], muscle, muscles)
        store3(x[i], place)
        store3(v[i], velocity)


@kernel(entry=True)
def jacobian_at(index, q, qdot, handle, muscles_handle, J):
    """Fill J_ar of one muscle's mass points over all degrees of freedom, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    links, work, dofs = tree.links, tree.work, tree.dofs
    table, spans, nodes = muscles.table, muscles.spans, muscles.scratch.nodes
    muscle = table[index]
    move_all(tree, q, qdot)
    solve_path(muscle, q, work, muscles)
    count = place_lumps(muscle, muscles, True)
    for s in range(muscle.spans):
        along_dof(muscle, s, tree, muscles)
        advance(muscle, muscles)
        for i in range(count):
            _, v = node_place(nodes[i], muscle, muscles)
            for a in range(3):
                J[i, a, spans[muscle.span + s].dof] = v[a]
    link = muscle.root
    while link > 0:
        for k in range(links[link].dof, links[link].dof + links[link].ndof):
            ride(muscle, work[link], load3(dofs[k].s_w), load3(dofs[k].s_v), muscles)
            for i in range(count):
                _, v = node_place(nodes[i], muscle, muscles)
                for a in range(3):
                    J[i, a, k] = v[a]
        link = links[link].parent


@kernel
def ride(muscle, here, s_w, s_v, muscles):
    """Set the path's direction to a twist (s_w, s_v) of a link that carries the whole muscle.

    Needs: the muscle's path (`solve_path`).
    """
    for j in range(muscles.scratch.present[0]):
        along_twist(here, s_w, s_v, True, True, muscles.scratch.points, muscles.scratch.pieces, j)
    advance(muscle, muscles)


@kernel(entry=True)
def maximal_jacobian_at(index, q, qdot, handle, muscles_handle, J):
    """Fill J_am of one muscle's mass points over the twists of all bodies, in their own frames, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    bodies, work = tree.bodies, tree.work
    muscle, nodes = muscles.table[index], muscles.scratch.nodes
    move_all(tree, q, qdot)
    solve_path(muscle, q, work, muscles)
    count = place_lumps(muscle, muscles, True)
    for b in range(bodies.shape[0]):
        link = bodies[b].link
        for k in range(6):
            along_body(link, work[link], unit_twist(bodies[b], work[link], k), muscles)
            advance(muscle, muscles)
            for i in range(count):
                _, v = node_place(nodes[i], muscle, muscles)
                for a in range(3):
                    J[i, a, 6 * b + k] = v[a]


@kernel
def unit_twist(body, here, k):
    """Component k of a body's twist, as a twist of its link about the link's origin in world axes."""
    R = load33(here.R)
    offset, o = mul(R, load3(body.p_lb)), here.x[0] * 0.0
    axis = mul(R, (body.R_lb[0, k % 3] + o, body.R_lb[1, k % 3] + o, body.R_lb[2, k % 3] + o))
    if k >= 3:
        return (o, o, o), axis
    return axis, cross(offset, axis)


def _at(model: Model, q: np.ndarray, qdot: np.ndarray | None = None) -> tuple:
    """(q, qdot, handles of tree and muscles) for kernels, checked."""
    space, (q, qdot) = joint_inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    return q, qdot, space.tree.handle, muscles_of(space).handle


def _lengths(model: Model, q: np.ndarray, arms: bool) -> tuple[np.ndarray, np.ndarray]:
    given = _at(model, q)
    count = len(model.muscles)
    lengths, gradient = np.empty(count, given[0].dtype), np.zeros((count if arms else 0, len(given[0])), given[0].dtype)
    lengths_at(*given, lengths, gradient)
    if not np.isfinite(lengths).all():
        name = model.muscles.names[int(np.argmin(np.isfinite(lengths)))]
        raise FloatingPointError(f"muscle {name!r}: no path over its surfaces was found at this q")
    if not np.isfinite(gradient).all():
        raise _without_length(model, int(np.argmin(np.isfinite(gradient).all(axis=1))))
    return lengths, gradient


def _without_length(model: Model, index: int) -> FloatingPointError:
    """What to raise where a muscle's path has no length, and so no direction."""
    return FloatingPointError(
        f"muscle {model.muscles.names[index]!r}: all points of its path are at one place at this q, so that its length "
        "has no derivative, its tension no direction and its mass no order; take another q, or move its points apart"
    )


def check_paths(model: Model, q: np.ndarray) -> None:
    """Raise an error that names the first muscle whose path was not found, or is too short for what it needs."""
    if not len(model.muscles):
        return
    lengths = _lengths(model, q, False)[0]
    table = model.muscles.table
    check_bellies(model, lengths, table["mass"] > 0)
    pulls = (table["tension"] >= 0) | (table["constant"] != 0.0) | (table["hill"] >= 0)
    lost = (lengths == 0.0) & (pulls | ((table["mass"] > 0.0) & (table["points"] > 2)))  # as `needs_direction` says
    if lost.any():
        raise _without_length(model, int(lost.argmax()))


def check_bellies(model: Model, lengths: np.ndarray, which: np.ndarray | bool = True) -> None:
    """Raise an error that names the first muscle (of `which`) whose path is no longer than its tendons [m]."""
    tendons = tendon_lengths(model.muscles)
    short = np.flatnonzero((tendons > 0) & (lengths.real <= tendons) & which)
    if len(short):
        first = short[0]
        raise FloatingPointError(
            f"muscle {model.muscles.names[first]!r}: its path is {lengths[first].real:.4g} m long, and its "
            f"inextensible tendons {tendons[first]:.4g} m: nothing is left for the belly"
        )


def muscle_lengths(model: Model, q: np.ndarray) -> np.ndarray:
    """l, lengths of all muscles' paths, in the order of model.muscles.names [m]. (nmuscles,)"""
    return _lengths(model, q, False)[0]


def moment_arms(model: Model, q: np.ndarray) -> np.ndarray:
    """-dl/dq, one row per muscle: generalized forces are its transpose times tensions [m or 1]. (nmuscles, ndof)"""
    return -fold_columns(model, q, _lengths(model, q, True)[1])


def muscle_points(model: Model, q: np.ndarray) -> list[np.ndarray]:
    """x_alpha, places of each muscle's mass points in the world [m]. A list of (npoints, 3)"""
    return [x for x, _ in _points(model, q, None)]


def muscle_velocities(model: Model, q: np.ndarray, qdot: np.ndarray) -> list[np.ndarray]:
    """J_ar qdot, velocities of each muscle's mass points in the world [m/s]. A list of (npoints, 3)"""
    return [v for _, v in _points(model, q, qdot)]


def _warn_beyond(model: Model, q: np.ndarray) -> None:
    """Warn, or raise an error if that was asked for, where a network is out of its range."""
    if not model.muscles.learned:
        return
    for excess in excesses(model, q.real[None]):
        if excess.choice == "error":
            raise ValueError(str(excess))
        if excess.choice == "warn":
            warnings.warn(str(excess), RuntimeWarning, stacklevel=4)


def _check_material(model: Model, q: np.ndarray) -> None:
    """Raise an error where material has no place, as nothing is left for a belly between its tendons."""
    if tendon_lengths(model.muscles).any():
        check_bellies(model, _lengths(model, q, False)[0])


def _points(model: Model, q: np.ndarray, qdot: np.ndarray | None) -> list[np.ndarray]:
    given = _at(model, q, qdot)
    _warn_beyond(model.whole, given[0])
    _check_material(model.whole, given[0])
    found = [np.empty((2, n, 3), given[0].dtype) for n in model.muscles.table["lumps"]]
    for index, both in enumerate(found):
        points_at(index, *given, *both)
    return found


def muscle_jacobian(model: Model, q: np.ndarray, *, maximal: bool = False) -> list[np.ndarray]:
    """J_ar, or J_am over the bodies' twists, of each muscle's mass points. A list of (npoints, 3, ndof or 6 nbodies)"""
    given = _at(model, q)
    if maximal and (model.muscles.points["dof"] >= 0).any():
        raise ValueError(f"model {model.name!r}: J_am does not exist for path points that move with a coordinate")
    _warn_beyond(model.whole, given[0])
    _check_material(model.whole, given[0])
    entry, columns = (maximal_jacobian_at, 6 * model.nbodies) if maximal else (jacobian_at, model.whole.ndof)
    found = [np.zeros((n, 3, columns), given[0].dtype) for n in model.muscles.table["lumps"]]
    for index, J in enumerate(found):
        entry(index, *given, J)
    return found if maximal else [fold_columns(model, q, J) for J in found]


def muscle_jacobian_dot(model: Model, q: np.ndarray, qdot: np.ndarray, *, maximal: bool = False) -> list[np.ndarray]:
    """d/dt of `muscle_jacobian` along the motion, by a complex step. A list of (npoints, 3, ndof or 6 nbodies)"""
    _, (q, qdot) = inputs(model, "q qdot", q, qdot)
    return [J.imag / STEP for J in muscle_jacobian(model, q + 1j * STEP * qdot, maximal=maximal)]


def muscle_paths(model: Model, q: np.ndarray) -> list[MusclePath]:
    """The solved path of each muscle: length, wrapped lengths, corners with tangent points."""
    given, found = _at(model, q), []
    lengths = muscle_lengths(model, q)
    for index, muscle in enumerate(model.muscles.table):
        n = int(muscle["points"])
        wrapped, corners = np.zeros(n - 1, given[0].dtype), np.empty(((2 * ARCS + 1) * n, 3), given[0].dtype)
        kinds = np.zeros(len(corners), bool)
        count = corners_at(index, *given, wrapped, corners, kinds)
        found.append(MusclePath(lengths[index], wrapped, corners[:count], kinds[: count - 1]))
    return found
