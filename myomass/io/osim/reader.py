"""What is known while an .osim file is read: the spec so far, where its frames are, and what was not understood."""

import numpy as np

from ...model.model import Model
from ...model.spec import Spec
from ...recordings.xml import Element
from ...spatial.motion import Motion
from ...spatial.se3 import inverse
from .document import members
from .frames import GROUND, Frames, frame_named_by, last_name


class Reader:
    """An .osim file that is being read into a spec."""

    def __init__(self, model: Element, spec: Spec, cylinder_ends: str):
        self.model, self.spec, self.cylinder_ends = model, spec, cylinder_ends
        self.frames = Frames(model, {one.name: one for one in members(model, "BodySet") if one.tag == "Body"})
        self.own: dict[str, np.ndarray] = {}  # body -> pose of its frame of the file in the body's own frame
        self.joints: dict[str, tuple[str, int]] = {}  # coordinate -> (body that hangs by its joint, component)
        self.held: dict[str, float] = {}  # coordinates that were eliminated -> their value
        self.followers: dict[str, tuple[str, Motion]] = {}  # eliminated too: -> what they follow, as a function of it
        self._bodies: Model | None = None

    def bodies(self) -> Model:
        """The model of bodies and joints as they have been read, compiled when it is first asked for."""
        if self._bodies is None:
            self._bodies = self.spec.compile(massless=True)
        return self._bodies

    def note(self, element: Element, what: str) -> None:
        """Report that something of an element was not understood, or was changed."""
        self.spec.report.append(element.noted(what))

    def frame(self, text: str, asker: Element, owner: str = "") -> tuple[str | None, np.ndarray]:
        """(body, None for the world; pose in the body's own frame) of a frame that an element names."""
        body, pose = self.frames.find(text, owner, asker)
        return self.owned(body, pose)

    def owned(self, body: str, pose: np.ndarray) -> tuple[str | None, np.ndarray]:
        """(body, pose in its own frame) of a pose in a body's frame of the file."""
        return (None, pose) if body == GROUND else (body, self.own[body] @ pose)

    def frame_of(self, element: Element, owner: str = "") -> tuple[str | None, np.ndarray]:
        """(body, pose in its own frame) of the frame that a point, a marker or a force is fixed to."""
        text = frame_named_by(element)
        if text is None:
            element.fail(f"<{element.tag}> {element.name!r} does not say which frame it is on")
        return self.frame(text, element, owner)

    def point(self, element: Element, tag: str = "location", owner: str = "") -> tuple[str | None, np.ndarray]:
        """(body, place in its own frame [m]) of an element with a location in the frame that it names."""
        body, pose = self.frame_of(element, owner)
        return body, pose[:3, :3] @ element.three(tag) + pose[:3, 3]

    def coordinate(self, text: str | None, asker: Element) -> str:
        """The name of a coordinate that an element names by name or path; an error if there is none such."""
        name = last_name(text or "")
        if not any(name in known for known in (self.joints, self.held, self.followers)):
            asker.fail(f"<{asker.tag}> {asker.name!r} names a coordinate {name!r} that the model does not have")
        return name

    def keep_own_frame(self, body: str) -> None:
        """Note where a body's frame of the file is in the body's own frame, and name it."""
        inertia = self.spec.bodies[body].inertia
        self.own[body] = np.eye(4) if inertia is None else inverse(inertia.frame)
        self.spec.add_frame(body, body, self.own[body])
