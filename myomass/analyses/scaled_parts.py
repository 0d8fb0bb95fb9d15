"""Joints, paths, surfaces, forces and constraints on bodies that are stretched."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace

import numpy as np

from ..joints import Ellipsoidal, Inverse, Joint, SpatialTransform
from ..model.elements import Muscle
from ..model.shape import Shape
from ..muscles.spec import ConditionalPoint, MovingPoint, Surface
from ..spatial.motion import Motion
from ..spatial.scaled import scaled
from ..spatial.se3 import inverse
from .stretch import EVEN, Stretch, is_even

Stretches = Mapping[str | None, Stretch]
Tell = Callable[[str], None]
PLACES, DIRECTIONS, POSES = ("point", "centre", "start", "end", "place"), ("direction", "axis"), ("pose", "frame")
MEANS = {  # sizes of a surface -> which of the lengths along its axes they grow with, in the mean
    "Cylinder": {"radius": (0, 1)},
    "CappedCylinder": {"radius": (0, 1), "length": (2,)},
    "FiniteCylinder": {"radius": (0, 1), "length": (2,)},
    "DoubleCylinder": {"radius": (0, 1)},
    "Sphere": {"radius": (0, 1, 2)},
    "Torus": {"radius": (0, 1), "tube": (0, 1)},
}
LENGTHS = ("rest_length", "length")  # of what acts between places, which nothing scales
CURVED = ("SplineCurve", "SplineSurface", "Composite")  # joints that hold places which are not scaled


def scaled_joint(joint: Joint, parent: tuple, child: tuple, tell: Tell) -> Joint:
    """A joint between stretched bodies; (factors, axes of the joint in the frame that they are meant in) of each."""
    if isinstance(joint, Inverse):
        return Inverse(scaled_joint(joint.joint, child, parent, tell))
    factors, R = parent
    M = R.T @ (factors[:, None] * R)
    if isinstance(joint, SpatialTransform):
        return _scaled_transform(joint, M)
    if isinstance(joint, Ellipsoidal):
        if np.abs(M - np.diag(np.diag(M))).max() > EVEN:
            tell("its ellipsoid is not along the axes of its parent; its radii grow with the lengths along them")
        return Ellipsoidal(np.asarray(joint.radii) * np.linalg.norm(M, axis=0))
    if type(joint).__name__ in CURVED and np.abs(M - np.eye(3)).max() > EVEN:
        tell(f"its {type(joint).__name__} is not scaled")
    return joint


def _scaled_transform(joint: SpatialTransform, M: np.ndarray) -> SpatialTransform:
    """Shifts M f a, but for those that are a coordinate themselves: they stay what they are, in metres."""
    axes, functions = list(joint.axes), list(joint.functions)
    for k in range(3, 6):
        if joint.coordinates[k] is not None and functions[k].is_identity:
            continue
        along = M @ axes[k]
        size = float(np.linalg.norm(along))
        functions[k] = scaled(functions[k], size)
        if np.abs(along / size - axes[k]).max() > EVEN:
            axes[k] = along / size
    return SpatialTransform(axes, functions, joint.coordinates)


def scaled_shape(shape: Shape, factors: np.ndarray) -> Shape:
    """A shape in the frame that the factors are meant in; solids stay along their axes."""
    R = shape.frame[:3, :3]
    frame = shape.frame.copy()
    frame[:3, 3] = factors * frame[:3, 3]
    if shape.kind == "mesh":
        points = factors * (shape.vertices * shape.size @ R.T + shape.frame[:3, 3])
        return replace(shape, size=(1.0, 1.0, 1.0), frame=np.eye(4), vertices=points)
    along = np.linalg.norm(factors[:, None] * R, axis=0)
    if shape.kind in ("cylinder", "capsule"):
        along[:2] = along[:2].mean()
    return replace(shape, size=tuple((np.array(shape.size) * along).tolist()), frame=frame)


def scaled_muscle(muscle: Muscle, stretches: Stretches, tell: Tell) -> Muscle:
    """A muscle's path on stretched bodies."""
    points = [scaled_path_point(point, stretches, tell) for point in muscle.points]
    wrap = muscle.wrap
    if wrap is not None:
        wrap = [
            [scaled_surface(one, stretches, tell) for one in piece]
            if isinstance(piece, Sequence)
            else scaled_surface(piece, stretches, tell)
            for piece in wrap
        ]
    return replace(muscle, points=points, wrap=wrap)


