"""A hand held by its fingertips while its elbow moves (Wang 2022, Fig. 6.3): the forces and torques that it takes.

The scene `hand`: fingertips prescribed in maximal coordinates, the elbow's angle in reduced ones, DIP = PIP/2 by
hyper-reduced coordinates. The same hand with four rows in their place has to need the same: compared once in the same
states, and once along runs of their own. What leads the DIP joints is in both the forces by which they follow.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from myomass.dynamics import constraint_forces, constraint_values, joint_motion, reduction_forces
from myomass.scenes import load
from myomass.scenes.hand import FINGERS, PERIOD
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.palette import TOTAL
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure
from myomass.viewer.stills import still

from .figures import DPI, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WAYS = ("reduced", "rows")
TIMES = np.linspace(0.0, PERIOD, 201)  # [s]
TIGHT = {"rtol": 1e-11, "atol": 1e-13}
SEEN = (0.0, 0.5, 1.0, 1.5)  # when the hand is drawn [s]
SIZE, SHOWN = (1300, 740), (slice(210, 560), slice(230, 1210))  # of a picture [pixels], and what is kept of it
AXES = ("x", "y", "z")
TINY = 1e-16  # below which differences are drawn as this


class Forces(NamedTuple):
    """What holds a hand along a run. (rows, ...)"""

    elbow: np.ndarray  # torque [N m]
    tips: np.ndarray  # on the fingertips, world axes [N], (rows, fingers, 3)
    leads: np.ndarray  # moments by which DIP joints are led [N m], (rows, fingers)


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    runs = {way: simulate(load("hand", couplings=way), times=TIMES, progress=False, **TIGHT) for way in WAYS}
    same = whole_motion(runs["reduced"])
    found = {way: forces_along(runs[way], *own(runs[way])) for way in WAYS}
    there = forces_along(runs["rows"], *same)
    apart = {"in_the_same_states": differences(found["reduced"], there)}
    apart["along_runs_of_their_own"] = differences(found["reduced"], found["rows"])
    files = [folder / "hand-motion.png", folder / "hand-forces.png"]
    _draw_motion(runs["reduced"], files[0])
    _draw_forces(found, there, files[1])
    return files, _numbers(runs, found, apart)


def own(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of a run, in its model's own coordinates."""
    return run.q, run.qdot


