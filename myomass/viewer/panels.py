"""What all plots share: a figure without global state, the palette, lines with a legend beside them, titles."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .series import broken, finite_part, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..trajectory import Trajectory

PALETTE = (
    *("#2d6a9f", "#c8553d", "#3f8f5f", "#8460a8", "#d99a1c", "#45a5b8"),
    *("#8a5a3c", "#d176a2", "#6b7785", "#94ab3a", "#1c3d66", "#7f2a1c"),
)
STYLES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 3)), (0, (1, 3)))
MOST_LINES = len(PALETTE)  # most lines that a legend names
MOST_POINTS = 4_000  # most points of a line
FEW_ROWS = 60  # most points that are marked, to show where the rows are
WIDTH, LONG_NAME, LONG_TITLE = 8.0, 26, 72


class Line(NamedTuple):
    """A line of a plot. Those of one group have the same colour; where the chart changes it breaks."""

    label: str
    x: np.ndarray
    y: np.ndarray
    group: str | None = None
    chart: np.ndarray | None = None


def begin(trajectory: "Trajectory") -> tuple["Trajectory", list[str]]:
    """(finite rows of a run, notes on it). Raises an error if there is nothing to plot, or no matplotlib."""
    need_matplotlib()
    return finite_part(trajectory)


def need_matplotlib() -> None:
    """Raise an ImportError, which says how to install it, if there is no matplotlib."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'myomass[plot]'") from None


def new_figure(width: float, height: float) -> "Figure":
    """A figure apart from pyplot's global state; sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def stacked(count: int, each: float = 2.6) -> tuple["Figure", list["Axes"]]:
    """A figure of panels over one another that share the time axis."""
    figure = new_figure(WIDTH, 1.1 + each * count)
    return figure, list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])


def title_of(trajectory: "Trajectory", what: str, notes: Sequence[str] = ()) -> str:
    """Text of a title: model and integrator, what is shown, and notes below."""
    head = f"{short(trajectory.model.name, 48)}, {trajectory.integrator}:"
    first = f"{head} {what}" if len(head) + len(what) < LONG_TITLE else f"{head}\n{what}"
    return "\n".join([first, *(short(note, LONG_TITLE) for note in notes)])


def set_title(figure: "Figure", text: str) -> None:
    """The figure's title, taken literally ($ is no mathematics)."""
    figure.suptitle(text, fontsize=12, parse_math=False)


def short(name: str, most: int = LONG_NAME) -> str:
    """A name cut to at most `most` characters."""
    return name if len(name) <= most else f"{name[: most - 8]}...{name[-5:]}"


def tidy(axes: "Axes") -> None:
    """Draw axes without a frame and with a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def steady_limits(axes: "Axes", least: float = 0.0) -> None:
    """Choose limits that show values equal but for rounding, or all below `least`, as a straight line.

    Numbers on the axis have no offset, which would hide how large they are.
    """
    low, high = axes.dataLim.intervaly
    size = max(abs(low), abs(high))
    if np.isfinite(size) and 0 < size < least:
        axes.set_ylim(-least, least)
    elif np.isfinite(size) and size > 0 and high - low < 1e-6 * size:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.1 * size, middle + 0.1 * size)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False, useMathText=True)


def draw_line(axes: "Axes", line: Line, **look) -> None:
    """Draw one line, thinned if it is long, its points marked if they are few."""
    rows = thinned(line.y, MOST_POINTS)
    chart = np.zeros(len(line.y)) if line.chart is None else line.chart
    if len(rows) <= FEW_ROWS:
        look = {"marker": "o", "ms": 2.5} | look
    axes.plot(*broken(rows, chart, line.x, line.y), label=line.label, **look)


def draw_panels(panels: Sequence["Axes"], lines: Sequence[Sequence[Line]], what: str) -> None:
    """Lines of panels over one another; the legend of the one above serves for a panel of the same names."""
    names: list[str] = []
    for axes, own in zip(panels, lines, strict=True):
        before, names = names, [line.label for line in own]
        draw_lines(axes, own, what, names != before)
        tidy(axes)


def draw_lines(axes: "Axes", lines: Sequence[Line], what: str, legend: bool = True) -> None:
    """Lines with a legend beside the axes, or with a bar of colours where there are too many to be told apart."""
    if len(lines) > MOST_LINES:
        draw_many(axes, lines, what)
        return
    groups = list(dict.fromkeys(line.group or line.label for line in lines))
    seen = dict.fromkeys(groups, 0)
    for line in lines:
        group = line.group or line.label
        look = {"color": PALETTE[groups.index(group)], "ls": STYLES[seen[group] % len(STYLES)]}
        draw_line(axes, line, lw=1.3, **look)
        seen[group] += 1
    if legend:
        names_beside(axes)


def names_beside(axes: "Axes") -> None:
    """A legend to the right of the axes, names taken literally."""
    handles = list(axes.get_lines())
    anchor = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02), "borderaxespad": 0.0}
    legend = axes.legend(handles, [f"{i}" for i in range(len(handles))], frameon=False, fontsize=9, **anchor)
    for text, handle in zip(legend.get_texts(), handles, strict=True):
        text.set_parse_math(False)
        text.set_text(short(handle.get_label()))


def draw_many(axes: "Axes", lines: Sequence[Line], what: str) -> None:
    """Lines whose colour says which they are, first to last."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    count = len(lines)
    colours = colormaps["viridis"](np.linspace(0.0, 0.95, count))  # the last yellows are too light for lines
    for line, colour in zip(lines, colours, strict=True):
        draw_line(axes, line, lw=0.9, color=colour, marker="")
    shown = ScalarMappable(BoundaryNorm(np.arange(count + 1) - 0.5, count), ListedColormap(colours))
    bar = axes.figure.colorbar(shown, cax=axes.inset_axes((1.02, 0.0, 0.022, 1.0)))
    ticks = np.unique(np.linspace(0, count - 1, 7).round().astype(int))
    bar.set_ticks(ticks, labels=[short(lines[i].label, 18) for i in ticks], fontsize=9)
    bar.ax.minorticks_off()
    for text in bar.ax.get_yticklabels():
        text.set_parse_math(False)
    bar.set_label(f"{count} {what}")
    bar.outline.set_visible(False)
