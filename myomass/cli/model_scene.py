"""Models of .osim files as scenes, for `myomass run` and `myomass view`, and the files that their runs start from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import scenes
from ..dynamics import assemble
from ..io import read_osim
from ..model import State
from ..recordings import read_table, state_at
from ..scenes import Scene
from ..spatial.brief import counted


@dataclass(eq=False, repr=False)
class ModelScene(Scene):
    """A model of an .osim file at its default pose, to be run and shown as a scene."""

    files: dict[str, str] = field(default_factory=dict)  # what it starts from and is driven by, for the summary

    @property
    def findings(self) -> dict[str, str]:
        """Lines for the summary of a run: its files, and if the model's was not understood in full."""
        notes = counted(len(self.spec.report), "note")
        report = {"report": f"{notes} on the file: see `myomass inspect`"} if self.spec.report else {}
        return report | self.files


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


def begin(chosen: Sequence[Scene], states: Path | None, controls: Path | None, start: float | None) -> dict[str, State]:
    """The `state` that a model's run starts from, if the command line says one; the controls go to the scene."""
    given = {"--states": states, "--controls": controls, "--start": start}
    option = next((option for option, value in given.items() if value is not None), None)
    if option is None:
        return {}
    preset = next((scene.name for scene in chosen if not isinstance(scene, ModelScene)), None)
    if preset is not None:
        raise ValueError(f"{option} is for a model FILE.osim, and {preset!r} is a preset scene")
    if len(chosen) > 1:
        raise ValueError(f"{option} is for one model, and there are {len(chosen)}")
    (scene,) = chosen
    if controls is not None:
        table = scene.excitation = read_table(controls)
        reach = f" from {table.t[0]:g} to {table.t[-1]:g} s" if len(table) else ""
        scene.files["controls"] = f"{controls}{reach}"
    if states is None:
        return {} if start is None else {"state": scene.model.state(scene.q, scene.qdot, start)}
    state = state_at(scene.model, read_table(states), start)
    scene.files["states"], scene.description = f"{states} at {state.t:g} s", f"{scene.spec.name}, from stored states"
    return {"state": state}
