"""Re-rooting: the same mechanism, in the same state, hung from another of its bodies (Stepien et al. 2012, section 6).

The tree's arrays are turned round by model/relink.py; here its state is. Joints keep their q, qdot and qddot, those of
the way between the two roots as inverse joints. Only the new joint's are found: q from the pose that it has to hold,
rates and accelerations from S qdot = V and S qddot = Vdot - Sdot qdot - ad(V) S qdot, by least squares.
"""

import warnings
from collections.abc import Sequence

import numpy as np

from .._jit import kernel
from ..joints import Free3D, Joint
from ..model import Model, State
from ..model.border import check_finite, inputs, no_model
from ..model.rehang import E_LJ, E_PJ, Q0, Maps, Q, TopJoint, carry_over, room, top_joint
from ..model.relink import DOF_MAP, PARENTS, STARTS, relink
from ..model.workspace import Workspace
from ..spatial.algebra import add, cross, dot, load3, load33, matmul, mul, mul_T, store3, store33, sub, transpose
from ..spatial.checks import check_frame, check_numbers
from ..spatial.se3 import compose, invert
from ..spatial.so3 import rotation_log
from .inertias import all_finite
from .kinematics import move_link
from .rnea import accelerate

FREE = Free3D()
FAR = 3.0  # times the reach of a body: a point beyond is far from it
HELD = 1e-9  # of a radian, and of the model's size, by which a joint may miss the pose that it has to hold
BIND, NOW = 0, 1  # what the new joint counts from
DROPPED = 1e-6  # of a body's speed, that a joint may drop without a word
DEPENDENT = 1e-10  # of a column's length, that is left of it beside the others
FOUND = 7
CUT_LINKS, CUT_PARAMS, CUT_DOFS, BARE, DISTANCE, REACH, SIZE = range(FOUND)  # what `measure` reports


@kernel
def shift_twist(w, v, r):
    """The twist (w, v) about a point r further on."""
    return w, add(v, cross(w, r))


@kernel
def measure(links, bodies, params, parents, body, p, found):
    """How much the old top joint consists of, and whether its body would be an end without mass; how far the point p of
    the body's link is from the body, how far its joints are, and how large the tree is."""
    top, below = body, body
    while parents[top] >= 0:
        below, top = top, parents[top]
    last = bodies[top].link
    first = last
    while links[first].parent != 0:
        first = links[first].parent
    end = links[last + 1].at if last + 1 < links.shape[0] else params.shape[0] - 1
    found[CUT_LINKS], found[CUT_PARAMS], found[CUT_DOFS] = last - first + 1, end - links[first].at, 0.0
    for i in range(first, last + 1):
        found[CUT_DOFS] += links[i].ndof
    children, freedoms, link = 0, 0, bodies[below].link
    for i in range(parents.shape[0]):
        children += parents[i] == top
    while link != last:
        freedoms += links[link].ndof
        link = links[link].parent
    found[BARE] = freedoms > 0 and bodies[top].mass == 0.0 and children == 1
    own, c = bodies[body].link, load3(bodies[body].p_lb)
    away = sub(p, c)
    reach, size = dot(c, c), 0.0
    for i in range(1, links.shape[0]):
        place = load3(links[i].p0)
        if links[i].parent > 0:
            size = max(size, dot(place, place))
        if links[i].parent == own:
            place = sub(place, c)
            reach = max(reach, dot(place, place))
    for i in range(bodies.shape[0]):
        place = load3(bodies[i].p_lb)
        size = max(size, dot(place, place))
    found[DISTANCE], found[REACH], found[SIZE] = np.sqrt(dot(away, away)), np.sqrt(reach), np.sqrt(size)


@kernel(entry=True)
def measure_place(system, parents, body, p, found):
    """`measure`, for Python."""
    measure(system[0], system[1], system[2], parents, body, p, found)


