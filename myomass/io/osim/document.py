"""An .osim file as a tree of one form: defaults filled in, and what older formats said elsewhere put in its place.

Formats from 20000 to 40600 are read. Below 40000 each body holds its joint, ground is a body, inertias are six tags,
frames are named by `body`, and what acts is told by what is disabled.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path

from ...recordings.xml import Element, read_xml
from .frames import last_name
from .setups import told_setup
from .unknown import find_unknown

OLDEST, JOINTS_APART, NEWEST = 20000, 40000, 40600
INERTIA_WHOLE = 30500  # from this format on an inertia is one element
INERTIAS = {"inertia_xx": 1, "inertia_yy": 1, "inertia_zz": 1, "inertia_xy": 0, "inertia_xz": 0, "inertia_yz": 0}
SETS = {
    "BodySet": "bodyset",
    "JointSet": "jointset",
    "ForceSet": "forceset",
    "ConstraintSet": "constraintset",
    "MarkerSet": "markerset",
    "ContactGeometrySet": "contactgeometryset",
    "ControllerSet": "controllerset",
    "ComponentSet": "componentset",
    "ProbeSet": "probeset",
}


def read_model(path: str | Path) -> tuple[Element, list[str], list[tuple[Element, Element]]]:
    """(the element <Model> of an .osim file, in the newest form; what was said about its format; unknown tags)."""
    root = read_xml(path)
    setup = told_setup(root) if root.find("Model") is None else None
    if setup is not None:
        root.fail(setup)
    if root.tag != "OpenSimDocument":
        root.fail(f"an .osim file begins with <OpenSimDocument>, not with <{root.tag}>")
    version = _version(root)
    said = []
    if version > NEWEST:
        said.append(f"format {version} is newer than {NEWEST}, the newest one that is known; what is new may be missed")
    model = root.find("Model")
    if model is None:
        held = ", ".join(f"<{child.tag}>" for child in root) or "nothing"
        root.fail(f"there is no <Model> in this file; it holds {held}")
    unknown = find_unknown(root)
    fill_defaults(model)
    if version < JOINTS_APART:
        said += _take_joints_apart(model, version)
    return model, said, unknown


def _version(root: Element) -> int:
    told = root.attributes.get("Version", "")
    if not told.isdigit():
        root.fail(f"<OpenSimDocument> says its Version, a number such as 40000, and here it is {told!r}")
    version = int(told)
    if version < OLDEST:
        root.fail(
            f"format {version} is older than {OLDEST}, the oldest that is read; save it again with OpenSim 3 or 4"
        )
    return version


def members(model: Element, name: str) -> list[Element]:
    """The objects of a set of the model, such as "BodySet"."""
    found = model.find(name)
    objects = None if found is None else found.find("objects")
    return [] if objects is None else list(objects)


def add_members(model: Element, name: str, more: Iterable[Element]) -> None:
    """Add objects to a set of the model, which is made if it is not there."""
    own = model.find(name)
    if own is None:
        own = Element(name, {"name": SETS[name]}, model.file, model.line)
        model.children.append(own)
    objects = own.find("objects")
    if objects is None:
        objects = Element("objects", {}, own.file, own.line)
        own.children.append(objects)
    objects.children += more


def add_force_sets(model: Element, paths: str | Path | Sequence[str | Path]) -> list[tuple[Element, Element]]:
    """Add the forces of other files (or of one), each of which holds a <ForceSet>; returns their unknown tags."""
    unknown = []
    for path in [paths] if isinstance(paths, (str, Path)) else paths:
        root = read_xml(path)
        found = root.find("ForceSet")
        if root.tag != "OpenSimDocument" or found is None:
            root.fail("a file of forces holds an <OpenSimDocument> with a <ForceSet>")
        unknown += find_unknown(found)
        fill_defaults(found)
        if found.find("objects") is None:
            found.fail("the <ForceSet> of a file of forces holds them in <objects>, and this one has none")
        add_members(model, "ForceSet", found.find("objects"))
    return unknown


def adopted(tag: str, text: str, like: Element) -> Element:
    """A new element with a text, which stands where another one stands."""
    made = Element(tag, {}, like.file, like.line)
    made.text = text
    return made


def fill_defaults(model: Element) -> None:
    """Give every object the properties that a <defaults> block has of its class and that it lacks itself."""
    block = model.find("defaults")
    if block is None:
        return
    defaults = {element.tag: element for element in block}
    model.children.remove(block)
    for element in list(model.descendants()):
        if element.tag in defaults:
            own = {child.tag for child in element}
            element.children += [copy(child) for child in defaults[element.tag] if child.tag not in own]


def _take_joints_apart(model: Element, version: int) -> list[str]:
    """Put joints of formats below 40000 in a JointSet, and ground out of the BodySet; returns lines for the report.

    The last ones before 40000 have a JointSet already.
    """
    said: list[str] = []
    bodies = model.find("BodySet")
    if not any(body.name == "ground" or body.find("Joint") is not None for body in members(model, "BodySet")):
        return said
    joints = Element("JointSet", {"name": "jointset"}, model.file, bodies.line)
    objects = Element("objects", {}, model.file, bodies.line)
    joints.children.append(objects)
    kept = []
    for body in bodies.find("objects"):
        for joint in body.find("Joint") or ():
            objects.children.append(_joint(joint, body))
        if version < INERTIA_WHOLE:
            said += _make_inertia_whole(body)
        if body.name == "ground":
            body.tag = "Ground"
            model.children.append(body)
        else:
            kept.append(body)
    bodies.find("objects").children = kept
    model.children = [child for child in model if child.tag != "JointSet"] + [joints]
    return said


def _make_inertia_whole(body: Element) -> list[str]:
    """Put six tags of a body in one; those that it lacks have defaults; returns a line if it has none."""
    told = [found for tag in INERTIAS if (found := body.find(tag)) is not None]
    if told or body.numbers("mass", [0.0], 1)[0] > 0:
        six = " ".join(body.text_of(tag, str(default)) for tag, default in INERTIAS.items())
        body.children.append(adopted("inertia", six, told[0] if told else body))
        if not told:
            return [body.noted("it has a mass and no inertia; OpenSim's default is taken, 1 kg m² about each axis")]
    return []


def _joint(old: Element, body: Element) -> Element:
    """A joint that stood in its body, with frames of its own."""
    joint = copy(old)
    parent = old.text_of("parent_body") or _connectee(old, "parent_body") or _connectee(old, "parent_frame")
    if not parent:
        old.fail(f"joint {old.name!r} does not say its <parent_body>")
    ends = [
        ("parent", last_name(parent), "location_in_parent", "orientation_in_parent"),
        ("child", body.name, "location", "orientation"),
    ]
    frames = Element("frames", {}, old.file, old.line)
    joint.children = [child for child in old if child.tag not in ("frames", "coordinates")]
    for end, base, location, orientation in ends:
        frame = Element("PhysicalOffsetFrame", {"name": f"{base}_offset"}, old.file, old.line)
        at = "ground" if base == "ground" else f"bodyset/{base}"
        frame.children.append(adopted("socket_parent", f"/{at}", old))
        for tag, word in (("translation", location), ("orientation", orientation)):
            found = old.find(word) or old.find(f"{word}_in_child")
            if found is not None:
                frame.children.append(adopted(tag, found.text, found))
        frames.children.append(frame)
        joint.children.append(adopted(f"socket_{end}_frame", f"{base}_offset", old))
    coordinates = Element("coordinates", {}, old.file, old.line)
    coordinates.children = members(old, "CoordinateSet")
    joint.children += [frames, coordinates]
    return joint


def _connectee(element: Element, name: str) -> str:
    """What a connector of the format 30501 names."""
    for connector in element.find("connectors") or ():
        if connector.name == name:
            return connector.text_of("connectee_name", "")
    return ""
