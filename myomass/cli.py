"""Command line: `myomass list`, `myomass run SCENE`."""

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from . import __version__

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
    from rich.table import Table

    from . import scenes

    table = Table("number", "name", "duration", "what it is", box=None, pad_edge=False)
    for name in scenes.names():
        scene = scenes.load(name)
        number = "" if scene.number is None else str(scene.number)
        table.add_row(number, name, f"{scene.duration:g} s", scene.description)
    Console().print(table)


@app.command(context_settings={"ignore_unknown_options": True})  # so that `run -1` is a scene
def run(
    scene: Annotated[str, typer.Argument(help="Number or name of a scene; `myomass list` shows them.")],
    integrator: Annotated[
        str | None, typer.Option(help="recursive, redmax, symplectic or rk4; default: the scene's.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time in seconds.")] = None,
    h: Annotated[
        float | None, typer.Option("--h", help="Step, or the longest one of recursive and redmax, in seconds.")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of recursive and redmax.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of recursive and redmax.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the trajectory as FILE.npz.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write SCENE-energy.png.")] = False,
) -> None:
    """Simulate a scene, print a summary, save what is asked for."""
    if out is not None and out.suffix != ".npz":
        raise Stop(f"--out must name an .npz file, and is {out}")
    for path in (out, Path(f"{scene}-energy.png") if plot else None):
        if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise Stop(f"the folder {path.parent.resolve()} does not exist or cannot be written")
    from . import scenes, simulate

    try:
        chosen = scenes.load(scene)
        model = chosen.model
        options = {"integrator": integrator, "rtol": rtol, "atol": atol}
        simulate(chosen, duration=chosen.h, **options)  # loads the kernels, so that they are not timed
        start = time.perf_counter()
        trajectory = simulate(chosen, duration=duration, h=h, **options)
        seconds = time.perf_counter() - start
    except (KeyError, ValueError, FloatingPointError) as error:
        raise Stop(str(error)) from None
    steps = trajectory.steps["accepted"]
    typer.echo(f"{chosen.name}: {chosen.description}")
    typer.echo(f"  model        {model.nbodies} bodies, {model.ndof} degrees of freedom")
    typer.echo(f"  integrator   {trajectory.integrator}, {trajectory.t[-1]:g} s simulated ({trajectory.ended})")
    typer.echo(f"  steps        {steps:,} in {seconds:.3f} s, {steps / seconds:,.0f} steps/s")
    typer.echo(f"  energy drift {trajectory.energy_drift:.2e} of the energy exchanged")
    try:
        if out is not None:
            typer.echo(f"  saved        {trajectory.save(out)}")
        if plot:
            typer.echo(f"  plot         {_write_plot(trajectory, chosen.name)}")
    except (ImportError, OSError) as error:
        raise Stop(str(error)) from None


def _write_plot(trajectory, name: str) -> Path:
    from .viewer.plots import plot_energy

    path = Path(f"{name}-energy.png")
    plot_energy(trajectory).savefig(path, dpi=120)
    return path
