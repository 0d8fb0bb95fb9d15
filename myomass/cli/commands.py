"""Command line: `myomass list`, `run`, `view`, `report`, `gallery`, `reproduce`, `train`, `warm-up`, and OpenSim's."""

import os
import shlex
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from .model_scene import begin, load_scene
from .opensim import COMMANDS
from .options import (
    Atol,
    Controls,
    Duration,
    Host,
    Integrator,
    Open,
    Port,
    Rtol,
    SceneName,
    Settings,
    StartAt,
    States,
    Step,
    Strain,
    XRay,
)
from .printing import Stop, tell_how_to_end, told
from .reproduce import reproduce_experiment
from .saving import Keeper
from .train import Interrupted, train_network
from .warm_up import compile_ahead

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..scenes.verdict import Verdict
    from ..trajectory import Trajectory

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
TROUBLE = (KeyError, ValueError, TypeError, FloatingPointError, ImportError, OSError)  # end a command
ENDINGS = {"out": (".npz", ".sto"), "html": (".html",), "video": (".mp4",), "image": (".png",)}  # of one scene

NEGATIVE = {"ignore_unknown_options": True}  # so that -1 is a scene


def _in_one_sentence(command: Callable) -> Callable:
    """Decorate a command so that errors of use end it with one sentence."""

    @wraps(command)
    def guarded(**options) -> None:
        try:
            command(**options)
        except Interrupted as stopped:
            raise Stop(str(stopped), 130) from None
        except KeyboardInterrupt:
            raise Stop("interrupted; what was done so far is kept", 130) from None
        except TROUBLE as error:
            raise Stop(str(error)) from None

    return guarded


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"myomass {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Its number.")
    ] = False,
) -> None:
    """Articulated and musculoskeletal dynamics."""


@app.command("list")
def list_scenes() -> None:
    """The preset scenes."""
    from rich.console import Console
    from rich.table import Column, Table

    from .. import scenes

    headings = ("number", "name", "duration", "step", "integrator")
    columns = [Column(heading, no_wrap=True) for heading in headings]
    table = Table(*columns, "what it is", box=None, pad_edge=False)
    for name in scenes.names():
        scene = scenes.load(name)
        number = "" if scene.number is None else str(scene.number)
        step = f"{scene.h:g} s"
        table.add_row(number, name, f"{scene.duration:g} s", step, scene.integrator, scene.description)
    Console().print(table)


@app.command(context_settings=NEGATIVE)
@told
def run(
    scene: Annotated[list[str], typer.Argument(help="Scenes by number or name (`myomass list`), FILE.osim, or all.")],
    integrator: Integrator = None,
    duration: Duration = None,
    h: Step = None,
    rtol: Rtol = None,
    atol: Atol = None,
    states: States = None,
    controls: Controls = None,
    start: StartAt = None,
    out: Annotated[Path | None, typer.Option(help="Save the trajectory of one scene: FILE.npz or FILE.sto.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write SCENE-energy.png.")] = False,
    plots: Annotated[Path | None, typer.Option(help="Write every plot that applies into this folder.")] = None,
    html: Annotated[Path | None, typer.Option(help="Save a page FILE.html that plays one scene offline.")] = None,
    video: Annotated[Path | None, typer.Option(help="Save a film FILE.mp4 of one scene.")] = None,
    image: Annotated[Path | None, typer.Option(help="Save a picture FILE.png of the end of one scene.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Show one scene in the browser, after it has run.")] = False,
    strain: Strain = False,
    xray: XRay = False,
    settings: Settings = None,
) -> None:
    """Simulate scenes, print a summary or a table, save what is asked for; fails if a run misses its reference."""
    from .. import scenes
    from ..viewer.look import check_look

    _check_words(scene)
    names = scenes.names() if scene == ["all"] else scene
    files = {"out": out, "html": html, "video": video, "image": image}
    _check_files(files, Path("energy.png") if plot else None, len(names))
    if plots is not None and plots.exists() and not plots.is_dir():
        raise Stop(f"--plots must name a folder, and {plots} is a file")
    if view and len(names) > 1:
        raise Stop(f"--view shows one scene, and there are {len(names)}")
    try:
        chosen = [load_scene(name, **_parameters(settings)) for name in names]
        options = {"integrator": integrator, "duration": duration, "h": h, "rtol": rtol, "atol": atol}
        options |= begin(chosen, states, controls, start)
        look = {"strain": strain, "xray": xray}
        for which in chosen if any(look.values()) else ():
            check_look(which.model, **look)
        keep = Keeper(files, plot, plots, look)
        show = _print_summary if len(chosen) == 1 else _Table()
        results = [_run_one(which, options, keep, show) for which in chosen]
        if view:
            keep.last.view(**look).wait()
    except TROUBLE as error:
        raise Stop(str(error)) from None
    if not all(results):
        raise typer.Exit(1)


