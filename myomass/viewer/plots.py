"""Plots with matplotlib (the extra `plot`), each returned as a figure."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulate import Trajectory

KINETIC, POTENTIAL, TOTAL = "#c8553d", "#2d6a9f", "#222222"


def plot_energy(trajectory: "Trajectory") -> "Figure":
    """Kinetic, potential and total energy over time, the drift below on a scale of its own."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'myomass[plot]'") from None
    t, T, V = trajectory.t, trajectory.kinetic, trajectory.potential
    V = V - V[0]
    total = T + V
    figure = Figure(figsize=(8, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    above.plot(t, T, color=KINETIC, lw=1.4, label="kinetic")
    above.plot(t, V, color=POTENTIAL, lw=1.4, label="potential (from the start)")
    above.plot(t, total, color=TOTAL, lw=1.8, label="total")
    above.set_ylabel("energy [J]")
    word = "change" if trajectory.model.loads else "drift"  # springs may keep it, dampers do not
    drift = f"relative energy {word} {trajectory.energy_drift:.1e}"
    above.set_title(f"{trajectory.model.name}, {trajectory.integrator}: {drift}")
    above.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.02))
    below.plot(t, total - total[0], color=TOTAL, lw=1.0)
    below.set_ylabel("total - start [J]")
    below.set_xlabel("time [s]")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    below.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
    return figure
