"""Paths that jump: a check of a run's start and rows, so that nobody takes a jump for physics.

Seen from its surface, a piece's length can change by no more than its ends move, and its direction at the first end by
no more than their motion over the distance to where it touches. More between two rows of a run is a jump: both ways
around were equally long, the path slipped off its side, or an end went into the surface.
"""

import warnings

import numpy as np

from .._jit import kernel
from ..algorithms.charts import set_charts
from ..algorithms.kinematics import move_all
from ..model import Model, State
from ..model.workspace import charts_restored, open_tree
from ..reduction.border import in_joints, joint_rows
from ..spatial.algebra import add, dot, load3, load33, matmul, mul, mul_T, store3, sub
from .geometry import check_paths, moment_arms, muscle_lengths
from .junctions import surfaces_on
from .laws.dispatch import law_knots
from .network.ranges import excesses
from .packed import tendon_lengths
from .path import is_junction, solve_path
from .pieces import end_tangents
from .points import JUNCTION
from .records import muscles_of, open_muscles
from .tension import is_active
from .wrapping.base import ARC, START

SLACK, TURN = 1e-7, 8.0  # allowed beyond the bounds: of lengths [m]; of directions, as a factor
LOOKS = 200  # about how many rows of a run are looked at
HALVINGS = 10  # of the interval that seems to have a jump
AHEAD = 20.0  # last steps of a run, within which a belly would have been used up


@kernel
def frame_of(piece, work):
    """(R, c): a surface's frame in the world.

    Needs: pose of its link.
    """
    here = work[piece.link]
    R = load33(here.R)
    return matmul(R, load33(piece.R)), add(load3(here.x), mul(R, load3(piece.p)))


@kernel
def look(piece, seen, p, q, work, now):
    """Write into `now` a piece's ends and first direction in its surface's frame, its length and free length.

    Needs: poses of the links, the muscle's path (`solve_path`).
    """
    R, c = frame_of(piece, work)
    t_a, _ = end_tangents(seen, p, q)
    store3(now[0], mul_T(R, sub(p, c)))
    store3(now[1], mul_T(R, sub(q, c)))
    store3(now[2], mul_T(R, t_a))
    now[3, 0] = seen.length[0]
    now[3, 1] = seen.g[0, ARC + START] if seen.arcs > 0 else seen.length[0]


@kernel
def jumped(before, now):
    """True if a piece jumped between two views of it that `look` wrote, between the same points."""
    if before[3, 2] != now[3, 2]:
        return False
    a, b = sub(load3(now[0]), load3(before[0])), sub(load3(now[1]), load3(before[1]))
    moved = np.sqrt(dot(a, a)) + np.sqrt(dot(b, b))
    turn = sub(load3(now[2]), load3(before[2]))
    free = min(now[3, 1], before[3, 1])
    longer = abs(now[3, 0] - before[3, 0]) > moved + SLACK
    return longer or np.sqrt(dot(turn, turn)) * free > TURN * moved + SLACK