def scaled_path_point(point: object, stretches: Stretches, tell: Tell) -> object:
    """A point of a path, of any kind."""
    if isinstance(point, ConditionalPoint):
        return replace(point, place=tuple(stretches[point.body].point(point.place).tolist()))
    if isinstance(point, MovingPoint):
        stretch, E = stretches[point.body], np.eye(4) if point.frame is None else point.frame
        if not stretch.keeps_axes(E):
            tell("a moving point's axes are not those of its body; each of its coordinates grows with the length there")
        place = [scaled_number(x, f) for x, f in zip(point.place, stretch.along(E), strict=True)]
        return replace(point, place=tuple(place), frame=stretch.pose(E))
    return point[0], tuple(stretches[point[0]].point(point[1]).tolist())


def scaled_number(x: Motion | float, factor: float) -> Motion | float:
    """A number, or a motion, times a factor."""
    return scaled(x, float(factor)) if isinstance(x, Motion) else float(x) * float(factor)


def scaled_surface(surface: Surface | None, stretches: Stretches, tell: Tell) -> Surface | None:
    """A wrapping surface, which keeps its kind: a sphere stays a sphere."""
    if surface is None:
        return None
    stretch, E, kind = stretches[surface.body], surface.frame(), type(surface).__name__
    along = stretch.along(E)
    changes = {"E_bs": stretch.pose(E)}
    if getattr(surface, "side", None) is not None:
        changes["side"] = tuple((along * np.asarray(surface.side, float)).tolist())
    if hasattr(surface, "radii"):
        changes["radii"] = tuple((along * np.asarray(surface.radii, float)).tolist())
        if not stretch.keeps_axes(E):
            tell("an ellipsoid that it wraps is not along its body's axes; it grows with the lengths along its own")
    elif kind not in MEANS:
        tell(f"a surface that it wraps, {kind}, keeps its size")
    for name, which in MEANS.get(kind, {}).items():
        own = stretch.factors if kind == "Sphere" else along[list(which)]
        changes[name] = float(getattr(surface, name)) * float(own.mean())
        if not is_even(own):
            tell(f"a {kind} that it wraps is scaled unevenly, by {_listed(own)}; its {name} grows by the mean")
    second = getattr(surface, "second", None)
    if second is not None:
        changes["second"] = _second(second, E, stretch)
    return replace(surface, **changes)


def _second(second: Surface, E: np.ndarray, stretch: Stretch) -> Surface:
    """The second cylinder of a pair, which stands in the first one's frame E."""
    own = E @ second.frame()
    along = stretch.along(own)
    side = None if second.side is None else tuple((along * np.asarray(second.side, float)).tolist())
    place = inverse(stretch.pose(E)) @ stretch.pose(own)
    return replace(second, E_bs=place, radius=second.radius * float(along[:2].mean()), side=side)


def _listed(factors: np.ndarray) -> str:
    return ", ".join(f"{x:.4g}" for x in factors)


def scaled_thing(thing: object, stretches: Stretches, tell: Tell) -> object:
    """A force or a constraint whose places are on stretched bodies; stiffnesses and sizes in joints stay."""
    changes = {}
    for field in fields(thing):
        if not field.init:
            continue
        value = getattr(thing, field.name)
        new = _scaled_value(thing, field.name, value, stretches, tell)
        if new is not value:
            changes[field.name] = new
    for name in LENGTHS:
        if changes and isinstance(getattr(thing, name, None), float) and _moves(thing, changes):
            tell(f"its {name} stays {getattr(thing, name):g} m")
    changes |= _scaled_sizes(thing, stretches, tell)
    body = _body_of(thing)
    if body in stretches and stretches[body].turns and _along_own_axes(thing):
        tell(f"it is given along the own axes of body {body!r}, which turn as its inertia changes")
    return replace(thing, **changes) if changes else thing


def _along_own_axes(thing: object) -> bool:
    """Does a thing have components along the principal axes of its body?"""
    if type(thing).__name__ in ("DrivenBody", "Ground"):
        return getattr(thing, "points", None) is None
    return getattr(thing, "world_axes", None) is False and getattr(thing, "frame", None) is None


def _moves(thing: object, changes: Mapping) -> bool:
    """Is any place not where it was?"""
    return any(not same_places(getattr(thing, name), new) for name, new in changes.items())


def same_places(old: object, new: object) -> bool:
    """Are two places, or lists of them, the same but for rounding?"""
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(old) == len(new) and all(map(same_places, old, new))
    if old is None or isinstance(old, str) or is_dataclass(old) or isinstance(old, Motion):
        return True
    return bool(np.allclose(np.asarray(old, float), np.asarray(new, float), rtol=EVEN, atol=0.0))


