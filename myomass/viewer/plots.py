"""Plots with matplotlib (the extra `plot`), each returned as a figure: `figure.savefig("energy.png")` keeps it.

Of a run: `plot_energy`, `plot_coordinates`, `plot_velocities`, `plot_phase`, and of what holds it `plot_violation`,
`plot_contact_forces`, `plot_joint_forces`; of muscles with states `plot_activation`, `plot_muscle_forces`,
`plot_operating_range`, `plot_muscle_powers`, `plot_metabolic_power`. `plots_of` gives all that apply. SI units.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .palette import KINETIC, POTENTIAL, TOTAL
from .panels import (
    Line,
    begin,
    draw_line,
    draw_panels,
    new_figure,
    set_title,
    short,
    stacked,
    steady_limits,
    tidy,
    title_of,
)
from .plot_forces import plot_contact_forces, plot_joint_forces, plot_violation
from .plot_muscles import (
    plot_activation,
    plot_metabolic_power,
    plot_muscle_forces,
    plot_muscle_powers,
    plot_operating_range,
)
from .series import (
    broken,
    charts_used,
    chosen_dofs,
    cut,
    dof_names,
    dof_units,
    energy_kept,
    thinned,
    units_in_order,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..trajectory import Trajectory

Which = str | int | Sequence[str | int] | None
__all__ = [
    "plot_activation",
    "plot_contact_forces",
    "plot_coordinates",
    "plot_energy",
    "plot_joint_forces",
    "plot_metabolic_power",
    "plot_muscle_forces",
    "plot_muscle_powers",
    "plot_operating_range",
    "plot_phase",
    "plot_velocities",
    "plot_violation",
    "plots_of",
]
WORDS = {"rad": ("angle", "angular rate"), "m": ("displacement", "velocity"), "1": ("parameter", "rate")}
PORTRAITS = 6  # number of portraits, if none are chosen
STILL = 1e-12  # [m or rad, or per s] below which a coordinate counts as resting
PHASE_POINTS = 20_000  # most points of a portrait, whose bins must not hold whole turns


def plots_of(trajectory: "Trajectory") -> dict[str, "Figure"]:
    """Every plot that applies to a run, by name: "energy", "coordinates", "velocities", "phase", ..."""
    begin(trajectory)
    functions = {
        "energy": plot_energy,
        "coordinates": plot_coordinates,
        "velocities": plot_velocities,
        "phase": plot_phase,
        "violation": plot_violation,
        "contact-forces": plot_contact_forces,
        "joint-forces": plot_joint_forces,
        "activation": plot_activation,
        "muscle-forces": plot_muscle_forces,
        "operating-range": plot_operating_range,
        "muscle-powers": plot_muscle_powers,
        "metabolic-power": plot_metabolic_power,
    }
    figures = {}
    for name, function in functions.items():
        try:
            figures[name] = function(trajectory)
        except ValueError:  # raised by a plot that does not apply
            continue
    return figures


def plot_energy(trajectory: "Trajectory") -> "Figure":
    """Kinetic, potential and total energy over time, the drift below on a scale of its own.

    Dashed, where muscles have states: what is left without them, which other forces, drives and dampers change.
    """
    run, notes = begin(trajectory)
    run, notes = cut(run, np.isfinite(run.kinetic) & np.isfinite(run.potential), notes)
    t, T, V = run.t, run.kinetic, run.potential - run.potential[0]
    total = T + V
    figure = new_figure(8, 5)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    draw_line(above, Line("kinetic", t, T), color=KINETIC, lw=1.4)
    draw_line(above, Line("potential (from the start)", t, V), color=POTENTIAL, lw=1.4)
    draw_line(above, Line("total", t, total), color=TOTAL, lw=1.8)
    if len(run.model.muscles.hills):
        rest = run.energy_balance.total
        draw_line(above, Line("total - muscles' work + heat", t, rest - rest[0]), color=TOTAL, lw=1.0, ls="--")
    above.set_ylabel("energy [J]")
    above.set_title(title_of(run, f"relative {energy_kept(run)}", notes), parse_math=False)
    above.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.02))
    draw_line(below, Line("total - start", t, total - total[0]), color=TOTAL, lw=1.0)
    below.set_ylabel("total - start [J]")
    below.set_xlabel("time [s]")
    for axes in (above, below):
        tidy(axes)
        axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False, useMathText=True)
    return figure


def plot_coordinates(trajectory: "Trajectory", which: Which = None) -> "Figure":
    """Coordinates over time, a panel for each unit; `which`: names of bodies, numbers of degrees of freedom, or all."""
    return _over_time(trajectory, which, 0)


def plot_velocities(trajectory: "Trajectory", which: Which = None) -> "Figure":
    """Rates of the coordinates over time, a panel for each unit; `which` as in `plot_coordinates`."""
    return _over_time(trajectory, which, 1)


def _over_time(trajectory: "Trajectory", which: Which, rate: int) -> "Figure":
    """Figure of q or, for rate = 1, of qdot over time."""
    run, notes = begin(trajectory)
    notes = [*notes, "in coordinates of a tree that floats"] if trajectory.switches else notes
    dofs, names, units, charts = chosen_dofs(run.model, which), *_columns(run), charts_used(run)
    values = run.qdot if rate else run.q
    shown = units_in_order([units[k] for k in dofs])
    figure, panels = stacked(len(shown))
    lines = [[Line(names[k], run.t, values[:, k], None, charts[:, k]) for k in dofs if units[k] == u] for u in shown]
    draw_panels(panels, lines, "degrees of freedom")
    for axes, unit in zip(panels, shown, strict=True):
        per = {"1": "1/s"}.get(unit, f"{unit}/s") if rate else unit
        axes.set_ylabel(f"{WORDS[unit][rate]} [{per}]")
        steady_limits(axes, STILL)
    panels[-1].set_xlabel("time [s]")
    set_title(figure, title_of(run, "velocities" if rate else "coordinates", notes))
    return figure


def _columns(trajectory: "Trajectory") -> tuple[list[str], list[str]]:
    return dof_names(trajectory.model), dof_units(trajectory.model)


def plot_phase(trajectory: "Trajectory", which: Which = None) -> "Figure":
    """Phase portraits, rates over coordinates, with the start marked; the first six that move if none are chosen.

    Lines break where a ball joint's coordinates jump to another chart.
    """
    run, notes = begin(trajectory)
    notes = [*notes, "in coordinates of a tree that floats"] if trajectory.switches else notes
    dofs, names, units, charts = chosen_dofs(run.model, which), *_columns(run), charts_used(run)
    if which is None:
        dofs = [k for k in dofs if np.ptp(run.q[:, k]) > STILL][:PORTRAITS] or dofs[:PORTRAITS]
        notes = notes if len(dofs) == run.model.ndof else [*notes, f"{len(dofs)} of {run.model.ndof} coordinates"]
    across = {1: 1, 2: 2, 4: 2}.get(len(dofs), 3)
    down = -(-len(dofs) // across)
    figure = new_figure({1: 5.5, 2: 7.5}.get(across, 9.0), 1.2 + 2.7 * down + 1.0 * (across == 1))
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes, k in zip(panels, dofs, strict=False):
        q, rate = run.q[:, k], run.qdot[:, k]
        rows = np.union1d(thinned(q, PHASE_POINTS), thinned(rate, PHASE_POINTS))
        axes.plot(*broken(rows, charts[:, k], q, rate), color=POTENTIAL, lw=1.0, label=names[k])
        (start,) = axes.plot(q[:1], rate[:1], "o", color=KINETIC, ms=5, label="start")
        axes.set_title(short(names[k]), fontsize=10, parse_math=False)
        axes.set_xlabel(f"q [{units[k]}]")
        axes.set_ylabel("dq/dt [1/s]" if units[k] == "1" else f"dq/dt [{units[k]}/s]")
        axes.locator_params(axis="x", nbins=5)
        tidy(axes)
        steady_limits(axes, STILL)
    for axes in panels[len(dofs) :]:
        axes.set_visible(False)
    figure.legend(handles=[start], loc="outside lower center", frameon=False)
    set_title(figure, title_of(run, "phase portraits", notes))
    return figure
