"""Plot of what the ground does to the feet of a captured motion."""

from typing import TYPE_CHECKING

import numpy as np

from .panels import PALETTE, Line, draw_line, names_beside, need_matplotlib, set_title, short, stacked, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..io import SupportedDynamics


def plot_support(dynamics: "SupportedDynamics", compared: "SupportedDynamics | None" = None) -> "Figure":
    """Vertical and fore-aft force on each foot in body weights over time, the phases of the feet shaded.

    Fore-aft is along `dynamics.heading`. `compared`, another result for the same motion, is drawn thin beside it.
    """
    need_matplotlib()
    up = -dynamics.model.gravity / np.linalg.norm(dynamics.model.gravity)
    figure, panels = stacked(2)
    for axes, along, what in zip(panels, (up, dynamics.heading), ("upward", "forward"), strict=True):
        _shade(axes, dynamics)
        _draw(axes, dynamics, along, "", lw=1.6)
        if compared is not None:
            _draw(axes, compared, along, ", compared", lw=0.9, ls=(0, (3, 1.5)))
        axes.set_ylabel(f"{what} force [body weights]")
        tidy(axes)
    names_beside(panels[0])
    for axes, level in ((panels[0], 1.0), (panels[0], 0.0), (panels[1], 0.0)):
        axes.axhline(level, color="0.5", lw=0.8, zorder=1)
    panels[-1].set_xlabel("time [s]")
    set_title(figure, f"{short(dynamics.model.name, 48)}: the ground's force on the feet")
    return figure


def _shade(axes: "Axes", dynamics: "SupportedDynamics") -> None:
    """Shade the span of each phase in the colour of its foot; flight is left white."""
    frame = dynamics.t[1] - dynamics.t[0] if len(dynamics.t) > 1 else 0.0
    for foot, start, end in dynamics.phases():
        if foot is not None:
            colour = PALETTE[dynamics.feet.index(foot) % len(PALETTE)]
            axes.axvspan(start - 0.5 * frame, end + 0.5 * frame, color=colour, alpha=0.09, lw=0)


def _draw(axes: "Axes", dynamics: "SupportedDynamics", along: np.ndarray, note: str, **look) -> None:
    """Draw a line for each foot, where it bears."""
    for k, foot in enumerate(dynamics.feet):
        y = np.where(dynamics.shares[:, k] > 0, dynamics.forces[:, k] @ along / dynamics.weight, np.nan)
        line = Line(foot + note, dynamics.t, y)
        draw_line(axes, line, color=PALETTE[k % len(PALETTE)], marker="", **look)
