"""Models of OpenSim: `.osim` files as specs."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ...model.spec import Spec
from ...recordings.xml import Element
from .actuator_set import read_actuators as read_actuators
from .bodies import hold_coordinates, read_markers, read_tree
from .compare import PathDifferences as PathDifferences
from .compare import compare_wraps as compare_wraps
from .compare import told_unasked
from .constraints import CONSTRAINTS
from .contact import report_shapes
from .couplings import settle_defaults
from .document import add_force_sets, members, read_model
from .forces import FORCES, add_path, has_path
from .frames import FRAMES
from .geometry import read_geometry
from .muscles import add_muscle, is_muscle
from .names import name_components
from .reader import Reader
from .unknown import told_unknown
from .wraps import ENDS

READ_SETS = ("BodySet", "JointSet", "ConstraintSet", "ForceSet", "MarkerSet", "ContactGeometrySet")


def read_osim(
    path: str | Path,
    forces: bool = True,
    *,
    eliminate: bool = False,
    force_sets: str | Path | Sequence[str | Path] = (),
    cylinder_ends: str = "cut",
    compare: bool = False,
) -> Spec:
    """The model of an .osim file, formats 20000 to 40600, as a spec; `spec.report` lists what was not understood.

    forces: False reads bodies, joints, constraints and paths alone, as inverse dynamics wants them. eliminate: leave
    out locked coordinates, what follows them, and what follows another coordinate of its own joint, instead of holding
    them by rows. force_sets: files whose forces are added, such as reserve actuators. cylinder_ends: a path that slides
    over the end of a wrapping cylinder jumps off it if ends are "cut", as OpenSim's are; "round" ends have caps over
    which it slides off, and "endless" cylinders keep it. compare: add to the report by how much lengths and moment arms
    of paths over surfaces differ from OpenSim's (see compare_wraps).

    Coordinates keep their names and order; defaults that contradict a coupling or a prescribed motion change.
    `spec.frames` has every body's frame of the file, in which its places are given, under its name ("ground": world's).
    What pulls along a path and is no muscle (path actuators and springs, ligaments) is a muscle without mass whose
    tension follows a law (mm.muscles.TensionLaw).
    """
    if cylinder_ends not in ENDS:
        raise ValueError(f"cylinder_ends is one of {', '.join(ENDS)}, not {cylinder_ends!r}")
    model, said, unknown = read_model(path)
    unknown += add_force_sets(model, force_sets)
    said += name_components(model)
    gravity = model.three("gravity", (0.0, -9.80665, 0.0))
    reader = Reader(model, Spec(model.name or Path(path).stem, tuple(np.asarray(gravity).tolist())), cylinder_ends)
    reader.spec.report += said
    read_tree(reader, eliminate)
    settle_defaults(reader)
    hold_coordinates(reader)
    read_markers(reader)
    read_geometry(reader)
    _read_set(reader, "ConstraintSet", CONSTRAINTS)
    for element in members(model, "ForceSet"):
        with element.at_fault():
            if is_muscle(element):
                add_muscle(reader, element, forces)
            elif has_path(element):
                add_path(reader, element, forces)
    if forces:
        _read_set(reader, "ForceSet", FORCES)
        report_shapes(reader)
    _report_the_rest(reader)
    reader.spec.report += told_unknown(unknown, reader.spec.report)
    reader.spec.report += compare_wraps(path, reader.spec).sentences() if compare else told_unasked(reader.spec)
    return reader.spec


def _read_set(reader: Reader, name: str, readers: dict[str, Callable[[Reader, Element], None]]) -> None:
    """Add what a set of the model holds, and report what is not known."""
    for element in members(reader.model, name):
        if element.tag in readers:
            with element.at_fault():
                readers[element.tag](reader, element)
        elif not (is_muscle(element) or has_path(element)):
            reader.note(element, "this kind is not known; left out")


def _report_the_rest(reader: Reader) -> None:
    """Report parts of the model that are not read at all."""
    for element in members(reader.model, "BodySet"):
        if element.tag != "Body":
            reader.note(element, "this is no body; left out")
    listed = [(one.tag, members(reader.model, one.tag)) for one in reader.model if one.tag not in READ_SETS]
    listed += [("list <components>", one) for one in reader.model.descendants("components")]
    for name, elements in listed:
        for element in elements:
            if element.tag not in FRAMES:
                reader.note(element, f"of the {name}, which is not read; left out")
