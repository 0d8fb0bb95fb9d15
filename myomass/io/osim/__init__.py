"""Models of OpenSim: `.osim` files as specs."""

from pathlib import Path

import numpy as np

from ...model.spec import Spec
from .bodies import hold_coordinates, read_markers, read_tree
from .document import read_model
from .reader import Reader


def read_osim(path: str | Path, forces: bool = True, *, eliminate: bool = False) -> Spec:
    """The model of an .osim file, formats 20000 to 40600, as a spec; `spec.report` lists what was not understood.

    forces: False reads bodies, joints, constraints and paths alone, as inverse dynamics wants them. eliminate: leave
    locked coordinates out, instead of holding them by rows. Coordinates keep their names and order, and `spec.frames`
    has every body's frame of the file, in which its places are given, under the body's name ("ground" is the world's).
    """
    model, said = read_model(path)
    gravity = model.numbers("gravity", (0.0, -9.80665, 0.0), 3)
    reader = Reader(model, Spec(model.name or Path(path).stem, tuple(np.asarray(gravity).tolist())))
    reader.spec.report += said
    read_tree(reader, eliminate)
    hold_coordinates(reader)
    read_markers(reader)
    return reader.spec