@kernel(entry=True)
def stand(system, parents, body, vectors, given, modes, frames, moving, found):
    """Where the new joint's frames are, and how the body moves there; False if the state is not finite.

    vectors = (q, qdot, qddot), given = (zeros, point), modes = (is the point in the body's frame, what the joint counts
    from, is E_pj given). frames: filled as above; moving: w, v, Vdot of the body at the point, world axes, (4, 3).
    """
    links, bodies, params, _, work, dofs = system
    (q, qdot, qddot), (zeros, point) = vectors, given
    if not (all_finite(q) and all_finite(qdot) and all_finite(qddot) and all_finite(point)):
        return False
    link = bodies[body].link
    store3(work[0].a_w, (0.0, 0.0, 0.0))
    store3(work[0].a_v, (0.0, 0.0, 0.0))
    for i in range(1, links.shape[0]):
        move_link(i, links, params, zeros, zeros, work, dofs)
    R_bind = load33(work[link].R)
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        accelerate(links[i], work[i], work[links[i].parent], qddot, dofs)
    here = work[link]
    R, x = load33(here.R), load3(here.x)
    if modes[0]:
        p = add(mul(load33(bodies[body].R_lb), load3(point)), load3(bodies[body].p_lb))
    else:
        p = mul_T(R, sub(load3(point), x))
    r = mul(R, p)
    R_zero = R_bind if modes[1] == BIND else R
    if not modes[2]:
        store3(frames[E_PJ, :3, 3], sub(add(x, r), load3(frames[Q0, :3, 3])))
    R_pj, p_pj = load33(frames[E_PJ, :3, :3]), load3(frames[E_PJ, :3, 3])
    R_lj = matmul(transpose(R_zero), matmul(R_pj, load33(frames[Q0, :3, :3])))
    store33(frames[E_LJ, :3, :3], R_lj)
    store3(frames[E_LJ, :3, 3], p)
    store33(frames[Q, :3, :3], matmul(transpose(R_pj), matmul(R, R_lj)))
    store3(frames[Q, :3, 3], mul_T(R_pj, sub(add(x, r), p_pj)))
    w, v = shift_twist(load3(here.w), load3(here.v), r)
    a_w, a_v = shift_twist(load3(here.a_w), load3(here.a_v), r)
    store3(moving[0], w)
    store3(moving[1], v)
    store3(moving[2], a_w)
    store3(moving[3], a_v)
    measure(links, bodies, params, parents, body, p, found)
    return True


@kernel
def least_squares(columns, b, work, x):
    """x of the shortest b - sum of x_k columns_k, (n, 6): Gram-Schmidt, each twice; columns that add nothing get 0."""
    n = columns.shape[0]
    for k in range(n):
        for i in range(6):
            work[k, i] = columns[k, i]
        x[k] = 0.0
        length = 0.0
        for i in range(6):
            length += columns[k, i] * columns[k, i]
        for _ in range(2):
            for j in range(k):
                share = 0.0
                for i in range(6):
                    share += work[j, i] * work[k, i]
                for i in range(6):
                    work[k, i] -= share * work[j, i]
        left = 0.0
        for i in range(6):
            left += work[k, i] * work[k, i]
        factor = 1.0 / np.sqrt(left) if left > DEPENDENT * DEPENDENT * length else 0.0
        for i in range(6):
            work[k, i] *= factor
    for k in range(n - 1, -1, -1):
        along, own = 0.0, 0.0
        for i in range(6):
            rest = b[i]
            for j in range(k + 1, n):
                rest -= x[j] * columns[j, i]
            along += work[k, i] * rest
            own += work[k, i] * columns[k, i]
        x[k] = along / own if own != 0.0 else 0.0


@kernel
def fill_columns(links, work, dofs, columns):
    """The columns of a joint's links as twists of the last one about its origin, world axes. (ndof, 6)"""
    last = links.shape[0] - 1
    for i in range(1, last + 1):
        r = sub(load3(work[last].x), load3(work[i].x))
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            w, v = shift_twist(load3(dofs[k].s_w), load3(dofs[k].s_v), r)
            store3(columns[k, :3], w)
            store3(columns[k, 3:], v)