def whole_motion(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of all joints of a reduced model's run."""
    motions = [joint_motion(run.model, *state) for state in zip(run.q, run.qdot, strict=True)]
    return np.array([motion.q for motion in motions]), np.array([motion.qdot for motion in motions])


def forces_along(run: Trajectory, q: np.ndarray, qdot: np.ndarray) -> Forces:
    """What holds the hand of a run's model in states at its times."""
    model, rows = run.model, []
    joints = model.whole.coordinates
    last = [joints.index(f"{name}_DIP") for name in FINGERS]
    for t, *state in zip(run.t, q, qdot, strict=True):
        held = constraint_forces(model, *state, t=t)
        tips = [[held[f"{name} tip.{k}"] for k in range(3)] for name in FINGERS]
        if model.reduction is not None:
            leads = reduction_forces(model, *state, t=t)[last]
        else:
            leads = np.array([held[f"{name} coupling"] for name in FINGERS])
        rows.append((held["elbow"], tips, leads))
    return Forces(*(np.array(part) for part in zip(*rows, strict=True)))


def differences(one: Forces, other: Forces) -> dict[str, float]:
    """The largest difference of each part, relative to the largest of that part."""
    pairs = zip(Forces._fields, one, other, strict=True)
    return {what: float(np.abs(a - b).max() / np.abs(b).max()) for what, a, b in pairs}


def _numbers(runs: dict[str, Trajectory], found: dict[str, Forces], apart: dict) -> dict:
    reduced, run = found["reduced"], runs["reduced"]
    size = np.linalg.norm(reduced.tips, axis=2)
    moved = np.degrees(np.ptp(run.q, axis=0))
    g = max(np.abs(constraint_values(run.model, q, t=t)[0]).max() for t, q in zip(run.t, run.q, strict=True))
    tips = {
        name: {
            "largest_force_N": float(size[:, i].max()),
            "mean_force_N": dict(zip(AXES, reduced.tips[:, i].mean(axis=0).tolist(), strict=True)),
            "largest_moment_that_leads_DIP_mN_m": float(1e3 * np.abs(reduced.leads[:, i]).max()),
        }
        for i, name in enumerate(FINGERS)
    }
    return {
        "coordinates": {way: runs[way].model.ndof for way in WAYS},
        "rows": {way: len(runs[way].model.constraints) for way in WAYS},
        "steps": {way: runs[way].steps["accepted"] for way in WAYS},
        "elbow_torque_N_m": {"least": float(reduced.elbow.min()), "largest": float(reduced.elbow.max())},
        "fingers": tips,
        "largest_miss_of_a_row_m_or_rad": float(g),
        "range_of_motion_degree": dict(zip(run.model.coordinates, moved.tolist(), strict=True)),
        "relative_difference_of_reduced_coordinates_and_rows": apart,
        "poses_differ_by_m": float(np.abs(runs["reduced"].poses - runs["rows"].poses).max()),
    }


def _draw_motion(run: Trajectory, path: Path) -> None:
    """Draw the hand at some times."""
    figure = new_figure(9.6, 4.4)
    panels = figure.subplots(2, 2)
    for t, axes in zip(SEEN, panels.flat, strict=True):
        axes.imshow(still(run, t, size=SIZE, hidden=("ground",))[SHOWN])
        axes.axis("off")
        angle = np.degrees(np.interp(t, run.t, run["elbow"]))
        axes.set_title(f"{t:g} s: elbow at {angle:.1f} degrees", fontsize=10)
    figure.savefig(path, dpi=DPI)


def _draw_forces(found: dict[str, Forces], there: Forces, path: Path) -> None:
    """Draw the elbow's torque, the fingertips' forces, what leads DIP joints, and how far both hands differ."""
    figure = new_figure(9.6, 6.6)
    (torque, tips), (leads, apart) = figure.subplots(2, 2)
    reduced, rows = found["reduced"], found["rows"]
    torque.plot(TIMES, reduced.elbow, color=TOTAL, label="reduced coordinates")
    torque.plot(TIMES[::10], rows.elbow[::10], "o", color=PALETTE[1], ms=3.5, label="rows")
    torque.set(ylabel="torque [N m]")
    dress(torque, "Elbow", fontsize=9)
    for i, name in enumerate(FINGERS):
        _draw_both(tips, np.linalg.norm(reduced.tips[:, i], axis=1), np.linalg.norm(rows.tips[:, i], axis=1), i, name)
        _draw_both(leads, 1e3 * reduced.leads[:, i], 1e3 * rows.leads[:, i], i, name)
    tips.set(ylabel="size of the force [N]")
    dress(tips, "Fingertips (dots: rows)", fontsize=9)
    leads.set(xlabel="time [s]", ylabel="moment [mN m]")
    dress(leads, "What leads the DIP joints (dots: rows)", fontsize=9)
    for k, (what, said) in enumerate(zip(Forces._fields, ("elbow", "fingertips", "DIP joints"), strict=True)):
        for other, line in ((there, "-"), (rows, ":")):
            off = np.abs(getattr(reduced, what) - getattr(other, what)).reshape(len(TIMES), -1).max(axis=1)
            off = np.maximum(off / np.abs(getattr(other, what)).max(), TINY)
            apart.plot(TIMES, off, line, color=PALETTE[k], lw=1.2, label=said if line == "-" else None)
    apart.axhline(1e-9, color="0.4", lw=0.8)
    apart.set(yscale="log", xlabel="time [s]", ylabel="relative difference", ylim=(TINY, 1e-5))
    dress(apart, "Reduced coordinates against rows", fontsize=9)
    apart.text(
        0.02, 0.97, "same states (lines), runs of their own (dotted)", transform=apart.transAxes, fontsize=8, va="top"
    )
    figure.savefig(path, dpi=DPI)


def _draw_both(axes: "Axes", reduced: np.ndarray, rows: np.ndarray, k: int, name: str) -> None:
    """A line of the reduced hand, and dots of the other."""
    axes.plot(TIMES, reduced, color=PALETTE[k], lw=1.4, label=name)
    axes.plot(TIMES[::10], rows[::10], "o", color=PALETTE[k], ms=3)
