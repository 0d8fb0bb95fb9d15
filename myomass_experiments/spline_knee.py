"""A spline knee with Hill-type muscles (Wang 2022, section 6.2.10, Fig. 6.18 and 6.19): the scene `spline-knee`.

Rectus femoris and semimembranosus, excited by hand, extend and flex the knee; soleus and tibialis anterior hold the
ankle by a proportional controller. Then this knee and a hinge, side by side in poses: the gap between condyle and
plateau. How the joint is fitted, and what the shapes are, is in myomass/scenes/knee.py.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from myomass.muscles import moment_arms
from myomass.scenes import Scene, load
from myomass.scenes.knee import BEHIND, BENT, FRONT, SEGMENT, Contact, contact, entries, spline_knee, table
from myomass.scenes.leg import condyle, knee_turn, plateau
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure, tidy
from myomass.viewer.stills import still

from .figures import DPI, dress, scenery

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KNEES = ("revolute", "spline")
COLOURS = {"revolute": PALETTE[1], "spline": PALETTE[0]}
SEEN = (0.0, 0.7, 1.0, 1.4, 2.0)  # when the leg is drawn [s]
POSES = (0.0, 30.0, 60.0, 90.0, 120.0)  # flexions in which both knees are drawn [degree]
SLOPES = (4.0, 9.0, 13.0)  # of the plateau, to see what it does [degree]
SETTLED = 0.3  # from when on the ankle's error counts [s]
TIGHT = {"rtol": 1e-9, "atol": 1e-11}
IVORY, EDGE = "#ede3cc", "#8d8468"


class Closest(NamedTuple):
    """Where condyle and plateau are closest, both in the femur's plane [m]; (2,) each."""

    on_condyle: np.ndarray
    on_plateau: np.ndarray


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    scenes = {knee: load("spline-knee", knee=knee) for knee in KNEES}
    runs = {knee: simulate(scene, **TIGHT) for knee, scene in scenes.items()}
    moving, gaps = folder / "spline-knee-motion.png", folder / "spline-knee-gap.png"
    _draw_motion(runs["spline"], moving)
    _draw_gaps(gaps)
    numbers = {"joint": joint_numbers(), "gap": gap_numbers()}
    numbers["runs"] = {knee: _run_numbers(knee, scenes[knee], runs[knee]) for knee in KNEES}
    return [moving, gaps], numbers


def place_of(knee: str, flexion: float) -> np.ndarray:
    """The tibia's origin in the femur [m]; the hinge's stays where it is in the stretched knee. (2,)"""
    return spline_knee().Q(np.array([flexion / SEGMENT]))[:2, 3] if knee == "spline" else table(0.0)


def gaps_of(knee: str, flexion: np.ndarray, slope: float | None = None) -> np.ndarray:
    """Gaps between condyle and plateau at flexions [m], for shapes fitted with a slope of the plateau [rad]."""
    shapes = contact() if slope is None else contact(slope)
    return np.array([shapes.gap(angle, place_of(knee, angle)) for angle in flexion])


def closest(shapes: Contact, flexion: float, place: np.ndarray) -> Closest:
    """Where the condyle comes closest to the plateau's line, and the foot of its perpendicular there."""
    angle = shapes.slope - flexion
    towards = np.array([np.sin(angle), -np.cos(angle)])
    centre, radius = (shapes.front, FRONT) if angle > shapes.meeting else (shapes.behind, BEHIND)
    point = centre + radius * towards
    return Closest(point, point + shapes.gap(flexion, place) * towards)


def joint_numbers() -> dict:
    """How well the joint follows the tables: at their entries, and all along."""
    flexion = np.linspace(0.0, BENT, 241)
    off = [place_of("spline", f) - x for f, x in zip(flexion, table(flexion), strict=True)]
    at_entries = [place_of("spline", f)[axis] - value for axis, f, value in entries()]
    return {
        "control_frames": len(spline_knee().frames),
        "flexion_in_a_segment_degree": float(np.rad2deg(SEGMENT)),
        "entries": len(at_entries),
        "largest_residual_at_entries_mm": 1e3 * float(np.abs(at_entries).max()),
        "largest_residual_mm": 1e3 * float(np.abs(off).max()),
        "rms_residual_mm": 1e3 * float(np.sqrt(np.mean(np.sum(np.square(off), axis=1)))),
    }