@kernel
def settle_rates(top, q_top, moving, offset):
    """Rates and accelerations of the new joint, q_top = (q, qdot, qddot), from the body's motion at the joint.

    Returns (dropped, speed): the length of the twist that the joint does not allow, and of the whole twist.
    """
    links, params, work, dofs, scratch, _ = top
    n = dofs.shape[0]
    columns, rest, b = scratch[:n], scratch[n : 2 * n], scratch[2 * n]
    fill_columns(links, work, dofs, columns)
    w, v = shift_twist(load3(moving[0]), load3(moving[1]), offset)
    store3(b[:3], w)
    store3(b[3:], v)
    least_squares(columns, b, rest, q_top[1])
    dropped, speed = 0.0, 0.0
    for i in range(6):
        left = b[i]
        for k in range(n):
            left -= q_top[1, k] * columns[k, i]
        dropped += left * left
        speed += b[i] * b[i]
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q_top[0], q_top[1], work, dofs)
        accelerate(links[i], work[i], work[i - 1], q_top[2], dofs)
    last = work[links.shape[0] - 1]
    a_w, a_v = shift_twist(load3(moving[2]), load3(moving[3]), offset)
    store3(b[:3], sub(a_w, load3(last.a_w)))
    store3(b[3:], sub(a_v, load3(last.a_v)))
    least_squares(columns, b, rest, q_top[2])
    return np.sqrt(dropped), np.sqrt(speed)


@kernel(entry=True)
def hang(body, top, joint, tree, made, rows, shifts, vectors, new_vectors):
    """(turn, shift) by which the new joint misses the pose, how far away it is, and how much of which speed it drops.

    Fills its rates, the new tree, and the state in it. joint = (is it free, frames, moving, q_top), the last with rows
    of q (of a free joint it is found here) and of zeros where qdot and qddot will be.
    """
    links, params, work, dofs, _, ends = top
    free, frames, moving, q_top = joint
    if free:
        store3(q_top[0, :3], load3(frames[Q, :3, 3]))
        store3(q_top[0, 3:], rotation_log(load33(frames[Q, :3, :3])))
    R_pj, p_pj = load33(frames[E_PJ, :3, :3]), load3(frames[E_PJ, :3, 3])
    R, p = compose(R_pj, p_pj, load33(ends[0, :3, :3]), load3(ends[0, :3, 3]))
    store33(links[1].R0, R)
    store3(links[1].p0, p)
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q_top[0], q_top[1], work, dofs)
    last = work[links.shape[0] - 1]
    R_wj, p_wj = compose(R_pj, p_pj, load33(frames[Q, :3, :3]), load3(frames[Q, :3, 3]))
    R_lf, p_lf = invert(load33(ends[1, :3, :3]), load3(ends[1, :3, 3]))
    R_wf, p_wf = compose(R_wj, p_wj, R_lf, p_lf)
    missed, turn = sub(load3(last.x), p_wf), 0.0
    for i in range(3):
        for k in range(3):
            turn = max(turn, abs(last.R[i, k] - R_wf[i][k]))
    dropped, speed = settle_rates(top, q_top, moving, sub(load3(last.x), p_wj))
    D = compose(load33(frames[E_LJ, :3, :3]), load3(frames[E_LJ, :3, 3]), R_lf, p_lf)
    relink(body, tree, made, (links, params), dofs.shape[0], D, rows, shifts)
    first = rows[STARTS, body]
    for row in range(3):
        for k in range(vectors[row].shape[0]):
            if rows[DOF_MAP, k] >= 0:
                new_vectors[row, rows[DOF_MAP, k]] = vectors[row][k]
        for k in range(dofs.shape[0]):
            new_vectors[row, first + k] = q_top[row, k]
    return turn, np.sqrt(dot(missed, missed)), abs(p_pj[0]) + abs(p_pj[1]) + abs(p_pj[2]), dropped, speed


