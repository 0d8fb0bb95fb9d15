"""A row of double pendulums (Wang 2022, Fig. 6.5): origin, insertion, radius and turn of the cylinder differ.

Bones and muscle weigh the same. The last one has no muscle, and half of its mass on each bone. All start alike, and
each runs by itself.
"""

from pathlib import Path

import numpy as np

from myomass.render import Camera, Renderer
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames
from myomass.viewer.palette import TOTAL
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure, tidy

from .figures import DPI
from .pendulums import SMOOTH, SMOOTHINGS, START, Pendulum, drift, off_the_exact_path, touch_downs

ROW = {
    "first": Pendulum(),
    "origin": Pendulum(origin=(0.22, 0.0, 0.85)),
    "insertion": Pendulum(insertion=(0.2, 0.0, -0.75)),
    "thin": Pendulum(radius=0.06),
    "thick": Pendulum(radius=0.2),
    "turned": Pendulum(turn=0.5),
    "all": Pendulum((0.2, 0.1, 0.7), (0.16, -0.1, -0.6), radius=0.16, turn=-0.4),
}
LUMPED = "lumped"
TIMES = np.linspace(0.0, 2.0, 2001)  # rows of the runs [s]
STEP = 5e-4  # of rk4 [s]
SHARP, SHARP_STEP = 0.001, 2e-5  # a blend over so little of the path, with steps to match: nearly the limit of none
EARLY = 0.5  # until when motions are compared a first time [s]
SHOWN = (0.0, 0.3, 0.6, 0.9, 1.2)  # times of the snapshots [s]
CELL, EYE, FIELD = (266, 214), np.array([2.2, -8.0, 1.6]), 0.29  # of a snapshot: pixels, from where [m], angle [rad]
EVERY = 5  # rows apart, at which paths are compared


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    runs = {name: swing(pendulum, SMOOTH) for name, pendulum in ROW.items()} | {LUMPED: swing(Pendulum(), None)}
    files = [folder / "pendulum-row.png", folder / "pendulum-row-angles.png"]
    _snapshots(runs, files[0])
    _angles(runs, files[1])
    found = {name: pendulum._asdict() | _numbers(name, runs) for name, pendulum in ROW.items()}
    settings = {"smoothing": SMOOTH, "start_rad": START.tolist(), "integrator": "rk4", "h": STEP}
    more = {"duration": TIMES[-1], "early_s": EARLY, "sharp_blend": {"smoothing": SHARP, "h": SHARP_STEP}}
    return files, settings | more | {"pendulums": found, "lumped_energy_drift": drift(runs[LUMPED])}


def swing(pendulum: Pendulum, smoothing: str | float | None, h: float = STEP) -> Trajectory:
    """Run one of the pendulums."""
    return simulate(pendulum.model(smoothing), q=START, integrator="rk4", h=h, times=TIMES)


def _numbers(name: str, runs: dict[str, Trajectory]) -> dict:
    """Numbers of one pendulum: its energy, and distances from the exact path and from other runs."""
    run, exact = runs[name], ROW[name].model("none")
    others = {smoothing: swing(ROW[name], smoothing) for smoothing in SMOOTHINGS if smoothing != SMOOTH}
    others["sharp blend"] = swing(ROW[name], SHARP, SHARP_STEP)
    return {
        "touch_downs": touch_downs(exact, run.q),
        "largest_knee_angle_rad": float(np.abs(run.q[:, 1]).max()),
        "energy_drift": drift(run),
        "off_the_exact_path": off_the_exact_path(run.model, exact, run.q[::EVERY]),
        "energy_drift_of_others": {smoothing: drift(other) for smoothing, other in others.items()},
        "apart_rad": {key: _apart(run, other) for key, other in (others | {LUMPED: runs[LUMPED]}).items()},
    }


def _apart(run: Trajectory, other: Trajectory) -> dict:
    """Largest difference of an angle between two runs [rad], early and over all."""
    off = np.abs(run.q - other.q).max(axis=1)
    return {"early": float(off[run.t <= EARLY + 1e-9].max()), "whole": float(off.max())}


def _snapshots(runs: dict[str, Trajectory], path: Path) -> None:
    """Draw all pendulums side by side at a few times, one row below the other."""
    picture = np.hstack([_column(run) for run in runs.values()])
    height, width, _ = picture.shape
    figure = new_figure(12.0, 12.0 * height / width + 0.3)
    axes = figure.subplots()
    axes.imshow(picture)
    axes.axis("off")
    for k, name in enumerate(runs):
        axes.text((k + 0.5) * CELL[0], -0.06 * CELL[1], name, ha="center", va="bottom", fontsize=11)
    for k, t in enumerate(SHOWN):
        axes.text(0.05 * CELL[0], (k + 0.12) * CELL[1], f"{t:g} s", fontsize=9, color="0.3")
    figure.savefig(path, dpi=DPI)


def _column(run: Trajectory) -> np.ndarray:
    """Pictures of one pendulum from the same eye, one below the other. (height, width, 3) uint8"""
    frames, target = Frames(run), np.array([0.14, 0.0, -0.95])
    drawing, camera = Drawing(frames), Camera(target + EYE, target, fov=FIELD)
    return np.vstack([Renderer(CELL).render(drawing.things(frames.at(t)), camera, None) for t in SHOWN])


def _angles(runs: dict[str, Trajectory], path: Path) -> None:
    """Draw hip and knee over time, of all pendulums."""
    figure = new_figure(11.0, 4.4)
    panels = figure.subplots(1, 2, sharex=True)
    for k, (axes, what) in enumerate(zip(panels, ("hip", "knee"), strict=True)):
        for colour, (name, run) in zip(PALETTE, runs.items(), strict=False):
            lumped = {"color": TOTAL, "ls": (0, (4, 2)), "lw": 2.0} if name == LUMPED else {"color": colour, "lw": 1.4}
            axes.plot(run.t, run.q[:, k], label=name, **lumped)
        axes.set(title=what, xlabel="t [s]", ylabel="[rad]", xlim=(0.0, run.t[-1]))
        tidy(axes)
    panels[1].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    figure.savefig(path, dpi=DPI)
