"""Files that are saved of a run."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..recordings import trajectory_table, write_table

if TYPE_CHECKING:
    from ..trajectory import Trajectory


class Keeper:
    """Saves the files that were asked for of each run, and prints where."""

    def __init__(self, files: dict[str, Path | None], plot: bool, plots: Path | None, look: dict[str, bool]):
        self.files, self.plot, self.plots, self.look = files, plot, plots, look

    def __call__(self, name: str, trajectory: "Trajectory") -> None:
        """Save one run."""
        self.last = trajectory
        words = {"out": ("saved", "save"), "html": ("page", "save_html")}
        words |= {"video": ("film", "save_video"), "image": ("picture", "save_image")}
        for option, (word, method) in words.items():
            if self.files[option] is not None:
                show = partial(getattr(trajectory, method), **self.look)
                save = partial(save_run, trajectory) if option == "out" else show
                typer.echo(f"  {word:<13} {save(self.files[option])}")
        if self.plot:
            from ..viewer.plots import plot_energy

            typer.echo(f"  plot          {_save(plot_energy(trajectory), Path(f'{name}-energy.png'))}")
        if self.plots is not None:
            from ..viewer.plots import plots_of

            self.plots.mkdir(parents=True, exist_ok=True)
            for key, figure in plots_of(trajectory).items():
                typer.echo(f"  plot          {_save(figure, self.plots / f'{name}-{key}.png')}")


def _save(figure, path: Path) -> Path:
    figure.savefig(path, dpi=120)
    return path


def save_run(run: "Trajectory", path: Path) -> Path:
    """Save a run as FILE.npz, or as FILE.sto for OpenSim."""
    if path.suffix != ".sto":
        return run.save(path)
    write_table(path, trajectory_table(run))
    return path
