"""Touch-down (Wang 2022, Fig. 1.6): a path that lands on a cylinder has a kink in q, and its mass an energy that jumps.

One double pendulum swings with the exact path and with smooth ones. The kink is looked at with the upper bone at rest
and the lower one turned through the angle at which the path just touches.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from myomass.model import Model
from myomass.muscles import muscle_jacobian, muscle_points
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure, tidy
from myomass.viewer.stills import still

from .figures import DPI
from .pendulums import (
    SMOOTHINGS,
    START,
    STYLES,
    Pendulum,
    draw_energies,
    drift,
    off_the_exact_path,
    touch_downs,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RUN = {"integrator": "rk4", "h": 5e-4, "duration": 3.0}
SEEN = 0.5  # when the scene is drawn [s], with the path on the cylinder
CHOSEN = (1, 5, 9, 13, 17)  # of the mass points, from the origin on
REACH, ANGLES = 0.1, 1001  # of the look at a touch-down: so far to both sides [rad], at so many angles
LOOKS = 600  # at a run's rows, where paths are compared


class Look(NamedTuple):
    """Chosen mass points at angles of the knee around a touch-down."""

    x: np.ndarray  # forwards [m], (angles, points)
    J: np.ndarray  # dx/dq of the knee, all components [m/rad], (angles, points, 3)

    @property
    def largest_step(self) -> float:
        """Largest change of a point's Jacobian from one angle to the next [m/rad]."""
        return float(np.linalg.norm(np.diff(self.J, axis=0), axis=2).max())


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    models = {smoothing: Pendulum().model(smoothing) for smoothing in SMOOTHINGS}
    exact = models["none"]
    runs = {smoothing: simulate(model, q=START, **RUN) for smoothing, model in models.items()}
    touch = touch_down_angle(exact)
    angles = touch + np.linspace(-REACH, REACH, ANGLES)
    looks = {smoothing: look_at(model, angles) for smoothing, model in models.items()}
    path = folder / "touch-down.png"
    _figure(runs, np.rad2deg(angles), looks, path)
    sides = look_at(exact, np.array([touch - 1e-9, touch + 1e-9]))
    numbers = {
        "touch_down_at_knee_angle_rad": touch,
        "jump_of_the_exact_jacobian_m_per_rad": sides.largest_step,
        "angle_between_looks_rad": float(angles[1] - angles[0]),
        "smoothings": {s: _numbers(run, exact, looks[s]) for s, run in runs.items()},
    }
    return [path], {"start_rad": START.tolist(), **RUN} | numbers


def touch_down_angle(exact: Model) -> float:
    """The angle of the knee at which the path just touches [rad], by bisection."""
    rough = np.linspace(-1.0, 1.0, 41)
    on = wrapped(exact, _knee(rough)) > 0
    first = int(np.argmax(on))
    low, high = rough[first - 1], rough[first]
    while high - low > 1e-15:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if wrapped(exact, _knee([middle]))[0] > 0 else (middle, high)
    return float(high)


def look_at(model: Model, angles: np.ndarray) -> Look:
    """The chosen mass points at angles of the knee."""
    rows = _knee(angles)
    x = [muscle_points(model, q)[0][CHOSEN, 0] for q in rows]
    J = [muscle_jacobian(model, q)[0][CHOSEN, :, 1] for q in rows]
    return Look(np.array(x), np.array(J))


def _knee(angles: np.ndarray) -> np.ndarray:
    """Rows of q with the upper bone at rest. (angles, 2)"""
    return np.stack([np.zeros(len(angles)), angles], axis=1)


def _numbers(run: Trajectory, exact: Model, look: Look) -> dict:
    """Numbers of one smoothing."""
    total, every = run.kinetic + run.potential, max(1, len(run.t) // LOOKS)
    return {
        "touch_downs": touch_downs(exact, run.q),
        "energy_drift": drift(run),
        "largest_jump_of_energy_in_a_step": float(np.abs(np.diff(total)).max() / run.kinetic.max()),
        "off_the_exact_path": off_the_exact_path(run.model, exact, run.q[::every]),
        "largest_step_of_the_jacobian_m_per_rad": look.largest_step,
    }


def _figure(runs: dict[str, Trajectory], angles: np.ndarray, looks: dict[str, Look], path: Path) -> None:
    """Draw (a) the scene, then energies of each smoothing, places and Jacobians around a touch-down."""
    panels = list(new_figure(13.0, 7.6).subplots(2, 3).ravel())
    scene, *energies = panels[: 1 + len(runs)]
    places, slopes, *unused = panels[1 + len(runs) :]
    swing = simulate(runs["none"].model, q=START, **RUN | {"duration": SEEN})
    scene.imshow(still(swing, size=(760, 690), ghosts=2))
    scene.set_title("the scene")
    scene.axis("off")
    for axes, (smoothing, run) in zip(energies, runs.items(), strict=True):
        draw_energies(axes, run)
        shade_touching(axes, run, runs["none"].model)
        axes.set_title(f"energies, smoothing {smoothing!r}")
    middle = len(angles) // 2
    for smoothing, look in looks.items():
        for k in range(len(CHOSEN)):
            line = {"color": PALETTE[k], "ls": STYLES[smoothing], "lw": 1.5}
            places.plot(angles, 1e3 * (look.x[:, k] - looks["none"].x[middle, k]), **line)
            slopes.plot(angles, look.J[:, k, 0], **line)
        slopes.plot([], [], color="0.3", ls=STYLES[smoothing], label=smoothing)
    places.set(title="x of five mass points", ylabel="from touch-down [mm]", xlabel="knee [deg]")
    slopes.set(title="their Jacobian", ylabel="dx/dq of the knee [m/rad]", xlabel="knee [deg]")
    slopes.legend(frameon=False, fontsize=9)
    for letter, axes in zip("abcdef", panels, strict=True):
        axes.set_title(f"({letter}) {axes.get_title()}", fontsize=11)
        tidy(axes)
    for axes in unused:
        axes.remove()
    scene.figure.savefig(path, dpi=DPI)


def shade_touching(axes: "Axes", run: Trajectory, exact: Model) -> None:
    """Shade the times in which the path lies on its cylinder."""
    on = np.concatenate([[False], wrapped(exact, run.q) > 0, [False]])
    for first, after in np.flatnonzero(on[1:] != on[:-1]).reshape(-1, 2):
        axes.axvspan(run.t[first], run.t[after - 1], color="0.92", lw=0)
