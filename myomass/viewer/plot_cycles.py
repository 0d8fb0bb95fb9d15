"""Plots of limit cycles along a parameter: multipliers of a branch, and where strides stay in the long run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..walking import Branch, Diagram
from .palette import KINETIC, POTENTIAL, TOTAL
from .panels import need_matplotlib, new_figure, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_bifurcation(
    diagram: Diagram,
    *,
    coordinate: int | None = None,
    named: str | None = None,
    doublings: Sequence[float] = (),
    label: str = "parameter",
    scale: float = 1.0,
    title: str = "strides in the long run",
) -> "Figure":
    """Periods of strides, and a coordinate at their starts (and its name), over the parameter times `scale`."""
    need_matplotlib()
    rows = [(diagram.periods, "period of a stride [s]", KINETIC)]
    if coordinate is not None:
        rows.append((_coordinate(diagram, coordinate), named or f"x[{coordinate}] after the strike", POTENTIAL))
    figure = new_figure(8.0, 1.1 + 2.9 * len(rows))
    panels = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    values = np.repeat(scale * diagram.values[:, None], diagram.periods.shape[1], axis=1)
    for axes, (samples, name, colour) in zip(panels, rows, strict=True):
        axes.plot(values.ravel(), samples.ravel(), ".", markersize=1.6, color=colour)
        for value in doublings:
            axes.axvline(scale * value, color=TOTAL, linewidth=0.7, linestyle=":")
        axes.set_ylabel(name)
        axes.grid(alpha=0.25)
    panels[-1].set_xlabel(label)
    set_title(figure, title)
    return figure


def plot_multipliers(branch: Branch, *, label: str = "parameter", scale: float = 1.0) -> "Figure":
    """Sizes of a branch's multipliers over the parameter times `scale`, and their places by the unit circle."""
    need_matplotlib()
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2)
    values = branch.multipliers
    left.plot(scale * branch.values, np.abs(values), ".-", color=POTENTIAL, markersize=3, linewidth=0.8)
    left.axhline(1.0, color=TOTAL, linewidth=0.7, linestyle=":")
    left.set(xlabel=label, ylabel="size of the multipliers")
    turn = np.exp(1j * np.linspace(0.0, 2 * np.pi, 200))
    right.plot(turn.real, turn.imag, color=TOTAL, linewidth=0.7)
    marks = np.repeat(scale * branch.values[:, None], values.shape[1], axis=1)
    dots = right.scatter(values.real, values.imag, c=marks, s=9)
    figure.colorbar(dots, ax=right, label=label)
    right.set(xlabel="real part", ylabel="imaginary part", aspect="equal")
    for axes in (left, right):
        axes.grid(alpha=0.25)
    set_title(figure, "multipliers of the limit cycle")
    return figure


def _coordinate(diagram: Diagram, k: int) -> np.ndarray:
    """Samples of number k of the state. Raises a ValueError if there is no such number."""
    size = diagram.x.shape[2]
    if not 0 <= k < size:
        raise ValueError(f"plot_bifurcation: a state has the numbers 0 to {size - 1}, and {k!r} is none of them")
    return diagram.x[:, :, k]