def gap_numbers() -> dict:
    """Shapes, and gaps of both knees."""
    shapes, poses, all_along = contact(), np.deg2rad(POSES), np.linspace(0.0, BENT, 241)
    numbers = {
        "radii_mm": {"front": 1e3 * FRONT, "behind": 1e3 * BEHIND},
        "centres_in_the_femur_mm": {"front": (1e3 * shapes.front).tolist(), "behind": (1e3 * shapes.behind).tolist()},
        "plateau_below_the_epicondyles_mm": -1e3 * shapes.height,
        "flexion_degree": list(POSES),
    }
    for knee in KNEES:
        gaps = 1e3 * gaps_of(knee, all_along)
        numbers[knee] = {
            "gap_mm": (1e3 * gaps_of(knee, poses)).tolist(),
            "least_gap_mm": float(gaps.min()),
            "largest_gap_mm": float(gaps.max()),
        }
    numbers["largest_gap_by_slope_of_the_plateau_mm"] = {
        f"{slope:g} degrees": {knee: 1e3 * float(gaps_of(knee, all_along, np.deg2rad(slope)).max()) for knee in KNEES}
        for slope in SLOPES
    }
    return numbers


def flexion_of(run: Trajectory, knee: str) -> np.ndarray:
    """The knee's flexion in every row [degree]."""
    return np.rad2deg(knee_turn(knee) * run.q[:, 0])


def _run_numbers(knee: str, scene: Scene, run: Trajectory) -> dict:
    """What the muscles did in a run; bdf2 says the same."""
    flexion, ankle = flexion_of(run, knee), np.rad2deg(run.q[:, 1])
    other = simulate(scene, integrator="bdf2")
    muscles = run.muscles
    return {
        "start_flexion_degree": float(flexion[0]),
        "least_flexion_degree": float(flexion.min()),
        "at_s": float(run.t[flexion.argmin()]),
        "largest_flexion_degree": float(flexion.max()),
        "then_at_s": float(run.t[flexion.argmax()]),
        "largest_ankle_error_degree": float(np.abs(ankle[run.t > SETTLED]).max()),
        "largest_tension_N": dict(zip(muscles.names, muscles.tension.max(axis=0).tolist(), strict=True)),
        "work_of_the_muscles_J": dict(zip(muscles.names, muscles.work[-1].tolist(), strict=True)),
        "shortest_fibre_of_best": dict(zip(muscles.names, muscles.normal_length.min(axis=0).tolist(), strict=True)),
        "moment_arms_at_90_degrees_mm": dict(zip(muscles.names, _arms(knee, scene).tolist(), strict=True)),
        "bdf2_differs_at_the_end_degree": [
            float(abs(flexion_of(other, knee)[-1] - flexion[-1])),
            float(abs(np.rad2deg(other.q[-1, 1]) - ankle[-1])),
        ],
    }


def _arms(knee: str, scene: Scene) -> np.ndarray:
    """Moment arms at 90 degrees of flexion, flexors' positive [mm]."""
    turn = knee_turn(knee)
    return 1e3 * moment_arms(scene.model, np.array([0.5 * np.pi / turn, 0.0]))[:, 0] / turn


