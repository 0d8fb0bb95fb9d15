"""Shapes: what bodies look like. Nothing moves because of them; a body without one is drawn from its inertia."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ..joints.base import frame_with_z_along
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_numbers, check_positive
from ..spatial.inertia import Inertia
from ..spatial.se3 import inverse

KINDS = ("cuboid", "ellipsoid", "cylinder", "capsule", "mesh", "point")
ONE = (1.0, 1.0, 1.0)
NO_COLOUR = -1.0


@brief
@dataclass(frozen=True, eq=False)
class Shape:
    """A solid to draw, made by `Shape.cuboid` and the like.

    `frame` is its pose in the frame that the body's inertia is described in, `colour` red, green and blue from 0 to 1.
    """

    kind: str
    size: tuple[float, float, float]  # sides, semi-axes, or (radius, radius, length) along z [m]; factors of a mesh
    frame: np.ndarray = field(default_factory=lambda: np.eye(4))
    colour: tuple[float, float, float] | None = None
    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # of a mesh [m], (n, 3)
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), int))  # counter-clockwise from outside, (k, 3)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"Shape: the kind is one of {', '.join(KINDS)}, not {self.kind!r}")
        if (check_numbers(self.size, "Shape: the size", (3,)) < 0).any():
            raise ValueError(f"Shape: the size must not be negative, and is {self.size!r}")
        object.__setattr__(self, "frame", check_frame(self.frame, "Shape: the frame"))
        object.__setattr__(self, "colour", check_colour(self.colour, "Shape: the colour"))

    @classmethod
    def cuboid(cls, size: Sequence[float], **look) -> "Shape":
        """Box with full side lengths [m]; `frame` and `colour` as below, for all shapes."""
        return cls("cuboid", _lengths(size, "cuboid", "sides"), **look)

    @classmethod
    def sphere(cls, radius: float, **look) -> "Shape":
        """Ball of a radius [m]."""
        return cls("ellipsoid", (check_positive(radius, "Shape.sphere: the radius"),) * 3, **look)

    @classmethod
    def ellipsoid(cls, semiaxes: Sequence[float], **look) -> "Shape":
        """Ellipsoid with three semi-axes [m]."""
        return cls("ellipsoid", _lengths(semiaxes, "ellipsoid", "semi-axes"), **look)

    @classmethod
    def cylinder(cls, radius: float, length: float, **look) -> "Shape":
        """Cylinder along z [m]."""
        return cls("cylinder", _lengths((radius, radius, length), "cylinder", "radius and length"), **look)

    @classmethod
    def capsule(cls, radius: float, length: float, **look) -> "Shape":
        """Cylinder along z of a length between two half balls [m]."""
        return cls("capsule", _lengths((radius, radius, length), "capsule", "radius and length"), **look)

    @classmethod
    def rod(cls, start: Sequence[float], end: Sequence[float], radius: float, **look) -> "Shape":
        """Capsule whose half balls are centred at two points [m]."""
        a, b = (check_numbers(x, f"Shape.rod: the {w} [m]", (3,)) for x, w in ((start, "start"), (end, "end")))
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            raise ValueError("Shape.rod: start and end are the same point")
        E = frame_with_z_along((b - a) / length)
        E[:3, 3] = 0.5 * (a + b)
        return cls.capsule(radius, length, frame=look.pop("frame", np.eye(4)) @ E, **look)

    @classmethod
    def mesh(cls, vertices: np.ndarray, faces: np.ndarray, **look) -> "Shape":
        """Triangles: vertices (n, 3) [m], faces (k, 3) counter-clockwise from outside."""
        vertices = check_numbers(vertices, "Shape.mesh: the vertices", (None, 3))
        faces = check_numbers(faces, "Shape.mesh: the faces", (None, 3))
        if not len(faces) or (faces != np.floor(faces)).any() or faces.min() < 0 or faces.max() >= len(vertices):
            raise ValueError(f"Shape.mesh: faces are triples of whole numbers from 0 to {len(vertices) - 1}")
        return cls("mesh", ONE, vertices=vertices.copy(), faces=faces.astype(np.int64), **look)

    def reach(self) -> float:
        """Upper bound of its distance from the origin of the body's frame [m]."""
        corner = np.array(self.size) * (0.5 if self.kind == "cuboid" else 1.0)
        if self.kind == "mesh":
            corner = np.abs(self.vertices * self.size).max(axis=0, initial=0.0)
        return float(np.linalg.norm(self.frame[:3, 3]) + np.linalg.norm(corner))


