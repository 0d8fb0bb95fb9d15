"""Frames of an .osim file: on which body each lies and where, found by the ways in which files name them."""

from posixpath import join, normpath

import numpy as np

from ...recordings.xml import Element
from ...spatial.se3 import rotation, translation

GROUND = "ground"
FRAMES = ("PhysicalOffsetFrame", "OffsetFrame", "Station")


def last_name(path: str) -> str:
    """The name at the end of a path such as /bodyset/tibia_r."""
    return path.strip().rstrip("/").rsplit("/", 1)[-1]


def body_fixed_xyz(angles: np.ndarray) -> np.ndarray:
    """The pose R_x(a) R_y(b) R_z(c). (4, 4)"""
    return rotation((1, 0, 0), angles[0]) @ rotation((0, 1, 0), angles[1]) @ rotation((0, 0, 1), angles[2])


def offset_of(element: Element, place: str = "translation", angles: str = "orientation") -> np.ndarray:
    """The pose of an element that has a translation and body-fixed x-y-z angles. (4, 4)"""
    turned = element.numbers(angles, np.zeros(3), 3)
    shifted = element.numbers(place, np.zeros(3), 3)
    return translation(*shifted) @ body_fixed_xyz(turned)


class Frames:
    """All frames of a model by their paths: bodies, ground, and offset frames on any of them or on one another."""

    def __init__(self, model: Element, bodies: dict[str, Element]):
        self.model, self.bodies = model, bodies
        self.elements: dict[str, Element] = {}  # path -> element
        self.by_name: dict[str, list[str]] = {}
        self._found: dict[str, tuple[str, np.ndarray]] = {}
        ground = model.find("Ground")
        self._add(f"/{GROUND}", ground if ground is not None else Element("Ground", {"name": GROUND}, model.file))
        for child in model:
            self._walk(child, "")

    def _walk(self, element: Element, path: str) -> None:
        """Note the frames inside an element; lists such as <objects> and <components> do not show in paths."""
        own = f"{path}/{element.name}" if element.name else path
        known = element is self.bodies.get(element.name) or element.tag in FRAMES
        if known and element.name:
            self._add(own, element)
        for child in element:
            if child.tag not in ("FrameGeometry", "attached_geometry", "GeometryPath", "WrapObjectSet"):
                self._walk(child, own)

    def _add(self, path: str, element: Element) -> None:
        self.elements[path] = element
        self.by_name.setdefault(last_name(path), []).append(path)

    def find(self, text: str, owner: str, asker: Element) -> tuple[str, np.ndarray]:
        """(name of the body or "ground", pose in its frame of the file) of the frame that an element names.

        owner: path of the component that names it, from which relative paths start.
        """
        path = self.path_of(text, owner)
        if path is None:
            several = self.by_name.get(last_name(text))
            what = f"of which there are several: {', '.join(several)}" if several else "that the model does not have"
            asker.fail(f"<{asker.tag}> {asker.name!r} names a frame {text.strip()!r} {what}")
        return self.at(path, asker)

    def path_of(self, text: str, owner: str) -> str | None:
        """The path of a frame that is named by a path, absolute or relative to its owner's, or by its bare name."""
        text = text.strip()
        for path in (normpath(join(owner or "/", text)), normpath(join(owner or "/", "..", text))):
            if path in self.elements:
                return path
        named = self.by_name.get(last_name(text), [])
        bodies = [path for path in named if self.elements[path].tag in ("Body", "Ground")]
        found = bodies or named
        return found[0] if len(found) == 1 else None

    def at(self, path: str, asker: Element, depth: int = 0) -> tuple[str, np.ndarray]:
        """(name of the body or "ground", pose in its frame of the file) of the frame at a path."""
        if path in self._found:
            return self._found[path]
        element = self.elements[path]
        if element.tag in ("Body", "Ground"):
            found = last_name(path), np.eye(4)
        else:
            if depth > len(self.elements):
                element.fail(f"the offset frame {element.name!r} is, by way of others, its own parent")
            parent = element.text_of("socket_parent") or element.text_of("socket_parent_frame")
            if not parent:
                parent = _old_parent(element) or path.rsplit("/", 1)[0]
            above = self.path_of(parent, path)
            if above is None or above == path:
                element.fail(f"the offset frame {element.name!r} names a parent {parent!r} that is not in the model")
            body, pose = self.at(above, element, depth + 1)
            with element.at_fault():
                found = body, pose @ offset_of(element)
        self._found[path] = found
        return found


def _old_parent(element: Element) -> str:
    """The parent that a connector of formats before 40000 names."""
    for connector in element.find("connectors") or ():
        if connector.name == "parent":
            return connector.text_of("connectee_name", "")
    return ""


def frame_named_by(element: Element) -> str | None:
    """The text by which a point, a marker or a force names its frame, in any format."""
    for tag in ("socket_parent_frame", "socket_frame", "body", "parent_frame"):
        text = element.text_of(tag)
        if text:
            return text
    return _old_parent(element) or None
