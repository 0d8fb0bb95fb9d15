"""Command line: `myomass list`, `myomass run SCENE`."""

import time
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


class Stop(typer.Exit):
    """Ends the command with one sentence on standard error."""

    def __init__(self, sentence: str):
        typer.echo(f"myomass: {sentence}", err=True)
        super().__init__(2)


@app.callback()
def main() -> None:
    """Articulated and musculoskeletal dynamics in which muscles have mass."""


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
    duration: Annotated[float | None, typer.Option(help="Simulated time [s].")] = None,
    h: Annotated[
        float | None, typer.Option("--h", help="Step, or the longest one of recursive and redmax [s].")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of recursive and redmax.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of recursive and redmax.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the trajectory as FILE.npz.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write SCENE-energy.png.")] = False,
) -> None:
    """Simulate a scene, print a summary, save what is asked for."""
    if out is not None and (out.suffix != ".npz" or not out.parent.is_dir()):
        raise Stop(f"--out must name an .npz file in a folder that exists, and is {out}")
    from . import scenes, simulate

    try:
        chosen = scenes.load(scene)
        model = chosen.model
        options = {"integrator": integrator, "rtol": rtol, "atol": atol}
        simulate(chosen, duration=chosen.h, **options)  # loads the kernels, so that they are not timed
        start = time.perf_counter()
        trajectory = simulate(chosen, duration=duration, h=h, **options)
        seconds = time.perf_counter() - start
    except (KeyError, ValueError) as error:
        raise Stop(error.args[0]) from None
    steps = trajectory.steps["accepted"]
    typer.echo(f"{chosen.name}: {chosen.description}")
    typer.echo(f"  model        {model.nbodies} bodies, {model.ndof} degrees of freedom")
    typer.echo(f"  integrator   {trajectory.integrator}, {trajectory.t[-1]:g} s simulated ({trajectory.ended})")
    typer.echo(f"  steps        {steps:,} in {seconds:.3f} s, {steps / seconds:,.0f} steps/s")
    typer.echo(f"  energy drift {trajectory.energy_drift:.2e} of the energy exchanged")
    if out is not None:
        typer.echo(f"  saved        {trajectory.save(out)}")
    if plot:
        typer.echo(f"  plot         {_write_plot(trajectory, chosen.name)}")


def _write_plot(trajectory, name: str) -> Path:
    from .viewer.plots import plot_energy

    path = Path(f"{name}-energy.png")
    try:
        plot_energy(trajectory).savefig(path, dpi=120)
    except ImportError as error:
        raise Stop(str(error)) from None
    return path