def _draw_motion(run: Trajectory, path: Path) -> None:
    """Draw the leg at several times, excitations with activations, and both angles (Fig. 6.18)."""
    figure = new_figure(11.0, 8.4)
    grid = figure.add_gridspec(3, len(SEEN), height_ratios=(1.25, 1.0, 0.9))
    for k, t in enumerate(SEEN):
        axes = figure.add_subplot(grid[0, k])
        axes.imshow(still(run, t, size=(560, 620), hidden=("surfaces", "ground")))
        axes.set_title(f"{t:g} s", fontsize=11)
        axes.axis("off")
    driven = figure.add_subplot(grid[1, :])
    for k, name in enumerate(run.muscles.names):
        one = run.muscles[name]
        driven.plot(run.t, one.activation, color=PALETTE[k], lw=1.7, label=name)
        driven.plot(run.t, one.excitation, color=PALETTE[k], lw=1.0, ls=(0, (3, 1.5)))
    driven.plot([], [], color="0.4", lw=1.0, ls=(0, (3, 1.5)), label="excitations")
    driven.set(xlim=(0.0, run.t[-1]), ylim=(0.0, 0.68), ylabel="activation")
    dress(driven, "Activations, and excitations", ncols=4, fontsize=9, loc="upper center")
    angles = figure.add_subplot(grid[2, :], sharex=driven)
    angles.plot(run.t, flexion_of(run, "spline"), color=PALETTE[0], lw=1.8, label="flexion of the knee")
    angles.plot(run.t, np.rad2deg(run.q[:, 1]), color=PALETTE[4], lw=1.8, label="dorsiflexion of the ankle")
    angles.axhline(0.0, color="0.7", lw=0.8)
    for t in SEEN:
        angles.axvline(t, color="0.85", lw=0.8, zorder=0)
    angles.set(xlabel="time [s]", ylabel="angle [degree]")
    dress(angles, "Angles", fontsize=9, loc="upper left")
    figure.savefig(path, dpi=DPI)


def _draw_gaps(path: Path) -> None:
    """Draw both knees in poses, and the gap against the flexion (Fig. 6.19)."""
    figure = new_figure(12.0, 7.6)
    grid = figure.add_gridspec(3, len(POSES), height_ratios=(1.0, 1.0, 0.9))
    for row, knee in enumerate(KNEES):
        for k, pose in enumerate(POSES):
            axes = figure.add_subplot(grid[row, k])
            gap = draw_knee(axes, knee, np.deg2rad(pose))
            axes.set_title(f"{knee}, {pose:g}°: {1e3 * gap:z.1f} mm", fontsize=11)
    below = figure.add_subplot(grid[2, :])
    flexion = np.linspace(0.0, BENT, 241)
    for knee in KNEES:
        below.plot(np.rad2deg(flexion), 1e3 * gaps_of(knee, flexion), color=COLOURS[knee], lw=1.8, label=f"{knee} knee")
    below.axhline(0.0, color="0.7", lw=0.8)
    below.set(xlabel="flexion [degree]", ylabel="gap [mm]", xlim=(0.0, np.rad2deg(BENT)))
    tidy(below)
    below.legend(frameon=False)
    figure.savefig(path, dpi=DPI)


def draw_knee(axes: "Axes", knee: str, flexion: float) -> float:
    """Draw femur and tibia in their plane, the femur upright, and the gap, which comes back [m]."""
    shapes, place = contact(), place_of(knee, flexion)
    turn = np.array([[np.cos(flexion), np.sin(flexion)], [-np.sin(flexion), np.cos(flexion)]])
    femur = np.concatenate([condyle(shapes), shapes.front + [(0.016, 0.11), (-0.008, 0.11)]])
    behind, front = plateau(shapes)
    shaft = np.array([[-0.014, -0.16], [0.012, -0.16]])
    tibia = np.array([front, behind, behind - [0.0, 0.012], *shaft, front - [0.002, 0.02]]) @ turn.T + place
    for outline in (femur, tibia):
        axes.fill(*outline.T, facecolor=IVORY, edgecolor=EDGE, lw=1.2, joinstyle="round")
    ends = np.array(closest(shapes, flexion, place))
    axes.plot(*ends.T, color=COLOURS[knee], lw=2.5, marker="o", ms=4)
    scenery(axes)
    middle = shapes.behind
    axes.set(xlim=(middle[0] - 0.085, middle[0] + 0.085), ylim=(middle[1] - 0.085, middle[1] + 0.075))
    return shapes.gap(flexion, place)
