"""Depths, widths and sampling thresholds of networks (Wang 2022, Fig. 6.7 to 6.11), at the place where the path kinks.

The package contains the networks (data/network_sizes.npz, by benchmarks/network_sizes.py). A threshold is the share of
the path that must lie on the cylinder for a path that touches to be among the samples.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from myomass.muscles.network.evaluation import learned_places
from myomass.muscles.network.sampling import Ends, trace
from myomass.muscles.network.table import WEIGHTS
from myomass.muscles.network.trained import Weights
from myomass.viewer.panels import PALETTE, STYLES, need_matplotlib, new_figure, tidy

from .figures import DPI, scenery
from .network_kink import (
    COMPARED,
    DEPTH,
    DEPTHS,
    ORIGIN,
    SUBJECT,
    SWEEP,
    THRESHOLDS,
    WIDTHS,
    Design,
    Kept,
    Look,
    Scene,
    along_the_sweep,
    load_networks,
    look,
    measures,
    scene,
    touching,
    variation,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAR, ALL = (-1.3, -0.1), (-1.3, 0.9)  # x of the insertion in figures: around touch-down; to the largest threshold
CONVERGED = (3, 6, 8, 12)  # layers whose convergence is shown
LINE = 201  # places of a drawn path
Networks = dict[str, Kept]


def make(folder: Path) -> tuple[list[Path], dict]:
    """Write the figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    networks, seen = load_networks(), scene()
    looks = {name: look(seen, kept.weights) for name, kept in networks.items()}
    files = [folder / f"network-sizes{part}.png" for part in ("", "-depths", "-thresholds")]
    _overview(networks, seen, files[0])
    _depths(looks, seen, files[1])
    _thresholds(looks, seen, files[2])
    sides = scene(touching()[1][0] + np.array([-1e-9, 1e-9])).exact.J[:, 0]
    numbers = {
        "touch_down_at_x_ins_radii": float(touching()[1][0]),
        "exact_jacobian_before_and_after": sides.tolist(),
        "variation_of_exact_jacobian": variation(seen.exact.J[:, 0]),
        "sweep_radii": [float(seen.x[0]), float(seen.x[-1])],
        "share_on_the_cylinder_at_the_ends": [float(seen.share[0]), float(seen.share[-1])],
        "training": _training(networks),
        "network_that_comes_along": along_the_sweep(seen, Weights.load(WEIGHTS / f"{SUBJECT.problem.name}.npz")),
        "networks": {name: measures(seen, kept) for name, kept in networks.items()},
    }
    return files, numbers


def worst_place(seen: Scene, learned: Look) -> int:
    """Row of the sweep at which a network is furthest off, by the path's length."""
    return int(np.argmax(np.linalg.norm(learned.x - seen.exact.x, axis=1) / seen.traced.length.real))


def lines_at(x: float, kept: Kept | None) -> np.ndarray:
    """The muscle's line with its insertion at x, by a network, or the exact one. (places, 3)"""
    xi, one = np.linspace(0.0, 1.0, LINE), scene([x]).ends
    ends = Ends(*(np.repeat(part.real, LINE, axis=0) for part in one))
    traced = trace(SUBJECT.surface, ends, xi[:, None])
    return traced.x[:, 0] if kept is None else learned_places(SUBJECT.problem, kept.weights, ends, traced, xi)


def _training(networks: Networks) -> dict:
    """Settings that all networks share."""
    settings = next(iter(networks.values())).weights.about["settings"]
    return {key: settings[key] for key in ("steps", "batch", "samples", "rates_weight", "seed")}


def _overview(networks: Networks, seen: Scene, path: Path) -> None:
    """Draw Fig. 6.8, 6.7a, 6.7b: the scene, what a large threshold does, convergence."""
    place, close, error = new_figure(13.0, 4.2).subplots(1, 3, width_ratios=(1.0, 1.0, 1.25))
    _draw_scene(place)
    _draw_artifact(close, networks, seen)
    for k, depth in enumerate(CONVERGED):
        history = networks[Design(max(WIDTHS), depth, 0.01).name].history
        error.semilogy(history["step"], history["error"], color=PALETTE[k], label=f"{depth} layers")
    error.set(xlabel="steps of training", ylabel="error of place, of the path's length")
    error.set_title(f"validation, layers of {max(WIDTHS)}, threshold 1 %", fontsize=11)
    error.legend(frameon=False, fontsize=9)
    tidy(error)
    place.figure.savefig(path, dpi=DPI)


