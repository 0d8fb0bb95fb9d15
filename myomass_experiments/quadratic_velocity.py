"""The quadratic velocity vector (Wang 2022, Fig. 6.6): energy with and without J^T m Jdot qdot of the muscle's mass.

Type II runs through a path point, its mass spread along the path; Type III is the first pendulum of Fig. 6.5. To leave
the vector out, a torque cancels it; the bones keep theirs. Runs are sdirk2 of a fixed step, which takes that torque
from where a step begins; rk4 takes it where its stages are, and says how much the delay matters.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from myomass.dynamics import coriolis_forces
from myomass.model import Model
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure, tidy

from .figures import DPI
from .pendulum_row import ROW
from .pendulums import IVORY, MASS, SMOOTH, START, bones, draw_energies, drift, on_lower, on_upper

ORIGIN, GUIDE, INSERTION = (0.15, 0.0, 0.9), (0.3, 0.0, 0.0), (0.15, 0.0, -0.8)  # of Type II, from the knee [m]
DURATION, STEP = 3.0, 1e-3  # [s]
STEPS = (2e-3, 1e-3, 5e-4)  # over which the drift falls [s]


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    models = {"type II": through_a_point(), "type III": ROW["first"].model(SMOOTH)}
    runs = {name: (swing(model, without=True), swing(model)) for name, model in models.items()}
    drifts = {name: [drift(swing(model, h=h)) for h in STEPS] for name, model in models.items()}
    files = [folder / "quadratic-velocity.png", folder / "quadratic-velocity-steps.png"]
    _energies(runs, files[0])
    _steps(drifts, files[1])
    found = {name: _numbers(model, *runs[name], drifts[name]) for name, model in models.items()}
    settings = {"smoothing": SMOOTH, "start_rad": START.tolist(), "integrator": "sdirk2", "h": STEP}
    return files, settings | {"duration": DURATION, "steps_s": list(STEPS)} | found


def through_a_point() -> Model:
    """The Type II muscle: from the upper bone through a point in front of the knee to the lower one."""
    spec = bones(MASS, IVORY, [ORIGIN, GUIDE], [INSERTION])
    points = [on_upper(ORIGIN), on_upper(GUIDE), on_lower(INSERTION)]
    spec.add_muscle("muscle", MASS, points, distribution="continuous")
    return spec.compile()


def quadratic_velocity(model: Model) -> Callable[[float, np.ndarray, np.ndarray], np.ndarray]:
    """J^T m Jdot qdot of a muscle's mass, C - G without that of the bones, as a function of (t, q, qdot). [N m], (2,)

    With mass spread along a path through points it has the forces that turn the mass at those points, too.
    """
    bare = bones(MASS, IVORY).compile()
    return lambda t, q, qdot: coriolis_forces(model, q, qdot) - coriolis_forces(bare, q, qdot)


def swing(model: Model, without: bool = False, integrator: str = "sdirk2", h: float = STEP) -> Trajectory:
    """A run, with the muscle's quadratic velocity vector or without it."""
    tau = quadratic_velocity(model) if without else None
    return simulate(model, q=START, tau=tau, integrator=integrator, h=h, duration=DURATION)


def _numbers(model: Model, without: Trajectory, whole: Trajectory, drifts: list[float]) -> dict:
    """Numbers of one muscle."""
    return {
        "energy_drift_with": drift(whole),
        "energy_drift_without": drift(without),
        "energy_drift_without_by_rk4": drift(swing(model, without=True, integrator="rk4")),
        "energy_drifts_with_by_step": drifts,
        "falls_by": [a / b for a, b in pairwise(drifts)],
        "order": float(np.polyfit(np.log(STEPS), np.log(drifts), 1)[0]),
    }


def _energies(runs: dict[str, tuple[Trajectory, Trajectory]], path: Path) -> None:
    """Draw Fig. 6.6: a row for each muscle, without the vector and with it."""
    figure = new_figure(9.6, 7.2)
    panels = figure.subplots(2, 2, sharex=True)
    for row, (name, pair) in zip(panels, runs.items(), strict=True):
        for axes, run, word in zip(row, pair, ("without", "with"), strict=True):
            draw_energies(axes, run)
            axes.set(title=f"{name}, {word} the muscle's vector")
        low, high = (pick(axes.get_ylim()[k] for axes in row) for k, pick in ((0, min), (1, max)))
        for axes in row:
            axes.set_ylim(low, high)
    for letter, axes in zip("abcd", panels.ravel(), strict=True):
        axes.set_title(f"({letter}) {axes.get_title()}", fontsize=11)
        tidy(axes)
    figure.savefig(path, dpi=DPI)


def _steps(drifts: dict[str, list[float]], path: Path) -> None:
    """Draw the drift over the step, beside the line of its square."""
    figure = new_figure(5.6, 4.2)
    axes, ms = figure.subplots(), 1e3 * np.array(STEPS)
    for colour, (name, found) in zip(PALETTE, drifts.items(), strict=False):
        axes.loglog(ms, found, "o-", color=colour, label=name)
        square = found[-1] * (ms / ms[-1]) ** 2
        axes.loglog(ms, square, color="0.5", lw=0.9, ls=":", label="h squared" if colour == PALETTE[1] else None)
    axes.set(xlabel="step [ms]", ylabel="energy drift / peak kinetic energy", title="sdirk2, with the vector")
    axes.set_xticks(ms, labels=[f"{h:g}" for h in ms])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=9)
    tidy(axes)
    figure.savefig(path, dpi=DPI)
