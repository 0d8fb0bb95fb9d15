"""`myomass train`: a network that places a muscle's mass, trained for a wrapping surface."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..muscles.network.sampling import subject_of
from ..muscles.network.training import Settings, checkpoint_step, device, train
from ..viewer.files import check_target

if TYPE_CHECKING:
    from ..muscles.network.trained import Weights

USUAL = Settings()


class Interrupted(Exception):
    """Ctrl-C ended a training; the text says how to go on."""


def train_network(
    surface: Annotated[
        str, typer.Argument(help="cylinder, sphere or capped-cylinder; or the problem: circle, capsule.")
    ],
    *,
    out: Annotated[Path | None, typer.Option(help="FILE.npz of the weights; default: SURFACE.npz.")] = None,
    hidden: Annotated[str, typer.Option(help="Units of each hidden layer.")] = ",".join(map(str, USUAL.hidden)),
    steps: Annotated[int, typer.Option(help="Steps at most.")] = USUAL.steps,
    batch: Annotated[int, typer.Option(help="Samples in a step.")] = USUAL.batch,
    rate: Annotated[float, typer.Option(help="Length of the first steps; it falls to zero.")] = USUAL.rate,
    rates_weight: Annotated[float, typer.Option(help="Weight of Jacobians in the loss.")] = USUAL.rates_weight,
    samples: Annotated[int, typer.Option(help="Samples to learn from.")] = USUAL.samples,
    threshold: Annotated[
        float, typer.Option(help="Share of a path that must be wrapped, if any is, for it to be learned from.")
    ] = USUAL.threshold,
    patience: Annotated[
        int, typer.Option(help="Looks at the validation samples without a better one, after which it stops.")
    ] = USUAL.patience,
    seed: Annotated[int, typer.Option(help="Of samples and first weights.")] = USUAL.seed,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew: drop an old checkpoint.")] = False,
) -> None:
    """Train a network that places a muscle's mass; Ctrl-C ends it, and the same command goes on."""
    subject = subject_of(surface)
    settings = Settings(_widths(hidden), steps, batch, rate, samples, threshold, rates_weight, patience, seed)
    out = check_target(f"{surface}.npz" if out is None else out, (".npz",), "a network")
    checkpoint = out.with_suffix(".state.npz")
    where = device()
    if fresh:
        checkpoint.unlink(missing_ok=True)
    step = checkpoint_step(checkpoint, subject, settings)
    typer.echo(f"{surface}: a network for {' and '.join(subject.problem.surfaces)}")
    typer.echo(f"  device        {where}")
    if step > 0:
        typer.echo(f"  goes on       from step {step:,}, {checkpoint}")
    try:
        with _Bar(step, settings) as bar:
            weights = train(subject, settings, checkpoint=checkpoint, report=bar.show)
    except KeyboardInterrupt:
        kept = f"goes on from {checkpoint}" if checkpoint.exists() else "starts anew, for there was no checkpoint yet"
        raise Interrupted(f"interrupted; the same command {kept}") from None
    weights.save(out)
    checkpoint.unlink(missing_ok=True)
    _print_summary(weights, settings, out)


def _widths(text: str) -> tuple[int, ...]:
    """Units of the hidden layers."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"--hidden takes whole numbers with commas between, as 32,32, and was given {text!r}"
        ) from None


class _Bar(Progress):
    """How far a training is, with its error on validation samples."""

    def __init__(self, step: int, settings: Settings):
        words = TextColumn("error {task.fields[error]}, best {task.fields[best]}")
        columns = TextColumn("  training"), BarColumn(12), MofNCompleteColumn(), words, TimeRemainingColumn()
        super().__init__(*columns, console=Console())
        self.task = self.add_task("", total=settings.steps, completed=step, error="...", best="...")

    def show(self, now) -> None:
        """Show the progress of a training."""
        self.update(self.task, completed=now.step, error=f"{now.error:.2e}", best=f"{now.best:.2e}")


def _print_summary(weights: "Weights", settings: Settings, out: Path) -> None:
    taken, errors = weights.about["steps_taken"], weights.about["errors"]
    early = f", stopped early: none better in {settings.patience} looks" if taken < settings.steps else ""
    typer.echo(f"  steps         {taken:,} of {settings.steps:,}{early}")
    typer.echo(f"  held out      {errors['held_out_samples']:,} samples")
    for what, key, unit in (("places", "place", "of the path's length off"), ("Jacobian", "jacobian", "off")):
        found = errors[key]
        typer.echo(f"  {what:<13} mean {found['mean']:.1e}, 99th percentile {found['p99']:.1e} {unit}")
    typer.echo(f"  saved         {out}")
