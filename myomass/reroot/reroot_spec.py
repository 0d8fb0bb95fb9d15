"""Re-rooting a spec: the same bodies, forces, constraints and muscles, hung from another body (Stepien et al. 2012).

J_c = J_p E_pj Q are the moved joint frames of body c and its parent p. Where p comes to hang on c, its joint is Q^-1,
and its moved frame is J_p E_pj: D = E_pj moves everything that is fixed to p or hangs on it, E -> D^-1 E.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..joints import Free3D, Inverse, Joint
from ..model.coordinate import check_coordinates, plain_names
from ..model.elements import Force, Muscle
from ..model.spec import BodySpec, Spec, UnknownName, known_names
from ..model.validate import parents_first
from ..muscles.spec import ConditionalPoint, MovingPoint
from ..spatial.checks import check_frame, check_numbers
from ..spatial.se3 import inverse, pose


def reroot_spec(
    spec: Spec,
    body: str,
    point: Sequence[float] | None,
    joint: Joint | None,
    *,
    q: Mapping[str, Sequence[float]],
    E_pj: np.ndarray | None,
) -> Spec:
    """The spec hung from `body`; the arguments are those of `Spec.reroot`."""
    if spec.soft_bodies:
        raise ValueError(f"reroot knows no soft bodies, and spec {spec.name!r} has {next(iter(spec.soft_bodies))!r}")
    joint = Free3D() if joint is None else joint
    way = _way_to_the_top(spec, body)
    _check_given(spec, joint, q)
    J_wj = _moved_frame(way, q)
    bind = _moved_frame(way, {})[:3, :3]
    origin = J_wj[:3, 3] if point is None else check_numbers(point, "reroot: the point [m]", (3,)).astype(float)
    Q0 = joint.Q(np.zeros(joint.ndof))
    if E_pj is None:
        E_pj = np.eye(4) if isinstance(joint, Free3D) else pose(np.eye(3), origin - Q0[:3, 3])
    E_pj = check_frame(E_pj, "reroot: E_pj")
    turn = bind.T @ E_pj[:3, :3] @ Q0[:3, :3]
    shifts = {body: pose(turn, J_wj[:3, :3].T @ (origin - J_wj[:3, 3]))}
    shifts |= {above.name: below.E_pj for below, above in pairwise(way)}
    hung = {below.name: above.name for below, above in pairwise(way)}  # joint of -> now joint of
    below = {above: below for below, above in hung.items()}
    bodies = {}
    for name, old in spec.bodies.items():
        D = inverse(shifts[name]) if name in shifts else np.eye(4)
        parent = below.get(name) if name in shifts else old.parent
        E = E_pj if name == body else inverse(shifts[parent]) if parent in shifts else np.eye(4)
        own = joint if name == body else Inverse(spec.bodies[parent].joint) if name in shifts else old.joint
        place = E if name in shifts else E @ old.E_pj
        holds = None if name == body else spec.bodies[parent] if name in shifts else old  # its joint before
        named = {"coordinates": holds and holds.coordinates, "joint_name": holds and holds.joint_name}
        bodies[name] = replace(old, parent=parent, joint=own, E_pj=place, E_jb=D @ old.E_jb, **named)
    cut = way[-1].name
    acting = {
        key: {name: _renamed(thing, key[:-1], name, hung, cut) for name, thing in getattr(spec, key).items()}
        for key in ("forces", "constraints")
    }
    names = _new_names(spec, hung)
    acting["forces"] = {name: _recoordinated(spec, force, name, names, cut) for name, force in acting["forces"].items()}
    muscles = {name: _renamed_muscle(muscle, name, hung, cut) for name, muscle in spec.muscles.items()}
    reflexes = {
        name: _renamed(reflex, "reflex", name, hung, cut) if reflex.of == "coordinate" else reflex
        for name, reflex in spec.reflexes.items()
    }
    return Spec(
        spec.name,
        spec.gravity,
        bodies,
        **acting,
        muscles=muscles,
        reflexes=reflexes,
        markers=dict(spec.markers),
        frames=dict(spec.frames),
    )


def _way_to_the_top(spec: Spec, body: str) -> list[BodySpec]:
    """The body, its parent, and so on up to the top body."""
    if body not in spec.bodies:
        raise UnknownName(f"spec {spec.name!r} has no body {body!r}; {known_names(spec.bodies)}")
    parents_first(spec)  # raises an error about cycles and unknown parents
    way = [spec.bodies[body]]
    while way[-1].parent is not None:
        way.append(spec.bodies[way[-1].parent])
    return way


def _check_given(spec: Spec, joint: Joint, q: Mapping[str, Sequence[float]]) -> None:
    """Raise an error if the joint is no joint, the spec reduced, or coordinates are given for an unknown body."""
    if spec.reductions:
        raise ValueError(f"reroot: spec {spec.name!r} is reduced; hang it first, and reduce what that gives")
    if not isinstance(joint, Joint):
        raise TypeError(f"reroot: the joint must be one such as mm.Revolute(), and is {joint!r}")
    if not isinstance(q, Mapping):
        raise TypeError(f"reroot: coordinates are given by body, as {{{next(iter(spec.bodies))!r}: q}}, not {q!r}")
    for name in q:
        if name not in spec.bodies:
            raise UnknownName(f"reroot: q is given for {name!r}, which is no body; {known_names(spec.bodies)}")


def _moved_frame(way: list[BodySpec], q: Mapping[str, Sequence[float]]) -> np.ndarray:
    """Pose of the first body's joint frame in the world, at given coordinates (zeros). (4, 4)"""
    J = np.eye(4)
    for body in reversed(way):
        J = J @ body.E_pj @ body.joint.Q(q.get(body.name, np.zeros(body.joint.ndof)))
    return J


