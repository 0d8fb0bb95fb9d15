"""Command line: `myomass list`, `myomass run SCENE ...`."""

import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import __version__
from .integrators import INTEGRATORS

if TYPE_CHECKING:
    from .scenes import Scene
    from .scenes.verdict import Verdict
    from .trajectory import Trajectory

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


class Stop(typer.Exit):
    """Ends the command with one sentence on standard error."""

    def __init__(self, sentence: str):
        typer.echo(f"myomass: {sentence}", err=True)
        super().__init__(2)


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

    from . import scenes

    headings = ("number", "name", "duration", "step", "integrator")
    columns = [Column(heading, no_wrap=True) for heading in headings]
    table = Table(*columns, "what it is", box=None, pad_edge=False)
    for name in scenes.names():
        scene = scenes.load(name)
        number = "" if scene.number is None else str(scene.number)
        step = f"{scene.h:g} s"
        table.add_row(number, name, f"{scene.duration:g} s", step, scene.integrator, scene.description)
    Console().print(table)


@app.command(context_settings={"ignore_unknown_options": True})  # so that `run -1` is a scene
def run(
    scene: Annotated[list[str], typer.Argument(help="Numbers or names of scenes, or all; `myomass list` shows them.")],
    integrator: Annotated[str | None, typer.Option(help=f"{', '.join(INTEGRATORS)}; default: the scene's.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time in seconds.")] = None,
    h: Annotated[
        float | None, typer.Option("--h", help="Step, or the longest one of recursive and redmax, in seconds.")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of recursive and redmax.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of recursive and redmax.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the trajectory of one scene as FILE.npz.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write SCENE-energy.png.")] = False,
) -> None:
    """Simulate scenes, print a summary or a table, save what is asked for; fails if a run misses its reference."""
    from . import scenes

    for word in scene:
        if word.startswith("--"):
            raise Stop(f"there is no option {word}; `myomass run --help` shows them")
    names = scenes.names() if scene == ["all"] else scene
    if out is not None and (out.suffix != ".npz" or len(names) > 1):
        raise Stop(f"--out must name an .npz file, for one scene, and is {out} for {len(names)}")
    for path in (out, Path("energy.png") if plot else None):
        if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise Stop(f"the folder {path.parent.resolve()} does not exist or cannot be written")
    try:
        chosen = [scenes.load(name) for name in names]
        options = {"integrator": integrator, "duration": duration, "h": h, "rtol": rtol, "atol": atol}
        show = _print_summary if len(chosen) == 1 else _Table()
        results = [_run_one(which, options, out, plot, show) for which in chosen]
    except (KeyError, ValueError, FloatingPointError, ImportError, OSError) as error:
        raise Stop(str(error)) from None
    if not all(results):
        raise typer.Exit(1)


def _run_one(scene: "Scene", options: dict, out: Path | None, plot: bool, show: Callable) -> bool:
    """Run, show and save one scene; did it end where it should?"""
    from . import simulate
    from .scenes.verdict import judge

    given = {key: value for key, value in options.items() if value is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the verdict says what the warning would
        simulate(scene, **given | {"duration": scene.h})  # loads the kernels, so that they are not timed
        start = time.perf_counter()
        trajectory = simulate(scene, **given)
        seconds = time.perf_counter() - start
    verdict = judge(scene, trajectory, as_preset=not given.keys() & {"duration", "h"})
    show(scene, trajectory, seconds, verdict)
    if out is not None:
        typer.echo(f"  saved         {trajectory.save(out)}")
    if plot:
        typer.echo(f"  plot          {_write_plot(trajectory, scene.name)}")
    return verdict.passed


def _print_summary(scene: "Scene", trajectory: "Trajectory", seconds: float, verdict: "Verdict") -> None:
    steps, model = trajectory.steps["accepted"], scene.model
    typer.echo(f"{scene.name}: {scene.description}")
    typer.echo(f"  model         {model.nbodies} bodies, {model.ndof} degrees of freedom")
    typer.echo(f"  integrator    {trajectory.integrator}, {trajectory.t[-1]:g} s simulated ({trajectory.ended})")
    typer.echo(f"  steps         {steps:,} in {seconds:.3f} s, {steps / seconds:,.0f} steps/s")
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


def _write_plot(trajectory, name: str) -> Path:
    from .viewer.plots import plot_energy

    path = Path(f"{name}-energy.png")
    plot_energy(trajectory).savefig(path, dpi=120)
    return path
