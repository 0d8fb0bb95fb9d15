"""A recorded walk of a person, with its model and OpenSim's inverse dynamics, so that every example and test has one.

The files are of OpenSim's public collection: see data/CREDITS.md for who made them and their licence (CC BY 3.0).
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from ..spatial.brief import brief

DATA = Path(__file__).parent / "data"
FILES = {
    "model": "subject01.osim",
    "coordinates": "subject01_walk_IK.mot",
    "reactions": "subject01_walk_grf.mot",
    "loads": "subject01_walk_grf.xml",
    "torques": "subject01_walk_inverse_dynamics.sto",
}


@brief
@dataclass(frozen=True)
class SampleGait:
    """Paths of the files of a recorded walk: 2.5 s, coordinates at 60 Hz, ground reactions at 600 Hz."""

    model: Path  # .osim: planar, 10 degrees of freedom, 18 muscles
    coordinates: Path  # .mot: by inverse kinematics, in degrees and metres
    reactions: Path  # .mot: force, point and free torque at each foot
    loads: Path  # .xml: which body each of them acts on
    torques: Path  # .sto: OpenSim 4.6's inverse dynamics of these, coordinates filtered at 6 Hz
    credits: Path  # .md: who made them, and their licence


def sample_gait(folder: str | Path | None = None) -> SampleGait:
    """Write the files of a recorded walk into a folder (None: one that is deleted at exit) and return their paths.

    Model by A. Seth, D. G. Thelen, F. C. Anderson, S. L. Delp and others, CC BY 3.0: keep CREDITS.md with the files.
    """
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise NotADirectoryError(f"sample_gait: {folder} is a file, and the walk's files are written into a folder")
    folder = Path(_own_folder().name if folder is None else folder)
    folder.mkdir(parents=True, exist_ok=True)
    with ZipFile(DATA / "gait10dof18musc.zip") as held:
        held.extractall(folder, FILES.values())
    credits = folder / "CREDITS.md"
    credits.write_bytes((DATA / "CREDITS.md").read_bytes())
    return SampleGait(**{what: folder / name for what, name in FILES.items()}, credits=credits)


@cache
def _own_folder() -> TemporaryDirectory:
    """A folder that is there until the program ends."""
    return TemporaryDirectory(prefix="sample_gait_")