def reroot(
    model: Model,
    state: State,
    body: str | int,
    point: Sequence[float] | None = None,
    joint: Joint | None = None,
    *,
    place: Sequence[float] | None = None,
    E_pj: np.ndarray | None = None,
    zero: str = "bind",
) -> tuple[Model, State]:
    """(model, state) of the same mechanism hung from `body` at a world point [m] by a joint (mm.Free3D()).

    The point may be given in the body's own frame as `place`. Bodies keep their names and numbers; those on the way to
    the old top body hang by mm.Inverse of the joint that they had carried, all others as before, so every joint keeps
    its coordinates. Of the joint to the world that was there nothing is left. E_pj is the frame of the new joint at
    q = 0 (world axes at the point; of an mm.Free3D the world's own frame). zero "bind": at q = 0 of all joints bodies
    are turned as they were at q = 0 before, so that applying it back restores the model; "now": the new joint counts
    from where the body is. Rates (and accelerations, if the state has them) of a joint that does not allow the motion
    are cut to what it does allow, with a warning: mm.land is an impact.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    i, top = model.body(body), top_joint(FREE if joint is None else _check_joint(joint))
    model, space, vectors = _check_state(model, state)
    frames, counts_from = _check_frames(top, E_pj, zero)
    place, inside = _check_point(point, place)
    modes = inside, counts_from, E_pj is not None or top.floating
    moving, found = np.empty((4, 3)), np.empty(FOUND)
    if not stand(space.system, model.parents, i, vectors, (space.zeros, place), modes, frames, moving, found):
        check_finite(q=vectors[0], qdot=vectors[1], qddot=vectors[2], point=place)
    cut_links, cut_params, cut_dofs, bare, distance, reach, size = found.tolist()
    if distance > FAR * reach:
        _check_near(model, i, distance, max(reach, size / FAR), "reroot")
    q_top = np.zeros((3, top.ndof))
    if not top.free:
        top = _suited(top, frames[Q])
        q_top[0] = top.joint.locate(frames[Q])
    made, rows, shifts = room(model, top, (int(cut_links), int(cut_params)))
    new = np.empty((3, model.ndof + top.ndof - int(cut_dofs)))
    tree = model.links, model.bodies, model.params, model.parents, model.dof_starts
    joint_now = top.free, frames, moving, q_top
    turn, shift, scale, dropped, speed = hang(i, top.packed, joint_now, tree, made, rows, shifts, vectors, new)
    if not (turn <= HELD and shift <= HELD * (scale + size)):
        raise ValueError(_cannot_hold(model, i, top.joint, (turn, shift), zero))
    if dropped > DROPPED * (1e-3 + speed):
        warnings.warn(_drops(model, i, top.joint, dropped), RuntimeWarning, stacklevel=2)
    if bare:
        raise ValueError(_bare_end(model, rows[PARENTS, : model.nbodies]))
    hung = _rehung(model, made, rows, shifts)
    charted = top.switching or len(model.chart_slots)
    charts = made[2][hung.chart_slots] if charted else state.charts
    return hung, State(state.t, new[0], new[1], charts, None if state.qddot is None else new[2])


def _suited(top: TopJoint, E: np.ndarray) -> TopJoint:
    """The joint in a chart that suits a pose."""
    if not top.switching:
        return top
    joint = top.joint.suited(E)
    return top if joint is top.joint else TopJoint(joint)


def _rehung(model: Model, made: tuple, rows: np.ndarray, shifts: np.ndarray) -> Model:
    """The model with another tree, and with everything that acts on it."""
    parents, starts = rows[PARENTS, : model.nbodies].copy(), rows[STARTS, : model.nbodies + 1].copy()
    acting = model.loads, model.ties, model.muscles
    hung = Model(model.name, *made, model.gravity, starts, model.numbering, parents, *acting, model.shapes)
    return carry_over(hung, model, Maps(rows, shifts, made[1])) if model.laden else hung


def _check_joint(joint: Joint) -> Joint:
    if not isinstance(joint, Joint):
        raise TypeError(f"reroot: the joint must be one such as mm.Revolute(), and is {joint!r}")
    return joint


def _check_state(model: Model, state: State) -> tuple[Model, Workspace, Sequence[np.ndarray]]:
    """The model in the state's charts, its workspace, and (q, qdot, qddot)."""
    if not isinstance(state, State):
        raise TypeError(f"reroot: give a state, as model.state(q, qdot) makes it, not {state!r}")
    model = model.with_charts(state.charts)
    space, vectors = inputs(model, "q qdot qddot", state.q, state.qdot, state.qddot)
    if vectors[0].dtype != np.float64:
        raise ValueError(f"reroot works in real numbers of float64, and the model or the state is {vectors[0].dtype}")
    return model, space, tuple(vectors)