def _renamed(thing, what: str, name: str, hung: dict[str, str], cut: str):
    """A force or constraint whose joints, named by their bodies, have the names of the bodies that hang by them now."""
    changes = {}
    for field in thing.joints:
        given = getattr(thing, field)
        bodies = [given] if given is None or isinstance(given, str) else list(given)
        if cut in bodies:
            raise ValueError(
                f"reroot: {what} {name!r} acts on the joint between {cut!r} and the world, which is cut; "
                "remove it first"
            )
        renamed = [hung.get(body, body) for body in bodies]
        if renamed != bodies:
            changes[field] = renamed[0] if given is None or isinstance(given, str) else tuple(renamed)
    return replace(thing, **changes) if changes else thing


def _new_names(spec: Spec, hung: dict[str, str]) -> dict[str, str]:
    """What coordinates without names of their own, which are called after their bodies, are called now."""
    counts = {body: spec.bodies[body].joint.ndof for body in hung if spec.bodies[body].coordinates is None}
    pairs = (zip(plain_names(b, n), plain_names(hung[b], n), strict=True) for b, n in counts.items())
    return {old: new for pair in pairs for old, new in pair}


def _recoordinated(spec: Spec, force: Force, name: str, names: dict[str, str], cut: str) -> Force:
    """A force whose coordinates have the names that they have now."""
    top = spec.bodies[cut]
    given = check_coordinates(top.coordinates, cut, top.joint.ndof)
    gone = plain_names(cut, top.joint.ndof) if given is None else [one.name for one in given]
    for field in force.named:
        if getattr(force, field) in gone:
            raise ValueError(
                f"reroot: force {name!r} acts on the joint between {cut!r} and the world, which is cut; remove it first"
            )
    changes = {field: names[getattr(force, field)] for field in force.named if getattr(force, field) in names}
    return replace(force, **changes) if changes else force


def _renamed_muscle(muscle: Muscle, name: str, hung: dict[str, str], cut: str) -> Muscle:
    """A muscle whose points name the bodies that hang by the joints now that they move with, or depend on."""
    what, kinds = "a point of muscle", (MovingPoint, ConditionalPoint)
    points = [_renamed(one, what, name, hung, cut) if isinstance(one, kinds) else one for one in muscle.points]
    return replace(muscle, points=points)


Spec._rerooted_by = reroot_spec
