"""Plots of what muscles with states did: activation, forces, where on their curves, powers and work, and the cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..model.spec import UnknownName, known_names
from ..muscles import MuscleReport, metabolic_power
from ..muscles.hill.drawn import force_length
from ..muscles.hill.metabolics.base import Metabolics
from ..trajectory import Trajectory
from .palette import KINETIC, POTENTIAL, TOTAL, activation_colours
from .panels import (
    Line,
    begin,
    draw_line,
    draw_panels,
    names_beside,
    new_figure,
    set_title,
    short,
    stacked,
    steady_limits,
    tidy,
    title_of,
)
from .series import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Which = str | int | Sequence[str | int] | None
FEW = 6  # most muscles whose activation and excitation share a panel
RANGES = 9  # number of operating ranges, if no muscles are chosen
DOTS = 300  # most rows that are marked in an operating range
SHORTEST, LONGEST, POINTS = 0.4, 1.7, 261  # fibre lengths of the curves in optimal ones, at least, and points
ADDED = "added by bounds"


def plot_activation(trajectory: Trajectory, which: Which = None) -> "Figure":
    """Activation over time, and the excitation that it follows dashed; `which`: names or numbers of muscles, or all.

    Excitations are those with reflexes. Where muscles are many, excitations have a panel of their own.
    """
    run, notes, report, muscles = _begin(trajectory, which)
    activations, excitations = (
        [Line(report.names[i] + word, run.t, x[:, i], report.names[i]) for i in muscles]
        for x, word in ((report.activation, ""), (report.excitation, ", excitation"))
    )
    if len(muscles) <= FEW:
        panels = [[line for pair in zip(activations, excitations, strict=True) for line in pair]]
        words = ["activation, excitation"]
    else:
        panels, words = [activations, excitations], ["activation", "excitation"]
    figure, axes = stacked(len(panels), 3.0)
    draw_panels(axes, panels, "muscles")
    top = min(1.0, 1.05 * max(report.activation[:, muscles].max(), report.excitation[:, muscles].max()))
    for panel, word in zip(axes, words, strict=True):
        panel.set_ylabel(word)
        panel.set_ylim(-0.02 * top, 1.02 * top)
    axes[-1].set_xlabel("time [s]")
    set_title(figure, title_of(run, "activation of muscles", notes))
    return figure


def plot_muscle_forces(trajectory: Trajectory, which: Which = None) -> "Figure":
    """Tension of tendons, and along the fibres active and passive force, over time; `which` as in `plot_activation`."""
    run, notes, report, muscles = _begin(trajectory, which)
    rows = {
        "tension [N]": report.tension,
        "active force [N]": report.active_force,
        "passive force [N]": report.passive_force,
    }
    return _over_time(run, report, muscles, rows, title_of(run, "forces of muscles", notes))


def plot_muscle_powers(trajectory: Trajectory, which: Which = None) -> "Figure":
    """Power on the skeleton, power and work of the contractile element, over time; `which` as in `plot_activation`."""
    run, notes, report, muscles = _begin(trajectory, which)
    rows = {
        "power on the skeleton [W]": report.power,
        "power, contractile [W]": report.active_power,
        "work, contractile [J]": report.work,
    }
    return _over_time(run, report, muscles, rows, title_of(run, "powers and work of muscles", notes))


def plot_metabolic_power(
    trajectory: Trajectory, which: Which = None, model: str | Metabolics = "umberger2010", **options
) -> "Figure":
    """Metabolic power of each muscle over time, and the parts of their sum; `which` as in `plot_activation`.

    Heat of activation has that of maintenance in it, heat of shortening that of lengthening.
    model and options, such as mass and slow_fibres, are those of `mm.muscles.metabolic_power`.
    """
    run, notes, report, muscles = _begin(trajectory, which)
    power = metabolic_power(report, model, **options)
    parts = {
        "activation heat": (power.activation + power.maintenance, POTENTIAL),
        "shortening heat": (power.shortening, "#3f8f5f"),
        "work": (power.work, KINETIC),
        ADDED: (power.added, "#8460a8"),
        "total": (power.total, TOTAL),
    }
    if not power.added[:, muscles].any():
        parts.pop(ADDED)
    figure, axes = stacked(2)
    draw_panels(axes[:1], [[Line(report.names[i], run.t, power.total[:, i]) for i in muscles]], "muscles")
    for name, (rate, colour) in parts.items():
        draw_line(axes[1], Line(name, run.t, rate[:, muscles].sum(axis=1)), color=colour, lw=1.3)
    tidy(axes[1])
    names_beside(axes[1])
    for panel, word in zip(axes, ("power of each [W]", "of all [W]"), strict=True):
        panel.set_ylabel(word)
        steady_limits(panel)
    axes[-1].set_xlabel("time [s]")
    name = model if isinstance(model, str) else type(model).__name__
    used = report.integral(power.total[:, muscles].sum(axis=1))[-1]
    set_title(figure, title_of(run, f"metabolic power by {name}, {used:.4g} J in all", notes))
    return figure


def plot_operating_range(trajectory: Trajectory, which: Which = None) -> "Figure":
    """Where muscles work on their force-length curves; the first nine if none are chosen.

    The active curve of full activation at rest, thick where the fibre was, the passive curve dashed, and at some rows
    the active force, coloured by activation.
    """
    run, notes, report, muscles = _begin(trajectory, which)
    if which is None and len(muscles) > RANGES:
        notes, muscles = [*notes, f"{RANGES} of {len(muscles)} muscles"], muscles[:RANGES]
    length, force = report.normal_length, report.active_force / report.optimal_force
    low, high = length[:, muscles].min(), length[:, muscles].max()
    x = np.linspace(min(SHORTEST, low - 0.05), max(LONGEST, high + 0.05), POINTS)
    curves, rows = force_length(run.model, x), spread(len(run.t), DOTS)
    across = {1: 1, 2: 2, 4: 2}.get(len(muscles), 3)
    down = -(-len(muscles) // across)
    figure = new_figure({1: 6.0, 2: 8.0}.get(across, 9.5), 1.3 + 2.7 * down + 0.6 * (across == 1))
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, i in zip(panels, muscles, strict=False):
        _draw_range(axes, x, curves[i], length[:, i])
        colours = activation_colours(report.activation[rows, i]) / 255
        axes.scatter(length[rows, i], force[rows, i], s=9, c=colours, lw=0, zorder=3)
        axes.set_title(short(report.names[i]), fontsize=10, parse_math=False)
    for axes in panels[len(muscles) :]:
        axes.set_visible(False)
    for k, axes in enumerate(panels[: len(muscles)]):
        axes.set_xlabel("fibre length / optimal" if k + across >= len(muscles) else "")
        axes.xaxis.set_tick_params(labelbottom=k + across >= len(muscles))
        axes.set_ylabel("force / optimal force" if k % across == 0 else "")
    panels[0].set_ylim(-0.03, max(1.15, 1.05 * force[:, muscles].max()))
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    _activation_bar(figure, panels.tolist())
    set_title(figure, title_of(run, "operating ranges", notes))
    return figure


def _draw_range(axes: "Axes", x: np.ndarray, curves: np.ndarray, length: np.ndarray) -> None:
    """The curves of a muscle, the active one thick where its fibre was."""
    active, passive = curves
    reached = (x >= length.min()) & (x <= length.max())
    axes.plot(x, active, color="#8a929b", lw=1.0, label="active")
    axes.plot(x, np.where(reached, active, np.nan), color=TOTAL, lw=2.4)
    axes.plot(x, passive, color="#8a929b", lw=1.0, ls=(0, (4, 2)), label="passive")
    axes.set_xlim(x[0], x[-1])
    tidy(axes)


def _activation_bar(figure: "Figure", panels: list["Axes"]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    colours = ListedColormap(activation_colours(np.linspace(0, 1, 256)) / 255)
    bar = figure.colorbar(ScalarMappable(Normalize(0, 1), colours), ax=panels, fraction=0.03, pad=0.02, aspect=30)
    bar.set_label("activation")
    bar.outline.set_visible(False)


def _over_time(
    run: Trajectory, report: MuscleReport, muscles: list[int], rows: dict[str, np.ndarray], title: str
) -> "Figure":
    """A figure with a panel for each of the rows, a line for each muscle."""
    figure, axes = stacked(len(rows), 2.3)
    lines = [[Line(report.names[i], run.t, values[:, i]) for i in muscles] for values in rows.values()]
    draw_panels(axes, lines, "muscles")
    for panel, word in zip(axes, rows, strict=True):
        panel.set_ylabel(word)
        steady_limits(panel)
    axes[-1].set_xlabel("time [s]")
    set_title(figure, title)
    return figure


def _begin(trajectory: Trajectory, which: Which) -> tuple[Trajectory, list[str], MuscleReport, list[int]]:
    """(finite rows of a run, notes on it, its report, numbers of the chosen muscles)."""
    run, notes = begin(trajectory)
    if not len(run.model.muscles.hills):
        raise ValueError(f"model {run.model.name!r} has no muscles with states; give one an actuator=mm.Hill(...)")
    return run, notes, run.muscles, _chosen(run.muscles.names, which)


def _chosen(names: Sequence[str], which: Which) -> list[int]:
    """Muscles by names or numbers; all of them for None."""
    if which is None:
        return list(range(len(names)))
    chosen = []
    for item in [which] if isinstance(which, (str, int, np.integer)) else which:
        if isinstance(item, str) and item in names:
            chosen.append(names.index(item))
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool) and 0 <= item < len(names):
            chosen.append(int(item))
        else:
            raise UnknownName(f"there is no muscle {item!r} with states; {known_names(names)}")
    if not chosen:
        raise ValueError("no muscle is chosen; which=None takes all")
    return list(dict.fromkeys(chosen))