def check_colour(colour: Sequence[float] | None, what: str) -> tuple[float, float, float] | None:
    """Red, green and blue from 0 to 1, or None. Raises a ValueError for anything else."""
    if colour is None:
        return None
    numbers = check_numbers(colour, what, (3,))
    if numbers.min() < 0 or numbers.max() > 1:
        raise ValueError(f"{what} is red, green and blue from 0 to 1, not {colour!r}")
    return tuple(numbers.tolist())


def _lengths(size: Sequence[float], kind: str, what: str) -> tuple[float, float, float]:
    sizes = check_numbers(size, f"Shape.{kind}: the {what} [m]", (3,))
    return tuple(check_positive(s, f"Shape.{kind}: each of the {what}") for s in sizes)


def body_shapes(
    inertia: Inertia | None, given: Sequence[Shape] | None, colour: tuple[float, float, float] | None
) -> tuple[Shape, ...]:
    """What a body looks like, in its own frame: the given shapes, or the solid of its inertia."""
    if given is not None:
        E = np.eye(4) if inertia is None else inverse(inertia.frame)
        shapes = [replace(shape, frame=E @ shape.frame) for shape in given]
    elif inertia is None:
        shapes = []
    elif inertia.shape:
        shapes = _solids(inertia.shape, inverse(inertia.frame))
    else:
        shapes = [like_inertia(inertia.mass, inertia.moments)]
    return tuple(shape if shape.colour else replace(shape, colour=colour) for shape in shapes)


def _solids(shape: tuple, E: np.ndarray) -> list[Shape]:
    """The shapes that an inertia was made from, at the pose E."""
    kind, dimensions = shape
    if kind == "composite":
        return [solid for part, E_part in dimensions if part for solid in _solids(part, E @ E_part)]
    if kind == "mesh":
        return [Shape.mesh(*dimensions, frame=E)]
    if kind == "point":
        return [Shape("point", (0.0, 0.0, 0.0), E)]
    sizes = (dimensions,) if kind in ("cuboid", "ellipsoid") else dimensions
    return [getattr(Shape, kind)(*sizes, frame=E)]


def like_inertia(mass: float, moments: Sequence[float]) -> Shape:
    """The cuboid of even density that has this mass and these moments; a point if there are no moments."""
    moments = np.asarray(moments, float)
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments) if mass > 0 else np.zeros(3)
    sides = np.sqrt(np.maximum(squares, 0.0))
    longest = sides.max()
    if longest == 0.0:
        return Shape("point", (0.0, 0.0, 0.0))
    return Shape.cuboid(np.maximum(sides, 0.02 * longest))


def to_arrays(shapes: tuple[tuple[Shape, ...], ...]) -> dict[str, np.ndarray]:
    """All bodies' shapes as plain arrays by name."""
    flat = [(body, shape) for body, own in enumerate(shapes) for shape in own]
    return {
        "bodies": np.array([body for body, _ in flat], np.int64),
        "kinds": np.array([KINDS.index(shape.kind) for _, shape in flat], np.int64),
        "sizes": np.array([shape.size for _, shape in flat]).reshape(-1, 3),
        "frames": np.array([shape.frame for _, shape in flat]).reshape(-1, 4, 4),
        "colours": np.array([shape.colour or (NO_COLOUR,) * 3 for _, shape in flat]).reshape(-1, 3),
        "vertices": np.concatenate([np.zeros((0, 3)), *(shape.vertices for _, shape in flat)]),
        "faces": np.concatenate([np.zeros((0, 3), int), *(shape.faces for _, shape in flat)]),
        "counts": np.array([(len(shape.vertices), len(shape.faces)) for _, shape in flat], np.int64).reshape(-1, 2),
    }


def from_arrays(arrays: dict[str, np.ndarray], nbodies: int) -> tuple[tuple[Shape, ...], ...]:
    """The shapes of `to_arrays`."""
    shapes: list[list[Shape]] = [[] for _ in range(nbodies)]
    starts = np.concatenate([np.zeros((1, 2), int), np.cumsum(arrays["counts"], axis=0)])
    for i, (body, (first, last)) in enumerate(zip(arrays["bodies"], pairwise(starts), strict=True)):
        colour = None if arrays["colours"][i][0] == NO_COLOUR else tuple(arrays["colours"][i].tolist())
        mesh = arrays["vertices"][first[0] : last[0]], arrays["faces"][first[1] : last[1]]
        kind, size = KINDS[arrays["kinds"][i]], tuple(arrays["sizes"][i].tolist())
        shapes[body].append(Shape(kind, size, arrays["frames"][i], colour, *mesh))
    return tuple(map(tuple, shapes))
