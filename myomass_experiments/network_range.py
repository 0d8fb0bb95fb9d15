"""Networks outside their training range (Wang 2022, Fig. 6.12 to 6.14): lines that go wrong, and by how much.

A muscle runs from an origin over a cylinder about z to an insertion. What the network is told has no scale: distances
of both ends from the axis in radii, and the angle between them. So a radius by itself is never outside; an end is too
near or too far, or the angle too large. Lengths are those of polylines through the same fractions of the path.
"""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from myomass.joints import Translational
from myomass.model import Model, Spec
from myomass.muscles import muscle_points
from myomass.muscles.network.circle import CIRCLE
from myomass.muscles.network.table import WEIGHTS
from myomass.muscles.network.trained import Network, Weights
from myomass.muscles.wrapping import Cylinder
from myomass.spatial import Inertia
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure, tidy

from .figures import DPI, scenery

POINTS = 1000  # without mass, on the line
RADIUS, ORIGIN, INSERTION = 0.15, 1.0, 0.5  # [m] of Fig. 6.13: radius, distances of origin and insertion from the axis
LOOKS = 161  # of each sweep
SEEN = 8.0  # radii to either side of the axis, in figures


class Scene(NamedTuple):
    """Where the ends are, seen from the axis of a cylinder that the muscle passes on the way of increasing angles."""

    radius: float  # [m]
    origin: float  # distance from the axis [m]
    insertion: float
    turn: float = np.pi  # angle from origin to insertion [rad]

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of origin and insertion [m]."""
        return self.origin * _direction(0.0), self.insertion * _direction(self.turn)

    @property
    def said(self) -> str:
        """What the network is told: distances of the ends in radii, and the angle between them."""
        far = f"{self.origin / self.radius:.3g} and {self.insertion / self.radius:.3g}"
        return f"ends at {far} radii, {np.degrees(self.turn):.0f} degrees apart"

    def model(self, smoothing: str | Network) -> Model:
        """The muscle, in a model whose q is the place of its origin."""
        spec, ball = Spec("muscle over a cylinder"), Inertia.cuboid((0.1, 0.1, 0.1), mass=1.0)
        spec.add_body("origin", None, Translational(), inertia=ball)
        cylinder = Cylinder(None, radius=self.radius, side=_direction(0.5 * self.turn))
        points = [("origin", (0.0, 0.0, 0.0)), (None, self.ends[1])]
        spec.add_muscle("muscle", 0.0, points, [cylinder], mass_points=POINTS, smoothing=smoothing)
        return spec.compile()

    def line(self, smoothing: str | Network) -> np.ndarray:
        """Origin, points, insertion [m]. (points + 2, 3)"""
        origin, insertion = self.ends
        return np.concatenate([[origin], muscle_points(self.model(smoothing), origin)[0], [insertion]])


class Range(NamedTuple):
    """The range that the network was trained in: distances of ends [radii], the largest turn between them [rad]."""

    near: float
    far: float
    turn: float


class Sweep(NamedTuple):
    """One of a scene's numbers that goes from inside the range to outside of it."""

    x: np.ndarray
    scenes: list[Scene]
    inside: tuple[float, float]  # of x
    label: str
    title: str
    scale: str


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    weights = Weights.load(WEIGHTS / f"{CIRCLE.name}.npz")
    known, network = known_range(weights), Network(weights, outside="ignore")
    failures, swept = failures_of(known), sweeps(known)
    off = {name: np.array([difference(scene, network) for scene in sweep.scenes]) for name, sweep in swept.items()}
    files = [folder / "network-range.png", folder / "network-range-lengths.png"]
    _draw_failures(failures, network, files[0])
    _draw_sweeps(swept, off, files[1])
    numbers = {
        "range": {"nearest_radii": known.near, "furthest_radii": known.far, "largest_turn_deg": np.degrees(known.turn)},
        "failures": {name: _numbers(scene, weights) for name, scene in failures.items()},
        "percent_longer": {name: _percents(sweep, off[name]) for name, sweep in swept.items()},
    }
    return files, numbers


def known_range(weights: Weights) -> Range:
    """The range of a network for circles, in distances and an angle."""
    near, far = (CIRCLE.own[0].said(limits[0]) for limits in (weights.low, weights.high))
    return Range(near, far, float(weights.high[2]))


def failures_of(known: Range) -> dict[str, Scene]:
    """A scene for each thing that can leave the range."""
    return {
        "radius too small": Scene(INSERTION / (1.25 * known.far), ORIGIN, INSERTION),
        "origin too far": Scene(RADIUS, 5.0 * known.far * RADIUS, INSERTION),
        "insertion too far round": Scene(RADIUS, 2.0 * RADIUS, 2.0 * RADIUS, known.turn + np.radians(40.0)),
    }


