"""Contact of .osim files: spheres and half-spaces, and the compliant forces between them."""

from itertools import combinations

import numpy as np

from ...forces import Force, HuntCrossley, SmoothHuntCrossley
from ...recordings.xml import Element
from .document import members
from .frames import frame_named_by, last_name, offset_of
from .reader import Reader

PARAMETERS = "HuntCrossleyForce.ContactParameters"
MATERIAL = ("stiffness", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")
SMOOTH = {  # tag -> (argument, OpenSim's default)
    "stiffness": ("stiffness", 1.0),
    **{tag: (tag, 0.0) for tag in MATERIAL[1:]},
    "transition_velocity": ("transition_velocity", 0.01),
    "constant_contact_force": ("constant_force", 1e-5),
    "hertz_smoothing": ("hertz_smoothing", 300.0),
    "hunt_crossley_smoothing": ("hunt_crossley_smoothing", 50.0),
}
OUTWARDS = np.column_stack([(0, 1, 0), (0, 0, -1), (-1, 0, 0)])  # OpenSim's half-space is solid above x = 0
READ = ("ContactSphere", "ContactHalfSpace")


def report_shapes(reader: Reader) -> None:
    """Report contact geometries of kinds that are not read."""
    for element in members(reader.model, "ContactGeometrySet"):
        if element.tag not in READ:
            reader.note(element, "only spheres and half-spaces touch; others pass through it")


class _Shape:
    """A geometry that can touch: a sphere of some radius about a centre, or a half-space below z = 0 of its pose."""

    def __init__(self, reader: Reader, element: Element):
        text = frame_named_by(element) or element.text_of("body_name")
        if not text:
            element.fail(f"the {element.tag} {element.name!r} does not say its <socket_frame>")
        self.body, pose = reader.frame(text, element, f"/contactgeometryset/{element.name}")
        self.pose = pose @ offset_of(element, "location")
        self.name, self.radius = element.name, None
        if element.tag == "ContactHalfSpace":
            self.pose[:3, :3] = self.pose[:3, :3] @ OUTWARDS
            return
        self.radius = float(element.numbers("radius", [0.0], 1)[0])
        if not self.radius > 0 or not np.isfinite(self.radius):
            element.fail(f"the <radius> of the ContactSphere {element.name!r} must be positive, and is {self.radius:g}")

    @property
    def centre(self) -> tuple[str | None, np.ndarray]:
        """(body, place in its own frame [m])."""
        return self.body, self.pose[:3, 3]

    def against(self, other: "_Shape") -> dict:
        """Where a sphere and another shape touch, as arguments of a contact."""
        ends = {"sphere": self.centre, "radius": self.radius}
        if other.radius is None:
            return ends | {"other": (other.body, other.pose)}
        return ends | {"other": other.centre, "other_radius": other.radius}


def _shape(reader: Reader, text: str, asker: Element) -> _Shape | None:
    """The geometry of a name or path; None, with a note, if it is of a kind that is not read."""
    name = last_name(text)
    found = [one for one in members(reader.model, "ContactGeometrySet") if one.name == name]
    if not found:
        known = ", ".join(one.name for one in members(reader.model, "ContactGeometrySet")) or "none"
        asker.fail(f"<{asker.tag}> {asker.name!r} names a contact geometry {name!r}; the model has {known}")
    if found[0].tag not in READ:
        return None  # `report_shapes` tells
    return _Shape(reader, found[0])


def _add(reader: Reader, element: Element, force: type[Force], name: str, given: dict) -> None:
    """Add a contact. Wrong numbers get an error that says where they stand."""
    made = force(**given)
    try:
        made.check()
    except ValueError as error:
        element.fail(f"the {element.tag} {element.name!r}: {error}")
    reader.spec.add_force(made, name if name and name not in reader.spec.forces else None)


def add_hunt_crossley(reader: Reader, element: Element) -> None:
    """Add the contacts of a HuntCrossleyForce: each of its geometries with each of the others on another body.

    Each acts for itself. In OpenSim 4.6 one that would pull, and so does nothing, ends those that come after it.
    """
    listed = []
    for parameters in element.descendants(PARAMETERS):
        material = {tag: float(parameters.numbers(tag, [0.0], 1)[0]) for tag in MATERIAL}
        names = (parameters.text_of("geometry") or "").split()
        if not names:
            reader.note(parameters, f"of {element.name!r}: it names no <geometry>; left out")
        shapes = [_shape(reader, name, parameters) for name in names]
        listed += [(shape, material) for shape in shapes if shape is not None]
    v_t = float(element.numbers("transition_velocity", [0.01], 1)[0])
    count = 0
    for (first, one), (second, two) in combinations(listed, 2):
        if first.radius is None:
            (first, one), (second, two) = (second, two), (first, one)
        if first.body == second.body or first.radius is None:
            continue  # forces within a body cancel, and half-spaces do not touch each other
        both = {tag: (one[tag], two[tag]) for tag in MATERIAL}
        name = f"{element.name}: {first.name} on {second.name}"
        _add(reader, element, HuntCrossley, name, first.against(second) | both | {"transition_velocity": v_t})
        count += 1
    if not count:
        reader.note(element, "none of its geometries can touch another one; left out")


def add_smooth(reader: Reader, element: Element) -> None:
    """Add the contact of a SmoothSphereHalfSpaceForce."""
    ends = []
    for socket, tag in (("socket_sphere", "ContactSphere"), ("socket_half_space", "ContactHalfSpace")):
        text = element.text_of(socket)
        if not text:
            element.fail(f"the {element.tag} {element.name!r} does not say its <{socket}>")
        shape = _shape(reader, text, element)
        if shape is None or (shape.radius is None) != (tag == "ContactHalfSpace"):
            element.fail(f"<{socket}> of {element.name!r} names a {tag}, and {last_name(text)!r} is none")
        ends.append(shape)
    sphere, plane = ends
    if sphere.body == plane.body:
        reader.note(element, "its sphere and its half-space are on one body; left out")
        return
    numbers = {key: float(element.numbers(tag, [default], 1)[0]) for tag, (key, default) in SMOOTH.items()}
    _add(reader, element, SmoothHuntCrossley, element.name, sphere.against(plane) | numbers)


def report_foundation(reader: Reader, element: Element) -> None:
    """Report an ElasticFoundationForce, which acts on meshes."""
    reader.note(element, "contact of meshes by an elastic foundation is not read; left out")


CONTACTS = {
    "HuntCrossleyForce": add_hunt_crossley,
    "SmoothSphereHalfSpaceForce": add_smooth,
    "ElasticFoundationForce": report_foundation,
}