def _draw_scene(axes: "Axes") -> None:
    """Draw the muscle on the cylinder, barely touching, and free."""
    touch = touching()[1]
    stages = {"on the surface": SWEEP[1], "barely touching": touch[0], "free": SWEEP[0]}
    _cylinder(axes)
    for (label, x), colour in zip(stages.items(), PALETTE[2::-1], strict=True):
        line = lines_at(x, None)
        axes.plot(line[:, 0], line[:, 1], color=colour, ls=STYLES[2], lw=2, label=label)
        axes.plot(*line[LINE // 2, :2], "o", color=colour, ms=6)
        axes.plot(*line[-1, :2], "o", color=colour, ms=4, mfc="w")
    head = {"arrowstyle": "-|>", "color": PALETTE[3], "lw": 2}
    axes.annotate("", (SWEEP[0], touch[1] + 0.25), (SWEEP[1], touch[1] + 0.25), arrowprops=head)
    axes.plot(*ORIGIN[:2], "ks", ms=6)
    axes.annotate("origin", ORIGIN[:2], (6, -12), textcoords="offset points")
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    axes.set_title("the scene; dots: the middle, $\\alpha$ = 0.5", fontsize=11)
    scenery(axes)
    axes.set_ylim(top=touch[1] + 0.45)


def _draw_artifact(axes: "Axes", networks: Networks, seen: Scene) -> None:
    """Draw the line where the network of the largest threshold is furthest off, and that of the smallest there."""
    widest = {t: networks[Design(max(WIDTHS), DEPTH, t).name] for t in (max(THRESHOLDS), min(THRESHOLDS))}
    x = seen.x[worst_place(seen, look(seen, widest[max(THRESHOLDS)].weights))]
    _cylinder(axes)
    exact = lines_at(x, None)
    axes.plot(exact[:, 0], exact[:, 1], "k", lw=2.5, label="exact")
    for (threshold, kept), colour in zip(widest.items(), PALETTE[1::-1], strict=True):
        line = lines_at(x, kept)
        axes.plot(line[:, 0], line[:, 1], color=colour, lw=1.6, label=f"threshold {100 * threshold:g} %")
    axes.set_title(f"{DEPTH} layers of {max(WIDTHS)}; insertion at x = {x:.2f}", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    scenery(axes)
    axes.set(xlim=(-1.35, 0.75), ylim=(-0.7, 1.65))


def _cylinder(axes: "Axes") -> None:
    """Draw the cylinder, seen along its axis."""
    from matplotlib.patches import Circle

    axes.add_patch(Circle((0.0, 0.0), 1.0, fc="0.93", ec="0.6"))


def _depths(looks: dict[str, Look], seen: Scene, path: Path) -> None:
    """Draw Fig. 6.9 and 6.10: all sizes, a row for each threshold."""
    rows = new_figure(13.0, 9.0).subplots(len(COMPARED), 2, sharex=True)
    for panels, threshold in zip(rows, COMPARED, strict=True):
        for k, depth in enumerate(DEPTHS):
            for width, style in zip(sorted(WIDTHS, reverse=True), (STYLES[0], STYLES[2]), strict=True):
                found = looks[Design(width, depth, threshold).name]
                _draw_look(panels, seen, found, color=PALETTE[k], ls=style, lw=1.2)
            panels[1].plot([], [], color=PALETTE[k], label=str(depth))
        _dress(panels, seen, threshold, NEAR, f"threshold {100 * threshold:g} %")
    rows[0, 1].legend(frameon=False, fontsize=9, title="layers", ncols=2, loc="upper right")
    wide, narrow = max(WIDTHS), min(WIDTHS)
    rows[0, 0].figure.supxlabel(f"x of the insertion [radii]     (solid: {wide} units a layer, dotted: {narrow})")
    rows[0, 0].figure.savefig(path, dpi=DPI)


def _thresholds(looks: dict[str, Look], seen: Scene, path: Path) -> None:
    """Draw Fig. 6.11: one size, all thresholds."""
    panels = new_figure(13.0, 4.8).subplots(1, 2)
    for k, threshold in enumerate(THRESHOLDS):
        found = looks[Design(max(WIDTHS), DEPTH, threshold).name]
        _draw_look(panels, seen, found, color=PALETTE[k], lw=1.5)
        panels[1].plot([], [], color=PALETTE[k], label=f"{100 * threshold:g} %")
    _dress(panels, seen, max(THRESHOLDS), ALL, f"{DEPTH} layers of {max(WIDTHS)}")
    panels[1].legend(frameon=False, fontsize=9, title="threshold", loc="lower right")
    panels[0].figure.supxlabel("x of the insertion [radii]")
    panels[0].figure.savefig(path, dpi=DPI)


def _draw_look(panels: list["Axes"], seen: Scene, found: Look, **line) -> None:
    """Draw place and Jacobian of the middle of the muscle."""
    panels[0].plot(seen.x, found.x[:, 0], **line)
    panels[1].plot(seen.x, found.J[:, 0], **line)


def _dress(panels: list["Axes"], seen: Scene, threshold: float, window: tuple[float, float], what: str) -> None:
    """Draw the exact lines, grey where there were no samples, and titles."""
    left_out = seen.x[(seen.share > 0.0) & (seen.share <= threshold)]
    shown = (seen.x >= window[0]) & (seen.x <= window[1])
    _draw_look(panels, seen, seen.exact, color="k", lw=2.2, zorder=1.5)
    for axes, values in zip(panels, (seen.exact.x, seen.exact.J), strict=True):
        low, high = values[shown, 0].min(), values[shown, 0].max()
        axes.set(xlim=window, ylim=(low - 0.3 * (high - low), high + 0.3 * (high - low)))
        axes.axvspan(left_out[0], left_out[-1], color="0.94", lw=0, zorder=0)
        tidy(axes)
    panels[0].set_title(f"x of the middle, {what}", fontsize=11)
    panels[1].set_title(f"its derivative by x of the insertion, {what}", fontsize=11)
    panels[0].set_ylabel("x [radii]")