def sweeps(known: Range) -> dict[str, Sweep]:
    """The origin moves away; the radius grows and shrinks; the insertion goes round."""
    closest = 0.01 * (known.near - 1.0)
    gap = np.geomspace(closest, 10.0 * known.far, LOOKS)
    odds = np.geomspace(0.1 / known.far, 1.0 / closest, LOOKS)
    part, turn = odds / (1.0 + odds), np.linspace(0.5 * known.turn, known.turn + np.radians(60.0), LOOKS)
    return {
        "origin": Sweep(
            gap,
            [Scene(RADIUS, (1.0 + x) * RADIUS, INSERTION) for x in gap],
            (known.near - 1.0, known.far - 1.0),
            "distance of the origin from the surface [radii]",
            "the origin moves away",
            "log",
        ),
        "radius": Sweep(
            part,
            [Scene(x * INSERTION, ORIGIN, INSERTION) for x in part],
            (ORIGIN / INSERTION / known.far, 1.0 / known.near),
            "radius, in parts of the insertion's distance",
            "the radius grows",
            "logit",
        ),
        "turn": Sweep(
            np.degrees(turn),
            [Scene(RADIUS, 2.0 * RADIUS, 2.0 * RADIUS, x) for x in turn],
            (0.0, np.degrees(known.turn)),
            "angle between the ends [degrees]",
            "the insertion goes round",
            "linear",
        ),
    }


def length(line: np.ndarray) -> float:
    """Length of a polyline [m]."""
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def difference(scene: Scene, network: Network) -> float:
    """By how many percent a network's line is longer than the exact one."""
    exact = length(scene.line("none"))
    return 100.0 * (length(scene.line(network)) - exact) / exact


def complaints(scene: Scene, weights: Weights) -> list[str]:
    """The warnings that outside="warn" gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene.line(Network(weights, outside="warn"))
    return [str(warning.message) for warning in caught]


def _direction(angle: float) -> np.ndarray:
    """A unit vector across the axis."""
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def _numbers(scene: Scene, weights: Weights) -> dict:
    """Numbers of one failure."""
    exact, learned = (scene.line(smoothing) for smoothing in ("none", Network(weights, outside="ignore")))
    return scene._asdict() | {
        "warnings": complaints(scene, weights),
        "percent_longer": 100.0 * (length(learned) / length(exact) - 1.0),
        "largest_place_error_of_length": float(np.linalg.norm(learned - exact, axis=1).max() / length(exact)),
        "largest_place_error_radii": float(np.linalg.norm(learned - exact, axis=1).max() / scene.radius),
        "nearest_to_the_axis_radii": float(np.hypot(*learned[:, :2].T).min() / scene.radius),
    }


def _percents(sweep: Sweep, off: np.ndarray) -> dict:
    """Numbers of one sweep: largest difference inside, below and above the range, and at the ends."""
    low, high = sweep.inside
    parts = {
        "inside": (sweep.x >= low) & (sweep.x <= high),
        "below": sweep.x < low,
        "above": sweep.x > high,
    }
    largest = {name: float(np.abs(off[rows]).max()) for name, rows in parts.items() if rows.any()}
    ends = {"range": [low, high], "from": float(sweep.x[0]), "to": float(sweep.x[-1])}
    return ends | {f"largest_{name}": value for name, value in largest.items()}


def _draw_failures(failures: dict[str, Scene], network: Network, path: Path) -> None:
    """Draw Fig. 6.12: lines of the network and exact ones, near the cylinder; the first two over one another."""
    from matplotlib.patches import Circle

    figure = new_figure(11.0, 5.1)
    panels = figure.subplot_mosaic("AC;BC", width_ratios=(1.6, 1.0))
    for key, (name, scene) in zip("ABC", failures.items(), strict=True):
        axes = panels[key]
        axes.add_patch(Circle((0.0, 0.0), 1.0, fc="0.93", ec="0.6"))
        for smoothing, label, colour in (("none", "exact", "k"), (network, "network", PALETTE[1])):
            line = scene.line(smoothing) / scene.radius
            axes.plot(line[:, 0], line[:, 1], color=colour, lw=2, label=label)
            axes.plot(*line[[0, -1], :2].T, "ko", ms=5)
        axes.set_title(f"{name}\n{scene.said}", fontsize=10)
        scenery(axes)
        reach = min(max(scene.origin, scene.insertion) / scene.radius + 0.3, SEEN)
        axes.set(xlim=(-reach, reach), ylim=(-1.6, 2.4) if reach == SEEN else (-reach, reach))
    panels["C"].legend(frameon=False, loc="upper right")
    figure.savefig(path, dpi=DPI)


def _draw_sweeps(swept: dict[str, Sweep], off: dict[str, np.ndarray], path: Path) -> None:
    """Draw Fig. 6.13 and 6.14: difference of length in percent, with the range shaded."""
    panels = new_figure(13.0, 4.2).subplots(1, 3)
    for axes, (name, sweep) in zip(panels, swept.items(), strict=True):
        axes.axvspan(*sweep.inside, color=PALETTE[4], alpha=0.15, lw=0, label="trained")
        axes.plot(sweep.x, off[name], color=PALETTE[0], lw=1.8)
        axes.set(xlabel=sweep.label, xscale=sweep.scale, xlim=(sweep.x[0], sweep.x[-1]))
        axes.set_title(sweep.title, fontsize=11)
        tidy(axes)
    panels[0].set_ylabel("network's line longer by [%]")
    panels[0].legend(frameon=False)
    panels[0].figure.savefig(path, dpi=DPI)
