"""`myomass reproduce`: a published experiment done again."""

import time
from pathlib import Path
from typing import Annotated

import typer


def reproduce_experiment(
    name: Annotated[str, typer.Argument(help="Name of an experiment, or list.")],
    out: Annotated[Path, typer.Option(help="Folder for its figures and NAME.json.")] = Path(),
) -> None:
    """Do a published experiment again: its figures, and a JSON of the numbers."""
    from myomass_experiments import EXPERIMENTS, flat, reproduce

    if name == "list":
        width = max(map(len, EXPERIMENTS)) + 2
        for key, experiment in EXPERIMENTS.items():
            typer.echo(f"  {key:{width}s}{experiment.about} {experiment.source}")
        return
    begun = time.perf_counter()
    files, numbers = reproduce(name, out)
    for what, value in flat(numbers):
        typer.echo(f"  {what:64s} {value}")
    for path in files:
        typer.echo(f"  {path}")
    typer.echo(f"  {time.perf_counter() - begun:.1f} s")
