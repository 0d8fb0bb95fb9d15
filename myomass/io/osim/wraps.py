"""Wrapping surfaces of .osim files."""

import numpy as np

from ...muscles.spec import Surface
from ...muscles.wrapping.capped_cylinder import CappedCylinder
from ...muscles.wrapping.cylinder import Cylinder
from ...muscles.wrapping.ellipsoid import Ellipsoid
from ...muscles.wrapping.finite_cylinder import FiniteCylinder
from ...muscles.wrapping.sphere import Sphere
from ...muscles.wrapping.torus import Torus
from ...recordings.xml import Element
from .frames import offset_of
from .reader import Reader

AXES = dict(zip("xyz", np.eye(3), strict=True))
ENDS = {"cut": FiniteCylinder, "round": CappedCylinder, "endless": Cylinder}  # of cylinders
SIDES = AXES | {f"-{name}": -axis for name, axis in AXES.items()}


def wrap_elements(reader: Reader) -> dict[str, tuple[Element, str]]:
    """All wrapping surfaces: name -> (element, path of the frame that it is fixed to), the first one of each name."""
    found = {}
    for path, frame in reader.frames.elements.items():
        holder = frame.find("WrapObjectSet")
        for element in () if holder is None else holder.find("objects") or ():
            found.setdefault(element.name, (element, path))
    return found


def surface_for(reader: Reader, wrap: Element, name: str) -> Surface | None:
    """The surface that a PathWrap names; None if it is switched off or not known, which is reported."""
    surfaces = wrap_elements(reader)
    if name not in surfaces:
        reader.note(wrap, f"there is no wrapping surface {name!r} in the model; the path goes on without it")
        return None
    element, path = surfaces[name]
    if not element.flag("active", True):
        return None
    body, pose = reader.owned(*reader.frames.at(path, element))
    return make_surface(reader, element, body, pose @ offset_of(element, angles="xyz_body_rotation"))


def make_surface(reader: Reader, element: Element, body: str | None, E: np.ndarray) -> Surface | None:
    """The surface of an element on a body."""
    quadrant = (element.text_of("quadrant") or "all").strip().lower()
    side = SIDES.get(quadrant.lstrip("+"))
    if side is None and quadrant not in ("all", "unassigned", ""):
        reader.note(element, f"the quadrant {quadrant!r} is not known; both sides are taken")
    if element.tag == "WrapCylinder":
        radius = _size(element, "radius", 1.0)
        held = side is not None and quadrant[-1] in "xy"
        known = {"body": body, "E_bs": E, "radius": radius, "side": radius * side if held else None, "hold": held}
        if reader.cylinder_ends == "endless":
            return Cylinder(**known)
        return ENDS[reader.cylinder_ends](**known, length=_size(element, "length", 1.0))
    if element.tag == "WrapSphere":
        radius = _size(element, "radius", 0.05)
        return Sphere(body=body, E_bs=E, radius=radius, side=None if side is None else radius * side, forced=False)
    if element.tag == "WrapEllipsoid":
        radii = _sizes(element, "dimensions", [0.05, 0.05, 0.05])
        place = None if side is None else radii * side
        return Ellipsoid(body=body, E_bs=E, radii=radii.tolist(), side=place, forced=False)
    if element.tag == "WrapTorus":
        tags = {"outer_radius": 0.05, "inner_radius": 0.01}
        ring, tube = (_size(element, tag, default) for tag, default in tags.items())
        return Torus(body=body, E_bs=E, radius=ring, tube=tube, side=(0.0, 0.0, 0.0))  # through the ring
    reader.note(element, "this kind of wrapping surface is not known; paths go on without it")
    return None


def _sizes(element: Element, tag: str, default: list[float]) -> np.ndarray:
    """Lengths that a surface has, an error with the line if one is not positive."""
    found = element.numbers(tag, default, len(default))
    if not (np.isfinite(found).all() and (found > 0).all()):
        element.fail(f"<{tag}> of {element.name!r} is positive, and is {' '.join(f'{x:g}' for x in found)}")
    return found


def _size(element: Element, tag: str, default: float) -> float:
    """A length that a surface has."""
    return float(_sizes(element, tag, [default])[0])