@kernel(entry=True)
def jumps_along(handle, muscles_handle, slots, charts, q, views, found):
    """Fill found[muscle], the first row before which its path has jumped, for Python; views: two of every piece."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    table, pieces, scratch = muscles.table, muscles.pieces, muscles.scratch
    still = scratch.given
    still[:] = 0.0
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        move_all(tree, q[row], still)
        views[row % 2, :, 3, 2] = 0.0  # which points a piece is between; none yet
        for index in range(table.shape[0]):
            muscle = table[index]
            if not is_active(muscle):
                continue
            solve_path(muscle, q[row], tree.work, muscles)
            for j in range(scratch.present[0] - 1):
                at, now = scratch.pieces[j].at, views[row % 2]
                if pieces[at].kind < 0:
                    continue
                p, end = load3(scratch.points[j].x[0]), load3(scratch.points[j + 1].x[0])
                look(pieces[at], scratch.pieces[j], p, end, tree.work, now[at])
                now[at, 3, 2] = 1 + muscles.points.shape[0] * scratch.points[j].at + scratch.points[j + 1].at
                if row > 0 and found[index] < 0 and jumped(views[1 - row % 2, at], now[at]):
                    found[index] = row


@kernel(entry=True)
def ends_at(index, q, still, handle, muscles_handle, ends):
    """Fill the ends of one muscle's pieces, in the frames of their surfaces, for Python; of those that it has now."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    muscle, scratch = muscles.table[index], muscles.scratch
    move_all(tree, q, still)
    solve_path(muscle, q, tree.work, muscles)
    for j in range(scratch.present[0] - 1):
        if is_junction(j, muscles):
            continue
        first, last = scratch.pieces[j].at, j + 1
        while muscles.points[first].gate == JUNCTION:
            first -= 1
        while is_junction(last, muscles):
            last += 1
        for at in range(first, first + surfaces_on(first, muscles.points)):
            R, c = frame_of(muscles.pieces[at], tree.work)
            store3(ends[at - muscle.point, 0], mul_T(R, sub(load3(scratch.points[j].x[0]), c)))
            store3(ends[at - muscle.point, 1], mul_T(R, sub(load3(scratch.points[last].x[0]), c)))


def tension_knots(model: Model) -> set[float]:
    """Times at which a tension given in time may have a kink [s]."""
    table, params = model.muscles.table, model.muscles.params
    given = table[table["tension"] >= 0]
    return {t for one in given for t in law_knots(int(one["law"]), params, int(one["tension"]))}


def check_outside(model: Model, state: State) -> None:
    """Raise a ValueError if a muscle's point is inside the surface that its path wraps, or its path too short.

    A muscle without mass may have a point there, and goes straight: a warning tells of it.
    """
    model, q = in_joints(model, state.q)
    space, surfaces, inside = model.workspace, model.muscles.surfaces, []
    for index, muscle in enumerate(model.muscles.table):
        first, count = int(muscle["point"]), int(muscle["points"])
        if not any(surfaces[first : first + count]):
            continue
        ends = np.full((count - 1, 2, 3), np.nan)
        ends_at(index, q, space.zeros, space.tree.handle, muscles_of(space).handle, ends)
        given = np.cumsum(model.muscles.points["gate"][first : first + count] != JUNCTION) - 1
        for j, surface in enumerate(surfaces[first : first + count - 1]):
            for end in range(2):
                here = surface is not None and not np.isnan(ends[j, end]).any()
                if here and not surface.gap(ends[j, end]) > 0:
                    where = f"muscle {model.muscles.names[index]!r}: at the start its point {given[j] + end}"
                    told = f"{where} is inside (or on) the {type(surface).__name__} that the path wraps"
                    if muscle["mass"] > 0:
                        raise ValueError(told)
                    inside.append(told)
    if inside:
        more = f"; so it is with {len(inside) - 1} more" if len(inside) > 1 else ""
        warnings.warn(f"{inside[0]}, and goes straight there{more}", RuntimeWarning, stacklevel=6)
    if tendon_lengths(model.muscles).any():
        try:
            check_paths(model, q)
        except FloatingPointError as error:
            raise ValueError(f"at the start {error}") from None
    for excess in excesses(model, q[None]):
        if excess.massive and excess.choice == "error":
            raise ValueError(f"at the start {excess}")


def path_complaints(model: Model, t: np.ndarray, q: np.ndarray, qdot: np.ndarray, charts: np.ndarray) -> list[str]:
    """A sentence for every muscle whose path jumped, or whose network left its range, in a run with these rows."""
    if not (model.muscles.active and (model.muscles.pieces["kind"] >= 0).any()):
        return []
    model, (q, qdot) = model.whole, joint_rows(model, q, qdot)
    rows = np.unique(np.linspace(0, len(t) - 1, min(len(t), LOOKS)).astype(int))
    t, q, charts = _between(t[rows], q[rows], qdot[rows], charts[rows])
    found = _jumps(model, q, charts)
    return _beyond(model, t, q, charts) + [
        f"the path of muscle {name!r} jumped before {t[row]:.6g} s: both ways around its surface were equally long "
        "(give it a side), it turned too far from its side or slipped over the end of a cylinder, or an end "
        "went into the surface; energy jumps with it"
        for index, (name, row) in enumerate(zip(model.muscles.names, found, strict=True))
        if row >= 0 and _stays(model, index, q[row - 1 : row + 1], charts[row - 1 : row + 1])
    ]


