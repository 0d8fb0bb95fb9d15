"""What bodies of .osim files look like: primitive solids, and meshes of files that lie beside the model."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...joints.base import frame_with_z_along
from ...model.shape import Shape
from ...recordings.xml import Element
from ...spatial.se3 import translation
from ..meshes import read_mesh
from .document import members
from .frames import GROUND, body_fixed_xyz
from .reader import Reader
from .sticks import draw_sticks

FOLDERS = ("", "Geometry", "../Geometry", "../../Geometry")  # beside the model, where meshes are looked for
TELLING = 3  # names of missing files that the report tells


def read_geometry(reader: Reader) -> None:
    """Give bodies the shapes that the file says; those whose meshes are missing become rods from joint to joint."""
    folder = Path(reader.model.file).parent
    missing: list[str] = []
    bare: list[str] = []
    for path, element in reader.frames.elements.items():
        body, pose = reader.frames.at(path, element)
        found = []
        for geometry, more in _drawn(element):
            known = len(missing)
            found += _shapes(reader, geometry, pose @ more, folder, missing)
            bare += [body] if len(missing) > known else []
        if not found:
            continue
        if body == GROUND:
            reader.note(element, "what it looks like is not drawn: the world has no shapes")
            continue
        own = reader.spec.bodies[body]
        own.shapes = [*(own.shapes or ()), *found]
    if missing:
        missing = list(dict.fromkeys(missing))
        draw_sticks(reader, [name for name, body in reader.spec.bodies.items() if name in bare and not body.shapes])
        names = ", ".join(missing[:TELLING]) + (f" and {len(missing) - TELLING} more" if len(missing) > TELLING else "")
        reader.spec.report.append(
            f"mesh files that are neither beside the model nor in a folder Geometry there: {names}; bodies without any "
            "of theirs are drawn as rods from joint to joint"
        )


def _drawn(element: Element) -> Iterator[tuple[Element, np.ndarray]]:
    """(geometry, its pose in the frame) of a frame's geometries, in new and in old formats."""
    for geometry in element.find("attached_geometry") or ():
        yield geometry, np.eye(4)
    old = element.find("VisibleObject")
    for geometry in () if old is None else members(old, "GeometrySet"):
        yield geometry, _old_pose(geometry)


def _old_pose(element: Element) -> np.ndarray:
    """The pose of a <transform>: three body-fixed angles, then three shifts."""
    numbers = element.numbers("transform", np.zeros(6), 6)
    return translation(*numbers[3:]) @ body_fixed_xyz(numbers[:3])


def _shapes(reader: Reader, element: Element, pose: np.ndarray, folder: Path, missing: list[str]) -> list[Shape]:
    """The shape of one geometry, none if it cannot be drawn."""
    look = {"frame": pose, "colour": _colour(element)}
    factors = element.numbers("scale_factors", np.ones(3), 3)
    name = element.text_of("mesh_file") or element.text_of("geometry_file")
    if name:
        path = _beside(folder, name)
        if path is None:
            missing.append(name)
            return []
        try:
            vertices, faces = read_mesh(path)
        except (ValueError, ImportError) as error:
            reader.note(element, str(error))
            return []
        if np.prod(factors) < 0:
            faces = faces[:, ::-1]
        return [Shape.mesh(vertices * factors, faces, **look)]
    if element.tag not in SOLIDS:
        reader.note(element, "this kind of geometry is not drawn")
        return []
    return [SOLIDS[element.tag](element, factors, look)]


def _beside(folder: Path, name: str) -> Path | None:
    """A mesh file by the name that the model knows it by, wherever it lies."""
    bare = name.replace("\\", "/").rsplit("/", 1)[-1]
    tried = [folder / place / word for place in FOLDERS for word in (name, bare)]
    return next((path for path in tried if path.is_file()), None)


def _colour(element: Element) -> tuple[float, float, float] | None:
    holder = element.find("Appearance") or element
    numbers = holder.numbers("color")
    if numbers is None or len(numbers) != 3 or (numbers == 1.0).all():
        return None
    return tuple(np.clip(numbers, 0.0, 1.0).tolist())


def _ball(element: Element, factors: np.ndarray, look: dict) -> Shape:
    return Shape.ellipsoid(element.numbers("radius", [1.0], 1) * factors, **look)


def _ellipsoid(element: Element, factors: np.ndarray, look: dict) -> Shape:
    return Shape.ellipsoid(element.numbers("radii", np.ones(3), 3) * factors, **look)


def _cylinder(element: Element, factors: np.ndarray, look: dict) -> Shape:
    """A cylinder along y."""
    radius, half = (float(element.numbers(tag, [1.0], 1)[0]) for tag in ("radius", "half_height"))
    upright = np.eye(4)
    upright[:3, :3] = frame_with_z_along(np.array([0.0, 1.0, 0.0]))[:3, :3]
    frame = look["frame"] @ upright
    return Shape.cylinder(radius * factors[0], 2.0 * half * factors[1], **look | {"frame": frame})


def _brick(element: Element, factors: np.ndarray, look: dict) -> Shape:
    return Shape.cuboid(2.0 * element.numbers("half_lengths", np.ones(3), 3) * factors, **look)


SOLIDS = {"Sphere": _ball, "Ellipsoid": _ellipsoid, "Cylinder": _cylinder, "Brick": _brick}