@app.command("view", context_settings=NEGATIVE)
def view_scene(
    scene: SceneName,
    integrator: Integrator = None,
    duration: Duration = None,
    h: Step = None,
    rtol: Rtol = None,
    atol: Atol = None,
    port: Port = None,
    host: Host = "127.0.0.1",
    open_browser: Open = False,
    strain: Strain = False,
    xray: XRay = False,
    settings: Settings = None,
) -> None:
    """Show a scene, simulated meanwhile, or a saved run, in the browser; Ctrl-C ends it."""
    from ..viewer import view

    options = {"integrator": integrator, "duration": duration, "h": h, "rtol": rtol, "atol": atol}
    given = {key: value for key, value in options.items() if value is not None}
    try:
        shown, look = _scene_or_run(scene, given, settings), {"strain": strain, "xray": xray}
        page = view(shown, port=port, host=host, open_browser=open_browser, **look, **given)
    except TROUBLE as error:
        raise Stop(str(error)) from None
    page.wait(tell_how_to_end)


@app.command(context_settings=NEGATIVE)
def report(
    scene: SceneName,
    integrator: Integrator = None,
    duration: Duration = None,
    h: Step = None,
    rtol: Rtol = None,
    atol: Atol = None,
    out: Annotated[Path | None, typer.Option(help="FILE.html; default: SCENE-report.html.")] = None,
    settings: Settings = None,
) -> None:
    """Write a page on a scene or a saved run: picture, plots, numbers, and the command that made it."""
    from ..viewer.files import check_target
    from ..viewer.report import save_report

    options = {"integrator": integrator, "duration": duration, "h": h, "rtol": rtol, "atol": atol}
    given = {key: value for key, value in options.items() if value is not None}
    try:
        what = _scene_or_run(scene, given, settings)
        path = Path(f"{Path(scene).stem if scene.endswith('.npz') else what.name}-report.html") if out is None else out
        check_target(path, (".html", ".htm"), "a report")
        about = {"command": shlex.join(["myomass", *sys.argv[1:]])}
        if scene.endswith(".npz"):
            trajectory = what
        else:
            trajectory, seconds = _timed(what, given)
            about |= {"description": what.description, "facts": _facts(what, trajectory, given, seconds)}
        typer.echo(f"  report        {save_report(trajectory, path, **about)}")
    except TROUBLE as error:
        raise Stop(str(error)) from None


@app.command()
@_in_one_sentence
def gallery(
    folder: Annotated[Path, typer.Argument(help="Folder for gallery.md and its pictures.")] = Path(),
) -> None:
    """Draw all scenes, and write the page that shows them."""
    from .. import scenes
    from ..viewer.gallery import add_picture, write_page

    if not folder.is_dir():
        raise Stop(f"there is no folder {folder}")
    shown = []
    for name in scenes.names():
        scene = scenes.load(name)
        typer.echo(f"  {add_picture(_timed(scene, {})[0], name, folder)}")
        shown.append((name, scene.description))
    typer.echo(f"  {write_page(shown, folder)}")


@app.command("reproduce")
@wraps(reproduce_experiment)
def reproduce(**options) -> None:
    """Do an experiment again, and say in one sentence what hindered it."""
    try:
        reproduce_experiment(**options)
    except TROUBLE as error:
        raise Stop(str(error)) from None


for _name, _command in {**COMMANDS, "train": train_network}.items():
    app.command(_name)(_in_one_sentence(_command))
app.command("warm-up", context_settings=NEGATIVE)(_in_one_sentence(compile_ahead))


def _parameters(settings: list[str] | None) -> dict[str, float | str]:
    """Parameters of a scene, numbers or words by name, from texts "name=value"."""
    parameters: dict[str, float | str] = {}
    for text in settings or ():
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise ValueError(f"--set takes NAME=VALUE, and was given {text!r}")
        try:
            parameters[name.strip().replace("-", "_")] = float(value)
        except ValueError:
            parameters[name.strip().replace("-", "_")] = value.strip()
    return parameters


def _check_words(words: list[str]) -> None:
    for word in words:
        if word.startswith("--"):
            raise Stop(f"there is no option {word}; `myomass run --help` shows them")


