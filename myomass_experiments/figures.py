"""What the figures of all experiments share: titles, legends, arrows, axes for drawings."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from myomass.viewer.panels import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 150


def finish(axes: "Axes", title: str, path: Path) -> None:
    """Add title and legend to a figure of one panel, and write the file."""
    dress(axes, title)
    axes.figure.savefig(path, dpi=DPI)


def dress(axes: "Axes", title: str, **legend) -> None:
    """Add title, legend (if anything is named) and a light grid."""
    axes.set_title(title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, **legend)
    tidy(axes)


def arrow(axes: "Axes", x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """Draw an arrow at the middle of a line that shows which way it runs."""
    k = len(x) // 2
    axes.annotate("", (x[k + 1], y[k + 1]), (x[k], y[k]), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.6})


def scenery(axes: "Axes") -> None:
    """Set axes up for a drawing to scale, without frame and numbers."""
    axes.set_aspect("equal")
    axes.axis("off")
