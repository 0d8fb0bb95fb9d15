"""Models of .osim files as scenes, which `myomass run` and `myomass view` take, and runs for OpenSim."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import scenes
from ..dynamics import assemble
from ..io import read_osim
from ..recordings import trajectory_table, write_table
from ..scenes import Scene
from .printing import counted

if TYPE_CHECKING:
    from ..trajectory import Trajectory


@dataclass(eq=False, repr=False)
class ModelScene(Scene):
    """A model of an .osim file at its default pose, to be run and shown as a scene."""

    @property
    def findings(self) -> dict[str, str]:
        """A line for the summary of a run, if the file was not understood in full."""
        notes = counted(len(self.spec.report), "note")
        return {"report": f"{notes} on the file: see `myomass inspect`"} if self.spec.report else {}


def load_scene(word: str, **settings: float | str) -> Scene:
    """A preset scene by number or name, or the model of an .osim file as one."""
    if not word.lower().endswith(".osim"):
        return scenes.load(word, **settings)
    if settings:
        raise ValueError(f"{word} is a model, and takes no --set")
    spec = read_osim(word)
    model = spec.compile()
    start = assemble(model, model.q(), model.qdot())
    made = ModelScene(
        Path(word).stem,
        f"{spec.name}, from its default pose",
        spec,
        start.q,
        start.qdot,
        duration=1.0,
        h=0.01,
        integrator="recursive",
        conservative=False,
    )
    made.model = model
    return made


def save_run(run: "Trajectory", path: Path) -> Path:
    """Save a run as FILE.npz, or as FILE.sto for OpenSim."""
    if path.suffix != ".sto":
        return run.save(path)
    write_table(path, trajectory_table(run))
    return path