def _scaled_value(thing: object, name: str, value: object, stretches: Stretches, tell: Tell) -> object:
    """A field of a force or constraint."""
    pair = _as_pair(value, stretches)
    if pair is not None:
        return pair[0], _placed(pair[1], stretches[pair[0]])
    if isinstance(value, (list, tuple)) and value and all(_as_pair(one, stretches) is not None for one in value):
        return [_scaled_value(thing, name, one, stretches, tell) for one in value]
    if is_dataclass(value) and not isinstance(value, type) and (hasattr(value, "body") or hasattr(value, "frame")):
        return scaled_thing(value, stretches, tell)
    body = _body_of(thing)
    if body is None or value is None or isinstance(value, str) or body not in stretches:
        return value
    stretch = stretches[body]
    if name in PLACES and not getattr(thing, "world_point", False):
        return _scaled_place(thing, value, stretch, tell)
    if name == "points":
        return [tuple(stretch.point(p).tolist()) for p in value]
    if name in DIRECTIONS and not (getattr(thing, "world_direction", False) or getattr(thing, "world_axis", False)):
        return tuple(stretch.direction(value).tolist()) if stretch.turns else value
    if name in POSES and np.shape(value) == (4, 4):
        return stretch.pose(np.asarray(value, float))
    return value


def _as_pair(value: object, stretches: Stretches) -> tuple[str | None, np.ndarray] | None:
    """(body, place or pose) if that is what it is."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    body, place = value
    if not (body is None or (isinstance(body, str) and body in stretches)) or isinstance(place, (str, Motion)):
        return None
    try:
        place = np.asarray(place, float)
    except (TypeError, ValueError):
        return None
    return (body, place) if place.shape in ((3,), (4, 4)) else None


def _placed(place: np.ndarray, stretch: Stretch) -> tuple | np.ndarray:
    return stretch.pose(place) if place.shape == (4, 4) else tuple(stretch.point(place).tolist())


def _body_of(thing: object) -> str | None:
    """The body in whose frame a thing gives its places."""
    body = getattr(thing, "body", None)
    if body is None and isinstance(getattr(thing, "a", None), (list, tuple)):
        return thing.a[0]  # the axis of a loop is in the frame of its first body
    return body


def _scaled_place(thing: object, value: Sequence, stretch: Stretch, tell: Tell) -> tuple:
    """A place in a body's frame, or in a frame of its own there; it may move with time."""
    frame = getattr(thing, "frame", None)
    E = np.eye(4) if frame is None else np.asarray(frame, float)
    if any(isinstance(x, Motion) and x.moves for x in value):
        if not stretch.even:
            tell("its place moves; each coordinate grows with the length along its axis")
        return tuple(scaled_number(x, f) for x, f in zip(value, stretch.along(E), strict=True))
    p = np.array([x(0.0) if isinstance(x, Motion) else x for x in value], float)
    new = inverse(stretch.pose(E)) if frame is not None else np.eye(4)
    x = stretch.point(E[:3, :3] @ p + E[:3, 3])
    return tuple((new[:3, :3] @ x + new[:3, 3]).tolist())


def _scaled_sizes(thing: object, stretches: Stretches, tell: Tell) -> dict[str, object]:
    """Sizes of what touches."""
    changes, kind = {}, type(thing).__name__
    if getattr(thing, "radius", None) and kind in ("Sphere", "Capsule"):
        changes["radius"] = _mean_size(thing.radius, stretches[thing.body], tell)
    if isinstance(getattr(thing, "sphere", None), (list, tuple)):
        changes["radius"] = _mean_size(thing.radius, stretches[thing.sphere[0]], tell)
        if thing.other_radius is not None:
            changes["other_radius"] = _mean_size(thing.other_radius, stretches[thing.other[0]], tell)
    if getattr(thing, "size", None) is not None and kind in ("Box", "Ground"):
        along = stretches[thing.body].along(getattr(thing, "pose", None))
        changes["size"] = tuple((along * np.asarray(thing.size, float)).tolist())
    return changes


def _mean_size(radius: float, stretch: Stretch, tell: Tell) -> float:
    if not stretch.even:
        tell(f"a sphere is scaled unevenly, by {_listed(stretch.factors)}; its radius grows by the mean")
    return float(radius) * float(stretch.factors.mean())