def belly_complaints(model: Model, t: np.ndarray, q: np.ndarray, qdot: np.ndarray, charts: np.ndarray) -> list[str]:
    """A sentence for every muscle that had next to no belly left between stiff tendons when a run ended early."""
    tendons, massive = tendon_lengths(model.muscles), model.muscles.table["mass"] > 0
    if not (len(t) and (tendons[massive] > 0).any()):
        return []
    model, soon = model.with_charts(charts[-1]), AHEAD * (t[-1] - t[-2]) if len(t) > 1 else 1.0
    lengths, rates = muscle_lengths(model, q[-1]), -moment_arms(model, q[-1]) @ qdot[-1]
    reached = np.where(rates < 0, lengths + rates * soon, lengths) <= tendons
    return [
        f"the path of muscle {model.muscles.names[i]!r} was down to {lengths[i]:.4g} m, and its inextensible tendons "
        f"are {tendons[i]:.4g} m: nothing was left for its belly"
        for i in np.flatnonzero(reached & massive & (tendons > 0))
    ]


def _beyond(model: Model, t: np.ndarray, q: np.ndarray, charts: np.ndarray) -> list[str]:
    """A sentence for every variable of a network that left its range. Raises an error if that was asked for."""
    found = [excess for excess in excesses(model, q, charts) if excess.massive]
    for excess in found:
        if excess.choice == "error":
            raise ValueError(f"at {t[excess.row]:.6g} s {excess}")
    return [f"at {t[excess.row]:.6g} s {excess}" for excess in found if excess.choice == "warn"]


def _between(t: np.ndarray, q: np.ndarray, qdot: np.ndarray, charts: np.ndarray) -> tuple[np.ndarray, ...]:
    """(t, q, charts): about LOOKS rows, by cubic interpolation between fewer; none across a change of charts."""
    parts = -(-LOOKS // len(t))
    s, h = (np.arange(parts) / parts)[:, None], np.diff(t)[:, None, None]
    a, change = q[:-1, None], np.diff(q, axis=0)[:, None]
    ends = (1 - s) * qdot[:-1, None] - s * qdot[1:, None]
    dense = a + s * change + s * (1 - s) * (h * ends + (2 * s - 1) * change)
    odd = np.abs(change).max(axis=(1, 2), initial=0.0) > 1.0  # another chart, as a rule
    dense[odd] = np.broadcast_to(a, dense.shape)[odd]
    times = (t[:-1, None] + s.T * h[:, :, 0]).ravel()
    rows = np.repeat(charts[:-1], parts, axis=0)
    q = np.ascontiguousarray(np.concatenate([dense.reshape(len(times), q.shape[1]), q[-1:]]))
    return np.append(times, t[-1]), q, np.ascontiguousarray(np.concatenate([rows, charts[-1:]]))


def _jumps(model: Model, q: np.ndarray, charts: np.ndarray) -> np.ndarray:
    """For each muscle the first of these rows before which its path has jumped; -1: none."""
    found = np.full(len(model.muscles), -1)
    views, space = np.zeros((2, len(model.muscles.pieces), 4, 3)), model.workspace
    with charts_restored(space):
        jumps_along(space.tree.handle, muscles_of(space).handle, model.chart_slots, charts, q, views, found)
    return found


def _stays(model: Model, index: int, ends: np.ndarray, charts: np.ndarray) -> bool:
    """True if there is a jump even between ever nearer rows. (A path may also swing over fast.)"""
    low, high = ends
    for _ in range(HALVINGS):
        row = _jumps(model, np.stack([low, 0.5 * (low + high), high]), charts[[0, 0, 1]])[index]
        if row < 0:
            return False
        low, high = (low, 0.5 * (low + high)) if row == 1 else (0.5 * (low + high), high)
    return True