def _check_files(files: dict[str, Path | None], plot: Path | None, scenes: int) -> None:
    """Stop with a sentence if a file could not be written, before anything is run."""
    for option, path in files.items():
        if path is not None and path.suffix not in ENDINGS[option]:
            raise Stop(f"--{option} must name a {' or '.join(ENDINGS[option])} file, and is {path}")
        if path is not None and scenes > 1:
            raise Stop(f"--{option} {path} is for one scene, and there are {scenes}")
    for path in (*files.values(), plot):
        if path is not None and path.is_dir():
            raise Stop(f"{path} is a folder")
        if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise Stop(f"the folder {path.parent.resolve()} does not exist or cannot be written")


def _scene_or_run(word: str, options: dict, settings: list[str] | None) -> "Scene | Trajectory":
    """A preset scene by number or name, a model, or the run that a file holds."""
    from ..trajectory import Trajectory

    _check_words([word])
    if not word.endswith(".npz"):
        return load_scene(word, **_parameters(settings))
    if options or settings:
        raise ValueError(f"{word} holds a run that is done, and takes no --{next(iter(options), 'set')}")
    return Trajectory.load(word)


def _timed(scene: "Scene", options: dict) -> tuple["Trajectory", float]:
    """A run and how long it took [s], kernels loaded before."""
    from .. import simulate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulate(scene, **options | {"duration": scene.h})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the verdict says the same
        start = time.perf_counter()
        trajectory = simulate(scene, **options)
        return trajectory, time.perf_counter() - start


def _run_one(scene: "Scene", options: dict, keep: "Keeper", show: Callable) -> bool:
    """Run, show and save one scene; True if it ended where it should."""
    from ..scenes.verdict import judge

    given = {key: value for key, value in options.items() if value is not None}
    trajectory, seconds = _timed(scene, given)
    verdict = judge(scene, trajectory, as_preset=not given.keys() & {"duration", "h"})
    show(scene, trajectory, seconds, verdict)
    keep(scene.name, trajectory)
    return verdict.passed


def _facts(scene: "Scene", trajectory: "Trajectory", options: dict, seconds: float) -> dict[str, str]:
    """Rows of the report's table that only the command line knows."""
    from ..integrators import INTEGRATORS, Adaptive
    from ..simulate import ATOL, RTOL

    steps = trajectory.steps["accepted"]
    facts = {"time": f"{seconds:.3f} s, {steps / seconds:,.0f} steps/s"}
    if isinstance(INTEGRATORS[trajectory.integrator], Adaptive):
        rtol = options.get("rtol", scene.rtol or RTOL)
        facts["tolerances"] = f"relative {rtol:g}, absolute {options.get('atol', ATOL):g}"
    else:
        facts["step"] = f"{options.get('h', scene.h):g} s"
    return facts


def _print_summary(scene: "Scene", trajectory: "Trajectory", seconds: float, verdict: "Verdict") -> None:
    steps, model, simulated = trajectory.steps["accepted"], scene.model, trajectory.t[-1] - trajectory.t[0]
    typer.echo(f"{scene.name}: {scene.description}")
    typer.echo(f"  model         {model.nbodies} bodies, {model.ndof} degrees of freedom")
    for what, text in scene.findings.items():
        typer.echo(f"  {what:<13} {text}")
    typer.echo(f"  integrator    {trajectory.integrator}, {simulated:g} s simulated ({trajectory.ended})")
    typer.echo(f"  steps         {steps:,} in {seconds:.3f} s, {steps / seconds:,.0f} steps/s")
    if trajectory.events:
        counts = Counter(event.kind for event in trajectory.events)
        told = ", ".join(f"{count} x {kind}" for kind, count in counts.items())
        typer.echo(f"  events        {told}, the last at {trajectory.events[-1].time:.6g} s")
    word = "drift" if scene.conservative else "change"
    typer.echo(f"  energy {word:<7}{trajectory.energy_drift:.2e} of the energy exchanged")
    if verdict.difference is not None:
        typer.echo(f"  reference     end energy {verdict.difference:.2e} off ({verdict.text})")


class _Table:
    """One line per scene, printed as it is run."""

    columns = ("scene", "integrator", "steps", "seconds", "drift", "difference", "verdict")
    line = "{:<30} {:<11} {:>7} {:>8} {:>9} {:>10}  {}"

    def __init__(self) -> None:
        typer.echo(self.line.format(*self.columns))

    def __call__(self, scene: "Scene", trajectory: "Trajectory", seconds: float, verdict: "Verdict") -> None:
        """Print the line of one scene."""
        difference = "" if verdict.difference is None else f"{verdict.difference:.1e}"
        steps, drift = trajectory.steps["accepted"], f"{trajectory.energy_drift:.1e}" if scene.conservative else ""
        cells = (scene.name, trajectory.integrator, steps, f"{seconds:.3f}", drift, difference, verdict.text)
        typer.echo(self.line.format(*cells))