def _check_frames(top: TopJoint, E_pj: np.ndarray | None, zero: str) -> tuple[np.ndarray, int]:
    """(frames of the new joint, what it counts from)."""
    if zero not in ("bind", "now"):
        raise ValueError(f'reroot: zero is "bind" or "now", not {zero!r}')
    frames = top.frames.copy()
    if E_pj is not None:
        frames[E_PJ] = check_frame(E_pj, "reroot: E_pj")
    return frames, BIND if zero == "bind" else NOW


def _check_point(point: Sequence[float] | None, place: Sequence[float] | None) -> tuple[np.ndarray, int]:
    """(the point, is it in the body's frame)."""
    if (point is None) == (place is None):
        both = "not both" if point is not None else "and neither is given"
        raise ValueError(f"reroot: say where the new joint is: a point of the world or a place in the body, {both}")
    given, what = (place, "place") if point is None else (point, "point")
    if given.__class__ is np.ndarray and given.dtype == np.float64 and given.shape == (3,):
        return given.copy(), int(point is None)
    return check_numbers(given, f"reroot: the {what} [m]", (3,)).astype(float), int(point is None)


def check_on_body(model: Model, body: int, place: np.ndarray, who: str) -> None:
    """A sentence if a place in a body's frame [m] is far from it: from its joints, its looks, and for the tree."""
    found = np.empty(FOUND)
    record = model.bodies[body]
    p = tuple((record["R_lb"] @ place + record["p_lb"]).tolist())
    measure_place(model.workspace.system, model.parents, body, p, found)
    distance, reach, size = found[[DISTANCE, REACH, SIZE]].tolist()
    if distance > FAR * reach:
        _check_near(model, body, distance, max(reach, size / FAR), who)


def _check_near(model: Model, body: int, distance: float, reach: float, who: str) -> None:
    reach = max([reach, *(shape.reach() for shape in model.shapes[body])])
    if distance > FAR * reach:
        raise ValueError(
            f"{who}: the point is {distance:.3g} m away from {model.names[body]!r}, which reaches {reach:.3g} m: "
            "give a point on the body"
        )


def _cannot_hold(model: Model, body: int, joint: Joint, miss: tuple[float, float], zero: str) -> str:
    hint = ' zero="now" (it counts from where the body is), an E_pj,' if zero == "bind" else " an E_pj"
    return (
        f"reroot: {joint!r} cannot hold {model.names[body]!r} as it stands: it misses by {miss[0]:.2g} rad and "
        f"{miss[1]:.2g} m; give{hint} or a joint with more freedom"
    )


def _drops(model: Model, body: int, joint: Joint, dropped: float) -> str:
    return (
        f"reroot: {joint!r} does not allow the motion of {model.names[body]!r}: it drops {dropped:.3g} of its velocity "
        "[rad/s, m/s], and energy changes; mm.land does what an impact does"
    )


def _bare_end(model: Model, parents: np.ndarray) -> str:
    """Why the old top body cannot become the end of a branch."""
    top = next(i for i in np.flatnonzero(model.parents < 0) if parents[i] >= 0)
    return (
        f"reroot: {model.names[top]!r} has no mass, and would be the end of a branch whose acceleration is undefined; "
        "give it an inertia"
    )
