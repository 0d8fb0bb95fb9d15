"""Ankle torque in swing while the muscles' mass shrinks to nothing: Wang 2022, section 6.2.9, Fig. 6.17.

The walk and the muscles are those of `gait`, and the share of the shank's mass that they have goes from 0 to 80 % in
steps. The torque is linear in the masses, so the difference from OpenSim's shrinks in proportion to them.
"""

from pathlib import Path

import numpy as np

from myomass.viewer.panels import need_matplotlib, new_figure

from .figures import DPI, dress
from .gait import PHASE, difference, recorded_walk, torques

SHARES = np.linspace(0.0, 0.8, 9)


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figure into a folder; returns (files, numbers)."""
    need_matplotlib()
    walk = recorded_walk()
    curves = [torques(walk, float(share)) for share in SHARES]
    path = folder / "degradation.png"
    _draw(curves, path)
    return [path], _numbers(curves)


def _numbers(curves: list[np.ndarray]) -> dict:
    found = [difference(one, curves[0]) for one in curves]
    straight = [curves[0] + share / SHARES[-1] * (curves[-1] - curves[0]) for share in SHARES]
    return {
        "share_percent": (100.0 * SHARES).tolist(),
        "largest_difference_of_the_means_Nm": [one["largest_difference_of_the_means_Nm"] for one in found],
        "percent_of_the_largest_torque": [one["percent_of_the_largest_torque"] for one in found],
        "off_a_straight_line_between_0_and_80_percent_Nm": float(np.abs(np.array(curves) - straight).max()),
    }


def _draw(curves: list[np.ndarray], path: Path) -> None:
    """Draw the mean torque of the swings for each share, from dark blue to dark red."""
    from matplotlib import colormaps

    figure = new_figure(8.0, 4.8)
    axes = figure.subplots()
    for share, swings in zip(SHARES, curves, strict=True):
        colour = colormaps["jet"](share / SHARES[-1])
        axes.plot(100.0 * PHASE, swings.mean(axis=0), color=colour, lw=1.5, label=f"{100 * share:.0f} %")
    axes.axhline(0.0, color="0.7", lw=0.8)
    axes.set(xlabel="part of the swing [%]", ylabel="ankle torque [N m]")
    dress(axes, "Mean of the swings, by the share of the shank's mass in its muscles", fontsize=9, ncols=3)
    figure.savefig(path, dpi=DPI)
