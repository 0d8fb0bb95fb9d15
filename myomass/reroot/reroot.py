"""Re-rooting: the same mechanism, in the same state, hung from another of its bodies (Stepien et al. 2012, section 6).

The tree's arrays are turned round by relink.py, its state by hanging.py. Joints keep their q, qdot and qddot,
those of the way between the two roots as inverse joints. Only the new joint's are found: q from the pose that it has to
hold, rates and accelerations from S qdot = V and S qddot = Vdot - Sdot qdot - ad(V) S qdot, by least squares.
"""

import warnings
from collections.abc import Sequence

import numpy as np

from ..dynamics.system import refuse_soft_bodies
from ..joints import Free3D, Joint
from ..model import Model, State
from ..model.border import check_finite, inputs, no_model
from ..model.coordinate import Coordinate, plain_names
from ..model.workspace import Workspace
from ..reduction.border import refuse_reduced
from ..spatial.checks import check_frame, check_numbers
from .hanging import BIND, DISTANCE, FOUND, NOW, REACH, SIZE, hang, measure_place, place_new_joint
from .rehang import E_PJ, Maps, Q, TopJoint, carry_over, relink_arrays, top_joint
from .relink import DOF_MAP, PARENTS, STARTS

FREE = Free3D()
FAR = 3.0  # times the reach of a body, beyond which a point is far from it
HELD = 1e-9  # miss of a pose, in radians and in parts of the model's size, that counts as rounding
DROPPED = 1e-6  # part of a body's speed that a joint may drop without a warning


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
    are cut to what it does allow, with a warning: mm.walking.land is an impact.
    """
    if not isinstance(model, Model):
        raise no_model(model)
    refuse_reduced(model, "reroot")
    refuse_soft_bodies(model, "reroot")
    i, top = model.body(body), top_joint(FREE if joint is None else _check_joint(joint))
    model, space, vectors = _check_state(model, state)
    frames, counts_from = _check_frames(top, E_pj, zero)
    place, inside = _check_point(point, place)
    modes = inside, counts_from, E_pj is not None or top.floating
    moving, found = np.empty((4, 3)), np.empty(FOUND)
    if not place_new_joint(
        space.tree.handle, model.parents, i, vectors, (space.zeros, place), modes, frames, moving, found
    ):
        check_finite(q=vectors[0], qdot=vectors[1], qddot=vectors[2], point=place)
    cut_links, cut_params, cut_dofs, bare, distance, reach, size = found.tolist()
    if distance > FAR * reach:
        _check_near(model, i, distance, max(reach, size / FAR), "reroot")
    q_top = np.zeros((3, top.ndof))
    if not top.free:
        top = _suited(top, frames[Q])
        q_top[0] = top.joint.locate(frames[Q])
    made, rows, shifts = relink_arrays(model, top, (int(cut_links), int(cut_params)))
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
    hung = _rehung(model, i, made, rows, shifts)
    charted = top.switching or len(model.chart_slots)
    charts = made[2][hung.chart_slots] if charted else state.charts
    return hung, State(state.t, new[0], new[1], charts, None if state.qddot is None else new[2], state.z)


def kept_dofs(old: Model, new: Model, body: int) -> list[tuple[slice, slice]]:
    """(degrees of freedom before, and after) of every joint that a tree kept when it was hung from `body`."""
    holders = _holders(old.parents, new.parents, body)
    return [(old.dof(child), new.dof(holder)) for child, holder in holders.items()]


def _holders(before: np.ndarray, after: np.ndarray, body: int) -> dict[int, int]:
    """Body that hung by a joint -> body that hangs by it now, of all joints kept by a tree that hangs from `body`."""
    pairs = ((child, child if after[child] == above else above) for child, above in enumerate(before.tolist()))
    return {child: holder for child, holder in pairs if holder >= 0 and holder != body}


def _suited(top: TopJoint, E: np.ndarray) -> TopJoint:
    """The joint in a chart that is far from its singularity at the pose E."""
    if not top.switching:
        return top
    joint = top.joint.suited(E)
    return top if joint is top.joint else TopJoint(joint)


def _rehung(model: Model, body: int, made: tuple, rows: np.ndarray, shifts: np.ndarray) -> Model:
    """The model with another tree, hung from a body, and with everything that acts on it."""
    parents, starts = rows[PARENTS, : model.nbodies].copy(), rows[STARTS, : model.nbodies + 1].copy()
    acting = model.forces, model.constraints, model.muscles
    named = model.shapes, _renumbered_coordinates(model, rows, starts), model.markers, model.frames
    holders = _holders(model.parents, parents, body)
    joints = ((joint, holders.get(model.body(child))) for joint, child in model.joint_names.items())
    named = *named, {joint: model.names[now] for joint, now in joints if now is not None}
    hung = Model(model.name, *made, model.gravity, starts, model.numbering, parents, *acting, *named)
    return carry_over(hung, model, Maps(rows, shifts, made[1])) if model.has_more_than_bodies else hung


def _renumbered_coordinates(old: Model, rows: np.ndarray, starts: np.ndarray) -> tuple[Coordinate, ...]:
    """The named coordinates where they are now; those of the new joint are named after its body."""
    if not old.coordinate_specs:
        return ()
    counts = np.diff(starts).tolist()
    made = [Coordinate(name) for body, n in zip(old.numbering, counts, strict=True) for name in plain_names(body, n)]
    for one, now in zip(old.coordinate_specs, rows[DOF_MAP, : old.ndof], strict=True):
        if now >= 0:
            made[now] = one
    return tuple(made)


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
    """(the point, whether it is given in the body's frame)."""
    if (point is None) == (place is None):
        both = "not both" if point is not None else "and neither is given"
        raise ValueError(f"reroot: say where the new joint is: a point of the world or a place in the body, {both}")
    given, what = (place, "place") if point is None else (point, "point")
    if given.__class__ is np.ndarray and given.dtype == np.float64 and given.shape == (3,):
        return given.copy(), int(point is None)
    return check_numbers(given, f"reroot: the {what} [m]", (3,)).astype(float), int(point is None)


def check_on_body(model: Model, body: int, place: np.ndarray, who: str) -> None:
    """Raise a ValueError if a place in a body's frame [m] is far from its joints and shapes, for such a tree."""
    found = np.empty(FOUND)
    record = model.bodies[body]
    p = tuple((record["R_lb"] @ place + record["p_lb"]).tolist())
    measure_place(model.workspace.tree.handle, model.parents, body, p, found)
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
        f"reroot: {joint!r} cannot hold {model.names[body]!r} as it is: it misses by {miss[0]:.2g} rad and "
        f"{miss[1]:.2g} m; give{hint} or a joint with more freedom"
    )


def _drops(model: Model, body: int, joint: Joint, dropped: float) -> str:
    return (
        f"reroot: {joint!r} does not allow the motion of {model.names[body]!r}: it drops {dropped:.3g} of its velocity "
        "[rad/s, m/s], and energy changes; mm.walking.land does what an impact does"
    )


def _bare_end(model: Model, parents: np.ndarray) -> str:
    """The error to raise where the old top body would become an end without mass."""
    top = next(i for i in np.flatnonzero(model.parents < 0) if parents[i] >= 0)
    return (
        f"reroot: {model.names[top]!r} has no mass, and would be the end of a branch whose acceleration is undefined; "
        "give it an inertia"
    )
